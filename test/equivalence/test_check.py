"""Every pass keeps what a model computes, and a module with one thing wrong is told from the right one."""

import pytest
from attention_model import ATTENTION_MODEL

from octavo.equivalence import check_same
from octavo.mlir import ir

MODEL = ATTENTION_MODEL.replace("WINDOW", "3 : i64")
PAGINATE = "paginate-kv{block-size=3}"
SPECIALIZE = f"{PAGINATE},fuse-logits,specialize-buckets{{buckets=2x1+2x8}}"
LOWER = (
    "lower-weights,lower-kv-state,lower-embedding,lower-linear,lower-attention,lower-kv-write,"
    "lower-paged-attention,canonicalize,cse"
)


def check_pass(after, earlier: str, name: str, seed: int):
    before = after(MODEL, earlier) if earlier else ir.Module.parse(MODEL)
    return check_same(before, after(MODEL, ",".join(filter(None, (earlier, name)))), seed=seed)


@pytest.mark.parametrize(
    ("earlier", "name", "functions"),
    [
        ("", "canonicalize", {"main"}),
        ("", PAGINATE, {"step"}),
        (PAGINATE, "fuse-logits", {"step"}),
        (
            f"{PAGINATE},fuse-logits",
            "specialize-buckets{buckets=2x1+2x8}",
            {"step_b2_t1", "step_b2_t8"},
        ),
        (SPECIALIZE, LOWER, {"step_b2_t1", "step_b2_t8"}),
    ],
)
def test_right_passes_agree(after, seed, earlier, name, functions) -> None:
    report = check_pass(after, earlier, name, seed)
    assert report.mismatch is None
    assert functions == set(report.compared)


MUTANTS = {
    "scale": ("scale = 0.7", "scale = 0.71"),
    "softcap": ("softcap = 2.0", "softcap = 2.1"),
    "window": ("window = 3", "window = 4"),
    "mask": ("causal = true", "causal = false"),
    "key and value swapped": ("(%qh, %kh, %vh)", "(%qh, %vh, %kh)"),
    "another weight": ('"llm.linear"(%x, %k_weight)', '"llm.linear"(%x, %v_weight)'),
    "sum to difference": ("arith.addf", "arith.subf"),
    "ids for positions": ('"llm.embedding"(%e, %positions)', '"llm.embedding"(%e, %tokens)'),
    "another input": (
        "tensor.expand_shape %x",
        "tensor.expand_shape %words",
    ),
}


@pytest.mark.parametrize("mutant", MUTANTS)
def test_mutants_of_a_model_are_told(seed, mutant) -> None:
    right, wrong = MUTANTS[mutant]
    text = MODEL
    if mutant == "mask":  # a window needs a causal mask
        text = ATTENTION_MODEL.replace("WINDOW", "none")
    assert right in text
    report = check_same(
        ir.Module.parse(text), ir.Module.parse(text.replace(right, wrong)), seed=seed
    )
    assert report.mismatch is not None
    assert str(report.mismatch).startswith("result 0 of @main changed: at [")


LOWERED_MUTANTS = {
    "sine for tanh": ("math.tanh", "math.sin"),
    "sum to product": ("arith.addf", "arith.mulf"),
    "comparison turned": ("arith.cmpi slt", "arith.cmpi sge"),
    "weight of another name": ("global = @weight.k}", "global = @weight.v}"),
}


@pytest.mark.parametrize("mutant", LOWERED_MUTANTS)
def test_mutants_of_a_lowered_step_are_told(after, seed, mutant) -> None:
    right, wrong = LOWERED_MUTANTS[mutant]
    text = str(after(MODEL, f"{SPECIALIZE},{LOWER}"))
    assert right in text
    report = check_same(
        after(MODEL, SPECIALIZE), ir.Module.parse(text.replace(right, wrong)), seed=seed
    )
    assert report.mismatch is not None


def test_a_cache_that_is_not_written_is_told(after, seed) -> None:
    text = str(after(MODEL, f"{SPECIALIZE},{LOWER}"))
    kept = [line for line in text.splitlines() if "util.global.store" not in line]
    assert len(kept) < len(text.splitlines())
    report = check_same(after(MODEL, SPECIALIZE), ir.Module.parse("\n".join(kept)), seed=seed)
    assert report.mismatch is not None


def test_a_step_that_forgets_what_it_was_told_is_told(after, seed) -> None:
    step = after(MODEL, PAGINATE)
    block = step.body.operations[0].regions[0].blocks[0]
    *_, ret = block.operations
    ret.operands[1] = block.arguments[4]  # the keys' pool, as it came
    report = check_same(ir.Module.parse(MODEL), step, seed=seed)
    assert report.mismatch is not None
    assert str(report.mismatch).startswith("result 1 of @step changed: at [")


UNKNOWN = """
func.func @main(%x: tensor<2xf32>) -> tensor<2xf32> {
  %0 = "my.op"(%x) : (tensor<2xf32>) -> tensor<2xf32>
  return %0 : tensor<2xf32>
}
"""


def test_what_the_interpreter_does_not_know_is_skipped_with_the_reason(seed) -> None:
    known = UNKNOWN.replace('"my.op"(%x) : (tensor<2xf32>) -> ', "arith.negf %x : ")
    for left, right in ((UNKNOWN, known), (known, UNKNOWN)):
        report = check_same(ir.Module.parse(left), ir.Module.parse(right), seed=seed)
        assert report.mismatch is None
        assert not report.compared
        [(name, reason)] = report.skipped
        assert name == "main"
        assert "no reference for 'my.op'" in reason


def test_functions_without_a_partner_are_named_also_where_nothing_can_be_run(seed) -> None:
    weight = 'func.func @{} {{ %0 = "llm.weight"() {{key = "w"}} : () -> tensor<2xi3> return }}'
    before = ir.Module.parse(weight.format("a()"))
    after = ir.Module.parse(weight.format("a()") + "func.func @b() { return }")
    report = check_same(before, after, seed=seed)
    assert report.mismatch is None
    assert [name for name, _ in report.skipped] == ["b", "a"]


def test_what_cannot_be_run_any_more_is_a_mismatch(seed) -> None:
    text = 'func.func @main() {{ %c = arith.constant {} cf.assert %c, "no" return }}'
    modules = [ir.Module.parse(text.format(value)) for value in ("true", "false")]
    report = check_same(*modules, seed=seed)
    assert report.mismatch is not None
    assert "cannot be run any more" in str(report.mismatch)
