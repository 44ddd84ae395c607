"""Processes that a test sends Ctrl-C to."""

import contextlib
import signal
import subprocess
from collections.abc import Iterator, Sequence
from typing import Any


@contextlib.contextmanager
def interruptible(command: Sequence[str], **popen: Any) -> Iterator[subprocess.Popen[Any]]:
    """Start a process that SIGINT reaches, whoever started the tests, and never leave it running.

    A shell starts background jobs with SIGINT ignored, and what they start inherits that.
    """
    process = subprocess.Popen(
        command, preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL), **popen
    )
    with process:
        try:
            yield process
        finally:
            process.kill()


def was_interrupted(process: subprocess.Popen[Any]) -> bool:
    """Whether Ctrl-C ended the process, which a shell reports as status 130.

    CPython ends `python -m` by the signal itself, whatever was caught and returned, when the interrupt
    arrived inside `exec` of a string, as in every `dataclass` that an import defines.
    """
    return process.returncode in (128 + signal.SIGINT, -signal.SIGINT)
