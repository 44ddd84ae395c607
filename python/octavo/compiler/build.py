"""Build an artifact: capture, passes, one program for each target, weights, tokenizer, manifest.

This is the compiler's whole path in one place. It imports torch and MLIR; `driver.py` decides whether it has
to run at all.
"""

import hashlib
import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from importlib.metadata import version
from pathlib import Path

import torch

from octavo.artifact import MANIFEST_NAME, Manifest, MemoryEstimate, PassRecord, Program, Weights
from octavo.compiler.cache import Cache
from octavo.compiler.fingerprint import compiler_fingerprint, digest, source_fingerprint
from octavo.compiler.iree import compile_module, iree_version
from octavo.compiler.memory import peak_activation_nbytes
from octavo.compiler.options import CompileOptions
from octavo.compiler.pipeline import StepShape, calls_by_phase
from octavo.compiler.targets import Target
from octavo.config import KVLayer, KVLayout, ModelConfig
from octavo.errors import CaptureError, CompileError
from octavo.frontend.archive import TORCH_DTYPES, write_archive
from octavo.frontend.checkpoint import Checkpoint, check_tensors, open_checkpoint
from octavo.frontend.export import WeightSource, capture_config
from octavo.mlir import ir
from octavo.passes.pipeline import PassCall
from octavo.passes.registry import find_pass
from octavo.passes.rewriter import walk
from octavo.passes.runner import PassResult, run_pipeline
from octavo.progress import Progress


@dataclass(frozen=True, slots=True)
class BuildContext:
    """What a build works with besides its options.

    Attributes:
        cache: where programs and archives are kept.
        progress: told what is going on.
        dump_dir: where to write the IR after each pass, or None.
        reproducer: where to write the IR before a pass that fails.
        on_pass: called after each pass.
    """

    cache: Cache
    progress: Progress
    dump_dir: Path | None
    reproducer: Path
    on_pass: Callable[[PassResult], None] | None = None


@dataclass(frozen=True, slots=True)
class _Optimized:
    """The `llm` module and what the manifest says of it."""

    module: ir.Module
    weights: Mapping[str, WeightSource]
    kv: KVLayout
    activations_nbytes: int
    calls: Mapping[str, Sequence[PassCall]]


def build_artifact(
    source: Path,
    options: CompileOptions,
    targets: Sequence[Target],
    directory: Path,
    context: BuildContext,
) -> None:
    """Fill `directory` with the artifact of the model at `source`.

    Raises:
        CaptureError: the model or its files cannot be used.
        PassError: a pass failed; the IR before it is in `context.reproducer`.
        CompileError: IREE refused a program.
        ArtifactError: the artifact cannot be written.
    """
    checkpoint = open_checkpoint(source)
    max_context = _max_context(checkpoint, options)
    optimized = _optimize(checkpoint, options, max_context, context)
    weights = _write_weights(
        source, checkpoint, optimized.weights, options.dtype, directory, context
    )
    _run(optimized.module, optimized.calls["lower"], context, "lower")
    text = optimized.module.operation.get_asm()
    programs = [_compile_program(text, target, directory, context) for target in targets]
    checkpoint.write_tokenizer(directory)
    manifest = Manifest(
        octavo_version=version("octavo"),
        iree_version=iree_version(),
        model=ModelConfig(
            architecture=checkpoint.config.model_type,
            vocab_size=_vocab_size(checkpoint),
            max_context=max_context,
            bos_token_id=checkpoint.bos_token_id,
            eos_token_ids=checkpoint.eos_token_ids,
        ),
        kv=optimized.kv,
        buckets=tuple(sorted(options.buckets)),
        programs=tuple(programs),
        weights=weights,
        memory=MemoryEstimate(
            weights_nbytes=weights.nbytes,
            kv_block_nbytes=optimized.kv.block_nbytes,
            activations_nbytes=optimized.activations_nbytes,
        ),
        level=options.level,
        pipeline=tuple(_pass_record(each) for calls in optimized.calls.values() for each in calls),
    )
    (directory / MANIFEST_NAME).write_text(manifest.to_json(), encoding="utf-8")


def _max_context(checkpoint: Checkpoint, options: CompileOptions) -> int:
    longest = checkpoint.max_context
    if options.max_context is not None and options.max_context > longest:
        raise CompileError(
            f"max_context {options.max_context} is more than the model was made for: "
            f"{checkpoint.path} says {longest}"
        )
    return options.max_context or longest


def _vocab_size(checkpoint: Checkpoint) -> int:
    size: int = checkpoint.config.get_text_config().vocab_size
    return size


