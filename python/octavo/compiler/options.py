"""What a user may choose about a compilation."""

from dataclasses import dataclass

from octavo.config import DTYPE_NBYTES, Bucket

# Rows x tokens. Decode of up to eight rows, and prompts in chunks; a step in between is padded.
DEFAULT_BUCKETS = (
    Bucket(1, 1),
    Bucket(4, 1),
    Bucket(8, 1),
    Bucket(1, 16),
    Bucket(1, 128),
    Bucket(4, 32),
)
LEVEL_NAMES = ("O0", "O1", "O2")
WEIGHT_DTYPES = ("f32", "f16", "bf16")


@dataclass(frozen=True, slots=True)
class CompileOptions:
    """Options of a compilation; they enter the cache's key.

    Attributes:
        targets: names of targets, such as `cpu:native`, one program each.
        level: optimization level, `O0` to `O2`.
        dtype: type of weights, activations and cache: `f32`, `f16` or `bf16`.
        block_size: tokens in a block of the cache.
        max_context: tokens a sequence may reach; None for what the model was made for.
        buckets: sizes of steps to compile.
    """

    targets: tuple[str, ...] = ("cpu:native",)
    level: str = "O2"
    dtype: str = "f32"
    block_size: int = 16
    max_context: int | None = None
    buckets: tuple[Bucket, ...] = DEFAULT_BUCKETS

    def __post_init__(self) -> None:
        """Check what can be checked without the model.

        Raises:
            ValueError: a value is out of range; the message names the option.
        """
        is_list = bool(self.targets) and not isinstance(self.targets, str)
        _check(is_list, "targets", "a list of at least one target", self.targets)
        _check(self.level in LEVEL_NAMES, "level", f"one of {', '.join(LEVEL_NAMES)}", self.level)
        _check(
            self.dtype in WEIGHT_DTYPES, "dtype", f"one of {', '.join(WEIGHT_DTYPES)}", self.dtype
        )
        _check(self.block_size > 0, "block_size", "a positive number", self.block_size)
        in_range = self.max_context is None or self.max_context > 0
        _check(in_range, "max_context", "a positive number", self.max_context)
        _check(bool(self.buckets), "buckets", "at least one bucket", self.buckets)
        assert self.dtype in DTYPE_NBYTES


def _check(holds: bool, name: str, expected: str, got: object) -> None:
    if not holds:
        raise ValueError(f"option {name}: expected {expected}, got {got!r}")
