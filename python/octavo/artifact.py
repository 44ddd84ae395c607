"""The artifact: a directory that the compiler writes and the runtime reads.

    model.octavo/
      manifest.json            this module's `Manifest`
      program-<target>.vmfb    one compiled program for each target
      weights-<layout>.irpa    an aligned archive, mapped and never copied
      tokenizer.json, ...      tokenizer and chat template, as Hugging Face stores them

The manifest is the only thing the two halves share; neither imports the other.
"""

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass, fields
from pathlib import Path
from typing import Any

from octavo.config import Bucket, KVLayer, KVLayout, ModelConfig
from octavo.errors import ArtifactError

FORMAT_VERSION = 1
MANIFEST_NAME = "manifest.json"


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
    except json.JSONDecodeError as error:
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
        return _manifest(raw)
    except (TypeError, KeyError, ValueError, AttributeError) as error:
        raise ArtifactError(f"{where} is malformed: {error}. Compile the model again.") from error


def _manifest(raw: Mapping[str, Any]) -> Manifest:
    known = {field.name for field in fields(Manifest)}
    if unknown := sorted(set(raw) - known):
        raise ValueError(f"unknown fields {', '.join(unknown)}")
    kv = raw["kv"]
    model = raw["model"]
    return Manifest(
        octavo_version=raw["octavo_version"],
        iree_version=raw["iree_version"],
        model=ModelConfig(**{**model, "eos_token_ids": tuple(model["eos_token_ids"])}),
        kv=KVLayout(
            tuple(KVLayer(**layer) for layer in kv["layers"]), kv["block_size"], kv["dtype"]
        ),
        buckets=tuple(Bucket(**bucket) for bucket in raw["buckets"]),
        programs=tuple(
            Program(**{**program, "cpu_features": tuple(program["cpu_features"])})
            for program in raw["programs"]
        ),
        weights=Weights(**raw["weights"]),
        memory=MemoryEstimate(**raw["memory"]),
        level=raw["level"],
        pipeline=tuple(PassRecord(**record) for record in raw["pipeline"]),
        format_version=raw["format_version"],
    )


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
