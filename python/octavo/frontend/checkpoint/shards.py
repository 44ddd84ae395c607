"""Several `.safetensors` files and the index that says which tensor is in which."""

import re
from collections.abc import Mapping
from pathlib import Path

from octavo.errors import CaptureError
from octavo.frontend.checkpoint.file_bytes import read_json_object
from octavo.frontend.checkpoint.safetensors_file import SafetensorsFile, open_safetensors

INDEX_NAME = "model.safetensors.index.json"

# How transformers calls them. A file of another name beside them may be anything.
_SHARD = re.compile(r"model-\d{5}-of-\d{5}\.safetensors")
_MAX_LISTED = 5


def open_shards(path: Path) -> dict[str, SafetensorsFile]:
    """Open every file that the index in the directory `path` names; return the file of each tensor.

    A tensor that a file holds and the index leaves out counts too: the model may need it.

    Raises:
        CaptureError: the index is damaged, it and the files disagree, or a file is damaged.
    """
    weight_map = _weight_map(path)
    _check_files(path, set(weight_map.values()))
    shards = {name: open_safetensors(path / name) for name in sorted(set(weight_map.values()))}
    for tensor, name in weight_map.items():
        if tensor not in shards[name].spans:
            raise CaptureError(
                f"{path / name} lacks tensor '{tensor}' that {INDEX_NAME} says it holds. "
                "Download both again."
            )
    files: dict[str, SafetensorsFile] = {}
    for name, shard in shards.items():
        for tensor in shard.spans:
            other = files[tensor].path.name if tensor in files else weight_map.get(tensor, name)
            if other != name:
                raise CaptureError(
                    f"{path} holds tensor '{tensor}' twice, in {other} and in {name}: expected it in one of "
                    "them. Download the files again."
                )
            files[tensor] = shard
    return files


def _weight_map(path: Path) -> Mapping[str, str]:
    index = path / INDEX_NAME
    weight_map = read_json_object(index).get("weight_map")
    if not isinstance(weight_map, dict) or not weight_map:
        raise CaptureError(f"{index} has no weight_map from tensors to files. Download it again.")
    # A name with a folder in it could point anywhere on the machine.
    for name in weight_map.values():
        if not isinstance(name, str) or Path(name).name != name:
            raise CaptureError(
                f"{index} names {name!r} as a weight file: expected a plain file name."
            )
    return weight_map


def _check_files(path: Path, names: set[str]) -> None:
    """Check that the files that the index names are there, and no others like them."""
    if absent := sorted(name for name in names if not (path / name).is_file()):
        raise CaptureError(
            f"{path} lacks {len(absent)} of the {len(names)} weight files that {INDEX_NAME} names: "
            f"{', '.join(absent[:_MAX_LISTED])}. Download them."
        )
    found = {file.name for file in path.iterdir() if _SHARD.fullmatch(file.name)}
    if unnamed := sorted(found - names):
        raise CaptureError(
            f"{path} has {len(unnamed)} weight files that {INDEX_NAME} does not name: "
            f"{', '.join(unnamed[:_MAX_LISTED])}. Delete them if they are of another model, or download the "
            "index again."
        )
