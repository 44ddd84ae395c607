from attention_model import ATTENTION_MODEL

from octavo.equivalence.pairs import pairs_of
from octavo.mlir import ir

MODEL = ATTENTION_MODEL.replace("WINDOW", "none")
PAGINATE = "paginate-kv{block-size=3}"
SPECIALIZE = "specialize-buckets{buckets=1x1+2x4}"


def names(before: ir.Module, after: ir.Module) -> tuple[list[str], dict[str, str]]:
    pairs, alone = pairs_of(before, after)
    return [pair.name for pair in pairs], dict(alone)


def test_functions_follow_the_passes_that_rename_them(after) -> None:
    model, step = ir.Module.parse(MODEL), after(MODEL, PAGINATE)
    buckets = after(MODEL, f"{PAGINATE},{SPECIALIZE}")
    assert names(model, model) == (["main"], {})
    assert names(model, step) == (["step"], {})
    assert names(step, buckets) == (["step_b1_t1", "step_b2_t4"], {})


def test_state_may_become_variables(after) -> None:
    step = after(MODEL, PAGINATE)
    lowered = after(MODEL, f"{PAGINATE},lower-kv-state")
    assert names(step, lowered) == (["step"], {"allocate_kv": "it is new"})


def test_functions_without_a_partner_say_why() -> None:
    before = ir.Module.parse(
        "func.func @a(%x: f32) { return } func.func @b() { return } func.func @d() { return }"
    )
    after = ir.Module.parse(
        "func.func @a(%x: f64) { return } func.func @c() { return } func.func @d() { return }"
    )
    assert names(before, after) == (
        ["d"],
        {
            "a": "its type changed from (f32) -> () to (f64) -> ()",
            "b": "it is gone",
            "c": "it is new",
        },
    )
