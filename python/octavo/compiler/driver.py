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
from octavo.compiler.install import find_place, install
from octavo.compiler.options import CompileOptions
from octavo.compiler.targets import Target, target_named
from octavo.errors import ArtifactError, CaptureError, CompileError
from octavo.progress import Progress, SilentProgress

if TYPE_CHECKING:
    from octavo.passes.runner import PassResult


def compile_model(
    source: str | os.PathLike[str],
    options: CompileOptions | None = None,
    *,
    output: str | os.PathLike[str] | None = None,
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
        output: where to put the artifact; None leaves it in the cache. An artifact there is replaced in one
            step; a link there is followed.
        progress: where to report; nowhere when None.
        cache_root: the compile cache; `default_cache_root()` when None.
        dump_dir: write the IR after each pass below this directory.
        plugins: Python files that were run before and may have changed the pipeline; part of the cache's key.
        on_pass: called after each pass.

    Raises:
        CaptureError: the model or its files cannot be used, or it is an artifact.
        PassError: a pass failed. The message names the file with the IR before it and a command that runs it
            again.
        CompileError: IREE refused a program, the cache cannot be written, or the model changed meanwhile.
        ArtifactError: `output` is something else than an artifact, or the disk is full.
        ValueError: an option or a target's name is wrong.
    """
    chosen = options or CompileOptions()
    model = Path(source)
    targets = [target_named(name) for name in chosen.targets]
    _check_dtype(chosen.dtype, targets)
    reporter = progress or SilentProgress()
    cache = Cache(cache_root or default_cache_root())
    place = None if output is None else find_place(Path(output), cache.root)
    _check_source(model)
    files = source_fingerprint(model)

    def build(directory: Path) -> None:
        # Torch and MLIR take seconds to import, which a cache hit need not pay.
        from octavo.compiler.build import BuildContext, build_artifact

        context = BuildContext(cache, reporter, dump_dir, _reproducer_path(), on_pass)
        build_artifact(model, chosen, targets, directory, context)
        if source_fingerprint(model) != files:
            raise CompileError(
                f"{model} changed while it was compiled: expected the same files at the end as at the "
                "beginning. Compile it again."
            )

    def on_wait() -> None:
        print("another process is compiling this model: waiting for it", file=sys.stderr)

    key = digest(
        [
            files,
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
        if output is None or place is None:
            return entry
        install(entry, place)
        return Path(output)


def _check_dtype(dtype: str, targets: Sequence[Target]) -> None:
    for target in targets:
        if dtype not in target.element_types:
            raise ValueError(
                f"option dtype: expected one of {', '.join(target.element_types)} for {target.name}, "
                f"got '{dtype}'. docs/targets.md says why."
            )


def _check_source(model: Path) -> None:
    if (model / MANIFEST_NAME).is_file() and not (model / "config.json").exists():
        raise CaptureError(
            f"{model} is an artifact already: expected a model to compile. Run it with 'octavo generate "
            f"{model}'; for other options compile the model that it was made from."
        )


def _reproducer_path() -> Path:
    """A file that no other process and no earlier run wrote; its directory is made when a pass fails."""
    name = f"octavo-{os.getpid()}-{secrets.token_hex(4)}"
    return Path(tempfile.gettempdir()) / name / "before-failure.mlir"


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
