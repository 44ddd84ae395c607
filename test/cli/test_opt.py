import os
import shlex
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from interruptible import interruptible

from octavo.cli import opt
from octavo.interpret import registry as references
from octavo.passes import load_all
from octavo.passes import registry as passes

PLUGIN = Path(__file__).parent / "Inputs" / "plugin.py"
SOURCES = Path(__file__).parents[2] / "python"
ENVIRONMENT = {**os.environ, "PYTHONPATH": str(SOURCES)}
GOOD = """func.func @f(%x: tensor<8xf32>) -> tensor<8xf32> {
  %unused = arith.constant 1 : i32
  %y = "llm.scale"(%x) {factor = 2.0 : f64} : (tensor<8xf32>) -> tensor<8xf32>
  return %y : tensor<8xf32>
}
"""
BAD = GOOD.replace("f32", "i32")


@pytest.fixture(autouse=True)
def own_tables(monkeypatch: pytest.MonkeyPatch) -> None:
    """What a plugin registers is gone after a test."""
    load_all()
    monkeypatch.setattr(passes, "_PASSES", dict(passes._PASSES))
    monkeypatch.setattr(references, "_REFERENCES", dict(references._REFERENCES))


@pytest.fixture
def write(tmp_path):
    """Write a text to a file and return its path."""

    def to_file(text: str, name: str = "f.mlir") -> str:
        (tmp_path / name).write_text(text)
        return str(tmp_path / name)

    return to_file


def start(*arguments: str, **options) -> subprocess.Popen[str]:
    command = [sys.executable, "-m", "octavo.cli.opt", *arguments]
    return subprocess.Popen(command, stderr=subprocess.PIPE, text=True, env=ENVIRONMENT, **options)


def test_a_module_is_verified_and_printed(write, capsys) -> None:
    assert opt.main([write(GOOD)]) == 0
    out, err = capsys.readouterr()
    assert "arith.constant" in out
    assert err == ""
    assert opt.main([write(out)]) == 0
    assert capsys.readouterr().out == out


def test_passes_run(write, capsys) -> None:
    assert opt.main([write(GOOD), "--passes", "canonicalize"]) == 0
    assert "arith.constant" not in capsys.readouterr().out


def test_bad_ir_prints_nothing_but_the_error(write, capsys) -> None:
    path = write(BAD)
    assert opt.main([path]) == 1
    out, err = capsys.readouterr()
    assert out == ""
    assert err == f"{path}:3:8: error: 'llm.scale' op expected x of a float element type, got i32\n"


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["none.mlir"], "none.mlir: cannot read it: No such file or directory\n"),
        (["--passes", "cse{"], "unbalanced brackets in the pipeline 'cse{': 1 not closed\n"),
        (
            ["--passes", "paginate-kv{size=1}"],
            "pass 'paginate-kv' has no option 'size': its options are block-size\n",
        ),
        (
            ["--passes", "cse,paginate-kv{block-size=8 block_size=4}"],
            "option block-size of pass 'paginate-kv': expected one value, got '8' and '4'\n",
        ),
        (["--load", "none.py"], "cannot load none.py: FileNotFoundError: "),
    ],
)
def test_wrong_arguments(arguments, message, capsys) -> None:
    assert opt.main(arguments) == 1
    assert capsys.readouterr().err.startswith(message)


def test_a_failing_pass_prints_the_command_that_fails_again(write, capsys) -> None:
    path = write(GOOD)
    arguments = ["--load", str(PLUGIN), "--passes", "canonicalize,always-fails,cse", path]
    assert opt.main(arguments) == 1
    error, again, advice = capsys.readouterr().err.splitlines()[-3:]
    assert error == "pass 'always-fails' failed: RuntimeError: on purpose"
    assert advice == "With --reproducer FILE, the IR before the failing pass is kept."
    command = shlex.split(again.removeprefix("To run it again: "))
    expected = ["octavo-opt", "--load", str(PLUGIN), "--passes", "canonicalize,always-fails", path]
    assert command == expected
    result = start(*command[1:])
    assert "RuntimeError: on purpose" in result.communicate(timeout=60)[1]
    assert result.returncode == 1


def test_a_mistake_in_a_pass_shows_its_line(write, capsys) -> None:
    assert opt.main(["--load", str(PLUGIN), "--passes", "always-fails", write(GOOD)]) == 1
    assert f'File "{PLUGIN}", line ' in capsys.readouterr().err


def test_what_a_pass_refuses_shows_no_traceback(write, capsys) -> None:
    assert opt.main(["--passes", "check-lowered", write(GOOD)]) == 1
    err = capsys.readouterr().err
    assert err.startswith("pass 'check-lowered' failed: ")
    assert "Traceback" not in err


def test_a_reproducer_holds_the_ir_before_the_failing_pass(write, tmp_path, capsys) -> None:
    kept = tmp_path / "kept.mlir"
    arguments = ["--passes", "canonicalize,check-lowered", "--reproducer", str(kept), write(GOOD)]
    assert opt.main(arguments) == 1
    err = capsys.readouterr().err
    assert f"The IR before it is in {kept}. To run it again: octavo-opt " in err
    assert "llm.scale" in kept.read_text()
    assert "arith.constant" not in kept.read_text()
    command = shlex.split(err.partition("To run it again: ")[2])
    assert opt.main(command[1:]) == 1
    assert "pass 'check-lowered' failed: " in capsys.readouterr().err


