import pytest

import extra

TEXT = '[project.optional-dependencies]\ndev = ["lit==23.1.5", "ruff"]\n'


def test_requirements_are_those_of_the_extra() -> None:
    assert extra.requirements("dev", TEXT) == ["lit==23.1.5", "ruff"]


def test_an_unknown_extra_names_the_known_ones() -> None:
    with pytest.raises(ValueError, match=r"no extra 'docs' in pyproject.toml: its extras are dev"):
        extra.requirements("docs", TEXT)
