"""IREE devices: opening one, and moving arrays to and from it."""

import os
from dataclasses import dataclass
from functools import reduce
from operator import or_
from typing import TYPE_CHECKING, Any, SupportsInt

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
    """Open the first device of an IREE driver, for calls from this thread.

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
    _use_batch_scheduling()
    return Device(hal)


def device_names(driver: str) -> list[str]:
    """Return what an IREE driver calls the devices it finds; they are not opened.

    Raises:
        DeviceError: the driver is unknown or cannot be loaded.
    """
    if driver not in DRIVERS:
        raise DeviceError(f"no driver '{driver}': this Octavo knows {', '.join(DRIVERS)}.")
    import iree.runtime as rt

    try:
        return [device["name"] for device in rt.get_driver(driver).query_available_devices()]
    except IREE_ERRORS as error:
        raise DeviceError(f"no '{driver}' device. {DRIVERS[driver].advice}") from error


def _use_batch_scheduling() -> None:
    """Keep the calling thread from preempting the one that wakes it when the device is done.

    It would then spin on a flag that only the preempted thread sets, until the kernel's next ticks, 4 ms and
    more later: longer than a step of a small model takes. SCHED_BATCH tells Linux not to preempt on wake-up.
    Threads that the calling one starts inherit it. It needs no privilege, and where it is refused the only
    loss is speed.
    """
    if not hasattr(os, "SCHED_BATCH") or os.sched_getscheduler(0) != os.SCHED_OTHER:
        return
    try:
        os.sched_setscheduler(0, os.SCHED_BATCH, os.sched_param(0))
    except PermissionError:
        return


class Device:
    """An open device, and the buffers through which a program's arrays come and go.

    Allocating memory that both sides see takes a GPU's driver a millisecond, so each buffer is made once
    for a shape and used again. That is safe because calls are synchronous: when one returns, the device has
    read its inputs.
    """

    def __init__(self, hal: "iree.runtime.HalDevice") -> None:
        """Wrap IREE's handle."""
        import iree.runtime as rt

        self.hal = hal
        self._rt = rt
        self._inputs: dict[tuple[int, tuple[int, ...]], iree.runtime.HalBufferView] = {}
        self._staging: dict[int, iree.runtime.HalBuffer] = {}

    def upload(self, array: NDArray[np.int32], slot: int = 0) -> "iree.runtime.HalBufferView":
        """Copy an i32 array to where the device can read it.

        The result is valid until the next upload of the same shape into the same slot: the arguments of a
        call take one slot each.
        """
        key = (slot, array.shape)
        if key not in self._inputs:
            usage = self._rt.BufferUsage
            buffer = self._allocate(array.nbytes, usage.DEFAULT, usage.MAPPING_SCOPED)
            i32 = self._rt.HalElementType.SINT_32
            self._inputs[key] = self._rt.HalBufferView(buffer, array.shape, i32)
        view = self._inputs[key]
        view.map().asarray(array.shape, np.dtype(np.int32))[...] = array
        return view

    def download(self, view: "iree.runtime.HalBufferView") -> NDArray[Any]:
        """Return a result as an array of the host's: its own memory where that can be read, else a copy."""
        buffer = view.get_buffer()
        is_mappable = self._is_mappable(buffer)
        if not is_mappable:
            buffer = self._copy_to_staging(buffer)
        dtype = np.dtype(self._rt.HalElementType.map_to_dtype(view.element_type))
        array: NDArray[Any] = buffer.map().asarray(view.shape, dtype)
        return array if is_mappable else array.copy()

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
        nbytes = source.byte_length()
        if nbytes not in self._staging:
            usage = self._rt.BufferUsage
            self._staging[nbytes] = self._allocate(
                nbytes, usage.TRANSFER_TARGET, usage.MAPPING_SCOPED
            )
        semaphore = self.hal.create_semaphore(0)
        self.hal.queue_copy(
            source,
            self._staging[nbytes],
            wait_semaphores=[],
            signal_semaphores=[(semaphore, 1)],
        )
        semaphore.wait(1)
        return self._staging[nbytes]

    def _allocate(
        self, nbytes: int, *usage: "iree.runtime.BufferUsage"
    ) -> "iree.runtime.HalBuffer":
        """Allocate host memory that the device reads and writes, without caches to flush."""
        memory = self._rt.MemoryType
        return self.hal.allocator.allocate_buffer(
            memory_type=_flags(memory.HOST_LOCAL, memory.HOST_COHERENT, memory.DEVICE_VISIBLE),
            allowed_usage=_flags(*usage),
            allocation_size=nbytes,
        )


def _flags(*bits: SupportsInt) -> int:
    return reduce(or_, map(int, bits))
