"""Runs a pipeline on a module: verify, count, time and dump after each pass; keep the evidence on failure."""

import shlex
import sys
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from octavo.errors import OctavoError, PassError
from octavo.mlir import ir, passmanager
from octavo.passes.pipeline import PassCall, pipeline_text, unknown_pass
from octavo.passes.registry import find_pass
from octavo.progress import counted


@dataclass(frozen=True, slots=True)
class PassResult:
    """What one pass did: how many places it changed (None for MLIR's own), and seconds."""

    name: str
    num_changes: int | None
    seconds: float


def run_pipeline(
    module: ir.Module,
    calls: Sequence[PassCall],
    *,
    dump_dir: Path | None = None,
    reproducer: Path | None = None,
    on_result: Callable[[PassResult], None] | None = None,
) -> list[PassResult]:
    """Run `calls` on `module` in order, verifying after each.

    Args:
        module: changed in place.
        calls: the pipeline.
        dump_dir: write `NN-<pass>.mlir` there after each pass, and `00-input.mlir` before the first.
        reproducer: on failure, write the IR before the failing pass to this file and name the command that
            runs it again.
        on_result: called after each pass.

    Raises:
        PassError: a pass failed or left invalid IR.
    """
    if dump_dir is not None:
        dump_dir.mkdir(parents=True, exist_ok=True)
        _dump(module, dump_dir / "00-input.mlir")
    results = []
    for index, each in enumerate(calls):
        # A copy, because printing a large module takes longer than most passes.
        before = module.operation.clone() if reproducer is not None else None
        begin = time.perf_counter()
        try:
            num_changes = _run_one(module, each)
        except Exception as error:
            raise _failure(each, error, before, calls[index:], reproducer) from error
        results.append(PassResult(each.name, num_changes, time.perf_counter() - begin))
        if dump_dir is not None:
            _dump(module, dump_dir / f"{index + 1:02d}-{each.name}.mlir")
        if on_result is not None:
            on_result(results[-1])
    return results


def _run_one(module: ir.Module, each: PassCall) -> int | None:
    with module.context, ir.Location.unknown():
        if each.mlir is None:
            found = find_pass(each.name)
            assert found is not None, f"pass '{each.name}' vanished from the registry"
            num_changes: int | None = found.run(module.operation, each.options)
        else:
            num_changes = None
            _mlir_manager(each).run(module.operation)
        module.operation.verify()
    return num_changes


def _mlir_manager(each: PassCall) -> passmanager.PassManager:
    manager = passmanager.PassManager("builtin.module")
    try:
        manager.add(each.mlir)
    except ValueError as error:
        is_plain = each.mlir == each.name
        raise PassError(unknown_pass(each.name) if is_plain else str(error)) from error
    return manager


def _failure(
    each: PassCall,
    error: Exception,
    before: ir.Operation | None,
    rest: Sequence[PassCall],
    reproducer: Path | None,
) -> PassError:
    reason = (
        str(error)
        if isinstance(error, OctavoError | ir.MLIRError)
        else f"{type(error).__name__}: {error}"
    )
    message = f"pass '{each.name}' failed: {reason}"
    if before is None or reproducer is None:
        return PassError(message)
    try:
        reproducer.parent.mkdir(parents=True, exist_ok=True)
        reproducer.write_text(before.get_asm(enable_debug_info=True), encoding="utf-8")
    except OSError as problem:
        return PassError(f"{message}\nThe IR before it could not be written: {problem}")
    command = [
        "octavo-opt",
        *_load_option(each),
        "--passes",
        pipeline_text(rest[:1]),
        str(reproducer),
    ]
    return PassError(
        f"{message}\nThe IR before it is in {reproducer}. To run it again: {shlex.join(command)}"
    )


def _load_option(each: PassCall) -> list[str]:
    """The file that octavo-opt must load first to know a pass that does not come with Octavo."""
    found = find_pass(each.name) if each.mlir is None else None
    if found is None or found.path.resolve().is_relative_to(Path(__file__).resolve().parent):
        return []
    return ["--load", str(found.path)]


def _dump(module: ir.Module, path: Path) -> None:
    path.write_text(module.operation.get_asm(), encoding="utf-8")


def print_result(result: PassResult) -> None:
    """Write one line about a pass to stderr."""
    count = "" if result.num_changes is None else counted(result.num_changes, "changes")
    print(f"{result.seconds * 1000:8.1f} ms  {result.name:<28} {count}", file=sys.stderr)
