"""What stands for the tokenizer of an artifact whose model came without one."""

from collections.abc import Sequence
from pathlib import Path
from typing import NoReturn

from octavo.artifact import TOKENIZER_NAME
from octavo.errors import ArtifactError
from octavo.runtime.chat_template import Message


class NoTokenizer:
    """Serves prompts of token ids: their outputs have `token_ids` and no text."""

    has_chat_template = False

    def __init__(self, directory: Path) -> None:
        """Stand in for the tokenizer of the artifact in `directory`."""
        self._directory = directory

    def encode(self, text: str) -> list[int]:
        """Raise `ArtifactError`: text needs a tokenizer."""
        self._refuse("a prompt of text")

    def render_chat(self, messages: Sequence[Message]) -> str:
        """Raise `ArtifactError`: a chat needs a tokenizer."""
        self._refuse("a chat")

    def encode_chat(self, text: str) -> list[int]:
        """Raise `ArtifactError`: a chat needs a tokenizer."""
        self._refuse("a chat")

    def check_stop_strings(self, stops: Sequence[str]) -> None:
        """Raise `ArtifactError` for any: without text, none would ever be found."""
        if stops:
            self._refuse(f"the stop string {stops[0]!r}")

    def decode(self, token_ids: Sequence[int]) -> str:
        """Return no text."""
        return ""

    def token_text(self, token_id: int) -> str | None:
        """Return `None`: `decode` leaves every token out."""
        return None

    def _refuse(self, what: str) -> NoReturn:
        raise ArtifactError(
            f"{what} needs a tokenizer, and {self._directory} has no {TOKENIZER_NAME}: its model's folder "
            "had no tokenizer files. Pass prompts as lists of token ids (octavo.LLM.generate), or add "
            f"{TOKENIZER_NAME} to the model's folder and compile it again."
        )