def _optimize(
    checkpoint: Checkpoint, options: CompileOptions, max_context: int, context: BuildContext
) -> _Optimized:
    with context.progress.task("capture", 1, "models") as task:
        captured = capture_config(checkpoint.config, TORCH_DTYPES[options.dtype], max_context)
        task.advance()
    shape = StepShape(options.block_size, tuple(options.buckets))
    calls = calls_by_phase(options.level, shape)
    for phase in ("lift", "optimize"):
        _run(captured.module, calls[phase], context, phase)
    used = _used_keys(captured.module)
    max_table_width = -(-max_context // options.block_size)
    return _Optimized(
        module=captured.module,
        weights={key: weight for key, weight in captured.weights.items() if key in used},
        kv=_kv_layout(captured.module),
        activations_nbytes=peak_activation_nbytes(captured.module, max_table_width),
        calls=calls,
    )


def _run(module: ir.Module, calls: Sequence[PassCall], context: BuildContext, phase: str) -> None:
    with context.progress.task(phase, len(calls), "passes") as task:

        def on_result(result: PassResult) -> None:
            task.advance()
            if context.on_pass is not None:
                context.on_pass(result)

        run_pipeline(
            module,
            calls,
            dump_dir=context.dump_dir / phase if context.dump_dir else None,
            reproducer=context.reproducer,
            on_result=on_result,
        )


def _used_keys(module: ir.Module) -> set[str]:
    return {
        ir.StringAttr(op.attributes["key"]).value
        for op in walk(module.operation)
        if op.name == "llm.weight"
    }


def _kv_layout(module: ir.Module) -> KVLayout:
    """Read the cache's layout off the pools that any entry point takes."""
    function = module.body.operations[0]
    attributes = [ir.DictAttr(each) for each in ir.ArrayAttr(function.attributes["arg_attrs"])]
    arguments = function.regions[0].blocks[0].arguments
    pools = [
        argument.type
        for argument, named in zip(arguments, attributes, strict=True)
        if "llm.state" in named
    ]
    keys = pools[::2]
    if not keys:
        raise CompileError("the model has no attention: there is nothing to page")
    layers = tuple(KVLayer(num_kv_heads=pool.shape[1], head_dim=pool.shape[3]) for pool in keys)
    return KVLayout(layers, block_size=keys[0].shape[2], dtype=str(keys[0].element_type))


def _write_weights(
    source: Path,
    checkpoint: Checkpoint,
    weights: Mapping[str, WeightSource],
    dtype: str,
    directory: Path,
    context: BuildContext,
) -> Weights:
    stored = {
        key: _stored_name(weight, checkpoint)
        for key, weight in weights.items()
        if weight.value is None
    }
    check_tensors(checkpoint, {stored[key]: weights[key].shape for key in stored})

    def read(key: str) -> torch.Tensor:
        value = weights[key].value
        return checkpoint.read(stored[key]) if value is None else value

    shapes = {key: weight.shape for key, weight in weights.items()}
    dtypes = {key: _DTYPE_NAMES[weight.dtype] for key, weight in weights.items()}
    file = f"weights-{dtype}.irpa"
    record = "weights.json"

    def build(entry: Path) -> None:
        written = write_archive(entry / file, shapes, read, dtypes, context.progress)
        (entry / record).write_text(f"{written.nbytes} {written.sha256}", encoding="utf-8")

    computed = {
        key: hashlib.sha256(weight.value.numpy().tobytes()).hexdigest()
        for key, weight in weights.items()
        if weight.value is not None
    }
    inputs = [sorted(table.items()) for table in (shapes, dtypes, computed)]
    key = digest([source_fingerprint(source), compiler_fingerprint(), inputs])
    entry = context.cache.get_or_build(
        "weights",
        key,
        build,
        is_whole=lambda entry: _is_whole_archive(entry / file, entry / record),
    )
    os.link(entry / file, directory / file)
    nbytes, sha256 = (entry / record).read_text(encoding="utf-8").split()
    return Weights(file=file, nbytes=int(nbytes), sha256=sha256)


def _is_whole_archive(archive: Path, record: Path) -> bool:
    """Whether an archive has the size that was noted; to read it all would take a second a GB."""
    if not (archive.is_file() and record.is_file()):
        return False
    noted = record.read_text(encoding="utf-8").partition(" ")[0]
    return noted == str(archive.stat().st_size)


def _sha256(path: Path) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest()


_DTYPE_NAMES = {dtype: name for name, dtype in TORCH_DTYPES.items()}


def _stored_name(weight: WeightSource, checkpoint: Checkpoint) -> str:
    """The name under which the checkpoint has the tensor: a tied one may have any of its names."""
    held = [name for name in weight.names if name in checkpoint.tensors]
    for other in held[1:]:
        if not torch.equal(checkpoint.read(held[0]), checkpoint.read(other)):
            raise CaptureError(
                f"{checkpoint.path} stores '{held[0]}' and '{other}' with different values, but the model's "
                "configuration ties them. Set tie_word_embeddings to false in it if both are meant."
            )
    return held[0] if held else weight.names[0]


def _compile_program(text: str, target: Target, directory: Path, context: BuildContext) -> Program:
    file = f"program-{target.name.replace(':', '-')}.vmfb"

    record = f"{file}.sha256"

    def build(entry: Path) -> None:
        with context.progress.task(f"compile {target.name}", 1, "programs") as task:
            compile_module(text, target, entry / file)
            task.advance()
        (entry / record).write_text(_sha256(entry / file), encoding="utf-8")

    def is_whole(entry: Path) -> bool:
        paths = entry / file, entry / record
        return all(path.is_file() for path in paths) and paths[1].read_text() == _sha256(paths[0])

    key = digest([hashlib.sha256(text.encode()).hexdigest(), repr(target), iree_version()])
    entry = context.cache.get_or_build("programs", key, build, is_whole=is_whole)
    os.link(entry / file, directory / file)
    return Program(
        target=target.name,
        driver=target.driver,
        file=file,
        sha256=_sha256(entry / file),
        cpu_features=target.cpu_features,
    )


def _pass_record(each: PassCall) -> PassRecord:
    found = find_pass(each.name)
    source = "" if found is None else found.source_sha256
    return PassRecord(each.name, digest([source, repr(each.options), each.mlir]))
