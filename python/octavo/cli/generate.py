"""`octavo generate`: continue prompts, all in one batch."""

import argparse
import json
import sys
from typing import TextIO

from octavo.cli.models import (
    add_compile_options,
    add_sampling_options,
    check_text,
    open_artifact,
    sampling_params,
)
from octavo.compiler.source import MODEL_HELP
from octavo.progress import counted
from octavo.runtime import LLM, RequestOutput, SamplingParams


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the command's arguments."""
    parser.add_argument("model", metavar="MODEL", help=f"an artifact, {MODEL_HELP}")
    parser.add_argument(
        "-p",
        "--prompt",
        action="append",
        metavar="TEXT",
        help="may be repeated; default: standard input",
    )
    add_sampling_options(parser, max_tokens=64)
    parser.add_argument("--json", action="store_true", help="print one JSON object a prompt")
    add_compile_options(parser)


def run(arguments: argparse.Namespace) -> int:
    """Generate, and print each completion with its figures."""
    prompts = [check_text(prompt) for prompt in arguments.prompt or [read_prompt(sys.stdin)]]
    llm = LLM(open_artifact(arguments), target=_only_target(arguments))
    params = sampling_params(arguments)
    if len(prompts) == 1 and not arguments.json:
        _stream_one(llm, prompts[0], params)
        return 0
    for output in llm.generate(prompts, params):
        _print(output, as_json=arguments.json)
    return 0


def read_prompt(stream: TextIO | None) -> str:
    """Read a prompt to the end of the stream, without the newline that ends its last line.

    Raises:
        ValueError: there is no stream: the process was started with its standard input closed.
    """
    if stream is None:
        raise ValueError("no prompt: expected one with -p, or on standard input, which is closed")
    if stream.isatty():
        print("Type a prompt; Ctrl-D ends it.", file=sys.stderr)
    return stream.read().removesuffix("\n")


def _only_target(arguments: argparse.Namespace) -> str | None:
    targets = arguments.target or []
    if len(targets) > 1:
        raise ValueError(f"generate runs on one target, got {len(targets)}: {', '.join(targets)}")
    return targets[0] if targets else None


def _stream_one(llm: LLM, prompt: str, params: SamplingParams) -> None:
    # The prompt is shown with the first text that follows it: before, it may yet be refused.
    unshown = prompt
    for delta in llm.stream(prompt, params):
        print(unshown + delta.text, end="", flush=True)
        unshown = ""
        if delta.output is not None:
            print(flush=True)
            print(_figures(delta.output), file=sys.stderr)


def _print(output: RequestOutput, *, as_json: bool) -> None:
    if as_json:
        print(json.dumps(_as_dict(output), ensure_ascii=False))
        return
    print(f"{output.prompt}{output.text}\n", flush=True)
    print(_figures(output), file=sys.stderr)


def _figures(output: RequestOutput) -> str:
    rate = output.metrics.tokens_per_second
    speed = "" if rate is None else f", {rate:.1f} tok/s"
    return (
        f"[{len(output.prompt_token_ids)} + {counted(len(output.token_ids), 'tokens')}, "
        f"TTFT {output.metrics.ttft * 1000:.0f} ms{speed}, {output.finish_reason}]"
    )


def _as_dict(output: RequestOutput) -> dict[str, object]:
    return {
        "prompt": output.prompt,
        "text": output.text,
        "token_ids": output.token_ids,
        "finish_reason": output.finish_reason,
        "ttft": output.metrics.ttft,
        "tokens_per_second": output.metrics.tokens_per_second,
    }
