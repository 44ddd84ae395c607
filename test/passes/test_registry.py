import hashlib
from dataclasses import dataclass
from pathlib import Path

import pytest

from octavo.passes import load_all, registry
from octavo.passes.registry import PHASES, all_passes, find_pass, register_pass


@dataclass(frozen=True)
class Options:
    size: int = 1


@dataclass
class Thawed:
    size: int = 1


def documented(module: object) -> int:
    """Do nothing.

    Slowly.
    """
    return 7


@pytest.mark.usefixtures("own_passes")
def test_a_registered_pass_is_found_with_what_it_says() -> None:
    assert register_pass("do-nothing")(documented) is documented
    found = find_pass("do-nothing")
    assert found is not None
    assert found.summary == "Do nothing."
    assert found.doc == "Do nothing.\n\nSlowly."
    assert found.path == Path(__file__)
    assert found.source_sha256 == hashlib.sha256(Path(__file__).read_bytes()).hexdigest()
    assert found.run(None, found.options()) == 7


@pytest.mark.usefixtures("own_passes")
def test_a_pass_with_options_gets_them() -> None:
    @register_pass("grow", options=Options)
    def grow(module: object, options: Options) -> int:
        """Grow."""
        return options.size

    found = find_pass("grow")
    assert found is not None
    assert found.run(None, Options(size=5)) == 5


@pytest.mark.usefixtures("own_passes")
@pytest.mark.parametrize(
    ("module", "phase"),
    [
        ("octavo.passes.lift.lift_x", "lift"),
        ("octavo.passes.lower.lower_x", "lower"),
        ("octavo.passes.optimize.fuse_x", "optimize"),
        ("my_plugin", "optimize"),
    ],
)
def test_the_phase_is_the_package(module, phase) -> None:
    def run(root: object) -> int:
        """Run."""
        return 0

    run.__module__ = module
    register_pass("some-pass")(run)
    assert [(each.name, each.phase) for each in all_passes()] == [("some-pass", phase)]


def test_unknown_names_are_not_found(own_passes) -> None:
    assert find_pass("do-nothing") is None
    assert list(all_passes()) == []


@pytest.mark.usefixtures("own_passes")
@pytest.mark.parametrize(
    "name", ["", "FuseQKV", "fuse_qkv", "-fuse", "fuse--qkv", "fuse qkv", "fuse-"]
)
def test_names_are_kebab_case(name) -> None:
    with pytest.raises(
        ValueError, match=f"^pass name '{name}' is not kebab-case: expected words like"
    ):
        register_pass(name)(documented)


@pytest.mark.usefixtures("own_passes")
def test_a_name_is_taken_once() -> None:
    register_pass("twice")(documented)
    message = rf"^pass 'twice' is registered twice: first in .*{Path(__file__).name}$"
    with pytest.raises(ValueError, match=message):
        register_pass("twice")(documented)


@pytest.mark.usefixtures("own_passes")
def test_a_pass_without_docstring_is_refused() -> None:
    with pytest.raises(ValueError, match=r"^pass 'mute' has no docstring: its first line is what"):
        register_pass("mute")(lambda module: 0)


@pytest.mark.usefixtures("own_passes")
@pytest.mark.parametrize("options", [Thawed, int])
def test_options_are_a_frozen_dataclass(options) -> None:
    message = f"^options of pass 'odd' must be a frozen dataclass, got {options.__name__}$"
    with pytest.raises(ValueError, match=message):
        register_pass("odd", options=options)(documented)


def test_a_refused_pass_leaves_nothing_behind(own_passes) -> None:
    with pytest.raises(ValueError, match="docstring"):
        register_pass("mute")(lambda module: 0)
    assert own_passes == {}


def test_load_all_registers_the_passes_of_every_phase() -> None:
    load_all()
    phases = [each.phase for each in all_passes()]
    assert set(phases) == set(PHASES)
    assert phases == sorted(phases, key=PHASES.index)


def test_each_pass_stands_in_the_file_of_its_name() -> None:
    load_all()
    for each in all_passes():
        assert each.path.stem == each.name.replace("-", "_")
        assert each.path.parent.name == each.phase


def test_load_all_may_be_called_again() -> None:
    load_all()
    before = dict(registry._PASSES)
    load_all()
    assert before == registry._PASSES
