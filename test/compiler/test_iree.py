"""The compiler as a process: what it leaves behind, and what it says when it fails."""

import os
import re
import shlex
import subprocess
import sys
import tempfile
from importlib.metadata import version
from pathlib import Path

import pytest

from octavo.compiler import iree
from octavo.compiler.iree import compile_module, iree_version
from octavo.compiler.targets import target_named
from octavo.errors import CompileError

GOOD = """
func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
  %y = arith.addf %x, %x : tensor<4xf32>
  return %y : tensor<4xf32>
}
"""
BAD = "func.func @main() { some.operation }"
TARGET = target_named("cpu:x86-64-v3")


@pytest.fixture(autouse=True)
def scratch(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Where temporary files go."""
    path = tmp_path / "scratch"
    path.mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(path))
    return path


@pytest.fixture
def output(tmp_path: Path) -> Path:
    """A program's file, in a directory of its own."""
    (tmp_path / "programs").mkdir()
    return tmp_path / "programs" / "p.vmfb"


@pytest.fixture
def compiler(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    """`compiler(script)`: run that shell script in the compiler's place."""

    def replace(script: str) -> None:
        path = tmp_path / "compiler.sh"
        path.write_text(f"#!/bin/sh\n{script}\n")
        path.chmod(0o700)
        monkeypatch.setattr(iree, "_compiler", lambda: str(path))

    return replace


def test_leaves_the_program_and_nothing_else(output, scratch) -> None:
    compile_module(GOOD, TARGET, output)
    assert output.stat().st_size > 0
    assert list(output.parent.iterdir()) == [output]
    assert not any(scratch.iterdir())


def test_an_error_can_be_reproduced(output, scratch) -> None:
    output.write_text("an older program")
    with pytest.raises(CompileError) as caught:
        compile_module(BAD, TARGET, output)
    message = str(caught.value)
    assert message.startswith("IREE cannot compile the module for cpu:x86-64-v3 (exit status 1):\n")
    assert "error: " in message
    assert output.read_text() == "an older program"
    assert list(output.parent.iterdir()) == [output]
    [kept] = scratch.glob("*/*.mlir")
    assert f"The module is in {kept}." in message
    assert kept.read_text() == BAD
    command = message.partition("To run it again: ")[2]
    again = subprocess.run(shlex.split(command), capture_output=True, text=True, check=False)
    assert again.returncode == 1
    assert "error: " in again.stderr


def test_a_crash_is_an_error(output, compiler) -> None:
    compiler("echo 'LLVM ERROR: no such instruction' >&2; kill -SEGV $$")
    with pytest.raises(CompileError, match=r"killed by SIGSEGV\):\n  LLVM ERROR: no such instr"):
        compile_module(GOOD, TARGET, output)


def test_a_long_report_is_cut(output, compiler) -> None:
    compiler("for i in 1 2 3 4 5 6 7; do printf 'error: %01000d\\n' $i >&2; done; exit 3")
    with pytest.raises(CompileError, match=r"exit status 3") as caught:
        compile_module(GOOD, TARGET, output)
    shown = re.findall(r"^  error: .*$", str(caught.value), re.MULTILINE)
    assert len(shown) == 5
    assert max(map(len, shown)) <= 402


@pytest.mark.skipif(sys.platform != "linux", reason="looks for the process in /proc")
def test_an_interrupt_kills_the_compiler_and_leaves_nothing(output, scratch, compiler) -> None:
    pid_file = output.parent.parent / "pid"
    # The last argument is the file to write.
    compiler(f'for last; do :; done; echo half > "$last"; echo $$ > {pid_file}; exec sleep 60')

    def interrupt(seconds: float) -> None:
        assert seconds > 0
        if pid_file.exists() and pid_file.read_text():
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        compile_module(GOOD, TARGET, output, on_progress=interrupt)
    assert not os.path.exists(f"/proc/{pid_file.read_text().strip()}")
    assert not any(output.parent.iterdir())
    assert not any(scratch.iterdir())


def test_without_the_compiler_says_how_to_get_it(output, scratch, monkeypatch) -> None:
    monkeypatch.setitem(sys.modules, "iree.compiler.tools.binaries", None)
    with pytest.raises(CompileError, match=r"pip install 'octavo\[compile\]'"):
        compile_module(GOOD, TARGET, output)
    assert not any(scratch.iterdir())


def test_the_version_is_the_runtimes() -> None:
    assert iree_version() == version("iree-base-runtime")
