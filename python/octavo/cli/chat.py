"""`octavo chat`: a conversation on the terminal."""

import argparse
import sys

from octavo.cli.models import (
    add_compile_options,
    add_sampling_options,
    check_text,
    open_artifact,
    sampling_params,
)
from octavo.compiler.source import MODEL_HELP
from octavo.errors import CapacityError
from octavo.runtime import LLM
from octavo.runtime.chat_template import Message


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the command's arguments."""
    parser.add_argument("model", metavar="MODEL", help=f"an artifact, {MODEL_HELP}")
    parser.add_argument("--system", metavar="TEXT", help="the system message")
    add_sampling_options(parser, max_tokens=None)
    add_compile_options(parser)


def run(arguments: argparse.Namespace) -> int:
    """Read lines until end of file, answer each; Ctrl-C ends an answer, not the conversation."""
    llm = LLM(open_artifact(arguments), target=(arguments.target or [None])[0])
    messages: list[Message] = []
    if arguments.system is not None:
        messages.append({"role": "system", "content": arguments.system})
    is_terminal = sys.stdin.isatty()
    if is_terminal:
        print("Ctrl-D ends the conversation, Ctrl-C an answer.", file=sys.stderr)
    while (line := _read_line(is_terminal)) is not None:
        if line.strip():
            messages.append({"role": "user", "content": check_text(line)})
            try:
                answer = _answer(llm, messages, arguments)
            except CapacityError as error:
                raise CapacityError(f"the conversation has come to its end: {error}") from error
            messages.append({"role": "assistant", "content": answer})
    return 0


def _read_line(is_terminal: bool) -> str | None:
    try:
        return input("> " if is_terminal else "")
    except EOFError:
        return None


def _answer(llm: LLM, messages: list[Message], arguments: argparse.Namespace) -> str:
    pieces = []
    try:
        for delta in llm.stream_chat(messages, sampling_params(arguments)):
            print(delta.text, end="", flush=True)
            pieces.append(delta.text)
    except KeyboardInterrupt:
        print(" [interrupted]", end="")
    print(flush=True)
    return "".join(pieces)
