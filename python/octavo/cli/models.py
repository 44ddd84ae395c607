"""What the commands have in common: naming a model, the options of a compilation, and of sampling."""

import argparse
import sys
from dataclasses import replace
from pathlib import Path

from octavo.artifact import MANIFEST_NAME
from octavo.compiler.driver import compile_model
from octavo.compiler.options import DEFAULT_BUCKETS, WEIGHT_DTYPES, CompileOptions
from octavo.compiler.source import find_model
from octavo.config import Bucket
from octavo.progress import progress_to
from octavo.runtime import SamplingParams


def add_compile_options(parser: argparse.ArgumentParser) -> None:
    """Add the options that shape an artifact."""
    defaults = CompileOptions()
    parser.add_argument(
        "--target",
        action="append",
        metavar="TARGET",
        help="compile for TARGET, or run that program; may be repeated (default: cpu:native)",
    )
    parser.add_argument(
        "-O",
        dest="level",
        default=defaults.level.removeprefix("O"),
        metavar="LEVEL",
        help=f"optimization level, -O0 to -O2 (default: -{defaults.level})",
    )
    parser.add_argument(
        "--dtype",
        default=defaults.dtype,
        choices=WEIGHT_DTYPES,
        help=f"of weights and cache (default: {defaults.dtype})",
    )
    parser.add_argument(
        "--max-context",
        type=int,
        metavar="TOKENS",
        help="tokens a sequence may reach (default: the model's)",
    )
    parser.add_argument(
        "--block-size",
        type=int,
        default=defaults.block_size,
        metavar="TOKENS",
        help=f"tokens of a KV block (default: {defaults.block_size})",
    )
    parser.add_argument(
        "--buckets",
        type=_buckets,
        default=DEFAULT_BUCKETS,
        metavar="ROWSxTOKENS,...",
        help="sizes of steps to compile, such as 1x1,8x1,1x128 (default: up to 8 rows, chunks up to 128)",
    )
    parser.add_argument("-q", "--quiet", action="store_true", help="report no progress")


def _buckets(text: str) -> tuple[Bucket, ...]:
    try:
        pairs = [tuple(map(int, item.split("x"))) for item in text.split(",")]
        buckets = tuple(Bucket(batch, tokens) for batch, tokens in pairs)
    except ValueError as error:
        raise argparse.ArgumentTypeError(f"expected ROWSxTOKENS,..., got '{text}'") from error
    if any(bucket.batch < 1 or bucket.num_tokens < 1 for bucket in buckets):
        raise argparse.ArgumentTypeError(f"expected positive sizes, got '{text}'")
    return buckets


def compile_options(arguments: argparse.Namespace) -> CompileOptions:
    """The options that `add_compile_options` parsed."""
    return CompileOptions(
        targets=tuple(arguments.target or CompileOptions().targets),
        level=f"O{arguments.level.removeprefix('O')}",
        dtype=arguments.dtype,
        block_size=arguments.block_size,
        max_context=arguments.max_context,
        buckets=arguments.buckets,
    )


def open_artifact(arguments: argparse.Namespace) -> Path:
    """The artifact that a command's MODEL names, compiled first when it is a model."""
    path = find_model(arguments.model)
    if (path / MANIFEST_NAME).is_file():
        _check_no_compile_options(arguments)
        return path
    return compile_model(
        path,
        compile_options(arguments),
        progress=progress_to(sys.stderr, silent=arguments.quiet),
    )


def _check_no_compile_options(arguments: argparse.Namespace) -> None:
    chosen = replace(compile_options(arguments), targets=CompileOptions().targets)
    if chosen != CompileOptions():
        raise ValueError(
            f"{arguments.model} is compiled already: expected no options of a compilation such as "
            "-O, --dtype or --buckets. Give them to 'octavo compile'."
        )


def check_text(text: str) -> str:
    """Return text that was read or typed, if it is text.

    Raises:
        ValueError: bytes in it are not UTF-8; Python passes them on as halves of characters.
    """
    try:
        text.encode("utf-8")
    except UnicodeEncodeError as error:
        raise ValueError(
            f"the prompt is not UTF-8: expected text, got a stray byte at character {error.start}"
        ) from error
    return text


def add_sampling_options(parser: argparse.ArgumentParser, max_tokens: int | None) -> None:
    """Add the options that choose tokens; `max_tokens` is the default, None for what the context leaves."""
    parser.add_argument(
        "-n",
        "--max-tokens",
        type=int,
        default=max_tokens,
        metavar="TOKENS",
        help="tokens to generate at most",
    )
    parser.add_argument(
        "--temperature", type=float, default=0.0, help="0 takes the most likely token (default: 0)"
    )
    parser.add_argument(
        "--top-k", type=int, default=0, help="sample among this many tokens; 0 for all"
    )
    parser.add_argument(
        "--top-p",
        type=float,
        default=1.0,
        help="sample among the fewest tokens that reach this probability",
    )
    parser.add_argument("--seed", type=int, help="makes samples repeatable")
    parser.add_argument("--stop", action="append", default=[], metavar="TEXT", help="end at TEXT")
    parser.add_argument(
        "--ignore-eos", action="store_true", help="go on when the model ends its text"
    )


def sampling_params(arguments: argparse.Namespace) -> SamplingParams:
    """The parameters that `add_sampling_options` parsed."""
    return SamplingParams(
        temperature=arguments.temperature,
        top_k=arguments.top_k,
        top_p=arguments.top_p,
        seed=arguments.seed,
        max_tokens=arguments.max_tokens,
        stop=arguments.stop,
        ignore_eos=arguments.ignore_eos,
    )
