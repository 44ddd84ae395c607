"""The wheel is built from the source archive, so this checks both."""

import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
# Where the parts of the package stand in the tree; three of them are links below python/octavo.
PARTS = {"": "python/octavo", "dialects": "dialects", "passes": "passes", "runtime": "runtime"}


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> zipfile.ZipFile:
    out = tmp_path_factory.mktemp("dist")
    command = [sys.executable, "-m", "build", "--no-isolation", "--outdir", str(out), str(ROOT)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    (path,) = out.glob("*.whl")
    assert path.name.endswith("-py3-none-any.whl")
    return zipfile.ZipFile(path)


@pytest.mark.parametrize(("part", "source"), PARTS.items())
def test_the_wheel_holds_every_module(wheel: zipfile.ZipFile, part: str, source: str) -> None:
    expected = {
        str(Path("octavo") / part / path.relative_to(ROOT / source)): path.read_bytes()
        for path in (ROOT / source).rglob("*.py")  # does not follow links
    }
    assert expected, f"no modules below {source}"
    found = {name: wheel.read(name) for name in wheel.namelist() if name in expected}
    assert found == expected


def test_the_wheel_holds_its_licence_and_its_type_marker(wheel: zipfile.ZipFile) -> None:
    names = wheel.namelist()
    assert "octavo/py.typed" in names
    assert any(name.endswith("licenses/LICENSE") for name in names)


def test_the_wheel_holds_nothing_else(wheel: zipfile.ZipFile) -> None:
    tops = {name.partition("/")[0] for name in wheel.namelist()}
    assert {top for top in tops if not top.endswith(".dist-info")} == {"octavo"}


def test_an_editable_install_is_one_path_entry(tmp_path: Path) -> None:
    build = "import sys; from scikit_build_core import build; build.build_editable(sys.argv[1])"
    command = [sys.executable, "-c", build, str(tmp_path)]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    (path,) = tmp_path.glob("*.whl")
    editable = zipfile.ZipFile(path)
    assert editable.read("octavo.pth").decode() == f"{ROOT}/python\n"
    assert not [name for name in editable.namelist() if name.startswith("octavo/")]
