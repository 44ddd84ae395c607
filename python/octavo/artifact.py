"""The artifact: a directory that the compiler writes and the runtime reads.

    model.octavo/
      manifest.json            this module's `Manifest`
      program-<target>.vmfb    one compiled program for each target
      weights-<layout>.irpa    an aligned archive, mapped and never copied
      tokenizer.json, ...      tokenizer and chat template, as Hugging Face stores them

The manifest is the only thing the two halves share; neither imports the other.
"""

import json
from dataclasses import asdict, dataclass, is_dataclass
from pathlib import Path
from types import UnionType
from typing import Any, get_args, get_origin, get_type_hints

from octavo.config import DTYPE_NBYTES, Bucket, KVLayout, ModelConfig
from octavo.errors import ArtifactError

FORMAT_VERSION = 1
MANIFEST_NAME = "manifest.json"
TOKENIZER_NAME = "tokenizer.json"
TOKENIZER_CONFIG_NAME = "tokenizer_config.json"
CHAT_TEMPLATE_NAME = "chat_template.jinja"


@dataclass(frozen=True, slots=True)
class Program:
    """A compiled program: the target it was built for, its file, and what it needs of the machine.

    Attributes:
        target: target name, such as `cpu:native`.
        driver: IREE HAL driver that runs it: `local-task`, `vulkan`, `cuda`.
        file: file name inside the artifact.
        sha256: digest of the file.
        cpu_features: CPU features the code uses, as `/proc/cpuinfo` names them; empty off the CPU.
    """

    target: str
    driver: str
    file: str
    sha256: str
    cpu_features: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Weights:
    """The weight archive. The digest covers names, types, shapes and contents."""

    file: str
    nbytes: int
    sha256: str


@dataclass(frozen=True, slots=True)
class PassRecord:
    """A pass that shaped the programs, with the digest of its source and options."""

    name: str
    sha256: str


@dataclass(frozen=True, slots=True)
class MemoryEstimate:
    """Bytes that serving takes: weights, one KV block over all layers, and a step's activations at most."""

    weights_nbytes: int
    kv_block_nbytes: int
    activations_nbytes: int


@dataclass(frozen=True, slots=True)
class Manifest:
    """Everything the runtime knows about a compiled model."""

    octavo_version: str
    iree_version: str
    model: ModelConfig
    kv: KVLayout
    buckets: tuple[Bucket, ...]
    programs: tuple[Program, ...]
    weights: Weights
    memory: MemoryEstimate
    level: str
    pipeline: tuple[PassRecord, ...]
    format_version: int = FORMAT_VERSION

    def to_json(self) -> str:
        """Render as indented JSON, keys in field order."""
        return json.dumps(asdict(self), indent=2) + "\n"

    @property
    def file_names(self) -> frozenset[str]:
        """Names of all files that an artifact with this manifest may hold."""
        programs = (program.file for program in self.programs)
        fixed = (MANIFEST_NAME, TOKENIZER_NAME, TOKENIZER_CONFIG_NAME, CHAT_TEMPLATE_NAME)
        return frozenset((*fixed, self.weights.file, *programs))

    def program_for(self, target: str) -> Program:
        """Return the program of `target`; raise `ArtifactError` when the artifact holds none."""
        for program in self.programs:
            if program.target == target:
                return program
        held = ", ".join(program.target for program in self.programs)
        raise ArtifactError(
            f"no program for target '{target}' in this artifact: it holds {held}. "
            f"Compile the model again with --target {target}."
        )


def manifest_from_json(text: str, where: str) -> Manifest:
    """Parse a manifest.

    Args:
        text: the file's contents.
        where: its path, for messages.

    Raises:
        ArtifactError: not JSON, another format version, or a field is missing, unknown or malformed.
    """
    try:
        raw = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise ArtifactError(
            f"{where} is not valid JSON: {error}. Compile the model again."
        ) from error
    found = raw.get("format_version") if isinstance(raw, dict) else None
    if found != FORMAT_VERSION:
        raise ArtifactError(
            f"{where} has format version {found}, this Octavo reads version {FORMAT_VERSION}. "
            "Compile the model again with this version."
        )
    try:
        manifest: Manifest = _read(Manifest, raw, "")
        _check(manifest)
        return manifest
    except ValueError as error:
        raise ArtifactError(f"{where} is malformed: {error}. Compile the model again.") from error


