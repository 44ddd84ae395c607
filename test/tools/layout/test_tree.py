import ast
from collections.abc import Callable, Mapping
from pathlib import Path

from layout import tree


def test_files_pass_over_links_hidden_folders_and_outputs(
    plant: Callable[[Mapping[str, str]], Path],
) -> None:
    root = plant(
        {
            "runtime/engine.py": "",
            "runtime/README.md": "",
            "build/made.py": "",
            ".venv/lib.py": "",
            "runtime/__pycache__/x.py": "",
            "tiny.octavo/x.py": "",
            "python/octavo/errors.py": "",
        }
    )
    (root / "python/octavo/runtime").symlink_to("../../runtime")

    found = [str(path) for path in tree.files(root, (".py",))]

    assert found == ["python/octavo/errors.py", "runtime/engine.py"]


def test_modules_leave_out_package_files(plant: Callable[[Mapping[str, str]], Path]) -> None:
    root = plant({"runtime/__init__.py": "", "runtime/__main__.py": "", "runtime/step.py": ""})
    assert list(tree.modules(root, "runtime")) == [Path("runtime/step.py")]


def test_pass_names_come_from_the_decorator_alone() -> None:
    source = '@register_pass("fuse-a", Options)\ndef fuse_a(op): ...\n\n@other("x")\ndef b(): ...\n'
    assert tree.pass_names(ast.parse(source)) == ["fuse-a"]


def test_op_names_come_from_operations_alone() -> None:
    source = 'class A(LLMOperation, name="a", traits=[]): ...\nclass B(Dialect, name="b"): ...\n'
    assert tree.op_names(ast.parse(source)) == ["a"]
