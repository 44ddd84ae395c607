"""Undo what llama.cpp's converter does to weights, so that they are what Hugging Face's model expects.

Each function takes a tensor in the file's layout. Shapes and types of the results are found by running it on
the `meta` device, so nothing here may look at values.
"""

from collections.abc import Callable

import torch
from transformers import PreTrainedConfig

Layout = Callable[[torch.Tensor, PreTrainedConfig], torch.Tensor]


def unpermute_queries(tensor: torch.Tensor, config: PreTrainedConfig) -> torch.Tensor:
    """Turn rows of each query head from pairs beside each other back to halves; see `unpermute_keys`."""
    return _halves(tensor, config.num_attention_heads)


def unpermute_keys(tensor: torch.Tensor, config: PreTrainedConfig) -> torch.Tensor:
    """Turn rows of each key head from pairs beside each other back to halves.

    llama.cpp rotates element 2i with 2i + 1, Hugging Face element i with i + head_dim / 2.
    """
    return _halves(tensor, config.num_key_value_heads)


def _halves(tensor: torch.Tensor, num_heads: int) -> torch.Tensor:
    pairs = tensor.reshape(num_heads, -1, 2, *tensor.shape[1:])
    return pairs.transpose(1, 2).reshape(tensor.shape)


def subtract_one(tensor: torch.Tensor, config: PreTrainedConfig) -> torch.Tensor:
    """Give back the offset from one that Gemma's norms store, in f32: next to one, half types are coarse."""
    return tensor.float() - 1


def transpose(tensor: torch.Tensor, config: PreTrainedConfig) -> torch.Tensor:
    """Turn `[out, in]` into the `[in, out]` of GPT-2's `Conv1D`."""
    return tensor.T.contiguous()


def interleave_heads(tensor: torch.Tensor, config: PreTrainedConfig) -> torch.Tensor:
    """Turn all queries, all keys, all values into query, key and value of each head, as GPT-NeoX has them."""
    heads = tensor.reshape(3, config.num_attention_heads, -1, *tensor.shape[1:])
    return heads.transpose(0, 1).reshape(tensor.shape)
