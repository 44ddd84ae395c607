"""octavo-opt: runs passes on a file of MLIR. It starts fast, and never imports torch."""

import argparse
import dataclasses
import shlex
import sys
import traceback
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from octavo.cli.load import load_plugins
from octavo.cli.opt_input import SEPARATOR, Part, parse, read_parts
from octavo.cli.opt_list import list_passes
from octavo.cli.reproducer import writing_problem
from octavo.dialects import create_context
from octavo.dialects.llm import LLM
from octavo.errors import OctavoError, PassError
from octavo.mlir import ir
from octavo.passes import load_all
from octavo.passes.pipeline import PassCall, parse_pipeline, pipeline_text
from octavo.passes.runner import PassResult, print_result, run_pipeline

# Exit statuses, as shells report a process that the signal ended.
_INTERRUPTED = 130
_BROKEN_PIPE = 141


@dataclass(frozen=True, slots=True)
class _Options:
    """The command line."""

    file: str
    passes: str
    load: tuple[Path, ...]
    split: bool
    dump_to: Path | None
    reproducer: Path | None
    timing: bool
    output: Path | None
    list_passes: bool
    list_ops: bool


def main(arguments: Sequence[str] | None = None) -> int:
    """Run octavo-opt on command line arguments and return its exit status."""
    options = _parse_arguments(arguments)
    try:
        return _run(options)
    except KeyboardInterrupt:
        return _INTERRUPTED
    except BrokenPipeError:
        return _BROKEN_PIPE
    except (OctavoError, OSError) as error:
        print(error, file=sys.stderr)
        return 1


def _parse_arguments(arguments: Sequence[str] | None) -> _Options:
    parser = argparse.ArgumentParser(
        prog="octavo-opt", description="Run passes on a module of MLIR and print it."
    )
    add = parser.add_argument
    add("file", metavar="FILE", nargs="?", default="-", help="MLIR as text; - is stdin")
    add(
        "--passes",
        metavar="LIST",
        default="",
        help="passes to run in order, such as 'fuse-logits,paginate-kv{block-size=32},func.func(cse)'",
    )
    add(
        "--load",
        metavar="FILE.py",
        type=Path,
        action="append",
        default=[],
        help="execute a Python file first, which may register passes and interpreter references",
    )
    add(
        "--split-input-file",
        dest="split",
        action="store_true",
        help=f"take what stands between '{SEPARATOR}' lines as modules of their own",
    )
    add("--dump-to", metavar="DIR", type=Path, help="write the module there after each pass")
    add("--reproducer", metavar="FILE", type=Path, help="write the IR before a failing pass there")
    add("--timing", action="store_true", help="print each pass's time and number of changes")
    add("-o", dest="output", metavar="OUT", type=Path, help="write the result there, not to stdout")
    add("--list-passes", action="store_true", help="list the passes and stop")
    add("--list-ops", action="store_true", help="list the operations of the llm dialect and stop")
    parsed = vars(parser.parse_args(arguments))
    return _Options(**{**parsed, "load": tuple(parsed["load"])})


def _run(options: _Options) -> int:
    if options.passes or options.load or options.list_passes:
        load_all()
    load_plugins(options.load)
    if options.list_passes or options.list_ops:
        _write_lists(options)
        return 0
    return _transform_all(options, parse_pipeline(options.passes))


def _write_lists(options: _Options) -> None:
    lines: list[str] = []
    if options.list_passes:
        lines += list_passes()
    if options.list_ops:
        summaries = {op.OPERATION_NAME: op.__doc__.partition("\n")[0] for op in LLM.operations}
        lines += [f"{name:<22} {summaries[name]}" for name in sorted(summaries)]
    _write(options, "\n".join(lines) + "\n")


def _transform_all(options: _Options, calls: Sequence[PassCall]) -> int:
    """Transform every part of the input; a part that fails gives no text and does not stop the others."""
    parts = read_parts(options.file, options.split)
    texts: list[str] = []
    failed = 0
    with create_context():
        for number, part in enumerate(parts, start=1):
            try:
                texts.append(_transform(part, calls, _for_part(options, number, len(parts))))
            except OctavoError as error:
                print(part.shown(str(error)), file=sys.stderr)
                texts.append("")
                failed += 1
    if failed < len(parts):
        _write(options, f"{SEPARATOR}\n".join(texts))
    return 1 if failed else 0


def _for_part(options: _Options, number: int, count: int) -> _Options:
    """`options` with files of its own for one part of several."""
    if count == 1:
        return options
    dump_to, reproducer = options.dump_to, options.reproducer
    return dataclasses.replace(
        options,
        dump_to=dump_to and dump_to / f"part-{number}",
        reproducer=reproducer and reproducer.with_stem(f"{reproducer.stem}-{number}"),
    )


def _transform(part: Part, calls: Sequence[PassCall], options: _Options) -> str:
    module = parse(part)
    done: list[PassResult] = []

    def on_result(result: PassResult) -> None:
        done.append(result)
        if options.timing:
            print_result(result)

    problem = None if options.reproducer is None else writing_problem(options.reproducer)
    try:
        run_pipeline(
            module,
            calls,
            dump_dir=options.dump_to,
            reproducer=None if problem else options.reproducer,
            on_result=on_result,
        )
    except PassError as error:
        if not isinstance(error.__cause__, OctavoError | ir.MLIRError):
            # A mistake in a pass: its author needs the line.
            traceback.print_exception(error.__cause__)
        if problem is not None:
            raise PassError(f"{error}\nnote: the IR before it is not kept: {problem}") from error
        if options.reproducer is not None:
            raise
        raise PassError(f"{error}\n{_how_to_repeat(options, calls[: len(done) + 1])}") from error
    return str(module)


def _how_to_repeat(options: _Options, calls: Sequence[PassCall]) -> str:
    command = ["octavo-opt", *(word for path in options.load for word in ("--load", str(path)))]
    if options.split:
        command.append("--split-input-file")
    command += ["--passes", pipeline_text(calls), options.file]
    return (
        f"To run it again: {shlex.join(command)}\n"
        "With --reproducer FILE, the IR before the failing pass is kept."
    )


def _write(options: _Options, text: str) -> None:
    if options.output is None:
        print(text, end="", flush=True)
    else:
        options.output.write_text(text, encoding="utf-8")


if __name__ == "__main__":
    sys.exit(main())
