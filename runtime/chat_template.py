"""Chat templates: messages to the text that a model was trained on."""

import json
from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import TYPE_CHECKING, NoReturn

from octavo.arguments import is_list, require

if TYPE_CHECKING:
    from jinja2 import Template

Message = Mapping[str, object]


class ChatTemplate:
    """A Jinja template as Hugging Face's tokenizers define it.

    It sees `messages`, `add_generation_prompt`, the special tokens (`bos_token`, `eos_token`, ...), `tools`
    and `documents` (none), and may call `raise_exception` and `strftime_now`. Templates come with the model
    and are not trusted: they run in Jinja's immutable sandbox.
    """

    def __init__(self, source: str, special_tokens: Mapping[str, str]) -> None:
        """Compile `source`; raise `ValueError` when it is no template."""
        from jinja2 import TemplateSyntaxError

        try:
            self._template = _compile(source)
        except TemplateSyntaxError as error:
            raise ValueError(
                f"the chat template is not valid at line {error.lineno}: {error}"
            ) from error
        self._special_tokens = dict(special_tokens)

    def render(self, messages: Sequence[Message], *, add_generation_prompt: bool = True) -> str:
        """Return the conversation as text.

        Args:
            messages: each with `role` and `content`, and whatever else the template reads; keys whose
                value is `None` are left out.
            add_generation_prompt: end with the words that begin the assistant's turn.

        Raises:
            ValueError: no message, a message without a role, or the template refuses the conversation.
        """
        from jinja2 import TemplateError

        require(is_list(messages), "messages", "a list of messages", messages)
        if not messages:
            raise ValueError("messages: expected at least one, got none")
        for idx, message in enumerate(messages):
            expected = "a mapping with 'role' and 'content'"
            require(isinstance(message, Mapping), f"message {idx}", expected, message)
            if "role" not in message:
                raise ValueError(
                    f"message {idx}: expected 'role' and 'content', got keys {list(message)}"
                )
        plain = [{key: value for key, value in m.items() if value is not None} for m in messages]
        try:
            return self._template.render(
                self._special_tokens,
                messages=plain,
                tools=None,
                documents=None,
                add_generation_prompt=add_generation_prompt,
            )
        except (TemplateError, TypeError) as error:
            raise ValueError(f"the model's chat template refuses the messages: {error}") from error


def _compile(source: str) -> "Template":
    # Jinja takes a tenth of a second to import, and only a chat needs it.
    from jinja2 import nodes
    from jinja2.ext import Extension, loopcontrols
    from jinja2.parser import Parser
    from jinja2.sandbox import ImmutableSandboxedEnvironment

    class GenerationBlock(Extension):
        """`{% generation %}` marks the assistant's words for training; when generating it means nothing."""

        tags = {"generation"}  # noqa: RUF012 - as Jinja declares it

        def parse(self, parser: Parser) -> list[nodes.Node]:
            next(parser.stream)
            return parser.parse_statements(("name:endgeneration",), drop_needle=True)

    environment = ImmutableSandboxedEnvironment(
        trim_blocks=True, lstrip_blocks=True, extensions=[GenerationBlock, loopcontrols]
    )
    # Jinja's own filter escapes for HTML.
    environment.filters["tojson"] = _tojson
    environment.globals["raise_exception"] = _raise_exception
    environment.globals["strftime_now"] = _strftime_now
    return environment.from_string(source)


def _tojson(
    value: object,
    ensure_ascii: bool = False,
    indent: int | None = None,
    separators: tuple[str, str] | None = None,
    sort_keys: bool = False,
) -> str:
    return json.dumps(
        value, ensure_ascii=ensure_ascii, indent=indent, separators=separators, sort_keys=sort_keys
    )


def _raise_exception(message: str) -> NoReturn:
    from jinja2 import TemplateError

    raise TemplateError(message)


def _strftime_now(template: str) -> str:
    return datetime.now().strftime(template)
