"""The archive: IREE maps it and reads back what was written, and a failure leaves nothing behind."""

import errno
import hashlib
import io
import itertools
import json
import os
import resource
import shutil
import weakref
from collections.abc import Callable
from pathlib import Path

import iree.runtime
import numpy as np
import pytest
import torch

from octavo.artifact import Weights
from octavo.errors import ArtifactError
from octavo.frontend.archive import TORCH_DTYPES, write_archive
from octavo.progress import LineProgress, SilentProgress

SILENT = SilentProgress()


@pytest.fixture
def tensors(rng: np.random.Generator) -> dict[str, torch.Tensor]:
    """Tensors of awkward sizes and names, in no order."""
    shapes: dict[str, tuple[int, ...]] = {
        "model.layers.1.weight": (3, 5),
        "scalar": (),
        "größe": (7,),
        "empty": (0, 4),
        "model.layers.0.weight": (129, 65),
        "model.embed_tokens.weight": tuple(int(n) for n in rng.integers(1, 40, 3)),
    }
    return {
        name: torch.from_numpy(np.asarray(rng.standard_normal(shape), dtype=np.float32))
        for name, shape in shapes.items()
    }


def write(path: Path, tensors: dict[str, torch.Tensor], dtype: str) -> Weights:
    shapes = {name: tuple(tensor.shape) for name, tensor in tensors.items()}
    return write_archive(path, shapes, tensors.__getitem__, dtype, SILENT)


def load(path: Path) -> dict[str, iree.runtime.ParameterIndexEntry]:
    index = iree.runtime.ParameterIndex()
    index.load(str(path))
    return dict(index.items())


def contents(directory: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in directory.iterdir()}


@pytest.mark.parametrize("dtype", ["f32", "f16", "bf16"])
def test_iree_reads_back_what_was_written(
    tmp_path: Path, tensors: dict[str, torch.Tensor], dtype: str
) -> None:
    path = tmp_path / "weights.irpa"
    weights = write(path, tensors, dtype)
    entries = load(path)
    assert list(entries) == list(tensors)
    for name, tensor in tensors.items():
        expected = tensor.to(TORCH_DTYPES[dtype])
        found = torch.frombuffer(
            bytearray(entries[name].file_view) or bytearray(1), dtype=torch.uint8
        )
        stored = expected.reshape(-1).view(torch.uint8)
        assert torch.equal(found[: len(stored)], stored), name
        assert entries[name].length == len(stored)
        assert json.loads(entries[name].metadata) == {"dtype": dtype, "shape": list(tensor.shape)}
    data = path.read_bytes()
    assert weights == Weights("weights.irpa", len(data), hashlib.sha256(data).hexdigest())


def test_tensors_are_aligned_in_the_mapped_file(
    tmp_path: Path, tensors: dict[str, torch.Tensor]
) -> None:
    path = tmp_path / "weights.irpa"
    write(path, tensors, "bf16")
    for name, entry in load(path).items():
        address = np.frombuffer(entry.file_view, dtype=np.uint8).ctypes.data
        assert address % 64 == 0 or entry.length == 0, name
        assert entry.file_storage[1] % 64 == 0, name


def test_the_archive_is_what_iree_itself_would_write(
    tmp_path: Path, tensors: dict[str, torch.Tensor]
) -> None:
    write(tmp_path / "ours.irpa", tensors, "f32")
    index = iree.runtime.ParameterIndex()
    for name, tensor in tensors.items():
        metadata = json.dumps({"dtype": "f32", "shape": list(tensor.shape)})
        index.add_buffer(name, tensor.reshape(-1).numpy().tobytes(), metadata=metadata)
    index.create_archive_file(str(tmp_path / "theirs.irpa"))
    ours, theirs = load(tmp_path / "ours.irpa"), load(tmp_path / "theirs.irpa")
    assert list(ours) == list(theirs)
    for name in ours:
        assert bytes(ours[name].file_view) == bytes(theirs[name].file_view)
        assert ours[name].metadata == theirs[name].metadata


