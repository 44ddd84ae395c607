"""References of the products with weights, the embedding lookup, and the head."""

from typing import Any

import numpy as np

from octavo.errors import OctavoError
from octavo.interpret.dtypes import as_f32, as_type_of
from octavo.interpret.frame import Frame
from octavo.interpret.registry import reference


@reference("llm.embedding")
def embedding(op: Any, frame: Frame) -> np.ndarray:
    """Look rows up; an id outside the table reads its nearest row."""
    table = frame[op.table]
    return np.take(table, frame[op.ids], axis=0, mode="clip")


@reference("llm.linear")
def linear(op: Any, frame: Frame) -> np.ndarray:
    """Multiply by the transposed weight, then add; all of it in f32."""
    out = as_f32(frame[op.x]) @ as_f32(frame[op.weight]).T
    for term in (frame.find(op.bias), frame.find(op.residual)):
        if term is not None:
            out = out + as_f32(term)
    return as_type_of(out, op.out)


@reference("llm.logits")
def logits(op: Any, frame: Frame) -> np.ndarray:
    """Multiply each row's last token by the head; an idle row is 0, without the bias."""
    lens, bias = frame[op.lens], frame.find(op.bias)
    out = as_f32(_last_tokens(frame[op.x], lens)) @ as_f32(frame[op.weight]).T
    if bias is not None:
        out = out + as_f32(bias)
    out[lens == 0] = 0
    return as_type_of(out, op.out)


@reference("llm.last_token")
def last_token(op: Any, frame: Frame) -> np.ndarray:
    """Take each row's last token; an idle row is 0."""
    lens = frame[op.lens]
    out = _last_tokens(frame[op.x], lens)
    out[lens == 0] = 0
    return out


def _last_tokens(x: np.ndarray, lens: np.ndarray) -> np.ndarray:
    num_tokens = x.shape[1]
    if not np.all((lens >= 0) & (lens <= num_tokens)):
        raise OctavoError(f"expected 0 to {num_tokens} new tokens in each row, got {lens.tolist()}")
    if num_tokens == 0:
        return np.zeros((len(x), x.shape[2]), x.dtype)
    return np.asarray(x[np.arange(len(x)), np.maximum(lens - 1, 0)])
