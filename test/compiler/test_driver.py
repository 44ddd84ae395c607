"""The front door: what comes from the cache, what is replaced, what is refused."""

import subprocess
import sys
from pathlib import Path

import pytest

from octavo.artifact import read_manifest
from octavo.compiler import build
from octavo.compiler.driver import compile_model
from octavo.compiler.options import CompileOptions
from octavo.config import Bucket
from octavo.errors import ArtifactError, CaptureError, CompileError
from octavo.runtime import verify

ONE_STEP = CompileOptions(block_size=4, buckets=(Bucket(1, 4),))


def test_an_artifact_is_replaced_but_nothing_else(tmp_path: Path, tiny_model, cache_root) -> None:
    model = tiny_model("llama-tied").path
    output = tmp_path / "out.octavo"
    for level in ("O1", "O2"):
        options = CompileOptions(level=level, block_size=4, buckets=(Bucket(1, 4),))
        compile_model(model, options, output=output, cache_root=cache_root)
        assert read_manifest(output).level == level
    other = tmp_path / "precious"
    other.mkdir()
    (other / "thesis.tex").write_text("")
    with pytest.raises(ArtifactError, match=r"precious exists and is not an artifact"):
        compile_model(model, ONE_STEP, output=other, cache_root=cache_root)
    assert [path.name for path in other.iterdir()] == ["thesis.tex"]


def test_a_second_compile_comes_from_the_cache(tmp_path: Path, tiny_model, cache_root) -> None:
    model = tiny_model("llama-tied").path
    first = compile_model(model, ONE_STEP, cache_root=cache_root)
    before = (first / "manifest.json").stat().st_mtime_ns
    code = (
        "import sys; from pathlib import Path; from octavo.compiler.driver import compile_model;"
        "from octavo.compiler.options import CompileOptions; from octavo.config import Bucket;"
        "o = CompileOptions(block_size=4, buckets=(Bucket(1, 4),));"
        "print(compile_model(sys.argv[1], o, cache_root=Path(sys.argv[2])));"
        "assert not {'torch', 'torch_mlir', 'transformers'} & set(sys.modules)"
    )
    command = [sys.executable, "-c", code, str(model), str(cache_root)]
    result = subprocess.run(command, capture_output=True, text=True, check=True)
    assert Path(result.stdout.strip()) == first
    assert (first / "manifest.json").stat().st_mtime_ns == before


def test_a_context_beyond_the_model_is_refused(tiny_model, cache_root) -> None:
    options = CompileOptions(max_context=65)
    with pytest.raises(CompileError, match=r"max_context 65 is more than .* says 64"):
        compile_model(tiny_model("llama-tied").path, options, cache_root=cache_root)


def test_a_type_that_a_target_cannot_compile_is_refused(tiny_model, cache_root) -> None:
    options = CompileOptions(targets=("cpu:native", "vulkan"), dtype="bf16")
    with pytest.raises(
        ValueError, match=r"option dtype: expected one of f32 for vulkan, got 'bf16'"
    ):
        compile_model(tiny_model("llama-tied").path, options, cache_root=cache_root)


def test_what_a_plugin_may_have_changed_is_not_served_without_it(
    tmp_path: Path, tiny_model, cache_root
) -> None:
    model = tiny_model("llama-tied").path
    plugin = tmp_path / "plugin.py"
    plugin.write_text("# adds a pass")
    plain = compile_model(model, ONE_STEP, cache_root=cache_root)
    loaded = compile_model(model, ONE_STEP, cache_root=cache_root, plugins=[plugin])
    plugin.write_text("# adds another pass")
    changed = compile_model(model, ONE_STEP, cache_root=cache_root, plugins=[plugin])
    assert len({plain, loaded, changed}) == 3


def test_a_directory_with_more_than_an_artifact_is_never_replaced(
    tmp_path: Path, tiny_model, cache_root
) -> None:
    model = tiny_model("llama-tied").path
    output = compile_model(model, ONE_STEP, output=tmp_path / "out.octavo", cache_root=cache_root)
    (output / "thesis.tex").write_text("years of work")
    with pytest.raises(ArtifactError, match="exists and is not an artifact"):
        compile_model(model, ONE_STEP, output=output, cache_root=cache_root)
    assert (output / "thesis.tex").read_text() == "years of work"
    foreign = tmp_path / "foreign"
    foreign.mkdir()
    (foreign / "manifest.json").write_text('{"name": "somebody else\'s"}')
    with pytest.raises(ArtifactError, match="exists and is not an artifact"):
        compile_model(model, ONE_STEP, output=foreign, cache_root=cache_root)


@pytest.mark.parametrize("damage", ["manifest.json", "program-cpu-native.vmfb", "weights-f32.irpa"])
def test_a_damaged_cache_is_built_again(damage: str, tmp_path: Path, tiny_model) -> None:
    model = tiny_model("llama-tied").path
    entry = compile_model(model, ONE_STEP, cache_root=tmp_path)
    path = entry / damage
    path.chmod(0o644)
    with path.open("r+b") as file:
        file.truncate(100)
    again = compile_model(model, ONE_STEP, cache_root=tmp_path)
    manifest = read_manifest(again)
    assert (again / manifest.weights.file).stat().st_size == manifest.weights.nbytes
    verify(again)


def test_an_artifact_is_no_model(tmp_path: Path, tiny_model, cache_root) -> None:
    model = tiny_model("llama-tied").path
    artifact = compile_model(model, ONE_STEP, cache_root=cache_root)
    with pytest.raises(CaptureError, match="is an artifact already: expected a model to compile"):
        compile_model(artifact, ONE_STEP, cache_root=cache_root)


def test_a_model_that_changes_meanwhile_leaves_no_artifact(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    model, cache = tmp_path / "model", tmp_path / "cache"
    model.mkdir()
    (model / "config.json").write_text("{}")

    def build_artifact(source: Path, *_: object) -> None:
        (source / "config.json").write_text('{"a": 1}')

    monkeypatch.setattr(build, "build_artifact", build_artifact)
    with pytest.raises(CompileError, match="changed while it was compiled"):
        compile_model(model, ONE_STEP, cache_root=cache)
    assert list((cache / "artifacts").iterdir()) == []
