"""A compiled model, ready to generate."""

import os
from pathlib import Path

from octavo.arguments import optional_integer, require
from octavo.artifact import TOKENIZER_NAME, Manifest, read_manifest
from octavo.errors import CapacityError
from octavo.runtime.engine import Engine, EngineLimits
from octavo.runtime.generator import Generator
from octavo.runtime.kv.block_table import num_blocks_for
from octavo.runtime.loader import load_executable
from octavo.runtime.no_tokenizer import NoTokenizer
from octavo.runtime.tokenizer import load_tokenizer

_MIN_KV_NBYTES = 256 << 20


class LLM(Generator):
    """Opens an artifact and generates with it.

    An artifact of a model that came without a tokenizer takes token ids and gives token ids.

    Attributes:
        manifest: what the artifact says of itself.
    """

    def __init__(
        self,
        artifact: str | os.PathLike[str],
        target: str | None = None,
        *,
        num_blocks: int | None = None,
        kv_nbytes: int | None = None,
        max_batch: int | None = None,
        max_step_tokens: int | None = None,
    ) -> None:
        """Load the program, map the weights and allocate the KV cache.

        Args:
            artifact: a directory that `octavo compile` wrote.
            target: which of its programs; `None` takes the first that runs on this machine.
            num_blocks: blocks in the KV cache; `None` derives it from `kv_nbytes`.
            kv_nbytes: memory for the KV cache. The default is a quarter of the weights, but at least
                256 MiB, and no more than `max_batch` requests of full length can use.
            max_batch: requests that run at a time; the rest waits. `None` for the rows of the largest
                bucket.
            max_step_tokens: see `EngineLimits`.

        Raises:
            ArtifactError: the artifact is missing, damaged, or made for another version or machine.
            DeviceError: there is no device, or too little memory on it; on a CPU, the message says how many
                blocks fit.
            CapacityError: `kv_nbytes` is less than one block.
            ValueError: an argument is of a wrong type or out of range.
        """
        require(isinstance(artifact, str | os.PathLike), "artifact", "a directory", artifact)
        is_name = target is None or isinstance(target, str)
        require(is_name, "target", "None or the name of a target", target)
        num_blocks = optional_integer("num_blocks", num_blocks, 1)
        kv_nbytes = optional_integer("kv_nbytes", kv_nbytes, 0)
        max_batch = optional_integer("max_batch", max_batch, 1)
        directory = Path(artifact)
        self.manifest = read_manifest(directory)
        if num_blocks is None:
            num_blocks = _num_blocks(self.manifest, kv_nbytes, max_batch)
        has_tokenizer = (directory / TOKENIZER_NAME).is_file()
        tokenizer = load_tokenizer(directory) if has_tokenizer else NoTokenizer(directory)
        executable = load_executable(directory, self.manifest, target)
        limits = EngineLimits(num_blocks, max_batch, max_step_tokens)
        engine = Engine(executable, self.manifest.model, limits)
        super().__init__(engine, tokenizer, self.manifest.model.bos_token_id)


def _num_blocks(manifest: Manifest, kv_nbytes: int | None, max_batch: int | None) -> int:
    """Return the blocks that fit the memory given, or a share of it that suits the model."""
    block_nbytes = manifest.kv.block_nbytes
    if kv_nbytes is not None:
        if kv_nbytes < block_nbytes:
            raise CapacityError(
                f"kv_nbytes: expected at least {block_nbytes:,} bytes, which is one block of the KV cache, "
                f"got {kv_nbytes:,}"
            )
        return kv_nbytes // block_nbytes
    rows = max_batch or max(bucket.batch for bucket in manifest.buckets)
    useful = rows * num_blocks_for(manifest.model.max_context, manifest.kv.block_size)
    budget = max(_MIN_KV_NBYTES, manifest.memory.weights_nbytes // 4)
    return max(1, min(useful, budget // block_nbytes))
