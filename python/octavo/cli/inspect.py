"""`octavo inspect`: what an artifact holds."""

import argparse
import sys
from pathlib import Path

from octavo.artifact import Manifest, read_manifest
from octavo.progress import counted, format_nbytes
from octavo.runtime import verify


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the command's arguments."""
    parser.add_argument("artifact", type=Path, metavar="DIR", help="an artifact")
    parser.add_argument(
        "--verify", action="store_true", help="read every file and check its digest"
    )
    parser.add_argument("--json", action="store_true", help="print the manifest as it is")


def run(arguments: argparse.Namespace) -> int:
    """Print the manifest in words, or as JSON."""
    manifest = read_manifest(arguments.artifact)
    if arguments.json:
        print(manifest.to_json(), end="")
    else:
        print("\n".join(_lines(manifest)))
    if arguments.verify:
        verify(arguments.artifact)
        print("every file has the digest that the manifest says", file=sys.stderr)
    return 0


def _lines(manifest: Manifest) -> list[str]:
    model, kv, memory = manifest.model, manifest.kv, manifest.memory
    buckets = ", ".join(f"{bucket.batch}x{bucket.num_tokens}" for bucket in manifest.buckets)
    heads = sorted({(layer.num_kv_heads, layer.head_dim) for layer in kv.layers})
    shapes = ", ".join(
        f"{counted(num_heads, 'KV heads')} of {head_dim}" for num_heads, head_dim in heads
    )
    return [
        f"model      {model.architecture}, {counted(model.vocab_size, 'tokens')}, "
        f"context {model.max_context}",
        f"built by   octavo {manifest.octavo_version}, IREE {manifest.iree_version}, -{manifest.level}, "
        f"{counted(len(manifest.pipeline), 'passes')}",
        *(
            f"program    {program.target} ({program.driver}): {program.file}"
            for program in manifest.programs
        ),
        f"weights    {format_nbytes(manifest.weights.nbytes)}: {manifest.weights.file}",
        f"KV cache   {counted(len(kv.layers), 'layers')}, {shapes}, "
        f"blocks of {counted(kv.block_size, 'tokens')} in {kv.dtype}, "
        f"{format_nbytes(memory.kv_block_nbytes)} a block",
        f"buckets    {buckets} (rows x tokens)",
        f"memory     {format_nbytes(memory.weights_nbytes)} weights, "
        f"{format_nbytes(memory.activations_nbytes)} activations at most, and the KV blocks",
    ]
