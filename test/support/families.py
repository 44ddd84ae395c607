"""A tiny random configuration of each model family, with what the family is special for."""

from collections.abc import Callable

import transformers

VOCAB_SIZE = 97
SIZES = {
    "vocab_size": VOCAB_SIZE,
    "hidden_size": 48,
    "num_hidden_layers": 2,
    "num_attention_heads": 4,
    "num_key_value_heads": 2,
    "intermediate_size": 80,
    "max_position_embeddings": 64,
    "pad_token_id": 0,
    "bos_token_id": 1,
    "eos_token_id": 2,
}
MIXED = ["sliding_attention", "full_attention"]


def config(kind: str, **own: object) -> transformers.PretrainedConfig:
    return getattr(transformers, kind)(**{**SIZES, **own})


# Heads of 12 and 20 values. Windows of 6 tokens are crossed by every sequence here.
FAMILIES: dict[str, Callable[[], transformers.PretrainedConfig]] = {
    "llama-mqa-biases": lambda: config(
        "LlamaConfig", num_key_value_heads=1, attention_bias=True, mlp_bias=True
    ),
    "llama-tied": lambda: config("LlamaConfig", tie_word_embeddings=True),
    "qwen2": lambda: config(
        "Qwen2Config", use_sliding_window=True, sliding_window=6, max_window_layers=1
    ),
    "qwen3": lambda: config("Qwen3Config", head_dim=20, attention_bias=True),
    "mistral": lambda: config("MistralConfig", head_dim=20, sliding_window=6),
    "gemma": lambda: config("GemmaConfig", head_dim=20, num_key_value_heads=1),
    "gemma2": lambda: config(
        "Gemma2Config",
        head_dim=20,
        sliding_window=6,
        layer_types=MIXED,
        query_pre_attn_scalar=10,
        attn_logit_softcapping=2.0,
        final_logit_softcapping=3.0,
    ),
    "gemma3": lambda: config(
        "Gemma3TextConfig",
        head_dim=20,
        sliding_window=6,
        layer_types=MIXED,
        query_pre_attn_scalar=10,
    ),
    "phi3": lambda: config("Phi3Config", sliding_window=6, partial_rotary_factor=0.5),
    "olmo2": lambda: config("Olmo2Config"),
    "smollm3": lambda: config(
        "SmolLM3Config", no_rope_layers=[1, 0], use_sliding_window=True, sliding_window=6
    ),
    "gpt2": lambda: transformers.GPT2Config(
        vocab_size=VOCAB_SIZE,
        n_embd=48,
        n_layer=2,
        n_head=4,
        n_positions=64,
        bos_token_id=1,
        eos_token_id=2,
    ),
    "gpt_neox": lambda: config("GPTNeoXConfig", rotary_pct=0.5),
    "gpt_neox-sequential": lambda: config(
        "GPTNeoXConfig", rotary_pct=0.5, use_parallel_residual=False, tie_word_embeddings=True
    ),
}

# More families, whose operations are those of the ones above: compared in the interpreter only.
SIMILAR: dict[str, Callable[[], transformers.PretrainedConfig]] = {
    "starcoder2": lambda: config("Starcoder2Config", sliding_window=6),
    "stablelm": lambda: config("StableLmConfig", partial_rotary_factor=0.5, use_qkv_bias=True),
    "granite": lambda: config(
        "GraniteConfig",
        embedding_multiplier=2.0,
        logits_scaling=3.0,
        residual_multiplier=0.5,
        attention_multiplier=0.3,
    ),
    "olmo": lambda: config("OlmoConfig"),
    "olmo3": lambda: config("Olmo3Config", sliding_window=6, layer_types=MIXED),
    "phi": lambda: config("PhiConfig", partial_rotary_factor=0.5, qk_layernorm=True),
    "exaone4": lambda: config("Exaone4Config", sliding_window=6, layer_types=MIXED),
    "seed_oss": lambda: config("SeedOssConfig", head_dim=20),
    "arcee": lambda: config("ArceeConfig"),
}

# Tokens of the step's bucket, and new tokens of each row; a row with none is idle.
PLAN = [
    (8, (8, 5, 8)),
    (8, (5, 0, 1)),
    (1, (1, 1, 1)),
    (1, (1, 1, 1)),
    (1, (1, 1, 1)),
    (1, (1, 1, 1)),
    (1, (1, 1, 1)),
]
