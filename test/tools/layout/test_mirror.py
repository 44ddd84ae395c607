from collections.abc import Callable, Mapping
from pathlib import Path

import pytest

from layout import mirror

PASS = '@register_pass("lift-rope")\ndef lift_rope(op): ...\n'
OPS = 'class A(LLMOperation, name="rope"): ...\nclass B(LLMOperation, name="rope_table"): ...\n'


@pytest.mark.parametrize(
    ("source", "text", "tests"),
    [
        ("passes/lift/lift_rope.py", PASS, ["test/passes/lift/lift-rope.mlir"]),
        ("passes/registry.py", "", ["test/passes/test_registry.py"]),
        (
            "dialects/llm/rope.py",
            OPS,
            ["test/dialects/llm/rope.mlir", "test/dialects/llm/rope_table.mlir"],
        ),
        ("runtime/kv/block_pool.py", "", ["test/runtime/kv/test_block_pool.py"]),
        ("python/octavo/frontend/gguf.py", "", ["test/frontend/test_gguf.py"]),
        ("python/octavo/config.py", "", ["test/test_config.py"]),
        ("tools/new.py", "", ["test/tools/test_new.py"]),
    ],
)
def test_a_source_without_its_test_is_reported(
    plant: Callable[[Mapping[str, str]], Path], source: str, text: str, tests: list[str]
) -> None:
    root = plant({source: text})
    expected = f"{source}: has no test: expected {' and '.join(tests)}"
    assert mirror.check(root, exempt={}) == [expected]

    plant(dict.fromkeys(tests, ""))
    assert mirror.check(root, exempt={}) == []


@pytest.mark.parametrize("path", ["passes/lower/scalar.py", "dialects/llm/shapes.py"])
def test_a_helper_of_passes_or_operations_is_tested_through_them(
    plant: Callable[[Mapping[str, str]], Path], path: str
) -> None:
    assert mirror.check(plant({path: ""}), exempt={}) == []


def test_an_exempt_source_needs_no_test(plant: Callable[[Mapping[str, str]], Path]) -> None:
    root = plant({"runtime/names.py": ""})
    assert mirror.check(root, exempt={"runtime/names.py": "constants"}) == []
