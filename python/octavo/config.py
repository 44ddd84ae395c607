"""Frozen descriptions of a model and its KV cache that both halves of Octavo share."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class ModelConfig:
    """What the runtime must know about a model.

    Attributes:
        architecture: the family's name as Hugging Face spells it (`llama`, `gemma2`, ...).
        vocab_size: rows of the logits.
        max_context: tokens a request may hold, prompt and output together.
        bos_token_id: the token that starts a sequence, if the model has one.
        eos_token_ids: tokens that end a generation.
    """

    architecture: str
    vocab_size: int
    max_context: int
    bos_token_id: int | None = None
    eos_token_ids: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class KVLayer:
    """Shape of one attention layer's K and V pools: `[blocks, num_kv_heads, block_size, head_dim]`."""

    num_kv_heads: int
    head_dim: int


DTYPE_NBYTES = {"f32": 4, "f16": 2, "bf16": 2, "i8": 1}


@dataclass(frozen=True, slots=True)
class KVLayout:
    """The paged cache: one K and one V pool for each layer.

    Attributes:
        layers: one entry for each attention layer, in order.
        block_size: tokens in a block.
        dtype: element type, as MLIR spells it (`f32`, `f16`, `bf16`).
    """

    layers: tuple[KVLayer, ...]
    block_size: int
    dtype: str

    @property
    def block_nbytes(self) -> int:
        """Bytes that one block takes over all layers, K and V together."""
        values = sum(layer.num_kv_heads * layer.head_dim for layer in self.layers)
        return 2 * values * self.block_size * DTYPE_NBYTES[self.dtype]


@dataclass(frozen=True, slots=True, order=True)
class Bucket:
    """One compiled entry point: `batch` rows of `num_tokens` tokens each.

    A step that falls between two buckets runs in the larger one, padded.
    """

    batch: int
    num_tokens: int

    @property
    def entry_point(self) -> str:
        """Name of the function in the compiled program."""
        return f"step_b{self.batch}_t{self.num_tokens}"
