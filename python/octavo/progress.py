"""Progress of long work: a bar on a terminal, plain lines elsewhere, or nothing.

    progress = progress_to(sys.stderr)
    with progress.task("weights", total=nbytes, unit="B") as task:
        task.advance(len(chunk))

Long work takes a `Progress` and neither knows nor asks which one.
"""

import time
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from typing import Protocol, TextIO

LINE_INTERVAL = 2.0


class Task(Protocol):
    """One piece of work in progress."""

    def advance(self, amount: int = 1) -> None:
        """Add `amount` units to what is done."""


class Progress(Protocol):
    """Where long work reports to."""

    def task(self, name: str, total: int | None, unit: str) -> AbstractContextManager[Task]:
        """Report a piece of work for as long as the context lasts.

        Args:
            name: what is done, in a word or two.
            total: how many units there are, or None when nobody knows.
            unit: what is counted, in the plural (`tensors`); `B` counts bytes and is scaled.
        """
        ...


def progress_to(stream: TextIO, *, silent: bool = False) -> Progress:
    """Choose how to report on `stream`: a bar on a terminal, lines elsewhere, nothing when `silent`."""
    if silent:
        return SilentProgress()
    return BarProgress(stream) if stream.isatty() else LineProgress(stream)


class SilentProgress:
    """Reports nothing."""

    @contextmanager
    def task(self, name: str, total: int | None, unit: str) -> Iterator[Task]:
        """See `Progress.task`."""
        yield _Counter()


class BarProgress:
    """Draws one bar at a time."""

    def __init__(self, stream: TextIO) -> None:
        """Draw on `stream`, a terminal."""
        self._stream = stream

    @contextmanager
    def task(self, name: str, total: int | None, unit: str) -> Iterator[Task]:
        """See `Progress.task`."""
        # Imported here: who only serves an artifact reports nothing and need not have it.
        from tqdm import tqdm

        is_bytes = unit == "B"
        with tqdm(
            desc=name,
            total=total,
            unit=unit if is_bytes else f" {unit}",
            unit_scale=is_bytes,
            unit_divisor=1000,
            file=self._stream,
            dynamic_ncols=True,
        ) as bar:
            yield _Bar(bar.update)


class LineProgress:
    """Prints a line at the start, at the end, and at most one each interval between them."""

    def __init__(
        self,
        stream: TextIO,
        interval: float = LINE_INTERVAL,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        """Print on `stream`; `interval` and what `clock` returns are seconds."""
        self._stream = stream
        self.interval = interval
        self.clock = clock

    @contextmanager
    def task(self, name: str, total: int | None, unit: str) -> Iterator[Task]:
        """See `Progress.task`. Work that raises ends with `stopped` in place of `done`."""
        start = self.clock()
        self.print(f"{name}: {_count(total, unit)}" if total is not None else f"{name} ...")
        lines = _Lines(self, name, total, unit)
        try:
            yield lines
        except BaseException:
            self.print(f"{name}: stopped at {lines.position()} after {self.clock() - start:.1f} s")
            raise
        self.print(f"{name}: done, {_count(lines.done, unit)} in {self.clock() - start:.1f} s")

    def print(self, line: str) -> None:
        """Print one line at once."""
        print(line, file=self._stream, flush=True)


class _Counter:
    def __init__(self) -> None:
        self.done = 0

    def advance(self, amount: int = 1) -> None:
        self.done += amount


class _Bar:
    def __init__(self, update: Callable[[int], object]) -> None:
        self._update = update

    def advance(self, amount: int = 1) -> None:
        self._update(amount)


class _Lines(_Counter):
    def __init__(self, progress: LineProgress, name: str, total: int | None, unit: str) -> None:
        super().__init__()
        self._progress, self._name, self._total, self._unit = progress, name, total, unit
        self._last = progress.clock()

    def advance(self, amount: int = 1) -> None:
        super().advance(amount)
        now = self._progress.clock()
        # The end has its own line.
        if now - self._last < self._progress.interval or self.done == self._total:
            return
        self._last = now
        self._progress.print(f"{self._name}: {self.position()}")

    def position(self) -> str:
        if not self._total:
            return _count(self.done, self._unit)
        percent = 100 * self.done // self._total
        return f"{_count(self.done, self._unit)} of {_count(self._total, self._unit)} ({percent} %)"


def _count(amount: int, unit: str) -> str:
    return format_nbytes(amount) if unit == "B" else counted(amount, unit)


def counted(amount: int, plural: str) -> str:
    """Write a number of things: `1 pass`, `3 passes`; `plural` is a regular one."""
    if amount != 1:
        return f"{amount} {plural}"
    return f"1 {plural.removesuffix('es' if plural.endswith('sses') else 's')}"


def format_nbytes(nbytes: int) -> str:
    """Write a number of bytes with three digits and a decimal unit: `1.23 GB`."""
    value = float(nbytes)
    for unit in ("B", "kB", "MB", "GB"):
        # Rounding may carry into the next unit: 999.9 kB is 1.00 MB.
        if value < 999.5:
            return f"{nbytes} B" if unit == "B" else f"{value:.3g} {unit}"
        value /= 1000
    return f"{value:.3g} TB"
