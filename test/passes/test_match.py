"""Readers of the torch dialect, and the bridge to builtin tensors."""

from collections.abc import Callable, Iterator

import pytest

from octavo.errors import PassError
from octavo.mlir import ir
from octavo.passes.match import (
    NoMatch,
    Slice,
    builtin_type,
    constant,
    constants,
    definer,
    either_order,
    erase_unread,
    is_none,
    is_torch_tensor,
    match_if,
    match_slice,
    number,
    pattern,
    plus_number,
    to_builtin,
)
from octavo.passes.rewriter import Rewriter, walk

Parse = Callable[[str], list[ir.Operation]]


@pytest.fixture
def parse(context: ir.Context) -> Iterator[Parse]:
    """Parse the body of a function of `%x: [?, 8]`; return its operations, without the return."""
    modules = []  # an operation lives no longer than its module

    def run(body: str) -> list[ir.Operation]:
        text = f"!x = !torch.vtensor<[?,8],f32>\nfunc.func @main(%x: !x) {{ {body}\n return }}"
        modules.append(ir.Module.parse(text))
        return list(walk(modules[-1].operation))[1:-1]

    with ir.Location.unknown(context):
        yield run


CONSTANTS = """
  %int = torch.constant.int -3
  %float = torch.constant.float 2.5
  %true = torch.constant.bool true
  %str = torch.constant.str "tanh"
  %none = torch.constant.none
"""


def test_constants_are_python_values(parse: Parse) -> None:
    values = [op.results[0] for op in parse(CONSTANTS)]
    assert [constant(value) for value in values] == [-3, 2.5, True, "tanh", None]
    assert [is_none(value) for value in values] == [False, False, False, False, True]


def test_a_list_of_constants(parse: Parse) -> None:
    *_, made = parse(
        "%a = torch.constant.int 4\n%b = torch.constant.int -1\n"
        "%l = torch.prim.ListConstruct %a, %b : (!torch.int, !torch.int) -> !torch.list<int>"
    )
    assert constants(made.results[0]) == [4, -1]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("torch.constant.int -3", -3.0),
        ("torch.constant.float 2.5", 2.5),
        ("torch.vtensor.literal(dense<1.5> : tensor<f32>) : !torch.vtensor<[],f32>", 1.5),
        ("torch.vtensor.literal(dense<1.5> : tensor<1xbf16>) : !torch.vtensor<[1],bf16>", 1.5),
        ("torch.constant.bool true", None),
        ('torch.constant.str "1"', None),
        ("torch.constant.none", None),
        ("torch.vtensor.literal(dense<1.5> : tensor<2xf32>) : !torch.vtensor<[2],f32>", None),
        ("torch.vtensor.literal(dense<1> : tensor<si64>) : !torch.vtensor<[],si64>", None),
    ],
)
def test_numbers(text, expected, parse: Parse) -> None:
    [op] = parse(f"%c = {text}")
    if expected is None:
        with pytest.raises(NoMatch):
            number(op.results[0])
    else:
        assert number(op.results[0]) == expected


def test_definer_names_what_it_wants(parse: Parse) -> None:
    op, *_ = parse("%y = torch.aten.silu %x : !x -> !x")
    assert definer(op.results[0], "torch.aten.relu", "torch.aten.silu") == op
    with pytest.raises(NoMatch):
        definer(op.results[0], "torch.aten.relu")
    with pytest.raises(NoMatch):
        definer(op.operands[0])  # an argument


def test_either_order_tries_the_other() -> None:
    def match(a: int, b: int) -> int:
        match_if(a < b)
        return a

    assert either_order(match, 1, 2) == either_order(match, 2, 1) == 1
    with pytest.raises(NoMatch):
        either_order(match, 1, 1)


@pytest.mark.parametrize(("alpha", "matches"), [(1, True), (2, False)])
def test_a_sum_with_a_number(alpha, matches, parse: Parse) -> None:
    *_, op = parse(
        f"%c = torch.constant.float 0.5\n%alpha = torch.constant.int {alpha}\n"
        "%y = torch.aten.add.Scalar %x, %c, %alpha : !x, !torch.float, !torch.int -> !x"
    )
    if matches:
        assert plus_number(op.results[0]) == (op.operands[0], 0.5)
    else:
        with pytest.raises(NoMatch):
            plus_number(op.results[0])


OPEN = 2**63 - 1


