"""Which CPU code is generated for."""

import platform

import pytest

from octavo.compiler.cpu import LEVELS, cpu_of, native_cpu

V4 = frozenset(LEVELS["x86-64-v4"].features)


@pytest.mark.parametrize("level", ["x86-64-v2", "x86-64-v3", "x86-64-v4"])
def test_a_machine_is_the_highest_level_that_it_has_in_full(level) -> None:
    features = frozenset(LEVELS[level].features)
    assert cpu_of("x86_64", features | {"fpu", "mmx"}) == LEVELS[level]


@pytest.mark.parametrize(
    ("missing", "level"), [("avx512vl", "x86-64-v3"), ("fma", "x86-64-v2"), ("popcnt", "x86-64-v2")]
)
def test_a_missing_feature_is_a_level_lost(missing, level) -> None:
    assert cpu_of("x86_64", V4 - {missing}) == LEVELS[level]


def test_levels_build_on_each_other() -> None:
    v2, v3, v4, rapids = (
        set(LEVELS[name].features)
        for name in ("x86-64-v2", "x86-64-v3", "x86-64-v4", "sapphirerapids")
    )
    assert v2 < v3 < v4 < rapids


def test_extensions_are_spelt_for_llvm_and_for_the_kernel() -> None:
    cpu = cpu_of("x86_64", V4 | {"avx512_bf16", "avx_vnni", "sha_ni"})
    assert cpu.name == "x86-64-v4"
    assert cpu.extensions == ("avx512bf16", "avxvnni")
    assert set(cpu.features) == V4 | {"avx512_bf16", "avx_vnni"}


def test_extensions_without_the_level_below_do_not_count() -> None:
    assert cpu_of("x86_64", (V4 - {"avx512bw"}) | {"avx512_bf16"}) == LEVELS["x86-64-v3"]


def test_arm() -> None:
    cpu = cpu_of("aarch64", frozenset({"fp", "asimd", "asimddp", "i8mm", "sve"}))
    assert cpu.triple.startswith("aarch64-")
    assert cpu.extensions == ("dotprod", "i8mm", "neon")
    assert cpu.features == ("asimd", "asimddp", "fp", "i8mm")


@pytest.mark.skipif(platform.system() != "Linux", reason="other systems do not list CPU features")
def test_this_machine_has_what_its_cpu_needs() -> None:
    with open("/proc/cpuinfo", encoding="utf-8") as file:
        words = set(file.read().split())
    assert set(native_cpu().features) <= words
