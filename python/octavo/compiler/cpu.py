"""CPUs to generate code for: named levels, and the one of this machine."""

import platform
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

_CPUINFO = Path("/proc/cpuinfo")
# x86 says "flags", Arm says "Features".
_FEATURE_FIELDS = ("flags", "Features")

_V2 = ("cx16", "lahf_lm", "popcnt", "pni", "sse4_1", "sse4_2", "ssse3")
_V3 = (*_V2, "abm", "avx", "avx2", "bmi1", "bmi2", "f16c", "fma", "movbe", "xsave")
_V4 = (*_V3, "avx512bw", "avx512cd", "avx512dq", "avx512f", "avx512vl")
# What code for models may use beyond x86-64-v4, as /proc/cpuinfo and as LLVM spell it.
_X86_EXTENSIONS = {
    "avx512_bf16": "avx512bf16",
    "avx512_fp16": "avx512fp16",
    "avx512_vbmi2": "avx512vbmi2",
    "avx512_vnni": "avx512vnni",
    "avx512vbmi": "avx512vbmi",
    "avx_vnni": "avxvnni",
}
_SAPPHIRE_RAPIDS = (
    *_V4,
    *_X86_EXTENSIONS,
    *(
        "amx_bf16",
        "amx_int8",
        "amx_tile",
        "avx512_bitalg",
        "avx512_vpopcntdq",
        "avx512ifma",
        "gfni",
    ),
    *("vaes", "vpclmulqdq"),
)
_ARM = ("asimd", "fp")
_ARM_EXTENSIONS = {
    "asimddp": "dotprod",
    "asimdhp": "fullfp16",
    "bf16": "bf16",
    "i8mm": "i8mm",
}


@dataclass(frozen=True, slots=True)
class Cpu:
    """A CPU to generate code for.

    Attributes:
        triple: LLVM's name of the machine.
        name: LLVM's name of the CPU.
        extensions: LLVM's names of what the code may use beyond that.
        features: all that the code may use, as `/proc/cpuinfo` spells it, sorted.
    """

    triple: str
    name: str
    extensions: tuple[str, ...]
    features: tuple[str, ...]


def _cpu(triple: str, name: str, extensions: Iterable[str], features: Iterable[str]) -> Cpu:
    return Cpu(triple, name, tuple(sorted(extensions)), tuple(sorted(features)))


_X86_TRIPLE = "x86_64-unknown-linux-gnu"
_ARM_TRIPLE = "aarch64-unknown-linux-gnu"

LEVELS = {
    "x86-64-v2": _cpu(_X86_TRIPLE, "x86-64-v2", (), _V2),
    "x86-64-v3": _cpu(_X86_TRIPLE, "x86-64-v3", (), _V3),
    "x86-64-v4": _cpu(_X86_TRIPLE, "x86-64-v4", (), _V4),
    "sapphirerapids": _cpu(_X86_TRIPLE, "sapphirerapids", (), _SAPPHIRE_RAPIDS),
    "aarch64": _cpu(_ARM_TRIPLE, "generic", ("neon",), _ARM),
}


def native_cpu() -> Cpu:
    """The CPU of this machine: the highest level it has, and known extensions of that."""
    return cpu_of(platform.machine(), _machine_features(_CPUINFO))


def cpu_of(machine: str, features: frozenset[str]) -> Cpu:
    """The most capable CPU that a machine can stand in for.

    Args:
        machine: as `uname -m` names it.
        features: as `/proc/cpuinfo` names them.
    """
    if machine in ("aarch64", "arm64"):
        return _extended(LEVELS["aarch64"], _ARM_EXTENSIONS, features)
    if features.issuperset(_V4):
        return _extended(LEVELS["x86-64-v4"], _X86_EXTENSIONS, features)
    return LEVELS["x86-64-v3" if features.issuperset(_V3) else "x86-64-v2"]


def _extended(level: Cpu, extensions: dict[str, str], features: frozenset[str]) -> Cpu:
    held = sorted(features.intersection(extensions))
    llvm_names = [extensions[feature] for feature in held]
    return _cpu(
        level.triple,
        level.name,
        (*level.extensions, *llvm_names),
        (*level.features, *held),
    )


def _machine_features(cpuinfo: Path) -> frozenset[str]:
    """What every core has; nothing where the system has no such file."""
    try:
        lines = cpuinfo.read_text(encoding="utf-8").splitlines()
    except FileNotFoundError:
        return frozenset()
    fields = (line.partition(":") for line in lines)
    found = [set(values.split()) for name, _, values in fields if name.strip() in _FEATURE_FIELDS]
    return frozenset(set.intersection(*found)) if found else frozenset()
