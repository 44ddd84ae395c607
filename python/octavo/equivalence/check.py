"""Runs the functions of a module before and after a change on the same inputs."""

from dataclasses import dataclass

import numpy as np

from octavo.equivalence.compare import Mismatch, first_mismatch, tolerance_of
from octavo.equivalence.pairs import Pair, pairs_of
from octavo.equivalence.weights import Surroundings, random_surroundings
from octavo.errors import NoReferenceError, OctavoError
from octavo.mlir import ir

_NUM_TRIALS = 2  # inputs of different sizes and contents


@dataclass(frozen=True, slots=True)
class Report:
    """What a comparison found.

    Attributes:
        compared: functions whose results agree.
        skipped: functions that could not be compared, each with the reason.
        mismatch: the first difference, or None.
    """

    compared: tuple[str, ...]
    skipped: tuple[tuple[str, str], ...]
    mismatch: Mismatch | None


def check_same(before: ir.Module, after: ir.Module, *, seed: int = 0) -> Report:
    """Compare what the functions of two modules compute, on random inputs and random weights.

    Args:
        before: the reference.
        after: what became of it.
        seed: of all randomness.

    Returns:
        Agreement, a difference, or why a function says nothing: one that only one module has, or that uses an
        operation without an interpreter reference.
    """
    operations = (before.operation, after.operation)
    tolerance = max(map(tolerance_of, operations))
    pairs, skipped = pairs_of(before, after)
    compared: list[str] = []
    try:
        around = random_surroundings(operations, seed)
    except OctavoError as error:
        skipped += [(pair.name, str(error)) for pair in pairs]
        return Report((), tuple(skipped), None)
    for pair in pairs:
        try:
            found = _compare(pair, around, tolerance, seed)
        except _NotComparable as reason:
            skipped.append((pair.name, str(reason)))
            continue
        if found is not None:
            return Report(tuple(compared), tuple(skipped), found)
        compared.append(pair.name)
    return Report(tuple(compared), tuple(skipped), None)


class _NotComparable(Exception):
    """A function cannot be run, for reasons that no pass is to blame for."""


def _compare(pair: Pair, around: Surroundings, tolerance: float, seed: int) -> Mismatch | None:
    for trial in range(_NUM_TRIALS):
        rng = np.random.default_rng([seed, trial])
        try:
            question = pair.question(rng)
            expected = pair.before(question, around)
        except OctavoError as error:
            raise _NotComparable(str(error)) from error
        try:
            got = pair.after(question, around)
        except OctavoError as error:
            if isinstance(error, NoReferenceError):
                raise _NotComparable(str(error)) from error
            return Mismatch(pair.name, 0, f"it cannot be run any more: {error}")
        if found := first_mismatch(pair.name, expected, got, tolerance):
            return found
    return None
