"""Text to tokens and back, from the tokenizer files of an artifact."""

import json
from collections.abc import Sequence
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

from octavo.artifact import CHAT_TEMPLATE_NAME, TOKENIZER_CONFIG_NAME, TOKENIZER_NAME
from octavo.errors import ArtifactError
from octavo.runtime.chat_template import ChatTemplate, Message

if TYPE_CHECKING:
    import tokenizers


class Tokenizer:
    """A model's tokenizer, with the results of Hugging Face's for the same files.

    `tokenizer.json` decides everything about tokens: whether a beginning-of-sequence token is added is the
    affair of its post-processor. `tokenizer_config.json` adds the special tokens' names, and it or
    `chat_template.jinja` the chat template; both files may be missing.
    """

    def __init__(
        self,
        backend: "tokenizers.Tokenizer",
        special_tokens: dict[str, str],
        chat_template: str | None,
    ) -> None:
        """Wrap a loaded tokenizer; `special_tokens` maps roles such as `bos_token` to their text."""
        backend.no_truncation()
        backend.no_padding()
        self._backend = backend
        added = backend.get_added_tokens_decoder()
        self._special_ids = {token_id for token_id, token in added.items() if token.special}
        self._special_tokens = special_tokens
        self._template_source = chat_template

    def encode(self, text: str) -> list[int]:
        """Return the tokens of a prompt, with the special tokens that the model expects around it."""
        return list(self._backend.encode(text).ids)

    def decode(self, token_ids: Sequence[int]) -> str:
        """Return the text of `token_ids` without special tokens; broken UTF-8 becomes U+FFFD."""
        return str(self._backend.decode(list(token_ids), skip_special_tokens=True))

    def token_text(self, token_id: int) -> str | None:
        """Return a token as the vocabulary spells it, or `None` for one that `decode` leaves out."""
        return None if token_id in self._special_ids else self._backend.id_to_token(token_id)

    @property
    def has_chat_template(self) -> bool:
        """Whether the model came with a chat template."""
        return self._template_source is not None

    def render_chat(
        self, messages: Sequence[Message], *, add_generation_prompt: bool = True
    ) -> str:
        """Return a conversation as the text of a prompt.

        Raises:
            ValueError: the model has no chat template, or it refuses the messages.
        """
        return self._template.render(messages, add_generation_prompt=add_generation_prompt)

    def encode_chat(self, text: str) -> list[int]:
        """Return the tokens of a rendered conversation, whose template wrote the special tokens itself."""
        return list(self._backend.encode(text, add_special_tokens=False).ids)

    @cached_property
    def _template(self) -> ChatTemplate:
        if self._template_source is None:
            raise ValueError(
                "the model has no chat template: pass the whole prompt as text instead"
            )
        return ChatTemplate(self._template_source, self._special_tokens)


def load_tokenizer(directory: Path) -> Tokenizer:
    """Read the tokenizer of an artifact or of a Hugging Face directory.

    Raises:
        ArtifactError: a file is missing or cannot be read.
    """
    import tokenizers

    path = directory / TOKENIZER_NAME
    if not path.is_file():
        raise ArtifactError(
            f"{directory} has no {TOKENIZER_NAME}: expected the tokenizer's file there"
        )
    try:
        backend = tokenizers.Tokenizer.from_file(str(path))
    except Exception as error:  # The bindings raise bare Exception.
        raise ArtifactError(
            f"{path} is not a tokenizer: {error}. Compile the model again."
        ) from error
    config = _read_config(directory / TOKENIZER_CONFIG_NAME)
    return Tokenizer(backend, _special_tokens(config), _chat_template(directory, config))


def _read_config(path: Path) -> dict[str, object]:
    if not path.is_file():
        return {}
    try:
        config = json.loads(path.read_text(encoding="utf-8"))
    except ValueError as error:
        raise ArtifactError(
            f"{path} is not valid JSON: {error}. Compile the model again."
        ) from error
    if not isinstance(config, dict):
        raise ArtifactError(f"{path}: expected a JSON object, got {type(config).__name__}.")
    return config


def _special_tokens(config: dict[str, object]) -> dict[str, str]:
    """Return the entries `*_token`, whether they are text or a description of an added token."""
    tokens: dict[str, str] = {}
    for key, value in config.items():
        text = value.get("content") if isinstance(value, dict) else value
        if key.endswith("_token") and isinstance(text, str):
            tokens[key] = text
    return tokens


def _chat_template(directory: Path, config: dict[str, object]) -> str | None:
    path = directory / CHAT_TEMPLATE_NAME
    if path.is_file():
        return path.read_text(encoding="utf-8")
    template = config.get("chat_template")
    if isinstance(template, list):
        named = {entry["name"]: entry["template"] for entry in template}
        template = named.get("default")
    return template if isinstance(template, str) else None
