import numpy as np
from attention_model import ATTENTION_MODEL

from octavo.equivalence.weights import random_surroundings
from octavo.mlir import ir

MODEL = ATTENTION_MODEL.replace("WINDOW", "none")


def test_a_weight_is_the_same_before_and_after_it_is_lowered(after, seed) -> None:
    model, lowered = ir.Module.parse(MODEL), after(MODEL, "lower-weights")
    both = random_surroundings([model.operation, lowered.operation], seed)
    alone = random_surroundings([lowered.operation], seed)
    assert both.weights.keys() == {"e", "k", "v"}
    for key, array in both.weights.items():
        np.testing.assert_array_equal(array, alone.variables[f"weight.{key}"])
    assert not np.array_equal(both.weights["k"], both.weights["v"])


def test_seeds_differ(seed) -> None:
    module = ir.Module.parse(MODEL).operation
    one, other = (random_surroundings([module], seed + extra).weights["k"] for extra in (0, 1))
    assert not np.array_equal(one, other)


def test_matrices_keep_the_size_of_what_they_multiply(seed) -> None:
    text = '%0 = "llm.weight"() {key = "w"} : () -> tensor<256x400xf32>'
    weight = random_surroundings([ir.Module.parse(text).operation], seed).weights["w"]
    assert weight.dtype == np.float32
    assert abs(float(weight.std()) * 20 - 1) < 0.05
