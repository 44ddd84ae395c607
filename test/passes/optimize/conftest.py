"""Run a pass on a module, and compare what the interpreter computes before and after."""

from collections.abc import Callable, Mapping, Sequence

import ml_dtypes
import numpy as np
import pytest

from octavo.interpret import evaluate
from octavo.mlir import ir
from octavo.passes import load_all
from octavo.passes.pipeline import parse_pipeline
from octavo.passes.runner import run_pipeline


@pytest.fixture
def dtype_named() -> Callable[[str], np.dtype]:
    """Numpy's element type of MLIR's name."""
    return {"f32": np.dtype(np.float32), "bf16": np.dtype(ml_dtypes.bfloat16)}.__getitem__


@pytest.fixture
def run_pass(context: ir.Context) -> Callable[[str, str], tuple[ir.Module, int | None]]:
    """Run a pipeline on a module's text; return the module and what the last pass changed."""

    def run(text: str, passes: str) -> tuple[ir.Module, int | None]:
        load_all()
        module = ir.Module.parse(text)
        results = run_pipeline(module, parse_pipeline(passes))
        return module, results[-1].num_changes

    return run


@pytest.fixture
def check_pass(
    context: ir.Context, run_pass: Callable[[str, str], tuple[ir.Module, int | None]]
) -> Callable[..., None]:
    """Compare `main` before and after: `check_pass(text, pass, inputs, changes=1, tolerance=1e-6)`."""

    def check(
        text: str,
        name: str,
        inputs: Sequence[np.ndarray],
        *,
        changes: int = 1,
        tolerance: float = 1e-6,
        weights: Mapping[str, np.ndarray] | None = None,
    ) -> None:
        before = evaluate(ir.Module.parse(text), inputs, weights=weights)
        module, counted = run_pass(text, name)
        assert counted == changes
        after = evaluate(module, inputs, weights=weights)
        for got, expected in zip(after, before, strict=True):
            assert got.dtype == expected.dtype
            np.testing.assert_allclose(
                got.astype(np.float32),
                expected.astype(np.float32),
                rtol=tolerance,
                atol=tolerance,
            )

    return check
