"""The command's frame: help, exit statuses, and errors without tracebacks."""

import subprocess
import sys

import pytest

from octavo.cli import main as main_module
from octavo.cli.main import main
from octavo.errors import CaptureError


def test_help_lists_every_command(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as exit_:
        main(["--help"])
    assert exit_.value.code == 0
    text = capsys.readouterr().out
    for command in ("compile", "generate", "chat", "inspect", "targets"):
        assert command in text


@pytest.mark.parametrize("arguments", [[], ["fly"], ["compile"], ["compile", "m", "--wings"]])
def test_wrong_usage_exits_with_2(arguments: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as exit_:
        main(arguments)
    assert exit_.value.code == 2
    assert "usage: octavo" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("error", "status", "message"),
    [
        (CaptureError("the file is torn"), 1, "octavo: the file is torn"),
        (ValueError("option x: expected 1, got 2"), 1, "octavo: option x: expected 1, got 2"),
        (KeyboardInterrupt(), 130, "octavo: interrupted"),
        (
            ModuleNotFoundError("No module named 'torch'", name="torch"),
            1,
            "octavo: the package 'torch' is not installed, which compiling a model needs and running an "
            "artifact does not. Install it with: pip install 'octavo[compile]'",
        ),
    ],
)
def test_what_ends_a_command_becomes_its_status(
    error: BaseException,
    status: int,
    message: str,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    def fail(_arguments: object) -> int:
        raise error

    monkeypatch.setattr(main_module, "_run", fail)
    assert main(["targets"]) == status
    assert capsys.readouterr().err.strip() == message


def test_help_needs_no_compiler() -> None:
    code = (
        "import sys\nfrom octavo.cli.main import main\n"
        "try:\n    main(['--help'])\nexcept SystemExit:\n    pass\n"
        "assert not {'torch', 'torch_mlir', 'transformers', 'iree'} & set(sys.modules)"
    )
    subprocess.run([sys.executable, "-c", code], check=True, capture_output=True)


@pytest.mark.parametrize("end", ["| true", "| head -1 > /dev/null", ">&-"])
def test_a_closed_output_ends_quietly(end: str) -> None:
    command = f"{sys.executable} -m octavo.cli.main targets {end}"
    result = subprocess.run(command, shell=True, capture_output=True, text=True)
    assert result.stderr == ""


def test_a_full_disk_is_said_once() -> None:
    command = f"{sys.executable} -m octavo.cli.main targets > /dev/full"
    result = subprocess.run(command, shell=True, capture_output=True, text=True)
    assert result.returncode == 1
    assert result.stderr == "octavo: [Errno 28] No space left on device\n"
