"""`octavo.compile` takes what the command takes, and names an argument that it cannot take."""

import io
from pathlib import Path

import pytest

import octavo
from octavo.compiler import driver
from octavo.compiler.options import CompileOptions
from octavo.progress import BarProgress, LineProgress, SilentProgress

Calls = list[tuple[Path, CompileOptions, dict[str, object]]]


@pytest.fixture
def calls(monkeypatch: pytest.MonkeyPatch) -> Calls:
    """What reaches the compiler, which does nothing."""
    seen: Calls = []

    def compile_model(source: Path, options: CompileOptions, **others: object) -> Path:
        seen.append((source, options, others))
        return Path("m.octavo")

    monkeypatch.setattr(driver, "compile_model", compile_model)
    return seen


def test_a_package_is_a_model(
    calls: Calls, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    package = tmp_path / "llm_pocket"
    package.mkdir()
    (package / "pocket.gguf").write_text("")
    monkeypatch.syspath_prepend(tmp_path)
    octavo.compile("llm-pocket", targets=["vulkan"], block_size=8)
    [(source, options, _)] = calls
    assert source == package / "pocket.gguf"
    assert options == CompileOptions(targets=("vulkan",), block_size=8)


class Terminal(io.StringIO):
    """A stream that says it is a terminal."""

    def isatty(self) -> bool:
        return True


@pytest.mark.parametrize(
    ("stream", "progress", "kind"),
    [
        (Terminal, None, BarProgress),
        (Terminal, True, BarProgress),
        (Terminal, False, SilentProgress),
        (io.StringIO, None, SilentProgress),
        (io.StringIO, True, LineProgress),
    ],
)
def test_progress(
    stream: type[io.StringIO],
    progress: bool | None,
    kind: type,
    calls: Calls,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("sys.stderr", stream())
    octavo.compile(tmp_path, progress=progress)
    assert isinstance(calls[0][2]["progress"], kind)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"source": None}, "source: expected a GGUF file, .* got None"),
        ({"targets": "vulkan"}, "targets: expected a list of names, got 'vulkan'"),
        ({"targets": None}, "targets: expected a list of names, got None"),
        ({"output": 3}, "output: expected None or the path of a directory, got 3"),
        ({"progress": "yes"}, "progress: expected a bool or None, got 'yes'"),
        ({"buckets": 4}, "buckets: expected None or a list of Bucket, got 4"),
        ({"block_size": 1.5}, "block_size: expected an integer of at least 1, got 1.5"),
        ({"level": 2}, "level: expected one of O0, O1, O2, got 2"),
    ],
)
def test_an_argument_of_a_wrong_type_is_named(
    arguments: dict[str, object], message: str, calls: Calls, tmp_path: Path
) -> None:
    with pytest.raises(ValueError, match=message):
        octavo.compile(**{"source": tmp_path, **arguments})
    assert not calls
