"""Timing side by side: candidates take turns, so that a noisy machine is noisy for all of them."""

import statistics
import time
from collections.abc import Callable, Mapping


def interleaved(candidates: Mapping[str, Callable[[], int]], rounds: int) -> dict[str, float]:
    """Run each candidate once a round, in turn; return the median of units per second.

    Args:
        candidates: by name; each does some work and returns how many units (tokens, steps) it did.
        rounds: measured rounds, after one that warms up.
    """
    rates: dict[str, list[float]] = {name: [] for name in candidates}
    for index in range(rounds + 1):
        for name, work in candidates.items():
            begin = time.perf_counter()
            units = work()
            if index > 0:
                rates[name].append(units / (time.perf_counter() - begin))
    return {name: statistics.median(values) for name, values in rates.items()}


def print_table(title: str, rates: Mapping[str, float], unit: str, reference: str) -> None:
    """Print a row for each candidate: its rate, and the ratio to `reference`."""
    print(f"\n{title}")
    for name, rate in rates.items():
        print(f"  {name:<24} {rate:10.1f} {unit}   {rate / rates[reference]:6.2f}x {reference}")
