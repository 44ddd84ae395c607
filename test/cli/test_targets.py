"""`octavo targets` lists what can be compiled for."""

from octavo.cli.main import main


def test_targets_lists_them(capsys) -> None:
    assert main(["targets"]) == 0
    printed = capsys.readouterr().out
    for name in ("cpu:native", "vulkan", "cuda:sm_89"):
        assert name in printed
