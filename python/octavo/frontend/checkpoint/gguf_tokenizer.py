"""The tokenizer that a GGUF file describes: a vocabulary, merges or scores, and the names of its rules.

`transformers` builds it; the rules of llama.cpp that it leaves out are added here.
"""

import json
from pathlib import Path

from tokenizers import Tokenizer, decoders, pre_tokenizers, processors
from tokenizers.models import BPE
from transformers.integrations.gguf.gguf_tokenizer_mapping import (
    GGUF_PRE_TOKENIZER_SPLITS,
    GGUF_SENTENCEPIECE_BUILDERS,
    GGUF_TOKENIZER_MAPPING,
    convert_gguf_tokenizer,
)

from octavo.errors import CaptureError
from octavo.frontend.checkpoint.gguf_metadata import Metadata
from octavo.frontend.checkpoint.tokenizer import TokenizerSettings, save_tokenizer

# What `tokenizer.ggml.model` may say: byte-level BPE, and SentencePiece.
_BYTE_LEVEL, _SENTENCEPIECE = "gpt2", "llama"
# Names for splitting a text before merging that mean GPT-2's own way.
_GPT2_SPLITS = ("default", "gpt-2", "mpt", "olmo", "phi-2")
# Each digit apart, then GPT-2's way.
_DIGIT_SPLITS = ("smollm",)
# Words in the vocabulary are taken whole, and a text starts with BOS unless the file says otherwise.
_LLAMA3_SPLITS = ("llama3", "llama-v3", "llama-bpe")

_CONTROL_TOKEN = 3
# A file names one end, often that of a text, where a chat needs that of a turn.
_TURN_ENDS = ("<|im_end|>", "<|eot_id|>", "<|eom_id|>", "<|end|>", "<end_of_turn>")
_SPECIAL_TOKENS = {
    "bos_token": "bos",
    "eos_token": "eos",
    "unk_token": "unknown",
    "pad_token": "padding",
}


def end_of_turn_ids(metadata: Metadata) -> tuple[int, ...]:
    """Return the tokens that end a generation: those the file names, and those that end a turn of a chat."""
    ids = {metadata.token_id(name) for name in ("eos", "eot", "eom")}
    kinds = metadata.values.get("tokenizer.ggml.token_type")
    if isinstance(kinds, list):
        control = [
            token
            for token, kind in zip(_tokens(metadata), kinds, strict=False)
            if kind == _CONTROL_TOKEN
        ]
        ids |= {_tokens(metadata).index(text) for text in _TURN_ENDS if text in control}
    return tuple(sorted(token for token in ids if token is not None))


def write_gguf_tokenizer(metadata: Metadata, directory: Path) -> tuple[str, ...]:
    """Write a file's tokenizer into `directory`.

    Returns:
        Names of the files written; none when the file has no vocabulary.

    Raises:
        CaptureError: its tokenizer is damaged, or of a kind or with rules that are not known.
    """
    kind = metadata.values.get("tokenizer.ggml.model", "none")
    if kind in ("none", "no_vocab"):
        return ()
    if kind not in (_BYTE_LEVEL, _SENTENCEPIECE):
        raise _unknown(metadata, "model", f"{_BYTE_LEVEL} or {_SENTENCEPIECE}")
    tokenizer = _convert(metadata)
    if kind == _BYTE_LEVEL:
        _set_byte_level_rules(tokenizer, metadata)
    else:
        _set_sentencepiece_rules(tokenizer, metadata)
    _set_ends(tokenizer, metadata)
    return save_tokenizer(tokenizer, _settings(metadata), directory)


def _tokens(metadata: Metadata) -> list[str]:
    tokens = metadata.values.get("tokenizer.ggml.tokens", [])
    return [str(token) for token in tokens] if isinstance(tokens, list) else []


def _convert(metadata: Metadata) -> Tokenizer:
    described = {
        name: metadata.values[f"tokenizer.{key}"]
        for key, name in GGUF_TOKENIZER_MAPPING["tokenizer"].items()
        if f"tokenizer.{key}" in metadata.values
    }
    try:
        tokenizer, _ = convert_gguf_tokenizer(metadata.architecture, described)
    # A damaged vocabulary fails anywhere in it.
    except Exception as error:
        raise CaptureError(
            f"the tokenizer of {metadata.path} cannot be built: {error}. Download the file again."
        ) from error
    return _limited(tokenizer, len(_tokens(metadata)))


