from collections.abc import Callable
from dataclasses import replace
from importlib.metadata import version
from pathlib import Path

import pytest

from octavo.artifact import Program, read_manifest
from octavo.errors import ArtifactError
from octavo.runtime.compatibility import check_cpu_features, check_iree_version, machine_features

PROGRAM = Program(
    "cpu:x86-64-v4", "local-task", "p.vmfb", "00", ("avx2", "avx512f", "avx512vl", "amx_tile")
)


def test_another_iree_names_both_versions(make_artifact: Callable[..., Path]) -> None:
    manifest = read_manifest(make_artifact())
    check_iree_version(manifest)
    with pytest.raises(ArtifactError) as caught:
        check_iree_version(replace(manifest, iree_version="2.9.1"))
    assert "compiled by IREE 2.9.1" in str(caught.value)
    assert f"installed runtime is {version('iree-base-runtime')}" in str(caught.value)


def test_missing_features_are_named() -> None:
    available = frozenset({"sse2", "avx2", "avx512f"})
    with pytest.raises(
        ArtifactError, match=r"cpu:x86-64-v4 needs .* lacks: amx_tile, avx512vl\. Compile"
    ):
        check_cpu_features(PROGRAM, available)


def test_features_that_suffice_pass() -> None:
    check_cpu_features(PROGRAM, frozenset({*PROGRAM.cpu_features, "sse2"}))
    check_cpu_features(replace(PROGRAM, cpu_features=()), frozenset())


def test_unknown_features_pass() -> None:
    check_cpu_features(PROGRAM, None)


@pytest.mark.parametrize("field", ["flags\t\t", "Features\t"])
def test_features_are_those_of_every_core(tmp_path: Path, field: str) -> None:
    cpuinfo = tmp_path / "cpuinfo"
    cpuinfo.write_text(
        f"processor\t: 0\n{field}: fpu avx2 fma\n\nprocessor\t: 1\n{field}: fpu avx2\n\n"
    )
    assert machine_features(cpuinfo) == {"fpu", "avx2"}


def test_machines_that_do_not_say(tmp_path: Path) -> None:
    assert machine_features(tmp_path / "nothing") is None
    empty = tmp_path / "cpuinfo"
    empty.write_text("processor : 0\nhart : 0\n")
    assert machine_features(empty) is None
