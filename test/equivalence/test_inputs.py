import numpy as np
import pytest
from attention_model import ATTENTION_MODEL

from octavo.equivalence.inputs import random_array, random_inputs
from octavo.mlir import ir

PAGINATE = "paginate-kv{block-size=3}"


def first_function(module: ir.Module) -> ir.Operation:
    return module.body.operations[0].operation


def test_a_step_gets_tokens_that_fit_and_blocks_of_its_own(after, rng) -> None:
    module = after(ATTENTION_MODEL.replace("WINDOW", "3 : i64"), PAGINATE)
    for _ in range(20):
        tokens, start, lens, table, *pools = random_inputs(first_function(module), rng)
        batch, num_tokens = tokens.shape
        assert start.shape == lens.shape == (batch,)
        assert np.all((tokens >= 0) & (tokens < 31))
        assert lens.max() == num_tokens > 3
        assert np.all(start + lens <= table.shape[1] * 3)
        assert len(np.unique(table)) == table.size
        assert all(0 <= table.min() <= table.max() < len(pool) for pool in pools)


def test_static_sizes_of_an_entry_point_are_kept(after, rng) -> None:
    passes = f"{PAGINATE},specialize-buckets{{buckets=3x2}}"
    module = after(ATTENTION_MODEL.replace("WINDOW", "none"), passes)
    tokens, start, lens, table, *_ = random_inputs(first_function(module), rng)
    assert tokens.shape == (3, 2)
    assert start.shape == lens.shape == (3,)
    assert len(table) == 3


@pytest.mark.parametrize("text", ["tensor<?x?xf32>", "tensor<?x?xbf16>"])
def test_dynamic_sizes_of_two_arguments_agree(text, rng) -> None:
    module = ir.Module.parse(f"func.func @main(%a: {text}, %b: {text}) {{ return }}")
    left, right = random_inputs(first_function(module), rng)
    assert left.shape == right.shape
    assert not np.array_equal(left, right)


def test_arrays_have_the_type_and_its_range(rng) -> None:
    numbers = random_array(ir.Type.parse("tensor<200xi32>"), [200], rng, bound=3)
    assert numbers.dtype == np.int32
    assert set(numbers) == {0, 1, 2}
    truths = random_array(ir.Type.parse("tensor<200xi1>"), [200], rng)
    assert truths.dtype == np.bool_
    assert set(truths) == {False, True}
    assert random_array(ir.Type.parse("f16"), [], rng).dtype == np.float16
