"""`octavo targets` lists what can be compiled for, and says what of it runs here."""

import subprocess
import sys

import pytest

from octavo.cli import targets
from octavo.cli.main import main
from octavo.errors import DeviceError


@pytest.fixture
def listed(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> dict[str, str]:
    """Lines by target, on a machine with a CPU of x86-64-v2 and lavapipe."""

    def device_names(driver: str) -> list[str]:
        if driver not in ("local-task", "vulkan"):
            raise DeviceError(f"no '{driver}' device. Buy one.")
        return ["llvmpipe"] if driver == "vulkan" else ["default"]

    features = targets.TARGETS["cpu:x86-64-v2"].cpu_features
    monkeypatch.setattr(targets, "device_names", device_names)
    monkeypatch.setattr(targets, "machine_features", lambda: frozenset(features))
    targets._devices.cache_clear()
    assert main(["targets"]) == 0
    targets._devices.cache_clear()
    return {line.split()[0]: line for line in capsys.readouterr().out.splitlines()}


def test_every_target_has_a_line(listed: dict[str, str]) -> None:
    assert set(listed) == set(targets.TARGETS)
    assert listed["cuda:sm_89"].split()[:2] == ["cuda:sm_89", "cuda"]


def test_what_runs_here_is_said(listed: dict[str, str]) -> None:
    assert listed["cpu:x86-64-v2"].endswith("runs here")
    assert "not here: the CPU lacks abm, avx" in listed["cpu:x86-64-v3"]
    assert "not here: the CPU lacks asimd" in listed["cpu:aarch64"]
    assert listed["vulkan"].endswith("device: llvmpipe")
    assert listed["cuda:sm_80"].endswith("not here: no 'cuda' device. Buy one.")


def test_this_machine_runs_its_own_target_and_torch_is_not_asked() -> None:
    code = (
        "import sys; from octavo.cli.main import main; main(['targets'])\n"
        "assert not {'torch', 'torch_mlir', 'transformers'} & set(sys.modules)"
    )
    result = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True
    )
    [native] = [line for line in result.stdout.splitlines() if line.startswith("cpu:native")]
    assert native.endswith("runs here")
