"""What a user may choose about a compilation."""

from dataclasses import dataclass

from octavo.arguments import integer, is_list, optional_integer, require
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
        targets = self.targets
        are_names = is_list(targets) and all(isinstance(name, str) for name in targets)
        _check(are_names and bool(targets), "targets", "a list of at least one target", targets)
        _check(len(set(targets)) == len(targets), "targets", "each target once", targets)
        _check(self.level in LEVEL_NAMES, "level", f"one of {', '.join(LEVEL_NAMES)}", self.level)
        _check(
            self.dtype in WEIGHT_DTYPES, "dtype", f"one of {', '.join(WEIGHT_DTYPES)}", self.dtype
        )
        block_size = integer("option block_size", self.block_size, 1)
        max_context = optional_integer("option max_context", self.max_context, 1)
        _check(
            is_list(self.buckets) and bool(self.buckets),
            "buckets",
            "a list of at least one bucket",
            self.buckets,
        )
        buckets = tuple(_checked_bucket(bucket) for bucket in self.buckets)
        _check(len(set(buckets)) == len(buckets), "buckets", "each bucket once", self.buckets)
        assert self.dtype in DTYPE_NBYTES
        # What came may be numpy's, or a list: the options are hashed, and written down.
        object.__setattr__(self, "targets", tuple(targets))
        object.__setattr__(self, "block_size", block_size)
        object.__setattr__(self, "max_context", max_context)
        object.__setattr__(self, "buckets", buckets)


def _checked_bucket(bucket: object) -> Bucket:
    _check(isinstance(bucket, Bucket), "buckets", "elements like Bucket(1, 16)", bucket)
    assert isinstance(bucket, Bucket)
    return Bucket(
        integer("option buckets: batch", bucket.batch, 1),
        integer("option buckets: num_tokens", bucket.num_tokens, 1),
    )


def _check(holds: bool, name: str, expected: str, got: object) -> None:
    require(holds, f"option {name}", expected, got)
