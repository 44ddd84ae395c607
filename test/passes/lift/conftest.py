"""Lift what an author wrote, and compare it with what torch computes."""

from collections.abc import Callable, Mapping, Sequence

import ml_dtypes
import numpy as np
import pytest
import torch
from torch import nn
from torch.export import Dim

from octavo.compiler.pipeline import LIFT
from octavo.frontend.export import capture
from octavo.interpret import evaluate
from octavo.passes import load_all
from octavo.passes.pipeline import call
from octavo.passes.runner import run_pipeline

# Of f32: another order of the sums. Of bf16: a rounding of the result more or less.
TOLERANCE = {torch.float32: 1e-5, torch.bfloat16: 2**-6}


class Apply(nn.Module):
    """A function of tensors as a module."""

    def __init__(self, function: Callable[..., torch.Tensor]) -> None:
        super().__init__()
        self.function = function

    def forward(self, *inputs: torch.Tensor) -> torch.Tensor:
        return self.function(*inputs)


def to_array(tensor: torch.Tensor) -> np.ndarray:
    """A tensor as an array; bf16 keeps its bits."""
    plain = tensor.detach().contiguous()
    if plain.dtype == torch.bfloat16:
        return plain.view(torch.int16).numpy().view(ml_dtypes.bfloat16)
    return plain.numpy()


@pytest.fixture(autouse=True)
def _torch_seed(rng: np.random.Generator) -> None:
    torch.manual_seed(int(rng.integers(2**31)))


@pytest.fixture
def check_lift() -> Callable[..., None]:
    """Lift a function or module of `[b, t, ...]` tensors and compare it with itself.

    `check_lift(function, make, {pass: changes}, left=0)`: `make(b, t)` gives inputs, whose axes of these
    sizes are dynamic; `left` is how many operations are left to torch-mlir.
    """

    def check(
        function: Callable[..., torch.Tensor],
        make: Callable[[int, int], Sequence[torch.Tensor]],
        changes: Mapping[str, int],
        left: int = 0,
    ) -> None:
        model = function if isinstance(function, nn.Module) else Apply(function)
        module, weights, counts = _lifted(model, make)
        wanted = {**changes, "legalize-torch": left}
        assert {name: counts[name] for name in wanted} == wanted
        for sizes in ((2, 3), (3, 5), (1, 1)):
            inputs = make(*sizes)
            with torch.no_grad():
                expected = model(*inputs)
            [got] = evaluate(module, [to_array(each) for each in inputs], weights=weights)
            assert got.dtype == to_array(expected).dtype
            tolerance = TOLERANCE[expected.dtype]
            np.testing.assert_allclose(
                got.astype(np.float32), expected.float(), rtol=tolerance, atol=tolerance
            )

    return check


def _lifted(
    model: nn.Module, make: Callable[[int, int], Sequence[torch.Tensor]]
) -> tuple[object, dict[str, np.ndarray], dict[str, int | None]]:
    example, other = make(7, 11), make(13, 17)
    dims = {7: Dim("b", min=1), 11: Dim("t", min=1)}
    shapes = tuple(
        {axis: dims[size] for axis, size in enumerate(each.shape) if size != changed.shape[axis]}
        for each, changed in zip(example, other, strict=True)
    )
    is_function = isinstance(model, Apply)
    captured = capture(model.eval(), example, (shapes,) if is_function else shapes)
    load_all()
    results = run_pipeline(captured.module, [call(name) for name in LIFT])
    weights = {key: to_array(each.value) for key, each in captured.weights.items()}
    return captured.module, weights, {each.name: each.num_changes for each in results}