def test_the_digest_covers_names_shapes_types_and_values(
    tmp_path: Path, tensors: dict[str, torch.Tensor]
) -> None:
    changed = dict(tensors)
    changed["scalar"] = tensors["scalar"] + 1
    variants = [
        write(tmp_path / "a", tensors, "f32"),
        write(tmp_path / "a", tensors, "f16"),
        write(tmp_path / "a", tensors, "bf16"),
        write(tmp_path / "a", changed, "f32"),
        write(tmp_path / "a", {name + "_": tensor for name, tensor in tensors.items()}, "f32"),
        write(tmp_path / "a", {name: tensor[None] for name, tensor in tensors.items()}, "f32"),
    ]
    assert len({weights.sha256 for weights in variants}) == len(variants)
    assert write(tmp_path / "b", tensors, "f32").sha256 == variants[0].sha256


def test_one_tensor_at_a_time(tmp_path: Path) -> None:
    alive: set[int] = set()
    most = 0

    def read(name: str) -> torch.Tensor:
        nonlocal most
        tensor = torch.full((1000,), float(name))
        alive.add(int(name))
        weakref.finalize(tensor, alive.discard, int(name))
        most = max(most, len(alive))
        return tensor

    write_archive(tmp_path / "w", {str(n): (1000,) for n in range(50)}, read, "f16", SILENT)
    # The one being read, and the one that the loop still holds.
    assert most <= 2


def test_progress_counts_every_byte(tmp_path: Path, tensors: dict[str, torch.Tensor]) -> None:
    stream = io.StringIO()
    shapes = {name: tuple(tensor.shape) for name, tensor in tensors.items()}
    weights = write_archive(
        tmp_path / "w", shapes, tensors.__getitem__, "f32", LineProgress(stream, clock=lambda: 0.0)
    )
    # 129 * 65 floats and a page or two of head: a number with three digits of kB.
    size = f"{weights.nbytes / 1000:.3g} kB"
    assert stream.getvalue().splitlines() == [
        f"weights: {size}",
        f"weights: done, {size} in 0.0 s",
    ]


class Interrupting:
    """Reads some tensors, then fails."""

    def __init__(self, tensors: dict[str, torch.Tensor], error: BaseException) -> None:
        self.tensors = tensors
        self.error = error
        self.left = 3

    def __call__(self, name: str) -> torch.Tensor:
        self.left -= 1
        if self.left < 0:
            raise self.error
        return self.tensors[name]


@pytest.mark.parametrize("error", [KeyboardInterrupt(), RuntimeError("no such tensor")])
def test_an_interrupted_write_leaves_what_was_there(
    tmp_path: Path, tensors: dict[str, torch.Tensor], error: BaseException
) -> None:
    (tmp_path / "w").write_bytes(b"the archive of before")
    shapes = {name: tuple(tensor.shape) for name, tensor in tensors.items()}
    with pytest.raises(type(error)):
        write_archive(tmp_path / "w", shapes, Interrupting(tensors, error), "f32", SILENT)
    assert contents(tmp_path) == {"w": b"the archive of before"}


def no_space(*_: object) -> None:
    raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))


def test_a_disk_that_fills_up_leaves_nothing(
    tmp_path: Path, tensors: dict[str, torch.Tensor], monkeypatch: pytest.MonkeyPatch
) -> None:
    # Where blocks are allocated late, this is the call that finds the disk full.
    monkeypatch.setattr(os, "fsync", no_space)
    with pytest.raises(
        ArtifactError, match=r"no space for .*/w: \d+ bytes needed .* \d+ bytes free"
    ):
        write(tmp_path / "w", tensors, "f32")
    assert contents(tmp_path) == {}


