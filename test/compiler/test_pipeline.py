"""The pipeline's lists are whole and say what exists."""

import pytest

from octavo.compiler.pipeline import (
    LEVELS,
    LIFT,
    LOWER,
    UNUSED,
    StepShape,
    calls_by_phase,
    lower_calls,
    optimize_calls,
)
from octavo.config import Bucket
from octavo.passes import load_all
from octavo.passes.registry import all_passes, find_pass

MLIR = {"canonicalize", "cse"}
SHAPE = StepShape(block_size=4, buckets=(Bucket(2, 1), Bucket(1, 8)))


def test_every_name_is_a_pass() -> None:
    load_all()
    names = {name for level in LEVELS.values() for name in level} | set(LOWER)
    assert not [name for name in names - MLIR if find_pass(name) is None]


def test_every_pass_is_used_or_its_absence_explained() -> None:
    load_all()
    used = {name for level in LEVELS.values() for name in level} | set(LOWER)
    registered = {each.name for each in all_passes()}
    assert registered - used == set(UNUSED)
    assert all(UNUSED.values())


@pytest.mark.parametrize("level", LEVELS)
def test_options_reach_the_passes_that_have_them(level: str) -> None:
    calls = {call.name: call.options for call in optimize_calls(level, SHAPE)}
    assert calls["paginate-kv"].block_size == 4
    assert tuple(calls["specialize-buckets"].buckets) == (Bucket(1, 8), Bucket(2, 1))


def test_levels_add_passes() -> None:
    o0, o1, o2 = (set(LEVELS[level]) for level in ("O0", "O1", "O2"))
    assert o0 < o1 < o2


@pytest.mark.parametrize("level", LEVELS)
def test_each_pass_of_ours_runs_in_its_own_phase(level: str) -> None:
    phases = calls_by_phase(level, SHAPE)
    names = [call.name for calls in phases.values() for call in calls]
    assert names == [*LEVELS[level], *LOWER]
    assert [call.name for call in phases["lift"]] == list(LIFT)
    strays = {
        (phase, call.name)
        for phase, calls in phases.items()
        for call in calls
        if (found := find_pass(call.name)) and found.phase != phase
    }
    # Dead code is removed in every phase.
    assert {name for _, name in strays} <= {"eliminate-dead-code"}


def test_lowering_ends_with_its_check() -> None:
    assert lower_calls()[-1].name == "check-lowered"


def test_an_unknown_level_is_named() -> None:
    with pytest.raises(ValueError, match="no optimization level 'O9': expected one of O0, O1, O2"):
        optimize_calls("O9", SHAPE)
