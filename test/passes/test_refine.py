"""Fixed sizes of the arguments reach every result."""

import pytest

from octavo.dialects.llm import LLM
from octavo.errors import PassError
from octavo.mlir import ir
from octavo.passes import refine
from octavo.passes.refine import refine_function

STATIC = ("llm.weight",)  # always of static sizes, so there is nothing to carry


def refined(text: str, *types: str) -> str:
    """Refine the function of a module; return its type, after the module was verified."""
    with ir.Location.unknown():
        module = ir.Module.parse(text)
        function = module.body.operations[0].operation
        refine_function(function, [ir.Type.parse(each) for each in types])
        module.operation.verify()
        return str(ir.TypeAttr(function.attributes["function_type"]).value)


@pytest.mark.usefixtures("context")
def test_sizes_reach_results_through_shape_operations() -> None:
    text = """
      func.func @f(%x: tensor<?x?x48xf32>) -> tensor<?x2x?x8xf32> {
        %c0 = arith.constant 0 : index
        %c1 = arith.constant 1 : index
        %b = tensor.dim %x, %c0 : tensor<?x?x48xf32>
        %t = tensor.dim %x, %c1 : tensor<?x?x48xf32>
        %part = tensor.extract_slice %x[0, 0, 32] [%b, %t, 16] [1, 1, 1]
          : tensor<?x?x48xf32> to tensor<?x?x16xf32>
        %h = tensor.expand_shape %part [[0], [1], [2, 3]] output_shape [%b, %t, 2, 8]
          : tensor<?x?x16xf32> into tensor<?x?x2x8xf32>
        %m = tensor.collapse_shape %h [[0], [1], [2, 3]] : tensor<?x?x2x8xf32> into tensor<?x?x16xf32>
        %e = tensor.expand_shape %m [[0], [1], [2, 3]] output_shape [%b, %t, 2, 8]
          : tensor<?x?x16xf32> into tensor<?x?x2x8xf32>
        %i = tensor.empty(%b, %t) : tensor<?x2x?x8xf32>
        %y = linalg.transpose ins(%e : tensor<?x?x2x8xf32>) outs(%i : tensor<?x2x?x8xf32>)
          permutation = [0, 2, 1, 3]
        %z = tensor.cast %y : tensor<?x2x?x8xf32> to tensor<?x2x?x8xf32>
        return %z : tensor<?x2x?x8xf32>
      }
    """
    assert refined(text, "tensor<3x5x48xf32>") == "(tensor<3x5x48xf32>) -> tensor<3x2x5x8xf32>"
    # One size may stay as it is.
    assert refined(text, "tensor<3x?x48xf32>") == "(tensor<3x?x48xf32>) -> tensor<3x2x?x8xf32>"


@pytest.mark.usefixtures("context")
def test_merged_axes_of_fixed_sizes_are_a_fixed_size() -> None:
    text = """
      func.func @f(%x: tensor<?x?x8xf32>) -> tensor<?x8xf32> {
        %y = tensor.collapse_shape %x [[0, 1], [2]] : tensor<?x?x8xf32> into tensor<?x8xf32>
        return %y : tensor<?x8xf32>
      }
    """
    assert refined(text, "tensor<3x5x8xf32>") == "(tensor<3x5x8xf32>) -> tensor<15x8xf32>"


@pytest.mark.usefixtures("context")
def test_a_slice_of_two_axes_is_refused() -> None:
    text = """
      func.func @f(%x: tensor<?x8x8xf32>, %n: index) -> tensor<?x4x4xf32> {
        %y = tensor.extract_slice %x[0, 0, 0] [%n, 4, 4] [1, 1, 1]
          : tensor<?x8x8xf32> to tensor<?x4x4xf32>
        return %y : tensor<?x4x4xf32>
      }
    """
    with pytest.raises(PassError, match="it cuts more than one axis"):
        refined(text, "tensor<3x8x8xf32>", "index")


@pytest.mark.usefixtures("context")
def test_an_operation_without_a_rule_is_named() -> None:
    text = """
      func.func @f(%x: tensor<?xf32>) -> tensor<?xf32> {
        %y = math.exp %x : tensor<?xf32>
        return %y : tensor<?xf32>
      }
    """
    with pytest.raises(PassError, match=r"no shape rule for 'math\.exp' at .*tensor<\?xf32>"):
        refined(text, "tensor<3xf32>")


def test_every_operation_of_the_dialect_has_a_rule() -> None:
    names = {op.OPERATION_NAME for op in LLM.operations} - set(STATIC)
    assert names <= set(refine._SHAPES)
