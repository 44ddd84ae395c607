"""Targets: what IREE is told to compile a module for, one frozen value each.

All targets compile the same lowered module. docs/targets.md says what each of them cannot do.
"""

import difflib
from dataclasses import dataclass

from octavo.compiler.cpu import LEVELS, Cpu, native_cpu


@dataclass(frozen=True, slots=True)
class Target:
    """What a program is compiled for.

    Attributes:
        name: as people write it, `cpu:x86-64-v3`.
        driver: IREE's driver that runs the program.
        flags: arguments of `iree-compile`.
        element_types: element types of models that IREE compiles for it, as MLIR spells them.
        cpu_features: what the code uses of a CPU, as `/proc/cpuinfo` spells it; empty off the CPU.
    """

    name: str
    driver: str
    flags: tuple[str, ...]
    element_types: tuple[str, ...]
    cpu_features: tuple[str, ...] = ()


_COMMON = (
    "--iree-opt-level=O2",
    # Fused with what reads them, the parts of a softmax or a norm outgrow the stack or the shared memory.
    "--iree-dispatch-creation-fuse-multi-use=false",
    # Weights stay in the archive that is mapped: no converted or packed copy of them is made at load time.
    "--iree-opt-const-expr-hoisting=false",
    "--iree-opt-const-eval=false",
)
_ALL_TYPES = ("f32", "f16", "bf16")

# IREE has no entry of its own for Hopper: this one is that of sm_89, with Hopper's shared memory.
_HOPPER = (
    '#hal.device.target<"cuda", [#hal.executable.target<"cuda", "cuda-nvptx-fb", '
    '{iree_codegen.target_info = #iree_gpu.target<arch = "sm_90a", features = "+ptx80", wgp = <'
    "compute = fp64|fp32|fp16|int64|int32|int16|int8, storage = b64|b32|b16|b8, "
    "subgroup = shuffle|arithmetic, dot = dp4xi8toi32, mma = [<NV_MMA_SYNC_F32_16x8x16_F16>, "
    "<NV_MMA_SYNC_F16_16x8x16_F16>, <NV_MMA_SYNC_F32_16x8x16_BF16>, <NV_WMMA_F32_16x16x16_F16>, "
    "<NV_WMMA_F16_16x16x16_F16>], subgroup_size_choices = [32], "
    "max_workgroup_sizes = [1024, 1024, 1024], max_thread_count_per_workgroup = 1024, "
    "max_workgroup_memory_bytes = 232448, max_workgroup_counts = [2147483647, 65535, 65535]>>}>]>"
)


def _cpu_target(level: str, cpu: Cpu) -> Target:
    flags = [
        "--iree-hal-target-device=local",
        "--iree-hal-local-target-device-backends=llvm-cpu",
        f"--iree-llvmcpu-target-triple={cpu.triple}",
        f"--iree-llvmcpu-target-cpu={cpu.name}",
    ]
    if cpu.extensions:
        features = ",".join(f"+{extension}" for extension in cpu.extensions)
        flags.append(f"--iree-llvmcpu-target-cpu-features={features}")
    return Target(f"cpu:{level}", "local-task", (*flags, *_COMMON), _ALL_TYPES, cpu.features)


def _gpu_target(name: str, driver: str, flags: tuple[str, ...], types: tuple[str, ...]) -> Target:
    return Target(name, driver, (*flags, *_COMMON), types)


def _cuda_target(arch: str) -> Target:
    flags = ("--iree-hal-target-device=cuda", f"--iree-cuda-target={arch}")
    return _gpu_target(f"cuda:{arch}", "cuda", flags, _ALL_TYPES)


TARGETS = {
    target.name: target
    for target in (
        _cpu_target("native", native_cpu()),
        *(_cpu_target(level, cpu) for level, cpu in LEVELS.items()),
        # Vulkan's smallest common denominator: no subgroups, 16 KB of shared memory. It runs on every driver.
        _gpu_target(
            "vulkan",
            "vulkan",
            ("--iree-hal-target-device=vulkan", "--iree-vulkan-target=vp_android_baseline_2022"),
            ("f32",),
        ),
        *map(_cuda_target, ("sm_80", "sm_86", "sm_89")),
        _gpu_target("cuda:sm_90a", "cuda", (f"--iree-hal-target-device={_HOPPER}",), _ALL_TYPES),
        # Programs for the next two can be compiled, but no runtime here runs them.
        _gpu_target(
            "rocm:gfx942",
            "hip",
            ("--iree-hal-target-device=hip", "--iree-rocm-target=gfx942"),
            _ALL_TYPES,
        ),
        _gpu_target("metal", "metal", ("--iree-hal-target-device=metal",), ("f32", "f16")),
    )
}


def target_named(name: str) -> Target:
    """Look a target up.

    Raises:
        ValueError: no such target; the message names near ones.
    """
    if name in TARGETS:
        return TARGETS[name]
    near = difflib.get_close_matches(name, TARGETS, n=3)
    hint = f"did you mean {' or '.join(near)}?" if near else f"expected one of {', '.join(TARGETS)}"
    raise ValueError(f"no target '{name}': {hint}")
