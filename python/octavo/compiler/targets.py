from dataclasses import dataclass
@dataclass(frozen=True)
class Target:
    name: str
    driver: str
    flags: tuple
    cpu_features: tuple = ()
C=('--iree-opt-level=O2','--iree-opt-const-expr-hoisting=false','--iree-opt-const-eval=false','--iree-opt-data-tiling=false')
TARGETS={t.name:t for t in (
 Target('cpu:native','local-task',('--iree-hal-target-device=local','--iree-hal-local-target-device-backends=llvm-cpu','--iree-llvmcpu-target-cpu=host')+C),
 Target('vulkan','vulkan',('--iree-hal-target-device=vulkan','--iree-vulkan-target=llvmpipe')+C),
 Target('cuda:sm_89','cuda',('--iree-hal-target-device=cuda','--iree-cuda-target=sm_89','--iree-dispatch-creation-enable-aggressive-fusion=false')+C))}
def target_named(n): return TARGETS[n]
