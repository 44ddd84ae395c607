"""Dynamic sizes are told apart by the axis of the inputs that they come from."""

from collections.abc import Callable, Iterator

import pytest

from octavo.mlir import ir
from octavo.passes.lift.dynamic_sizes import sizes, view_sizes
from octavo.passes.match import NoMatch
from octavo.passes.rewriter import walk

B, T, S = -1, -2, -3  # labels of the axes 0, 1 and 2
SIZES_OF_X = """
  %int0 = torch.constant.int 0
  %int1 = torch.constant.int 1
  %int2 = torch.constant.int 2
  %int4 = torch.constant.int 4
  %int8 = torch.constant.int 8
  %rest = torch.constant.int -1
  %b = torch.aten.size.int %x, %int0 : !x, !torch.int -> !torch.int
  %t = torch.aten.size.int %x, %int1 : !x, !torch.int -> !torch.int
  %bt = torch.aten.mul.int %b, %t : !torch.int, !torch.int -> !torch.int
"""


@pytest.fixture
def last_op(context: ir.Context) -> Iterator[Callable[[str], ir.Operation]]:
    """Parse the body of a function of `%x: [?, ?, ?, 8]` and `%ids: [?, ?]`; return its last operation."""
    modules = []  # an operation lives no longer than its module

    def parse(body: str) -> ir.Operation:
        text = (
            "!x = !torch.vtensor<[?,?,?,8],f32>\nfunc.func @main(%x: !x, %ids: !torch.vtensor<[?,?],si64>, "
            f"%table: tensor<97x8xf32>) {{{SIZES_OF_X}{body}\n return }}"
        )
        modules.append(ir.Module.parse(text))
        return list(walk(modules[-1].operation))[-2]

    with ir.Location.unknown(context):
        yield parse


def turned(first: int, second: int) -> str:
    shape = ["?", "?", "?", "8"]
    shape[first], shape[second] = shape[second], shape[first]
    return (
        f"%turned = torch.aten.transpose.int %x, %int{first}, %int{second} : "
        "!x, !torch.int, !torch.int -> "
        f"!torch.vtensor<[{','.join(shape)}],f32>"
    )


def view(source: str, wanted: str, result: str) -> str:
    types = ", ".join("!torch.int" for _ in wanted.split(","))
    return (
        f"%list = torch.prim.ListConstruct {wanted} : ({types}) -> !torch.list<int>\n"
        f"%view = torch.aten.view {source}, %list : !x, !torch.list<int> "
        f"-> !torch.vtensor<[{result}],f32>"
    )


def test_axes_are_followed_through_what_moves_them(last_op) -> None:
    assert sizes(last_op(turned(0, 1)).results[0]) == [T, B, S, 8]
    assert sizes(last_op(turned(0, 2)).results[0]) == [S, T, B, 8]

    permuted = """
      %axes = torch.prim.ListConstruct %int2, %int0, %rest, %int1
        : (!torch.int, !torch.int, !torch.int, !torch.int)
        -> !torch.list<int>
      %p = torch.aten.permute %x, %axes : !x, !torch.list<int> -> !torch.vtensor<[?,?,8,?],f32>
    """
    assert sizes(last_op(permuted).results[0]) == [S, B, 8, T]

    inserted = """
      %u = torch.aten.unsqueeze %x, %int1 : !x, !torch.int -> !torch.vtensor<[?,1,?,?,8],f32>
    """
    assert sizes(last_op(inserted).results[0]) == [B, 1, T, S, 8]


def test_axes_are_followed_through_what_is_lifted_already(last_op) -> None:
    lifted = """
      %ids_b = torch_c.to_builtin_tensor %ids : !torch.vtensor<[?,?],si64> -> tensor<?x?xi64>
      %ids_32 = arith.trunci %ids_b : tensor<?x?xi64> to tensor<?x?xi32>
      %e = "llm.embedding"(%table, %ids_32) : (tensor<97x8xf32>, tensor<?x?xi32>) -> tensor<?x?x8xf32>
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      %d0 = tensor.dim %e, %c0 : tensor<?x?x8xf32>
      %d1 = tensor.dim %e, %c1 : tensor<?x?x8xf32>
      %h = tensor.expand_shape %e [[0], [1], [2, 3]] output_shape [%d0, %d1, 2, 4]
        : tensor<?x?x8xf32> into tensor<?x?x2x4xf32>
      %empty = tensor.empty(%d0, %d1) : tensor<?x2x?x4xf32>
      %moved = linalg.transpose ins(%h : tensor<?x?x2x4xf32>) outs(%empty : tensor<?x2x?x4xf32>)
        permutation = [0, 2, 1, 3]
      %merged = tensor.collapse_shape %moved [[0], [1], [2, 3]] : tensor<?x2x?x4xf32> into tensor<?x2x?xf32>
    """
    merged = last_op(lifted)
    assert sizes(merged.operands[0]) == [B, 2, T, 4]
    with pytest.raises(NoMatch):
        sizes(merged.results[0])  # t times 4 is no input's size


@pytest.mark.parametrize(
    ("wanted", "result", "expected"),
    [
        ("%b, %t, %rest, %int8", "?,?,?,8", [B, T, S, 8]),
        ("%t, %b, %rest, %int8", "?,?,?,8", [T, B, S, 8]),
        ("%b, %rest, %int8", "?,?,8", [B, None, 8]),
        ("%bt, %rest", "?,?", None),
        ("%b, %t, %rest", "?,?,?", [B, T, None]),
        ("%b, %t, %rest, %int2, %int4", "?,?,?,2,4", [B, T, S, 2, 4]),
    ],
)
def test_a_view_asks_for_sizes_and_may_leave_one_open(wanted, result, expected, last_op) -> None:
    op = last_op(view("%x", wanted, result))
    if expected is None:
        with pytest.raises(NoMatch):
            view_sizes(op)
    else:
        assert view_sizes(op) == expected


def test_the_sizes_of_a_view_are_those_it_asked_for(last_op) -> None:
    op = last_op(turned(0, 1) + "\n" + view("%turned", "%b, %rest, %int2, %int8", "?,?,2,8"))
    with pytest.raises(NoMatch):
        sizes(op.results[0])  # s and t in one
    op = last_op(turned(0, 1) + "\n" + view("%turned", "%b, %t, %rest, %int8", "?,?,?,8"))
    assert sizes(op.results[0]) == [B, T, S, 8]


def test_an_operation_that_may_move_axes_is_not_trusted(last_op) -> None:
    flipped = """
      %axes = torch.prim.ListConstruct %int0 : (!torch.int) -> !torch.list<int>
      %y = torch.aten.flip %x, %axes : !x, !torch.list<int> -> !x
    """
    with pytest.raises(NoMatch):
        sizes(last_op(flipped).results[0])
