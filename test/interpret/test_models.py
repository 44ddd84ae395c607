"""The interpreter runs whole models: tiny ones of every family, stepwise over pages, as torch runs them."""

from collections.abc import Mapping

import numpy as np
import pytest
import torch
import transformers
from families import FAMILIES

from octavo.compiler.pipeline import StepShape, optimize_calls
from octavo.config import Bucket
from octavo.frontend.export import capture_config
from octavo.interpret import evaluate
from octavo.mlir import ir
from octavo.passes.runner import run_pipeline

# The models' code runs under the tests' rule that warnings are errors, which its authors do not follow.
pytestmark = pytest.mark.filterwarnings("default")

BLOCK_SIZE, NUM_BLOCKS, WIDTH = 4, 11, 4
CHUNK, DECODE = Bucket(3, 5), Bucket(3, 1)
LENGTHS = np.array(
    [13, 7, 1]
)  # tokens of each row: two chunks and three single steps, one of each, one


def make_model(family: str, rng: np.random.Generator) -> transformers.PreTrainedModel:
    model = transformers.AutoModelForCausalLM.from_config(
        FAMILIES[family](), attn_implementation="eager", dtype=torch.float32
    ).eval()
    for parameter in model.parameters():
        values = torch.from_numpy(rng.standard_normal(parameter.shape).astype(np.float32))
        parameter.data = values / parameter.shape[-1] ** 0.5 if parameter.dim() == 2 else values / 3
    model.tie_weights()
    return model


def capture_steps(
    model: transformers.PreTrainedModel, level: str
) -> tuple[ir.Module, Mapping[str, np.ndarray]]:
    """The step functions of a model, and its weights."""
    captured = capture_config(model.config, torch.float32, max_context=64)
    run_pipeline(captured.module, optimize_calls(level, StepShape(BLOCK_SIZE, (CHUNK, DECODE))))
    tensors = {name: tensor.numpy() for name, tensor in model.state_dict().items()}
    weights = {
        key: next(tensors[name] for name in source.names if name in tensors)
        if source.value is None
        else source.value.numpy()
        for key, source in captured.weights.items()
    }
    return captured.module, weights


def empty_pools(module: ir.Module) -> list[np.ndarray]:
    """The state of a program, of NaN: what reads a slot that was not written shows."""
    function = list(module.body.operations)[-1]
    shapes = [argument.type.shape for argument in list(function.arguments)[4:]]
    return [np.full([NUM_BLOCKS, *shape[1:]], np.nan, np.float32) for shape in shapes]


@pytest.mark.parametrize("level", ["O0", "O2"])
@pytest.mark.parametrize("family", FAMILIES)
def test_logits_of_every_step_are_torchs(rng, family, level) -> None:
    model = make_model(family, rng)
    tokens = rng.integers(0, model.config.vocab_size, (3, LENGTHS.max()), np.int32)
    with torch.inference_mode():
        logits = model(input_ids=torch.from_numpy(tokens).long(), use_cache=False).logits.numpy()
    module, weights = capture_steps(model, level)
    pools = empty_pools(module)
    table = rng.permutation(NUM_BLOCKS)[: 2 * WIDTH].reshape(2, WIDTH).astype(np.int32)
    last = np.setdiff1d(np.arange(NUM_BLOCKS), table)[
        [0, 0, 0, 0]
    ]  # one block is enough for one token
    table = np.stack([*table, last]).astype(np.int32)

    start = np.zeros(3, np.int32)
    while np.any(start < LENGTHS):
        bucket = CHUNK if np.max(LENGTHS - start) > 1 else DECODE
        lens = np.clip(LENGTHS - start, 0, bucket.num_tokens).astype(np.int32)
        step = np.zeros((3, bucket.num_tokens), np.int32)
        for row, count in enumerate(lens):
            step[row, :count] = tokens[row, start[row] : start[row] + count]
        got, *pools = evaluate(
            module,
            [step, start, lens, table, *pools],
            function=bucket.entry_point,
            weights=weights,
        )
        start = start + lens
        expected = logits[np.arange(3), start - 1] * (lens > 0)[:, None]
        np.testing.assert_allclose(got, expected, rtol=0, atol=1e-5 * np.abs(logits).max())
