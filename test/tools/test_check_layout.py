from pathlib import Path

import check_layout


def test_every_rule_is_asked(tmp_path: Path) -> None:
    (tmp_path / "runtime").mkdir()
    (tmp_path / "runtime/engine.py").write_text("import torch\n" * 301)
    (tmp_path / "passes").mkdir()
    (tmp_path / "passes/a.py").write_text('@register_pass("a")\ndef a(op): ...\n')

    problems = "\n".join(check_layout.check(tmp_path))

    assert "runtime/engine.py: has no test" in problems
    assert "may not import torch" in problems
    assert "pass 'a' is not in" in problems
    assert "README.md: does not name the folder runtime/" in problems
    assert "has 301 lines" in problems