def _limited(tokenizer: Tokenizer, num_tokens: int) -> Tokenizer:
    """Take away the special tokens that a class of transformers adds to any vocabulary that lacks them.

    A text that spells one out would become an id for which the model has no row.
    """
    if tokenizer.get_vocab_size() <= num_tokens:
        return tokenizer
    state = json.loads(tokenizer.to_str())
    state["added_tokens"] = [token for token in state["added_tokens"] if token["id"] < num_tokens]
    return Tokenizer.from_str(json.dumps(state))


def _set_byte_level_rules(tokenizer: Tokenizer, metadata: Metadata) -> None:
    split = metadata.values.get("tokenizer.ggml.pre", "default")
    if split in _DIGIT_SPLITS:
        tokenizer.pre_tokenizer = pre_tokenizers.Sequence(
            [
                pre_tokenizers.Digits(individual_digits=True),
                pre_tokenizers.ByteLevel(add_prefix_space=False),
            ]
        )
    elif split not in _GPT2_SPLITS and split not in GGUF_PRE_TOKENIZER_SPLITS:
        known = sorted({*_DIGIT_SPLITS, *_GPT2_SPLITS, *GGUF_PRE_TOKENIZER_SPLITS})
        raise _unknown(metadata, "pre", f"one of {', '.join(known)}")
    model = tokenizer.model
    if split in _LLAMA3_SPLITS and isinstance(model, BPE):
        model.ignore_merges = True


def _set_sentencepiece_rules(tokenizer: Tokenizer, metadata: Metadata) -> None:
    # Families with a builder of their own have their own rule.
    if metadata.architecture in GGUF_SENTENCEPIECE_BUILDERS:
        return
    if metadata.values.get("tokenizer.ggml.add_space_prefix", True) is False:
        tokenizer.pre_tokenizer = pre_tokenizers.Metaspace(prepend_scheme="never", split=False)
        tokenizer.decoder = decoders.Sequence(
            [decoders.Replace("▁", " "), decoders.ByteFallback(), decoders.Fuse()]
        )


def _set_ends(tokenizer: Tokenizer, metadata: Metadata) -> None:
    """Add BOS and EOS to every text where the file asks for it, or its kind of tokenizer always does."""
    values = metadata.values
    starts = (
        values.get("tokenizer.ggml.model") == _SENTENCEPIECE
        or values.get("tokenizer.ggml.pre") in _LLAMA3_SPLITS
    )
    adds_bos = values.get("tokenizer.ggml.add_bos_token", starts)
    adds_eos = values.get("tokenizer.ggml.add_eos_token", False)
    bos = _token(tokenizer, metadata.token_id("bos")) if adds_bos else []
    eos = _token(tokenizer, metadata.token_id("eos")) if adds_eos else []
    if bos or eos:
        tokenizer.post_processor = processors.TemplateProcessing(
            single=[*(text for text, _ in bos), "$A", *(text for text, _ in eos)],
            special_tokens=bos + eos,
        )


def _token(tokenizer: Tokenizer, token: int | None) -> list[tuple[str, int]]:
    text = None if token is None else tokenizer.id_to_token(token)
    return [] if token is None or text is None else [(text, token)]


def _settings(metadata: Metadata) -> TokenizerSettings:
    tokens = _tokens(metadata)
    ids = {name: metadata.token_id(key) for name, key in _SPECIAL_TOKENS.items()}
    template = metadata.values.get("tokenizer.chat_template")
    return TokenizerSettings(
        {name: tokens[i] for name, i in ids.items() if i is not None and i < len(tokens)},
        template if isinstance(template, str) else None,
    )


def _unknown(metadata: Metadata, key: str, expected: str) -> CaptureError:
    got = metadata.values.get(f"tokenizer.ggml.{key}")
    return CaptureError(
        f"{metadata.path} has a tokenizer with tokenizer.ggml.{key} = {got!r}, which is not known: "
        f"expected {expected}. Use the Hugging Face directory of the model."
    )
