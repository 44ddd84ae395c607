"""IREE devices: opening one, and moving arrays to and from it."""

import os
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from octavo.errors import DeviceError

if TYPE_CHECKING:
    import iree.runtime

# IREE's status codes as its bindings raise them.
IREE_ERRORS = (IndexError, OSError, RuntimeError, ValueError)


@dataclass(frozen=True, slots=True)
class Driver:
    """An IREE driver that programs are compiled for, and what to do when it finds no device."""

    name: str
    advice: str


DRIVERS = {
    driver.name: driver
    for driver in (
        Driver(
            "local-task", "This should not happen: IREE's CPU driver needs nothing but threads."
        ),
        Driver(
            "cuda",
            "Install NVIDIA's driver and see that 'nvidia-smi' lists a GPU, or compile for another target.",
        ),
        Driver(
            "vulkan",
            "Install a Vulkan driver and loader (Debian's 'mesa-vulkan-drivers' and 'libvulkan1' run on any "
            "CPU) and see that 'vulkaninfo' lists a device, or compile for another target.",
        ),
    )
}


def open_device(driver: str) -> "Device":
    """Open the first device of an IREE driver.

    Raises:
        DeviceError: the driver is unknown, or there is no device; the message says what to do.
    """
    if driver not in DRIVERS:
        raise DeviceError(f"no driver '{driver}': this Octavo knows {', '.join(DRIVERS)}.")
    # 0.2 s, and whoever only reads a manifest does not need it.
    import iree.runtime as rt

    try:
        hal = rt.get_device(driver)
    except IREE_ERRORS as error:
        reason = str(error).splitlines()[0]
        raise DeviceError(f"no '{driver}' device: {reason}. {DRIVERS[driver].advice}") from error
    if driver == "local-task":
        _use_batch_scheduling()
    return Device(hal)


def _use_batch_scheduling() -> None:
    """Keep the calling thread from preempting the worker that wakes it.

    It would then spin on a flag that only the preempted worker sets, until the kernel's next tick, 4 ms
    later: longer than a step of a small model takes. SCHED_BATCH tells Linux not to preempt on wake-up; it
    needs no privilege, and where it is refused the only loss is speed.
    """
    if not hasattr(os, "SCHED_BATCH") or os.sched_getscheduler(0) != os.SCHED_OTHER:
        return
    try:
        os.sched_setscheduler(0, os.SCHED_BATCH, os.sched_param(0))
    except PermissionError:
        return


class Device:
    """An open device."""

    def __init__(self, hal: "iree.runtime.HalDevice") -> None:
        """Wrap IREE's handle."""
        import iree.runtime as rt

        self.hal = hal
        self._rt = rt

    def upload(self, array: NDArray[np.int32]) -> "iree.runtime.HalBufferView":
        """Copy an i32 array to the device."""
        return self.hal.allocator.allocate_buffer_copy(
            memory_type=self._rt.MemoryType.DEVICE_LOCAL,
            allowed_usage=self._rt.BufferUsage.DEFAULT,
            device=self.hal,
            buffer=np.ascontiguousarray(array, np.int32),
            element_type=self._rt.HalElementType.SINT_32,
        )

    def download(self, view: "iree.runtime.HalBufferView") -> NDArray[Any]:
        """Return a result as an array: the device's own memory where the host can read it, else a copy."""
        buffer = view.get_buffer()
        if not self._is_mappable(buffer):
            buffer = self._copy_to_staging(buffer)
        dtype = self._rt.HalElementType.map_to_dtype(view.element_type)
        array: NDArray[Any] = buffer.map().asarray(view.shape, np.dtype(dtype))
        return array

    def _is_mappable(self, buffer: "iree.runtime.HalBuffer") -> bool:
        visible = int(self._rt.MemoryType.HOST_VISIBLE)
        mappable = int(self._rt.BufferUsage.MAPPING_SCOPED)
        return bool(
            buffer.memory_type() & visible == visible
            and buffer.allowed_usage() & mappable == mappable
        )

    def _copy_to_staging(self, source: "iree.runtime.HalBuffer") -> "iree.runtime.HalBuffer":
        """Copy into a buffer that IREE allocates.

        IREE's own `to_host` lets the device write into a numpy array, which lavapipe refuses for arrays
        that are not aligned to a page.
        """
        memory, usage = self._rt.MemoryType, self._rt.BufferUsage
        staging = self.hal.allocator.allocate_buffer(
            memory_type=int(memory.HOST_LOCAL | memory.DEVICE_VISIBLE),
            allowed_usage=int(usage.TRANSFER_TARGET | usage.MAPPING_SCOPED),
            allocation_size=source.byte_length(),
        )
        semaphore = self.hal.create_semaphore(0)
        done = self._rt.HalFence.create_at(semaphore, 1)
        self.hal.queue_copy(
            source,
            staging,
            wait_semaphores=self._rt.HalFence.create_at(semaphore, 0),
            signal_semaphores=done,
        )
        done.wait()
        return staging
