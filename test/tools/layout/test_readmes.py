from collections.abc import Callable, Mapping
from pathlib import Path

from layout import readmes

Plant = Callable[[Mapping[str, str]], Path]


def _readme(*lines: str) -> str:
    return "\n".join(["# Title", "```text", *lines, "```", "Prose with/a slash/ is not read.", ""])


def test_paths_from_the_root_and_from_the_readme(plant: Plant) -> None:
    text = _readme("runtime/engine.py  the loop", "kv/  blocks", "model.octavo/  made")
    root = plant({"runtime/README.md": text, "runtime/engine.py": "", "runtime/kv/pool.py": ""})
    plant({"README.md": _readme("runtime/")})
    assert readmes.check(root) == []


def test_a_path_that_does_not_exist_is_reported(plant: Plant) -> None:
    root = plant({"README.md": _readme("serve/  HTTP", "lift/lift_x.py"), "test/x.py": ""})
    assert readmes.check(root) == [
        "README.md: names serve/, which does not exist",
        "README.md: names lift/lift_x.py, which does not exist",
        "README.md: does not name the folder test/",
    ]


def test_a_top_folder_must_be_named(plant: Plant) -> None:
    root = plant({"README.md": _readme("runtime/"), "runtime/a.py": "", "bench/b.py": ""})
    assert readmes.check(root) == ["README.md: does not name the folder bench/"]
