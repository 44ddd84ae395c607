"""The pipeline: every pass, by phase, in the order it runs. Read this file from top to bottom."""

from dataclasses import dataclass

from octavo.config import Bucket
from octavo.passes import load_all
from octavo.passes.optimize.specialize_buckets import Buckets
from octavo.passes.pipeline import PassCall, call, mlir_call

LIFT = (
    "fold-identities",  # first: what it drops would stand between the operations that patterns look for
    "lift-norm",
    "lift-rope",
    "lift-attention",
    "lift-linear",
    "lift-activation",  # before lift-elementwise: an activation contains sums and products
    "lift-elementwise",
    "eliminate-dead-code",  # torch's leftovers would keep views alive that nobody reads
    "lift-shape",
    "eliminate-dead-code",
    "legalize-torch",  # last: it takes everything that is left to linalg
    "lift-signature",
    "eliminate-dead-code",
    "check-lifted",
)
CANONICALIZE = ("fold-transposes", "eliminate-dead-code", "canonicalize", "cse")
PAGINATE = ("paginate-kv",)
FUSE = (
    "fuse-logits",
    "fuse-gated-activation",
    "fuse-add-rms-norm",
)
SPECIALIZE = ("specialize-buckets",)
LOWER = (
    "lower-weights",
    "lower-kv-state",
    "lower-embedding",
    "lower-linear",
    "lower-norm",
    "lower-rope",
    "lower-attention",
    "lower-kv-write",
    "lower-paged-attention",
    "lower-activation",
    "canonicalize",
    "cse",
    "check-lowered",
)

LEVELS: dict[str, tuple[str, ...]] = {
    "O0": (*LIFT, *PAGINATE, *SPECIALIZE),
    "O1": (*LIFT, *CANONICALIZE, *PAGINATE, *SPECIALIZE, "canonicalize", "cse"),
    "O2": (*LIFT, *CANONICALIZE, *PAGINATE, *FUSE, *SPECIALIZE, "canonicalize", "cse"),
}

# Registered passes that no level runs, each with the reason.
UNUSED: dict[str, str] = {}

_MLIR = ("canonicalize", "cse")


@dataclass(frozen=True, slots=True)
class StepShape:
    """Sizes that the pipeline compiles in: tokens of a KV block, and the buckets."""

    block_size: int
    buckets: tuple[Bucket, ...]


def optimize_calls(level: str, shape: StepShape) -> list[PassCall]:
    """The passes of `level` from the torch dialect to the `llm` dialect, with their options.

    Raises:
        ValueError: no such level.
    """
    if level not in LEVELS:
        raise ValueError(f"no optimization level '{level}': expected one of {', '.join(LEVELS)}")
    return [_call(name, shape) for name in LEVELS[level]]


def lower_calls() -> list[PassCall]:
    """The passes from the `llm` dialect to what IREE takes."""
    load_all()
    return [mlir_call(name) if name in _MLIR else call(name) for name in LOWER]


def calls_by_phase(level: str, shape: StepShape) -> dict[str, list[PassCall]]:
    """All passes of `level`, in order, below the names of the phases in which they run.

    Raises:
        ValueError: no such level.
    """
    calls = optimize_calls(level, shape)
    num_lifts = len(LIFT)
    return {"lift": calls[:num_lifts], "optimize": calls[num_lifts:], "lower": lower_calls()}


def _call(name: str, shape: StepShape) -> PassCall:
    load_all()
    if name in _MLIR:
        return mlir_call(name)
    if name == "paginate-kv":
        return call(name, block_size=shape.block_size)
    if name == "specialize-buckets":
        return call(name, buckets=Buckets(shape.buckets))
    return call(name)
