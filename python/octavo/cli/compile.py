"""`octavo compile`: a model into an artifact."""

import argparse
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from octavo.artifact import read_manifest
from octavo.cli.load import load_plugins
from octavo.cli.models import add_compile_options, compile_options
from octavo.compiler.driver import compile_model
from octavo.compiler.source import MODEL_HELP, find_model
from octavo.progress import counted, format_nbytes, progress_to

if TYPE_CHECKING:
    from octavo.passes.runner import PassResult


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the command's arguments."""
    parser.add_argument("model", metavar="MODEL", help=MODEL_HELP)
    parser.add_argument(
        "-o", "--output", type=Path, metavar="DIR", help="where to put the artifact"
    )
    add_compile_options(parser)
    parser.add_argument("--dump-to", type=Path, metavar="DIR", help="write the IR after each pass")
    parser.add_argument(
        "--load",
        action="append",
        default=[],
        type=Path,
        metavar="FILE",
        help="run a Python file first",
    )
    parser.add_argument("--timing", action="store_true", help="print time and matches of each pass")


def run(arguments: argparse.Namespace) -> int:
    """Compile, and print where the artifact is and what is in it."""
    load_plugins(arguments.load)
    source = find_model(arguments.model)
    timed = []

    def note_pass(result: "PassResult") -> None:
        timed.append(result)
        _print_pass(result)

    artifact = compile_model(
        source,
        compile_options(arguments),
        output=arguments.output or Path(f"{source.resolve().name.removesuffix('.gguf')}.octavo"),
        progress=progress_to(sys.stderr, silent=arguments.quiet),
        dump_dir=arguments.dump_to,
        plugins=arguments.load,
        on_pass=note_pass if arguments.timing else None,
    )
    if arguments.timing and not timed:
        print("the artifact came from the cache: no pass ran", file=sys.stderr)
    manifest = read_manifest(artifact)
    programs = ", ".join(program.target for program in manifest.programs)
    print(f"{artifact}: {manifest.model.architecture} for {programs}")
    print(
        f"weights {format_nbytes(manifest.weights.nbytes)}, {counted(len(manifest.buckets), 'buckets')}"
    )
    return 0


def _print_pass(result: "PassResult") -> None:
    from octavo.passes.runner import print_result

    print_result(result)