@pytest.mark.parametrize(
    ("axis", "begin", "end", "step", "expected"),
    [
        (1, 2, 6, 1, (1, 2, 6)),
        (-1, 2, OPEN, 1, (1, 2, 8)),
        (1, -3, None, 1, (1, 5, 8)),
        (1, None, -3, 1, (1, 0, 5)),
        (1, 6, 2, 1, (1, 6, 2)),
        (1, 0, 8, 2, None),
        (0, None, None, 1, (0, 0, None)),
        (-2, 3, OPEN, 1, (0, 3, None)),
        (0, 0, 8, 1, None),
        (0, -1, OPEN, 1, None),
    ],
)
def test_slices(axis, begin, end, step, expected, parse: Parse) -> None:
    def bound(name: str, value: int | None) -> tuple[str, str]:
        made = "torch.constant.none" if value is None else f"torch.constant.int {value}"
        return f"%{name} = {made}\n", "!torch.none" if value is None else "!torch.int"

    (b, b_type), (e, e_type) = bound("b", begin), bound("e", end)
    *_, op = parse(
        f"%a = torch.constant.int {axis}\n{b}{e}%s = torch.constant.int {step}\n"
        f"%y = torch.aten.slice.Tensor %x, %a, %b, %e, %s : "
        f"!x, !torch.int, {b_type}, {e_type}, !torch.int -> !torch.vtensor<[?,?],f32>"
    )
    if expected is None:
        with pytest.raises(NoMatch):
            match_slice(op.results[0])
    else:
        assert match_slice(op.results[0]) == Slice(op.operands[0], *expected)


@pytest.mark.parametrize(
    ("torch_type", "expected"),
    [
        ("!torch.vtensor<[?,4],bf16>", "tensor<?x4xbf16>"),
        ("!torch.vtensor<[],si64>", "tensor<i64>"),
        ("!torch.vtensor<[2],i1>", "tensor<2xi1>"),
        ("!torch.vtensor<[2],ui8>", "tensor<2xi8>"),
        ("!torch.vtensor<*,f32>", None),
        ("!torch.vtensor<[2],unk>", None),
        ("!torch.int", None),
    ],
)
def test_types(torch_type, expected, context: ir.Context) -> None:
    with ir.Location.unknown(context):
        kind = ir.Type.parse(torch_type)
        if expected is None:
            assert not is_torch_tensor(kind)
            with pytest.raises(NoMatch):
                builtin_type(kind)
        else:
            assert is_torch_tensor(kind)
            assert builtin_type(kind) == ir.Type.parse(expected)


def test_to_builtin_looks_through_a_cast(parse: Parse) -> None:
    made, cast = parse(
        "%b = tensor.empty() : tensor<8xf32>\n"
        "%t = torch_c.from_builtin_tensor %b : tensor<8xf32> -> !torch.vtensor<[8],f32>"
    )
    with ir.InsertionPoint.after(cast):
        assert to_builtin(cast.results[0]) == made.results[0]


def test_to_builtin_casts_an_argument(parse: Parse) -> None:
    op, *_ = parse("%y = torch.aten.silu %x : !x -> !x")
    with ir.InsertionPoint(op):
        value = to_builtin(op.operands[0])
    assert value.owner.name == "torch_c.to_builtin_tensor"
    assert str(value.type) == "tensor<?x8xf32>"


def test_a_pattern_says_whether_it_matched(parse: Parse) -> None:
    op, *_ = parse("%y = torch.aten.silu %x : !x -> !x")

    @pattern
    def wants(op: ir.OpView, rewriter: Rewriter) -> None:
        match_if(op.operation.name == "torch.aten.silu")

    @pattern
    def breaks(op: ir.OpView, rewriter: Rewriter) -> None:
        raise PassError("broken")

    assert wants(op.opview, Rewriter()) is True
    assert wants(op.parent.opview, Rewriter()) is False
    with pytest.raises(PassError, match="broken"):
        breaks(op.opview, Rewriter())


def test_what_nobody_reads_is_erased_with_what_made_it(parse: Parse) -> None:
    silu, _square, list_op, *_ = parse(
        "%a = torch.aten.silu %x : !x -> !x\n"
        "%b = torch.aten.mul.Tensor %a, %a : !x, !x -> !x\n"
        "%l = torch.prim.ListConstruct %b, %a, %b : (!x, !x, !x) -> !torch.list<vtensor>\n"
        "%c = torch.aten.relu %a : !x -> !x\n"
    )
    block = silu.block
    erase_unread(Rewriter(), [list_op.results[0]])
    names = [op.operation.name for op in block.operations]
    assert names == ["torch.aten.silu", "torch.aten.relu", "func.return"]
