"""Tokens to text while they are generated, without ever showing half a character."""

import re
from collections.abc import Sequence
from typing import Protocol

_BYTE_TOKEN = re.compile(r"<0x[0-9A-Fa-f]{2}>")
_UNFINISHED = "\N{REPLACEMENT CHARACTER}"
# Tokens decoded together; when there are more, all but the last few are let go.
_MAX_WINDOW = 32
_MIN_WINDOW = 8


class Decoder(Protocol):
    """The part of a tokenizer that decoding needs."""

    def decode(self, token_ids: Sequence[int]) -> str:
        """Return the text of tokens, without special tokens."""
        ...

    def token_text(self, token_id: int) -> str | None:
        """Return a token as the vocabulary spells it, or `None` for one that `decode` leaves out."""
        ...


class Detokenizer:
    """Decodes a sequence token by token; the pieces add up to the decoded whole.

    A token is not a piece of text: a character may take several tokens, and a decoder may drop the space
    before the first word. So the tokens of a window are decoded together, and what is new in their text is
    returned. Two kinds of text are held back because later tokens may change it: one U+FFFD at the end, the
    mark of a character with bytes missing, and a run of byte tokens (`<0xE2>`), which a decoder accepts or
    rejects as a whole.
    """

    def __init__(self, decoder: Decoder, context: Sequence[int] = ()) -> None:
        """Start after `context`, the end of the prompt, so that text joins it as the model wrote it."""
        self._decoder = decoder
        self._window = list(context[-_MIN_WINDOW:])
        texts = [text for text in map(decoder.token_text, self._window) if text is not None]
        if texts and _BYTE_TOKEN.fullmatch(texts[-1]):
            self._window = []  # Its run is not over, so there is no text yet to join.
        self._shown = self._stable(decoder.decode(self._window))

    def push(self, token_id: int) -> str:
        """Add a token; return the text that it settles, often none."""
        token_text = self._decoder.token_text(token_id)
        if token_text is None:
            return ""
        self._window.append(token_id)
        if _BYTE_TOKEN.fullmatch(token_text):
            return ""
        text = self._decoder.decode(self._window)
        piece = self._settle(self._stable(text))
        if len(self._window) > _MAX_WINDOW and self._shown == text:
            self._shorten()
        return piece

    def finish(self) -> str:
        """Return what was held back, as the decoder writes it."""
        return self._settle(self._decoder.decode(self._window))

    def _settle(self, text: str) -> str:
        assert text.startswith(self._shown), (
            f"decoded text changed from {self._shown!r} to {text!r}"
        )
        piece = text[len(self._shown) :]
        self._shown = text
        return piece

    def _stable(self, text: str) -> str:
        return text.removesuffix(_UNFINISHED)

    def _shorten(self) -> None:
        """Keep the last tokens only.

        The cut may drop a space or go through a character at the window's beginning, which then stays as it
        is while the window grows.
        """
        self._window = self._window[-_MIN_WINDOW:]
        self._shown = self._decoder.decode(self._window)
