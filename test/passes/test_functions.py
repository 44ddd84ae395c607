"""Functions are found by name, and control flow between blocks is refused."""

import pytest

from octavo.errors import PassError
from octavo.mlir import ir
from octavo.passes.functions import (
    defined_functions,
    function_name,
    function_named,
    only_block,
    terminator,
)

TEXT = """
func.func private @declared(i32) -> i32
func.func @plain(%x: i32) -> i32 {
  return %x : i32
}
func.func @branches(%x: i32) -> i32 {
  cf.br ^next
^next:
  return %x : i32
}
"""


@pytest.fixture
def module(context) -> ir.Operation:
    return ir.Module.parse(TEXT).operation


def test_only_functions_with_a_body_are_found(module) -> None:
    assert [function_name(op) for op in defined_functions(module)] == ["plain", "branches"]
    assert function_named(module, "declared") is None
    assert function_named(module, "absent") is None
    found = function_named(module, "plain")
    assert found is not None
    assert function_name(found) == "plain"


def test_the_block_ends_in_its_return(module) -> None:
    block = only_block(function_named(module, "plain"))
    assert terminator(block).name == "func.return"


def test_several_blocks_are_refused(module) -> None:
    with pytest.raises(PassError, match=r"function 'branches' at .*: expected .* one block, got 2"):
        only_block(function_named(module, "branches"))
