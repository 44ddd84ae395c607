from collections.abc import Callable, Mapping
from pathlib import Path

import pytest

from layout import pipeline

Plant = Callable[[Mapping[str, str]], Path]
PASS = {"passes/lift/lift_rope.py": '@register_pass("lift-rope")\ndef lift_rope(op): ...\n'}


@pytest.mark.parametrize("text", ['LIFT = ("lift-rope",)', 'UNUSED = {"lift-rope": "on request"}'])
def test_a_listed_pass_is_fine(plant: Plant, text: str) -> None:
    assert pipeline.check(plant({**PASS, str(pipeline.PIPELINE): text})) == []


@pytest.mark.parametrize("text", ['LIFT = ("lift-rope-2",)', "# lift-rope"])
def test_a_pass_that_is_not_listed_is_reported(plant: Plant, text: str) -> None:
    (problem,) = pipeline.check(plant({**PASS, str(pipeline.PIPELINE): text}))
    assert problem.startswith("passes/lift/lift_rope.py: pass 'lift-rope' is not in")


def test_without_a_pipeline_every_pass_is_reported(plant: Plant) -> None:
    assert len(pipeline.check(plant(PASS))) == 1