def test_too_small_a_disk_is_known_before_a_byte_is_read(
    tmp_path: Path, tensors: dict[str, torch.Tensor], monkeypatch: pytest.MonkeyPatch
) -> None:
    usage = shutil.disk_usage(tmp_path)
    monkeypatch.setattr(shutil, "disk_usage", lambda _: usage._replace(free=12345))
    read = Interrupting(tensors, AssertionError("nothing may be read"))
    read.left = 0
    with pytest.raises(ArtifactError, match=r"12345 bytes free \(12.3 kB\)"):
        write_archive(tmp_path / "w", {"scalar": (1 << 20,)}, read, "f32", SILENT)
    assert contents(tmp_path) == {}


def test_a_file_that_may_not_grow_is_reported(
    tmp_path: Path, tensors: dict[str, torch.Tensor]
) -> None:
    limits = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (20000, limits[1]))
    try:
        with pytest.raises(ArtifactError, match=r"/w cannot be written: .*File too large"):
            write(tmp_path / "w", tensors, "f32")
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, limits)
    assert contents(tmp_path) == {}


def test_a_directory_that_is_not_there(tmp_path: Path, tensors: dict[str, torch.Tensor]) -> None:
    with pytest.raises(ArtifactError, match=r"none/w cannot be written: .*No such file"):
        write(tmp_path / "none" / "w", tensors, "f32")


def test_half_precision_never_overflows_in_silence(tmp_path: Path) -> None:
    tensors = {"w": torch.tensor([1.0, -70000.0])}
    with pytest.raises(ArtifactError, match=r"tensor 'w' does not fit into f16: .* 70000, "):
        write(tmp_path / "a", tensors, "f16")
    write(tmp_path / "a", tensors, "bf16")
    # Infinity that was there before is the model's own.
    write(tmp_path / "a", {"w": torch.tensor([float("-inf")])}, "f16")


WRONG: list[tuple[Callable[[str], torch.Tensor], str]] = [
    (lambda _: torch.zeros(2, 3), r"expected floats of shape \(3, 2\), got .* shape \(2, 3\)"),
    (lambda _: torch.zeros(3, 2, dtype=torch.int32), r"got torch.int32"),
]


@pytest.mark.parametrize(("read", "message"), WRONG)
def test_a_tensor_other_than_announced(
    tmp_path: Path, read: Callable[[str], torch.Tensor], message: str
) -> None:
    with pytest.raises(ValueError, match=message):
        write_archive(tmp_path / "w", {"w": (3, 2)}, read, "f32", SILENT)
    assert contents(tmp_path) == {}


def test_an_unknown_type(tmp_path: Path, tensors: dict[str, torch.Tensor]) -> None:
    with pytest.raises(
        ValueError, match="no such weight type 'int4': expected one of f32, f16, bf16"
    ):
        write(tmp_path / "w", tensors, "int4")


def test_each_tensor_in_a_type_of_its_own(tmp_path: Path, tensors: dict[str, torch.Tensor]) -> None:
    path = tmp_path / "w.irpa"
    dtypes = dict(zip(tensors, itertools.cycle(TORCH_DTYPES), strict=False))
    shapes = {name: tuple(tensor.shape) for name, tensor in tensors.items()}
    write_archive(path, shapes, tensors.__getitem__, dtypes, SILENT)
    for name, entry in load(path).items():
        expected = tensors[name].to(TORCH_DTYPES[dtypes[name]]).reshape(-1).view(torch.uint8)
        assert bytes(entry.file_view) == bytes(expected.numpy())
        assert json.loads(entry.metadata)["dtype"] == dtypes[name]


def test_trained_parameters_and_strided_views(tmp_path: Path) -> None:
    weight = torch.nn.Parameter(torch.arange(12.0).reshape(3, 4))
    write(tmp_path / "w.irpa", {"w": weight.T}, "f32")
    values = np.frombuffer(load(tmp_path / "w.irpa")["w"].file_view, dtype=np.float32)
    assert values.tolist() == weight.detach().T.reshape(-1).tolist()
