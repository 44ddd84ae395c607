"""Models of random weights, captured, lifted, paged and run in the interpreter."""

import copy
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import ml_dtypes
import numpy as np
import pytest
import torch
import transformers
from torch import nn

from octavo.compiler.pipeline import LIFT, StepShape, optimize_calls
from octavo.config import Bucket
from octavo.frontend.export import Captured, capture_config
from octavo.interpret import evaluate
from octavo.interpret.dtypes import dtype_of
from octavo.mlir import ir
from octavo.passes import load_all
from octavo.passes.pipeline import call
from octavo.passes.runner import run_pipeline


def to_array(tensor: torch.Tensor) -> np.ndarray:
    """A tensor as an array; bf16 keeps its bits."""
    plain = tensor.detach().contiguous()
    if plain.dtype == torch.bfloat16:
        return plain.view(torch.int16).numpy().view(ml_dtypes.bfloat16)
    return plain.numpy()


def arrays_of(captured: Captured, model: nn.Module) -> dict[str, np.ndarray]:
    """The weights that a captured program names: its own values, and the model's."""
    state = model.state_dict()
    return {
        key: to_array(state[key] if source.value is None else source.value)
        for key, source in captured.weights.items()
    }


def lift(captured: Captured) -> tuple[ir.Module, dict[str, int | None]]:
    """Run the phase 'lift' on a copy of the captured module; return it, and what each pass changed."""
    load_all()
    module = copy_of(captured.module)
    results = run_pipeline(module, [call(name) for name in LIFT])
    return module, {each.name: each.num_changes for each in results}


def copy_of(module: ir.Module) -> ir.Module:
    with module.context:
        return ir.Module.parse(module.operation.get_asm(enable_debug_info=True))


@dataclass(frozen=True, slots=True)
class Pair:
    """A model, and the program that was captured from its config alone."""

    model: nn.Module
    captured: Captured
    weights: Mapping[str, np.ndarray]

    def reference(self, tokens: np.ndarray, positions: np.ndarray | None = None) -> np.ndarray:
        """The model's own logits `[b, t, vocab]` of tokens `[b, t]`, as f32; from position 0 unless given."""
        where = {} if positions is None else {"position_ids": torch.from_numpy(positions).long()}
        with torch.no_grad():
            logits = self.model(input_ids=torch.from_numpy(tokens), use_cache=False, **where).logits
        return logits.float().numpy()

    def logits(self, tokens: np.ndarray, positions: np.ndarray | None = None) -> np.ndarray:
        """The lifted program's logits of the same tokens, as f32."""
        if positions is None:
            positions = np.broadcast_to(np.arange(tokens.shape[1], dtype=np.int32), tokens.shape)
        module, changes = lift(self.captured)
        assert changes["legalize-torch"] == 0, "an operation of this family is not lifted"
        [logits] = evaluate(module, [tokens, positions], weights=self.weights)
        return logits.astype(np.float32)

    def paged(self, shape: StepShape, num_blocks: int, level: str = "O2") -> "PagedProgram":
        """The program optimised to steps over a cache."""
        module = copy_of(self.captured.module)
        run_pipeline(module, optimize_calls(level, shape))
        return PagedProgram(module, self.weights, num_blocks)


class PagedProgram:
    """A program of steps, and its pools. Slots that nobody wrote are NaN, so reading one shows."""

    def __init__(
        self, module: ir.Module, weights: Mapping[str, np.ndarray], num_blocks: int
    ) -> None:
        self._module = module
        self._weights = weights
        arguments = module.body.operations[0].regions[0].blocks[0].arguments
        self._pools = [
            np.full([num_blocks, *pool.type.shape[1:]], np.nan, dtype_of(pool.type))
            for pool in list(arguments)[4:]
        ]

    def step(
        self, tokens: np.ndarray, start: Sequence[int], lens: Sequence[int], table: np.ndarray
    ) -> np.ndarray:
        """Run one step on tokens `[b, t]`, update the pools, return the logits `[b, vocab]`."""
        rows = [np.array(each, np.int32) for each in (start, lens, table)]
        name = Bucket(*tokens.shape).entry_point
        logits, *self._pools = evaluate(
            self._module, [tokens, *rows, *self._pools], function=name, weights=self._weights
        )
        assert logits.dtype == np.float32, "a step's logits are f32 whatever the model's type"
        return logits


def randomize(model: nn.Module, rng: np.random.Generator) -> None:
    """Give each parameter numbers that make its effect visible in the logits.

    transformers' own are so small that attention is uniform, and softcaps and biases change nothing.
    """
    for parameter in model.parameters():
        values = torch.from_numpy(rng.standard_normal(parameter.shape).astype(np.float32))
        with torch.no_grad():
            if parameter.dim() == 2:
                parameter.copy_(values / parameter.shape[-1] ** 0.5)
            else:  # a norm's weight, about what it starts from, or a bias
                parameter.add_(0.3 * values)


def build_pair(
    config: transformers.PretrainedConfig,
    rng: np.random.Generator,
    dtype: torch.dtype = torch.float32,
    max_context: int = 64,
) -> Pair:
    """Build a model of random weights, and capture its config."""
    # A model changes its own config's rope parameters, and capture must not see that.
    captured = capture_config(copy.deepcopy(config), dtype, max_context)
    model = transformers.AutoModelForCausalLM.from_config(
        config, attn_implementation="eager", dtype=dtype
    ).eval()
    randomize(model, rng)
    return Pair(model, captured, arrays_of(captured, model))


@pytest.fixture(scope="session", name="build_pair")
def build_pair_fixture() -> Callable[..., Pair]:
    """`build_pair`."""
    return build_pair


@pytest.fixture(scope="session", name="lift")
def lift_fixture() -> Callable[[Captured], tuple[ir.Module, dict[str, int | None]]]:
    """`lift`."""
    return lift


@pytest.fixture(scope="session")
def relative_error() -> Callable[[np.ndarray, np.ndarray], float]:
    """Largest difference as a part of the largest expected number: `relative_error(got, expected)`."""

    def error_of(got: np.ndarray, expected: np.ndarray) -> float:
        assert got.shape == expected.shape
        assert np.all(np.isfinite(got))
        error = float(np.max(np.abs(got - expected)) / np.max(np.abs(expected)))
        print(f"relative error {error:.2e}")
        return error

    return error_of