def _read(kind: Any, value: Any, field: str) -> Any:
    """Read a JSON value as the type of a field, which may be a dataclass of fields itself."""
    if is_dataclass(kind):
        return _read_fields(kind, value, field)
    if isinstance(kind, UnionType):
        inner, nothing = get_args(kind)
        assert nothing is type(None), f"{field} has two types"
        return None if value is None else _read(inner, value, field)
    if get_origin(kind) is tuple:
        _require(isinstance(value, list), field, "a list", value)
        [element, _] = get_args(kind)
        return tuple(_read(element, each, f"{field}[{index}]") for index, each in enumerate(value))
    # JSON's true is an int to Python.
    _require(type(value) is kind, field, _JSON_NAMES[kind], value)
    return value


_JSON_NAMES = {int: "an integer", str: "a string"}


def _read_fields(kind: Any, value: Any, field: str) -> Any:
    _require(isinstance(value, dict), field, "an object", value)
    hints = get_type_hints(kind)
    of = f" of {field}" if field else ""
    if unknown := sorted(set(value) - set(hints)):
        raise ValueError(f"unknown fields{of} {', '.join(unknown)}")
    if missing := [name for name in hints if name not in value]:
        raise ValueError(f"missing fields{of} {', '.join(missing)}")
    below = f"{field}." if field else ""
    return kind(**{name: _read(hints[name], value[name], below + name) for name in hints})


def _check(manifest: Manifest) -> None:
    """Raise `ValueError` for values of the right type that no compiler writes."""
    files = {"weights.file": manifest.weights.file}
    files |= {f"programs[{i}].file": each.file for i, each in enumerate(manifest.programs)}
    for field, name in files.items():
        # A path could lead out of the artifact, to a file of somebody else's.
        is_name = Path(name).name == name and name not in ("", "..", MANIFEST_NAME)
        _require(is_name and "\0" not in name, field, "the name of a file in the artifact", name)
    sizes = {
        "model.vocab_size": manifest.model.vocab_size,
        "model.max_context": manifest.model.max_context,
        "kv.block_size": manifest.kv.block_size,
    }
    for i, layer in enumerate(manifest.kv.layers):
        sizes[f"kv.layers[{i}].num_kv_heads"] = layer.num_kv_heads
        sizes[f"kv.layers[{i}].head_dim"] = layer.head_dim
    for i, bucket in enumerate(manifest.buckets):
        sizes[f"buckets[{i}].batch"] = bucket.batch
        sizes[f"buckets[{i}].num_tokens"] = bucket.num_tokens
    for field, size in sizes.items():
        _require(size > 0, field, "a positive integer", size)
    _require(bool(manifest.kv.layers), "kv.layers", "at least one element", [])
    _require(bool(manifest.buckets), "buckets", "at least one element", [])
    dtype = manifest.kv.dtype
    _require(dtype in DTYPE_NBYTES, "kv.dtype", f"one of {', '.join(DTYPE_NBYTES)}", dtype)


def _require(holds: bool, field: str, expected: str, got: object) -> None:
    if not holds:
        raise ValueError(f"{field or 'the file'}: expected {expected}, got {json.dumps(got)}")


def read_manifest(directory: Path) -> Manifest:
    """Read `directory/manifest.json`.

    Raises:
        ArtifactError: no such artifact, or the manifest cannot be used.
    """
    path = directory / MANIFEST_NAME
    try:
        text = path.read_text(encoding="utf-8")
    except FileNotFoundError as error:
        raise ArtifactError(
            f"{directory} is not an artifact: it has no {MANIFEST_NAME}. "
            f"Make one with 'octavo compile MODEL -o {directory}'."
        ) from error
    except (OSError, UnicodeDecodeError) as error:
        raise ArtifactError(f"{path} cannot be read: {error}") from error
    return manifest_from_json(text, str(path))
