"""A compiled program as the engine sees it, and the one that runs on IREE."""

import mmap
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

import numpy as np
from numpy.typing import NDArray

from octavo.artifact import Manifest, Program
from octavo.config import Bucket, KVLayout
from octavo.errors import ArtifactError, DeviceError
from octavo.progress import format_nbytes
from octavo.runtime.device import IREE_ERRORS, Device
from octavo.runtime.host_memory import available_nbytes
from octavo.runtime.step import Int32Array, StepLimits, check_arrays

if TYPE_CHECKING:
    import iree.runtime


class Executable(Protocol):
    """What the engine needs of a compiled model."""

    @property
    def buckets(self) -> tuple[Bucket, ...]:
        """Shapes that `step` accepts."""
        ...

    @property
    def kv(self) -> KVLayout:
        """Layout of the cache, whose block size the tables are made for."""
        ...

    @property
    def vocab_size(self) -> int:
        """Columns of the logits."""
        ...

    def allocate_kv(self, num_blocks: int) -> None:
        """Make the KV pools, zero filled, with blocks `0 .. num_blocks - 1`; what they held is lost."""
        ...

    def step(
        self, tokens: Int32Array, start: Int32Array, lens: Int32Array, table: Int32Array
    ) -> NDArray[np.float32]:
        """Compute new tokens and write their K and V into the cache.

        Args:
            tokens: `[B, T]` i32, new tokens, where `(B, T)` is one of `buckets`.
            start: `[B]` i32, tokens of the row that are cached.
            lens: `[B]` i32, how many of the row's tokens are new; 0 for an idle row.
            table: `[B, M]` i32, blocks that hold the row's tokens. Entries beyond them change nothing, but
                are numbers of blocks all the same; see `pad_tables`.

        Returns:
            `[B, vocab]` f32 logits of each row's last new token; those of idle rows mean nothing.

        Raises:
            DeviceError: the call failed on the device.
            ValueError: a number would lead the program outside its arrays.
        """
        ...


class IreeExecutable:
    """A program of an artifact, loaded on a device.

    The program and the weights are mapped into memory, not read: loading takes milliseconds, and on a CPU
    the weights are used where they lie in the page cache.
    """

    def __init__(
        self, device: Device, directory: Path, manifest: Manifest, program: Program
    ) -> None:
        """Load `program` of the artifact in `directory` on a device of its driver.

        Raises:
            ArtifactError: a file cannot be loaded, or lacks an entry point.
        """
        self.buckets = manifest.buckets
        self.kv = manifest.kv
        self.vocab_size = manifest.model.vocab_size
        self._num_blocks = 0
        self._uses_host_memory = program.driver == "local-task"
        self._module = _Module(device, directory / program.file, directory / manifest.weights.file)
        for bucket in self.buckets:
            self._module.require(bucket.entry_point)
        self._module.require("allocate_kv")

    def allocate_kv(self, num_blocks: int) -> None:
        """Make the KV pools anew; `DeviceError` when the device has too little memory."""
        nbytes = num_blocks * self.kv.block_nbytes
        if self._uses_host_memory:
            self._check_fits(num_blocks)
        try:
            self._module.call("allocate_kv", num_blocks)
        except IREE_ERRORS as error:
            raise DeviceError(
                f"the KV cache of {num_blocks} blocks ({nbytes:,} bytes) cannot be allocated: {error}. "
                "Ask for fewer blocks."
            ) from error
        self._num_blocks = num_blocks

    def _check_fits(self, num_blocks: int) -> None:
        """Ask before allocating: Linux would promise the memory, and end the process that uses it."""
        available = available_nbytes()
        needed = (num_blocks - self._num_blocks) * self.kv.block_nbytes
        if available is not None and needed > available:
            fit = self._num_blocks + available // self.kv.block_nbytes
            raise DeviceError(
                f"the KV cache does not fit the memory: expected at most {fit:,} blocks of "
                f"{format_nbytes(self.kv.block_nbytes)}, for which {format_nbytes(available)} are available, "
                f"got {num_blocks:,}. Ask for fewer blocks (num_blocks or kv_nbytes)."
            )

    def step(
        self, tokens: Int32Array, start: Int32Array, lens: Int32Array, table: Int32Array
    ) -> NDArray[np.float32]:
        """Run the entry point of `tokens.shape`; see `Executable.step`."""
        bucket = Bucket(*tokens.shape)
        assert bucket in self.buckets, f"{bucket} is not compiled: there are {self.buckets}"
        assert self._num_blocks, "a step runs before allocate_kv"
        limits = StepLimits(self.vocab_size, self._num_blocks, self.kv.block_size)
        check_arrays(tokens, start, lens, table, limits)
        try:
            logits = self._module.call(bucket.entry_point, tokens, start, lens, table)
        except IREE_ERRORS as error:
            raise DeviceError(f"{bucket.entry_point} failed on the device: {error}") from error
        assert logits is not None, f"{bucket.entry_point} returned nothing"
        return logits


def _map(path: Path) -> mmap.mmap:
    """Map a file for reading; IREE's own `VmModule.mmap` opens it for writing too."""
    with path.open("rb") as file:
        return mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)


class _Module:
    """The loaded module: its functions, called with arrays and integers."""

    def __init__(self, device: Device, program: Path, weights: Path) -> None:
        import iree.runtime as rt

        self._rt = rt
        self._device = device
        instance = rt.VmInstance()
        index = rt.ParameterIndex()
        try:
            index.load(str(weights))
            module = rt.VmModule.wrap_buffer(instance, _map(program))
            modules = [
                rt.create_hal_module(instance, device.hal),
                rt.create_io_parameters_module(instance, index.create_provider(scope="model")),
                module,
            ]
            self._context = rt.VmContext(instance, modules)
        except IREE_ERRORS as error:
            raise ArtifactError(
                f"{program} cannot be loaded with {weights.name}: {error}. Compile the model again."
            ) from error
        self._program = program
        self._module = module
        self._functions: dict[str, iree.runtime.VmFunction] = {}

    def require(self, name: str) -> None:
        """Look a function up; `ArtifactError` when the program has none of that name."""
        function = self._module.lookup_function(name)
        if function is None:
            raise ArtifactError(
                f"{self._program} has no function '{name}', it has {', '.join(self._module.function_names)}. "
                "Compile the model again."
            )
        self._functions[name] = function

    def call(self, name: str, *args: Int32Array | int) -> NDArray[np.float32] | None:
        """Call a function and wait for it; return its result, if it has one."""
        inputs = self._rt.VmVariantList(len(args))
        for slot, arg in enumerate(args):
            if isinstance(arg, int):
                inputs.push_int(arg)
            else:
                inputs.push_ref(self._device.upload(arg, slot))
        outputs = self._rt.VmVariantList(1)
        self._context.invoke(self._functions[name], inputs, outputs)
        if not len(outputs):
            return None
        return self._device.download(outputs.get_as_object(0, self._rt.HalBufferView))
