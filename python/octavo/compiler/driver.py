"""The compiler's front door: find an artifact in the cache, or build it, and put it where it is wanted."""

import contextlib
import dataclasses
import hashlib
import os
import secrets
import shutil
import sys
import tempfile
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from octavo.artifact import MANIFEST_NAME, read_manifest
from octavo.compiler.cache import Cache, default_cache_root
from octavo.compiler.fingerprint import compiler_fingerprint, digest, source_fingerprint
from octavo.compiler.options import CompileOptions
from octavo.compiler.targets import Target, target_named
from octavo.errors import ArtifactError
from octavo.progress import Progress, SilentProgress

if TYPE_CHECKING:
    from octavo.passes.runner import PassResult


def compile_model(
    source: str | Path,
    options: CompileOptions | None = None,
    *,
    output: str | Path | None = None,
    progress: Progress | None = None,
    cache_root: Path | None = None,
    dump_dir: Path | None = None,
    plugins: Sequence[Path] = (),
    on_pass: "Callable[[PassResult], None] | None" = None,
) -> Path:
    """Compile the model at `source` and return the artifact's directory.

    An artifact that was built before, from the same files with the same options and compiler, comes from the
    cache. With `dump_dir` the passes run in any case.

    Args:
        source: a GGUF file or a Hugging Face directory.
        options: see `CompileOptions`; the defaults when None.
        output: where to put the artifact; None leaves it in the cache. An artifact there is replaced.
        progress: where to report; nowhere when None.
        cache_root: the compile cache; `default_cache_root()` when None.
        dump_dir: write the IR after each pass below this directory.
        plugins: Python files that were run before and may have changed the pipeline; part of the cache's key.
        on_pass: called after each pass.

    Raises:
        CaptureError: the model or its files cannot be used.
        PassError: a pass failed. The message names the file with the IR before it and a command that runs it
            again.
        CompileError: IREE refused a program, or the cache cannot be written.
        ArtifactError: `output` is something else than an artifact, or the disk is full.
        ValueError: an option or a target's name is wrong.
    """
    chosen = options or CompileOptions()
    model = Path(source)
    targets = [target_named(name) for name in chosen.targets]
    _check_dtype(chosen.dtype, targets)
    destination = None if output is None else _check_output(Path(output))
    reporter = progress or SilentProgress()
    cache = Cache(cache_root or default_cache_root())

    def build(directory: Path) -> None:
        # Torch and MLIR take seconds to import, which a cache hit need not pay.
        from octavo.compiler.build import BuildContext, build_artifact

        context = BuildContext(cache, reporter, dump_dir, _reproducer_path(), on_pass)
        build_artifact(model, chosen, targets, directory, context)

    def on_wait() -> None:
        print("another process is compiling this model: waiting for it", file=sys.stderr)

    key = digest(
        [
            source_fingerprint(model),
            compiler_fingerprint(),
            dataclasses.asdict(chosen),
            [repr(target) for target in targets],
            [plugin.read_text(encoding="utf-8") for plugin in plugins],
        ]
    )
    with _disk_errors(cache.root):
        if dump_dir is not None:
            cache.forget("artifacts", key)
        entry = cache.get_or_build("artifacts", key, build, on_wait, _is_whole)
        return entry if destination is None else _install(entry, destination)


def _check_dtype(dtype: str, targets: Sequence[Target]) -> None:
    for target in targets:
        if dtype not in target.element_types:
            raise ValueError(
                f"option dtype: expected one of {', '.join(target.element_types)} for {target.name}, "
                f"got '{dtype}'. docs/targets.md says why."
            )


def _reproducer_path() -> Path:
    return Path(tempfile.gettempdir()) / f"octavo-{os.getpid()}" / "before-failure.mlir"


def _check_output(output: Path) -> Path:
    is_free = not output.exists() or (output.is_dir() and not any(output.iterdir()))
    if not is_free and not _is_only_artifact(output):
        raise ArtifactError(
            f"{output} exists and is not an artifact: expected a new directory, or one that holds an "
            "artifact and nothing else, to replace. Choose another with -o."
        )
    return output


_TOKENIZER_FILES = ("tokenizer.json", "tokenizer_config.json", "chat_template.jinja")


def _is_only_artifact(directory: Path) -> bool:
    """Whether a directory holds an artifact's files and no others, which replacing it would delete."""
    try:
        manifest = read_manifest(directory)
    except ArtifactError:
        return False
    own = {MANIFEST_NAME, manifest.weights.file, *_TOKENIZER_FILES}
    own |= {program.file for program in manifest.programs}
    return all(path.is_file() and path.name in own for path in directory.iterdir())


def _is_whole(entry: Path) -> bool:
    """Whether an artifact of the cache has all its files, programs unchanged and weights of their size."""
    try:
        manifest = read_manifest(entry)
        for program in manifest.programs:
            if hashlib.sha256((entry / program.file).read_bytes()).hexdigest() != program.sha256:
                return False
        return (entry / manifest.weights.file).stat().st_size == manifest.weights.nbytes
    except (ArtifactError, OSError):
        return False


@contextlib.contextmanager
def _disk_errors(root: Path) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        free = shutil.disk_usage(root if root.exists() else Path.cwd()).free
        raise ArtifactError(
            f"cannot write the artifact: {error}. {free / 1e9:.2f} GB are free below {root}."
        ) from error


def _install(entry: Path, output: Path) -> Path:
    """Put the cached artifact at `output` in one rename, sharing its files where the disk allows."""
    output.parent.mkdir(parents=True, exist_ok=True)
    temporary = output.parent / f".{output.name}.{secrets.token_hex(4)}"
    try:
        temporary.mkdir()
        for file in entry.iterdir():
            _link_or_copy(file, temporary / file.name)
        _replace(temporary, output)
    except BaseException:
        shutil.rmtree(temporary, ignore_errors=True)
        raise
    return output


def _replace(temporary: Path, output: Path) -> None:
    if not output.exists():
        temporary.rename(output)
        return
    # A directory cannot be renamed over a full one.
    old = output.parent / f".{output.name}.old-{secrets.token_hex(4)}"
    output.rename(old)
    temporary.rename(output)
    shutil.rmtree(old, ignore_errors=True)


def _link_or_copy(source: Path, destination: Path) -> None:
    try:
        os.link(source, destination)
    except OSError:
        shutil.copyfile(source, destination)
