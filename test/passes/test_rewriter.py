import pytest

from octavo.errors import PassError
from octavo.mlir import ir
from octavo.passes.rewriter import Rewriter, apply_patterns, walk

CHAIN = """
%a = "test.a"() : () -> i32 loc("a.py":1:1)
%b = "test.b"(%a) : (i32) -> i32 loc("b.py":2:3)
"test.use"(%b) : (i32) -> ()
"""
NESTED = """
"test.outer"() ({
  %a = "test.inner"() : () -> i32
  "test.region"() ({ "test.inner"() : () -> () }) : () -> ()
}) : () -> ()
"test.last"() : () -> ()
"""


@pytest.fixture
def parse(context):
    """Parse a module in the current context."""
    return ir.Module.parse


def names(root: ir.Operation) -> list[str]:
    return [op.name for op in walk(root)]


def make(name: str, kind: ir.Type) -> ir.Value:
    """An operation where the pattern stands: before the matched one, at its location."""
    return ir.Operation.create(name, results=[kind]).result


def test_walk_visits_parents_before_children_in_order(parse) -> None:
    module = parse(NESTED)
    assert names(module.operation) == [
        "test.outer",
        "test.inner",
        "test.region",
        "test.inner",
        "test.last",
    ]


def test_a_pattern_replaces_and_is_counted(parse) -> None:
    module = parse(CHAIN)

    def pattern(op, rewriter: Rewriter) -> bool:
        rewriter.replace(op, [make("test.new", op.results[0].type)])
        return True

    assert apply_patterns(module.operation, {"test.b": pattern}) == 1
    assert names(module.operation) == ["test.a", "test.new", "test.use"]
    new, use = list(module.body.operations)[1:]
    assert use.operands[0] == new.result
    assert str(new.location) == 'loc("b.py":2:3)'


def test_a_pattern_that_does_not_match_is_not_counted(parse) -> None:
    module = parse(CHAIN)
    assert apply_patterns(module.operation, {"test.b": lambda op, rewriter: False}) == 0
    assert names(module.operation) == ["test.a", "test.b", "test.use"]


def test_of_several_patterns_the_first_that_matches_is_applied(parse) -> None:
    module = parse(CHAIN)
    tried = []

    def pattern(name: str, matches: bool):
        def apply(op, rewriter: Rewriter) -> bool:
            tried.append(name)
            if matches:
                rewriter.replace(op, [op.operands[0]])
            return matches

        return apply

    patterns = [pattern("first", False), pattern("second", True), pattern("third", True)]
    assert apply_patterns(module.operation, {"test.b": patterns}) == 1
    assert tried == ["first", "second"]


def test_patterns_are_applied_to_what_patterns_made(parse) -> None:
    module = parse(CHAIN)

    def becomes(name: str):
        def apply(op, rewriter: Rewriter) -> bool:
            rewriter.replace(op, [make(name, op.results[0].type)])
            return True

        return apply

    # test.c is known only in the second sweep, since sweeps run over what they found.
    assert (
        apply_patterns(module.operation, {"test.b": becomes("test.c"), "test.c": becomes("test.d")})
        == 2
    )
    assert names(module.operation) == ["test.a", "test.d", "test.use"]


def test_patterns_that_never_end_are_an_error(parse) -> None:
    module = parse(CHAIN)

    def pattern(op, rewriter: Rewriter) -> bool:
        rewriter.replace(op, [make("test.b", op.results[0].type)])
        return True

    with pytest.raises(PassError, match=r"^the patterns of test\.b still match after \d+ sweeps$"):
        apply_patterns(module.operation, {"test.b": pattern})


@pytest.mark.parametrize(
    ("make_values", "got"),
    [
        (lambda op: [], r"\(\)"),
        (lambda op: [op.operands[0], op.operands[0]], r"\(i32, i32\)"),
        (lambda op: [make("test.new", ir.F32Type.get())], r"\(f32\)"),
    ],
)
def test_a_replacement_of_other_types_is_an_error(parse, make_values, got) -> None:
    module = parse(CHAIN)

    def pattern(op, rewriter: Rewriter) -> bool:
        rewriter.replace(op, make_values(op))
        return True

    message = (
        rf"""^replacement of 'test\.b' at loc\("b\.py":2:3\): """
        rf"expected values of types \(i32\), got {got}$"
    )
    with pytest.raises(PassError, match=message):
        apply_patterns(module.operation, {"test.b": pattern})
    assert "test.b" in names(module.operation)


def test_erasing_what_is_used_is_an_error(parse) -> None:
    module = parse(CHAIN)

    def pattern(op, rewriter: Rewriter) -> bool:
        rewriter.erase(op)
        return True

    message = r"""^cannot erase 'test\.a' at loc\("a\.py":1:1\): result 0 is used by 'test\.b'$"""
    with pytest.raises(PassError, match=message):
        apply_patterns(module.operation, {"test.a": pattern})
    assert names(module.operation) == ["test.a", "test.b", "test.use"]


def test_erased_operations_are_not_visited(parse) -> None:
    module = parse(CHAIN)
    visited = []

    def erase_all_after(op, rewriter: Rewriter) -> bool:
        operations = list(op.operation.block.operations)
        for later in reversed(operations[1:]):
            rewriter.erase(later)
        return len(operations) > 1

    def note(op, rewriter: Rewriter) -> bool:
        visited.append(op.name)
        return False

    patterns = {"test.a": erase_all_after, "test.b": note, "test.use": note}
    assert apply_patterns(module.operation, patterns) == 1
    assert visited == []
    assert names(module.operation) == ["test.a"]


@pytest.mark.parametrize("name", ["test.outer", "test.region"])
def test_what_an_erased_operation_held_is_not_visited(parse, name) -> None:
    module = parse(NESTED)
    visited = []

    def erase(op, rewriter: Rewriter) -> bool:
        rewriter.erase(op)
        return True

    def note(op, rewriter: Rewriter) -> bool:
        visited.append(str(op.operation.parent.name))
        return False

    assert apply_patterns(module.operation, {name: erase, "test.inner": note}) == 1
    assert visited == {"test.outer": [], "test.region": ["test.outer"] * 2}[name]


def test_a_replacement_by_itself_is_an_error(parse) -> None:
    module = parse(CHAIN)

    def pattern(op, rewriter: Rewriter) -> bool:
        rewriter.replace(op, list(op.results))
        return True

    message = (
        r"^replacement of 'test\.b' at .*: expected other values, got a result of the operation"
    )
    with pytest.raises(PassError, match=message):
        apply_patterns(module.operation, {"test.b": pattern})


def test_what_a_pattern_raises_comes_out(parse) -> None:
    def pattern(op, rewriter: Rewriter) -> bool:
        raise KeyError("boom")

    with pytest.raises(KeyError, match="boom"):
        apply_patterns(parse(CHAIN).operation, {"test.b": pattern})
