"""Progress: what a terminal sees, what a log sees, and that silence is silent."""

import io
import os
import pty
import termios

import pytest

from octavo.progress import (
    BarProgress,
    LineProgress,
    SilentProgress,
    counted,
    format_nbytes,
    progress_to,
)


class Clock:
    """Seconds that pass only when a test says so."""

    def __init__(self) -> None:
        self.now = 100.0

    def __call__(self) -> float:
        return self.now


def test_lines_start_end_and_one_each_interval() -> None:
    stream, clock = io.StringIO(), Clock()
    with LineProgress(stream, interval=2.0, clock=clock).task("weights", 10, "tensors") as task:
        for _ in range(10):
            clock.now += 0.75
            task.advance()
    # The interval is over at 2.25, 4.5 and 6.75 seconds: after 3, 6 and 9 tensors.
    assert stream.getvalue().splitlines() == [
        "weights: 10 tensors",
        "weights: 3 tensors of 10 tensors (30 %)",
        "weights: 6 tensors of 10 tensors (60 %)",
        "weights: 9 tensors of 10 tensors (90 %)",
        "weights: done, 10 tensors in 7.5 s",
    ]


def test_lines_of_fast_work_are_two() -> None:
    stream, clock = io.StringIO(), Clock()
    with LineProgress(stream, clock=clock).task("weights", 1000, "B") as task:
        for _ in range(1000):
            task.advance()
    assert stream.getvalue() == "weights: 1 kB\nweights: done, 1 kB in 0.0 s\n"


def test_lines_without_a_total() -> None:
    stream, clock = io.StringIO(), Clock()
    with LineProgress(stream, interval=1.0, clock=clock).task("compile", None, "passes") as task:
        clock.now += 1
        task.advance(4)
    assert stream.getvalue().splitlines() == [
        "compile ...",
        "compile: 4 passes",
        "compile: done, 4 passes in 1.0 s",
    ]


@pytest.mark.parametrize("error", [ValueError, KeyboardInterrupt])
def test_lines_of_work_that_raises_never_say_done(error: type[BaseException]) -> None:
    stream, clock = io.StringIO(), Clock()

    def work() -> None:
        with LineProgress(stream, clock=clock).task("weights", 4, "tensors") as task:
            task.advance()
            raise error

    with pytest.raises(error):
        work()
    assert stream.getvalue().splitlines()[1:] == [
        "weights: stopped at 1 tensor of 4 tensors (25 %) after 0.0 s"
    ]


def test_a_terminal_gets_a_bar() -> None:
    parent, child = pty.openpty()
    termios.tcsetwinsize(child, (24, 80))
    with os.fdopen(child, "w") as stream:
        progress = progress_to(stream)
        assert isinstance(progress, BarProgress)
        with progress.task("weights", 3000, "B") as task:
            task.advance(3000)
        stream.flush()
        drawn = ""
        while not drawn.endswith("\n"):  # a terminal hands over what is there, which may be a part
            drawn += os.read(parent, 65536).decode()
    os.close(parent)
    assert "weights: 100%" in drawn
    assert "\r" in drawn
    assert "3.00k" in drawn


def test_a_pipe_gets_lines() -> None:
    read, write = os.pipe()
    with os.fdopen(write, "w") as stream:
        progress = progress_to(stream)
        assert isinstance(progress, LineProgress)
        with progress.task("weights", 1, "tensors") as task:
            task.advance()
    with os.fdopen(read) as stream:
        assert "\r" not in stream.read()


def test_silence_writes_nothing() -> None:
    parent, child = pty.openpty()
    with os.fdopen(child, "w") as stream:
        progress = progress_to(stream, silent=True)
        assert isinstance(progress, SilentProgress)
        with progress.task("weights", 3, "tensors") as task:
            task.advance(3)
    os.set_blocking(parent, False)
    # A closed terminal with nothing left to read is an error or an end, never text.
    try:
        assert os.read(parent, 65536) == b""
    except OSError:
        pass
    finally:
        os.close(parent)


@pytest.mark.parametrize(
    ("amount", "plural", "text"),
    [
        (0, "buckets", "0 buckets"),
        (1, "buckets", "1 bucket"),
        (2, "buckets", "2 buckets"),
        (1, "passes", "1 pass"),
        (1, "changes", "1 change"),
        (1, "KV heads", "1 KV head"),
    ],
)
def test_counted(amount: int, plural: str, text: str) -> None:
    assert counted(amount, plural) == text


@pytest.mark.parametrize(
    ("nbytes", "text"),
    [
        (0, "0 B"),
        (999, "999 B"),
        (1000, "1 kB"),
        (999_499, "999 kB"),
        (999_600, "1 MB"),
        (1_234_567_890, "1.23 GB"),
        (16_060_000_000, "16.1 GB"),
        (4_000_000_000_000, "4 TB"),
    ],
)
def test_format_nbytes(nbytes: int, text: str) -> None:
    assert format_nbytes(nbytes) == text
