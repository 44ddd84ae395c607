"""IREE's compiler, run as a process of its own: a crash there is an error here."""

import os
import shlex
import shutil
import signal
import subprocess
import tempfile
import time
from collections.abc import Callable, Sequence
from importlib.metadata import version
from pathlib import Path

from octavo.compiler.targets import Target
from octavo.errors import CompileError

_POLL_INTERVAL = 0.2  # seconds
_MAX_LINES = 5
_MAX_LINE_LENGTH = 400


def iree_version() -> str:
    """Version of the IREE compiler that is installed."""
    return version("iree-base-compiler")


def compile_module(
    text: str,
    target: Target,
    output: Path,
    *,
    on_progress: Callable[[float], None] | None = None,
) -> None:
    """Compile a lowered module to `output`, which appears when it is complete.

    Args:
        text: the module, as MLIR text.
        target: what to compile for.
        output: the program's file.
        on_progress: called a few times a second with the seconds since the start.

    Raises:
        CompileError: IREE refused the module or crashed. The message has its first errors, the file that
            keeps the module, and the command that runs it again.
    """
    compiler = _compiler()
    scratch = Path(tempfile.mkdtemp(prefix="octavo-"))
    unfinished = output.with_name(f".{output.name}.{os.getpid()}")
    source = scratch / "program.mlir"
    command = [compiler, str(source), *target.flags, "-o"]
    keeps_source = False
    try:
        source.write_text(text, encoding="utf-8")
        status, errors = _run([*command, str(unfinished)], on_progress)
        if status != 0:
            keeps_source = True
            again = shlex.join([*command, str(scratch / output.name)])
            raise CompileError(_message(target, status, errors, source, again))
        os.replace(unfinished, output)
    finally:
        unfinished.unlink(missing_ok=True)
        if not keeps_source:
            shutil.rmtree(scratch)


def _compiler() -> str:
    try:
        from iree.compiler.tools.binaries import find_tool
    except ModuleNotFoundError as error:
        raise CompileError(
            "IREE's compiler is not installed. Install it with: pip install 'octavo[compile]'"
        ) from error
    return str(Path(find_tool("iree-compile")).resolve())


def _run(command: Sequence[str], on_progress: Callable[[float], None] | None) -> tuple[int, str]:
    """Run to the end; return the exit status and what was written to stderr."""
    begin = time.monotonic()
    with subprocess.Popen(
        command,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        encoding="utf-8",
        errors="replace",
    ) as process:
        try:
            while True:
                try:
                    _, errors = process.communicate(timeout=_POLL_INTERVAL)
                    return process.returncode, errors
                except subprocess.TimeoutExpired:
                    if on_progress is not None:
                        on_progress(time.monotonic() - begin)
        except BaseException:
            process.kill()
            raise


def _message(target: Target, status: int, errors: str, source: Path, again: str) -> str:
    lines = errors.splitlines()
    first = [line for line in lines if "error:" in line.lower()] or lines
    shown = "\n".join(f"  {line[:_MAX_LINE_LENGTH]}" for line in first[:_MAX_LINES])
    return (
        f"IREE cannot compile the module for {target.name} ({_ending(status)}):\n{shown}\n"
        f"The module is in {source}. To run it again: {again}"
    )


def _ending(status: int) -> str:
    """How a process ended, by its status as `subprocess` gives it."""
    return f"exit status {status}" if status > 0 else f"killed by {signal.Signals(-status).name}"
