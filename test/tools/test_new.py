"""Scaffolds into a copy of the tree, where what was written must work as it is."""

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import check_layout
import new

ROOT = Path(__file__).resolve().parents[2]
COPIED = ("python", "dialects", "passes", "runtime", "test", "pyproject.toml")


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    for name in COPIED:
        source = ROOT / name
        if source.is_dir():
            ignored = shutil.ignore_patterns("__pycache__")
            shutil.copytree(source, tmp_path / name, symlinks=True, ignore=ignored)
        else:
            shutil.copy(source, tmp_path)
    return tmp_path


def _run(tree: Path, tool: str, *arguments: str) -> str:
    command = [str(Path(sys.executable).parent / tool), *arguments]
    done = subprocess.run(command, cwd=tree, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def _check(tree: Path, written: list[Path]) -> None:
    sources = [str(path.relative_to(tree)) for path in written if path.suffix == ".py"]
    (test,) = (str(path) for path in written if path.suffix == ".mlir")
    _run(tree, "ruff", "check", *sources)
    _run(tree, "ruff", "format", "--check", *sources)
    assert "Passed: 1 (100.00%)" in _run(tree, "lit", "-v", test)
    named = [line for line in check_layout.check(tree) if line.startswith(tuple(sources))]
    # A new pass has no place in the pipeline yet, and nothing else to mend.
    assert [
        line for line in named if "is not in python/octavo/compiler/pipeline.py" not in line
    ] == []


def test_a_new_op_works(tree: Path) -> None:
    written = new.new_op(tree, "cube_root")
    assert [str(path.relative_to(tree)) for path in written] == [
        "dialects/llm/cube_root.py",
        "test/dialects/llm/cube_root.mlir",
        "dialects/llm/__init__.py",
    ]
    _check(tree, written)


@pytest.mark.parametrize("phase", new.PHASES)
def test_a_new_pass_works(tree: Path, phase: str) -> None:
    written = new.new_pass(tree, phase, "fold-double-negation")
    assert [str(path.relative_to(tree)) for path in written] == [
        f"passes/{phase}/fold_double_negation.py",
        f"test/passes/{phase}/fold-double-negation.mlir",
    ]
    _check(tree, written)


@pytest.mark.parametrize("name", ["RopeOp", "rope-table", "_rope", "rope__table", "3d", ""])
def test_an_op_name_must_be_snake_case(tmp_path: Path, name: str) -> None:
    with pytest.raises(ValueError, match="is not snake_case"):
        new.new_op(tmp_path, name)


@pytest.mark.parametrize("name", ["fuse", "fuse_qkv", "Fuse-Qkv", "fuse-", "-qkv", ""])
def test_a_pass_name_must_be_kebab_case(tmp_path: Path, name: str) -> None:
    with pytest.raises(ValueError, match="is not kebab-case"):
        new.new_pass(tmp_path, "lift", name)


def test_a_phase_must_exist(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="no phase 'fuse': expected one of lift, optimize, lower"):
        new.new_pass(tmp_path, "fuse", "fuse-qkv")


def test_a_file_that_exists_is_left_alone(tmp_path: Path) -> None:
    existing = tmp_path / "dialects/llm/rope.py"
    existing.parent.mkdir(parents=True)
    existing.write_text("mine")
    with pytest.raises(FileExistsError, match=r"rope\.py exists"):
        new.new_op(tmp_path, "rope")
    assert existing.read_text() == "mine"
    assert not (tmp_path / "test").exists()
