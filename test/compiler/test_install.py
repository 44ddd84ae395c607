"""Where an artifact goes: links are followed, and nothing but an artifact is replaced, in one step."""

import fcntl
import os
from pathlib import Path

import pytest

from octavo.artifact import Manifest, MemoryEstimate, Program, Weights
from octavo.compiler import install as install_module
from octavo.compiler.install import find_place, install
from octavo.config import Bucket, KVLayer, KVLayout, ModelConfig
from octavo.errors import ArtifactError

MANIFEST = Manifest(
    octavo_version="0",
    iree_version="0",
    model=ModelConfig("llama", 8, 8),
    kv=KVLayout((KVLayer(1, 4),), 4, "f32"),
    buckets=(Bucket(1, 1),),
    programs=(Program("cpu:native", "local-task", "p.vmfb", "ab"),),
    weights=Weights("w.irpa", 3, "ef"),
    memory=MemoryEstimate(3, 1, 1),
    level="O2",
    pipeline=(),
)


def artifact(path: Path, weights: str) -> Path:
    path.mkdir(parents=True)
    (path / "manifest.json").write_text(MANIFEST.to_json())
    (path / "w.irpa").write_text(weights)
    return path


def weights_of(path: Path) -> str:
    return (path / "w.irpa").read_text()


@pytest.fixture
def cache(tmp_path: Path) -> Path:
    return tmp_path / "cache"


@pytest.fixture
def entry(cache: Path) -> Path:
    return artifact(cache / "artifacts" / "key", "new")


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The working directory."""
    path = tmp_path / "home"
    path.mkdir()
    monkeypatch.chdir(path)
    return path


def put(output: str, entry: Path, cache: Path) -> None:
    install(entry, find_place(Path(output), cache))


def test_a_link_to_an_artifact_stays_and_the_artifact_is_replaced(home, entry, cache) -> None:
    old = artifact(home / "v1.octavo", "old")
    (home / "current").symlink_to("v1.octavo")
    put("current", entry, cache)
    assert (home / "current").is_symlink()
    assert weights_of(old) == weights_of(home / "current") == "new"


def test_a_dangling_link_leads_to_the_new_artifact(home, entry, cache) -> None:
    (home / "current").symlink_to("disk/v1.octavo")
    put("current", entry, cache)
    assert weights_of(home / "disk" / "v1.octavo") == "new"


def test_a_link_to_anything_else_is_refused(home, cache) -> None:
    (home / "precious").mkdir()
    (home / "precious" / "thesis.tex").write_text("")
    (home / "current").symlink_to("precious")
    with pytest.raises(ArtifactError, match=r"current, which is .*precious, exists and is not an"):
        find_place(Path("current"), cache)
    (home / "loop").symlink_to("loop")
    with pytest.raises(ArtifactError, match="loop is a link that leads to itself"):
        find_place(Path("loop"), cache)


@pytest.mark.parametrize("output", [".", "..", "x/..", "../home/", "/"])
def test_the_working_directory_is_refused(output: str, home, cache) -> None:
    (home / "x").mkdir()
    with pytest.raises(ArtifactError, match="is the working directory or holds it"):
        find_place(Path(output), cache)


@pytest.mark.parametrize(
    "output", ["m.octavo", "m.octavo/", "x/../m.octavo", "./m.octavo", "y/z/m.octavo"]
)
def test_spellings_of_a_path(output: str, home, entry, cache) -> None:
    (home / "x").mkdir()
    for _ in range(2):
        put(output, entry, cache)
        assert weights_of(home / output) == "new"
    assert not [path for path in home.rglob(".*")]


def test_the_cache_is_never_replaced(home, entry, cache) -> None:
    (home / "m.octavo").symlink_to(entry)
    with pytest.raises(ArtifactError, match="is in the compile cache"):
        find_place(Path("m.octavo"), cache)


def test_files_and_directories_with_more_are_refused(home, cache) -> None:
    (home / "file").write_text("")
    artifact(home / "m.octavo", "old")
    (home / "m.octavo" / "notes").write_text("")
    for name in ("file", "m.octavo"):
        with pytest.raises(ArtifactError, match=f"{name} exists and is not an artifact"):
            find_place(Path(name), cache)


@pytest.mark.parametrize("has_exchange", [True, False])
def test_what_was_there_goes(has_exchange: bool, home, entry, cache, monkeypatch) -> None:
    old = artifact(home / "m.octavo", "old")
    old.chmod(0o555)
    if not has_exchange:
        monkeypatch.setattr(install_module, "exchange", lambda *_: False)
    put("m.octavo", entry, cache)
    assert weights_of(old) == "new"
    assert [path.name for path in home.iterdir()] == ["m.octavo"]


def test_without_exchange_a_failure_puts_the_old_one_back(home, entry, cache, monkeypatch) -> None:
    old = artifact(home / "m.octavo", "old")
    monkeypatch.setattr(install_module, "exchange", lambda *_: False)
    rename = Path.rename

    def fail_once(path: Path, target: Path) -> Path:
        if target == old and not path.name.endswith(".old"):
            raise OSError("the disk is gone")
        return rename(path, target)

    monkeypatch.setattr(Path, "rename", fail_once)
    with pytest.raises(OSError, match="the disk is gone"):
        put("m.octavo", entry, cache)
    assert weights_of(old) == "old"
    assert [path.name for path in home.iterdir()] == ["m.octavo"]


def test_what_a_killed_process_left_is_removed_and_what_a_live_one_makes_is_not(
    home, entry, cache
) -> None:
    left, made = home / ".m.octavo.tmp-deadbeef", home / ".m.octavo.tmp-01234567"
    other = home / ".m.octavo.previous"
    for path in (left, made, other):
        artifact(path, "half")
    lock = os.open(made, os.O_RDONLY)
    fcntl.flock(lock, fcntl.LOCK_EX)
    put("m.octavo", entry, cache)
    os.close(lock)
    assert not left.exists()
    assert made.exists()
    assert other.exists()
