"""The two tokenizer files that go with a compiled model.

`tokenizer.json` is all that the `tokenizers` package needs; `tokenizer_config.json` holds the special tokens
and the chat template under the names that Hugging Face gives them.
"""

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from tokenizers import Tokenizer
from transformers import AutoTokenizer, PreTrainedTokenizerFast

from octavo.errors import CaptureError
from octavo.frontend.checkpoint.file_bytes import file_nbytes, read_bytes, read_json_object

TOKENIZER_NAME = "tokenizer.json"
CONFIG_NAME = "tokenizer_config.json"
CHAT_TEMPLATE_NAME = "chat_template.jinja"

# Any of these alone is a tokenizer that `transformers` knows how to convert.
_SOURCES = ("tokenizer.model", "vocab.json", "vocab.txt", "tekken.json")


@dataclass(frozen=True, slots=True)
class TokenizerSettings:
    """What a tokenizer has beside its vocabulary.

    Attributes:
        special_tokens: their texts by role: `bos_token`, `eos_token`, whatever else it has.
        chat_template: Jinja source that turns messages into a prompt, if the model is made for chat.
    """

    special_tokens: Mapping[str, str] = field(default_factory=dict)
    chat_template: str | None = None


def save_tokenizer(
    tokenizer: Tokenizer, settings: TokenizerSettings, directory: Path
) -> tuple[str, ...]:
    """Write both files into `directory` and return their names.

    Raises:
        CaptureError: a file cannot be written.
    """
    # Files made while training may cut or fill every text to one length.
    tokenizer.no_truncation()
    tokenizer.no_padding()
    config: dict[str, str] = dict(settings.special_tokens)
    if settings.chat_template is not None:
        config["chat_template"] = settings.chat_template
    texts = {
        TOKENIZER_NAME: tokenizer.to_str(),
        CONFIG_NAME: json.dumps(config, indent=2, ensure_ascii=False) + "\n",
    }
    for name, text in texts.items():
        try:
            (directory / name).write_text(text, encoding="utf-8")
        except OSError as error:
            raise CaptureError(
                f"{directory / name} cannot be written: {error.strerror}."
            ) from error
    return tuple(texts)


def copy_tokenizer(source: Path, directory: Path) -> tuple[str, ...]:
    """Write the tokenizer of a Hugging Face directory into another one.

    Returns:
        Names of the files written; none when `source` has no tokenizer.

    Raises:
        CaptureError: there is one, and it is damaged or of a kind that cannot be converted.
    """
    if (source / TOKENIZER_NAME).exists():
        tokenizer = _load(source / TOKENIZER_NAME)
    elif any((source / name).exists() for name in _SOURCES):
        tokenizer = _convert(source)
    else:
        return ()
    return save_tokenizer(tokenizer, _settings(source), directory)


def _load(path: Path) -> Tokenizer:
    text = read_bytes(path, 0, file_nbytes(path), "the text")
    try:
        return Tokenizer.from_buffer(bytes(text))
    # The package raises plain exceptions.
    except Exception as error:
        raise CaptureError(
            f"{path} is not a tokenizer that this tokenizers package reads: {error}. Download it again."
        ) from error


def _convert(source: Path) -> Tokenizer:
    try:
        tokenizer = AutoTokenizer.from_pretrained(
            source, local_files_only=True, trust_remote_code=False
        )
    # Each tokenizer class fails with exceptions of its own choice, also for a package it lacks.
    except Exception as error:
        raise CaptureError(
            f"the tokenizer in {source} cannot be converted to {TOKENIZER_NAME}: {error}"
        ) from error
    if not isinstance(tokenizer, PreTrainedTokenizerFast):
        raise CaptureError(
            f"the tokenizer in {source}, a {type(tokenizer).__name__}, has no {TOKENIZER_NAME} form."
        )
    return tokenizer.backend_tokenizer


def _settings(source: Path) -> TokenizerSettings:
    path = source / CONFIG_NAME
    config = read_json_object(path) if path.exists() else {}
    tokens = {
        role: text
        for role, token in config.items()
        if role.endswith("_token") and (text := _token_text(token))
    }
    return TokenizerSettings(tokens, _chat_template(source, config))


def _token_text(token: object) -> str | None:
    # Either a text, or an object with flags that `tokenizer.json` has too.
    text = token.get("content") if isinstance(token, dict) else token
    return text if isinstance(text, str) else None


def _chat_template(source: Path, config: Mapping[str, object]) -> str | None:
    path = source / CHAT_TEMPLATE_NAME
    if path.exists():
        return read_bytes(path, 0, file_nbytes(path), "the template").decode(errors="replace")
    template = config.get("chat_template")
    if isinstance(template, list):
        # Several by name: the one for plain chat is called default.
        entries = [entry for entry in template if isinstance(entry, dict)]
        template = next((e.get("template") for e in entries if e.get("name") == "default"), None)
    return template if isinstance(template, str) else None
