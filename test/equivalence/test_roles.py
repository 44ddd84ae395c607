from attention_model import ATTENTION_MODEL

from octavo.equivalence.roles import roles_of
from octavo.mlir import ir

PAGINATE = "paginate-kv{block-size=3}"


def test_a_step_tells_its_roles(after) -> None:
    module = after(ATTENTION_MODEL.replace("WINDOW", "5 : i64"), PAGINATE)
    roles = roles_of(module.body.operations[0].operation)
    assert roles.by_argument == {1: "start", 2: "lens", 3: "table", 4: "pool", 5: "pool"}
    assert roles.id_bounds == {0: 31}
    assert roles.sizes == {"block_size": 3}
    assert roles.window == 5


def test_an_entry_point_tells_its_sizes(after) -> None:
    passes = f"{PAGINATE},specialize-buckets{{buckets=2x4}}"
    module = after(ATTENTION_MODEL.replace("WINDOW", "none"), passes)
    roles = roles_of(module.body.operations[0].operation)
    assert roles.sizes["batch"] == 2
    assert roles.sizes["num_tokens"] == 4
    assert roles.window == 0


def test_other_functions_have_none() -> None:
    module = ir.Module.parse("func.func @main(%x: tensor<2xi32>) { return }")
    roles = roles_of(module.body.operations[0].operation)
    assert (roles.by_argument, roles.id_bounds, roles.sizes, roles.window) == ({}, {}, {}, 0)