def test_a_reproducer_that_cannot_be_written_hides_no_error(write, tmp_path, capsys) -> None:
    place = str(tmp_path)  # a directory
    arguments = ["--passes", "check-lowered", "--reproducer", place, write(GOOD)]
    assert opt.main(arguments) == 1
    err = capsys.readouterr().err
    assert err.startswith("pass 'check-lowered' failed: ")
    note = f"note: the IR before it is not kept: {place} cannot be written: Is a directory"
    assert err.splitlines()[-1] == note
    assert opt.main(["--passes", "cse", "--reproducer", place, write(GOOD)]) == 0


def test_parts_fail_on_their_own(write, capsys) -> None:
    path = write(f"{GOOD}// -----\n{BAD}// -----\n{GOOD}")
    assert opt.main(["--split-input-file", path]) == 1
    out, err = capsys.readouterr()
    first, second, third = out.split("// -----\n")
    assert first == third
    assert "llm.scale" in first
    assert second == ""
    assert err.startswith(f"{path}:9:8: error: 'llm.scale' op expected x")


def test_parts_keep_their_dumps_and_reproducers_apart(write, tmp_path) -> None:
    path = write(f"{GOOD}// -----\n{GOOD}")
    dumps, kept = tmp_path / "dumps", tmp_path / "kept.mlir"
    arguments = ["--passes", "cse,check-lowered", "--split-input-file", path]
    assert opt.main([*arguments, "--dump-to", str(dumps), "--reproducer", str(kept)]) == 1
    for number in (1, 2):
        names = sorted(file.name for file in (dumps / f"part-{number}").iterdir())
        assert names == ["00-input.mlir", "01-cse.mlir"]
        assert (tmp_path / f"kept-{number}.mlir").exists()


def test_messages_of_passes_name_the_file_of_a_part(write, capsys) -> None:
    path = write(f"{GOOD}// -----\n{GOOD}")
    assert opt.main(["--passes", "check-lowered", "--split-input-file", path]) == 1
    err = capsys.readouterr().err
    assert f'"{path}":3:8' in err
    assert f'"{path}":9:8' in err


def test_dumps(write, tmp_path) -> None:
    folder = tmp_path / "dumps"
    assert opt.main(["--passes", "cse,canonicalize", "--dump-to", str(folder), write(GOOD)]) == 0
    names = sorted(file.name for file in folder.iterdir())
    assert names == ["00-input.mlir", "01-cse.mlir", "02-canonicalize.mlir"]


def test_timing_goes_to_stderr(write, capsys) -> None:
    assert opt.main(["--passes", "cse,eliminate-dead-code", "--timing", write(GOOD)]) == 0
    out, err = capsys.readouterr()
    assert [line.split()[2] for line in err.splitlines()] == ["cse", "eliminate-dead-code"]
    assert "ms" not in out


def test_output_goes_to_a_file(write, tmp_path, capsys) -> None:
    path, out = write(GOOD), tmp_path / "out.mlir"
    assert opt.main([path, "-o", str(out)]) == 0
    assert capsys.readouterr().out == ""
    assert "llm.scale" in out.read_text()


def test_a_failure_leaves_the_output_file_alone(write, tmp_path) -> None:
    out = tmp_path / "out.mlir"
    out.write_text("before")
    assert opt.main([write(BAD), "-o", str(out)]) == 1
    assert out.read_text() == "before"


def test_an_output_that_cannot_be_written(write, tmp_path, capsys) -> None:
    assert opt.main([write(GOOD), "-o", str(tmp_path / "none" / "out.mlir")]) == 1
    assert "No such file or directory" in capsys.readouterr().err


def test_a_plugin_adds_passes_and_references(write, capsys) -> None:
    assert opt.main(["--load", str(PLUGIN), "--passes", "scale-twice", write(GOOD)]) == 0
    assert capsys.readouterr().out.count("llm.scale") == 2
    assert "my.twice" in references.all_references()


def test_a_plugin_that_takes_a_taken_name(write, tmp_path, capsys) -> None:
    plugin = write(PLUGIN.read_text().replace("scale-twice", "paginate-kv"), "taken.py")
    assert opt.main(["--load", plugin, write(GOOD)]) == 1
    message = "ValueError: pass 'paginate-kv' is registered twice: first in "
    assert message in capsys.readouterr().err


def test_nothing_heavy_is_imported(write) -> None:
    script = """
import sys
from octavo.cli.opt import main
assert main(sys.argv[1:]) == 0
heavy = {"torch", "transformers", "iree", "scipy", "ml_dtypes"} & set(sys.modules)
assert not heavy, heavy
"""
    arguments = ["--passes", "eliminate-dead-code", "--list-passes", "--list-ops"]
    for each in ([write(GOOD), *arguments[:2]], arguments):
        command = [sys.executable, "-c", script, *each]
        subprocess.run(command, check=True, stdout=subprocess.DEVNULL, env=ENVIRONMENT)


def test_ctrl_c_ends_it_quietly() -> None:
    command = [sys.executable, "-m", "octavo.cli.opt", "--timing", "-"]
    pipes = dict.fromkeys(("stdin", "stdout", "stderr"), subprocess.PIPE)
    with interruptible(command, text=True, env=ENVIRONMENT, **pipes) as process:
        # It reads to the end of stdin: once it took more than a pipe holds, it is past its imports.
        process.stdin.write("// x\n" * 100_000)
        process.stdin.flush()
        process.send_signal(signal.SIGINT)
        out, err = process.communicate(timeout=60)
    assert (process.returncode, out, err) == (130, "", "")


def test_a_reader_that_leaves_ends_it_quietly(write) -> None:
    path = write(GOOD)
    process = start(path, stdout=subprocess.PIPE)
    assert process.stdout is not None
    process.stdout.close()
    _, err = process.communicate(timeout=60)
    assert (process.returncode, err) == (141, "")
