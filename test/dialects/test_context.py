from concurrent.futures import ThreadPoolExecutor

import pytest

from octavo.dialects import create_context
from octavo.mlir import ir

TEXT = """
%x = "test.value"() : () -> tensor<8xf32>
%y = "llm.scale"(%x) {factor = 2.0 : f64} : (tensor<8xf32>) -> tensor<8xf32>
"""


def test_operations_of_the_dialects_are_known() -> None:
    with create_context() as context:
        for name in ("llm.rms_norm", "torch.aten.linear", "torch_c.to_builtin_tensor"):
            assert context.is_registered_operation(name), name


def test_other_dialects_are_let_through() -> None:
    text = 'util.func private @f() { "iree_linalg_ext.attention"() : () -> () }'
    with create_context():
        with pytest.raises(ir.MLIRError, match="util"):
            ir.Module.parse(text)  # their custom forms cannot be known
        ir.Module.parse('"util.func"() ({ "iree_linalg_ext.attention"() : () -> () }) : () -> ()')


def test_misspelt_operations_are_not_let_through() -> None:
    with (
        create_context(),
        pytest.raises(ir.MLIRError, match=r"unregistered operation 'llm\.scala'"),
    ):
        ir.Module.parse('%x = "llm.scala"() : () -> tensor<8xf32>')


def test_contexts_come_from_several_threads_at_once() -> None:
    def work(number: int) -> str:
        with create_context():
            for _ in range(5):
                text = str(ir.Module.parse(TEXT.replace("8x", f"{number + 1}x")))
        return text

    with ThreadPoolExecutor(8) as pool:
        texts = list(pool.map(work, range(24)))
    for number, text in enumerate(texts):
        assert f"tensor<{number + 1}xf32>" in text


def test_contexts_are_apart() -> None:
    first, second = create_context(), create_context()
    with first:
        attribute = ir.StringAttr.get("x")
    assert attribute.context == first
    assert first != second
