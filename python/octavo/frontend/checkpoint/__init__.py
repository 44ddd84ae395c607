"""Checkpoints: the files a model comes in, behind one interface.

`open_checkpoint` reads a Hugging Face directory or a GGUF file; `check_tensors` says what is missing in it.
"""

from pathlib import Path

from octavo.errors import CaptureError
from octavo.frontend.checkpoint.base import Checkpoint, TensorInfo
from octavo.frontend.checkpoint.check import check_tensors
from octavo.frontend.checkpoint.gguf_file import open_gguf
from octavo.frontend.checkpoint.hugging_face import open_hugging_face

__all__ = ["Checkpoint", "TensorInfo", "check_tensors", "open_checkpoint"]


def open_checkpoint(path: Path | str) -> Checkpoint:
    """Open a model on disk: a Hugging Face directory, or a `.gguf` file.

    Reads headers only; `Checkpoint.read` reads one tensor at a time.

    Raises:
        CaptureError: there is nothing there, or it is damaged, incomplete or not supported.
    """
    path = Path(path)
    if path.is_dir():
        return open_hugging_face(path)
    if not path.exists():
        raise CaptureError(
            f"there is no model at {path}: expected a directory with a config.json, or a .gguf file."
        )
    return open_gguf(path)
