"""The tests run a hand-written program with the entry points of a compiled one: `step_program.mlir.in`."""

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from octavo.artifact import Manifest, read_manifest
from octavo.config import Bucket
from octavo.errors import ArtifactError, DeviceError
from octavo.runtime.device import open_device
from octavo.runtime.executable import IreeExecutable

MakeArtifact = Callable[..., Path]


@pytest.fixture(params=["local-task", "vulkan"])
def directory(request: pytest.FixtureRequest, make_artifact: MakeArtifact) -> Path:
    if request.param == "vulkan":
        request.getfixturevalue("vulkan_device")
    return make_artifact(request.param)


@pytest.fixture
def executable(directory: Path) -> IreeExecutable:
    return load(directory, read_manifest(directory))


def load(directory: Path, manifest: Manifest) -> IreeExecutable:
    program = manifest.programs[0]
    return IreeExecutable(open_device(program.driver), directory, manifest, program)


def step(
    executable: IreeExecutable, tokens: object, start: object, lens: object, table: object
) -> np.ndarray:
    return executable.step(*(np.array(array, np.int32) for array in (tokens, start, lens, table)))


def expected(total: int) -> np.ndarray:
    logits = np.linspace(0, 1, 64, dtype=np.float32)
    logits[total % 64] += 100
    return logits


def test_it_knows_the_shapes_of_the_manifest(executable: IreeExecutable) -> None:
    assert executable.buckets == (Bucket(2, 1), Bucket(1, 4))
    assert executable.kv.block_size == 16
    assert executable.vocab_size == 64


def test_cache_survives_between_steps_and_entry_points(
    executable: IreeExecutable, rng: np.random.Generator
) -> None:
    executable.allocate_kv(5)
    a, b = rng.integers(0, 64, 18), rng.integers(0, 64, 3)
    # Row 0 fills block 3, then block 1; row 1 is in block 4. Chunks of 4 come through step_b1_t4.
    for start in range(0, 16, 4):
        step(executable, [a[start : start + 4]], [start], [4], [[3]])
    step(executable, [[*b, 9]], [0], [3], [[4]])
    step(executable, [[a[16]], [7]], [16, 3], [1, 1], [[3, 1], [4, 0]])

    logits = step(executable, [[a[17]], [5]], [17, 4], [1, 1], [[3, 1], [4, 0]])

    assert logits.dtype == np.float32
    np.testing.assert_allclose(logits, [expected(a.sum()), expected(b.sum() + 12)])


def test_padding_and_idle_rows_write_nothing(executable: IreeExecutable) -> None:
    executable.allocate_kv(1)
    step(executable, [[11, 12, 63, 63]], [0], [2], [[0]])
    step(executable, [[63], [63]], [0, 0], [0, 0], [[0], [0]])
    # Slots 2 and 3 hold zeros, or the sum would show them.
    logits = step(executable, [[0], [63]], [4, 0], [1, 0], [[0], [0]])
    np.testing.assert_allclose(logits[0], expected(23))


def test_results_do_not_change_with_the_next_step(executable: IreeExecutable) -> None:
    executable.allocate_kv(1)
    first = step(executable, [[5], [0]], [0, 0], [1, 0], [[0], [0]])
    for token in range(20):
        step(executable, [[token], [0]], [0, 0], [1, 0], [[0], [0]])
    np.testing.assert_allclose(first[0], expected(5))


def test_allocating_again_forgets_the_cache(executable: IreeExecutable) -> None:
    executable.allocate_kv(1)
    step(executable, [[9], [0]], [0, 0], [1, 0], [[0], [0]])
    executable.allocate_kv(2)
    logits = step(executable, [[1], [0]], [1, 0], [1, 0], [[0], [0]])
    np.testing.assert_allclose(logits[0], expected(1))


def test_a_shape_that_was_not_compiled_is_our_mistake(executable: IreeExecutable) -> None:
    with pytest.raises(AssertionError, match=r"batch=1, num_tokens=2.* is not compiled"):
        step(executable, [[1, 2]], [0], [2], [[0]])


def test_a_failing_call_is_a_device_error(executable: IreeExecutable) -> None:
    executable.allocate_kv(1)
    with pytest.raises(DeviceError, match="step_b2_t1 failed on the device"):
        step(executable, [[1], [1]], [0], [1], [[0], [0]])  # one start for two rows


@pytest.mark.parametrize("entry", [1, -1, 2**31 - 1])
def test_an_unused_entry_that_is_no_block_is_refused(
    executable: IreeExecutable, entry: int
) -> None:
    executable.allocate_kv(1)
    with pytest.raises(ValueError, match=f"table: expected 0 to 0 .* got {entry}"):
        step(executable, [[1], [1]], [0, 0], [1, 1], [[0, entry], [0, 0]])


def test_a_missing_entry_point_is_named(make_artifact: MakeArtifact) -> None:
    directory = make_artifact("local-task", buckets=(Bucket(2, 1), Bucket(8, 1)))
    manifest = read_manifest(directory)
    with pytest.raises(ArtifactError, match=r"no function 'step_b8_t1', it has .*step_b2_t1"):
        load(directory, manifest)


@pytest.mark.parametrize("file", ["program-local-task.vmfb", "weights.irpa"])
def test_files_that_cannot_be_loaded_are_named(make_artifact: MakeArtifact, file: str) -> None:
    directory = make_artifact("local-task")
    data = (directory / file).read_bytes()
    (directory / file).write_bytes(data[:40])
    manifest = read_manifest(directory)
    with pytest.raises(
        ArtifactError, match=r"program-local-task.vmfb cannot be loaded with weights.irpa"
    ):
        load(directory, manifest)


def test_a_parameter_that_is_missing_is_named(make_artifact: MakeArtifact) -> None:
    import iree.runtime

    directory = make_artifact("local-task")
    index = iree.runtime.ParameterIndex()
    index.add_buffer("other", np.zeros(64, np.uint8))
    index.create_archive_file(str(directory / "other.irpa"))
    manifest = read_manifest(directory)
    manifest = replace(manifest, weights=replace(manifest.weights, file="other.irpa"))
    with pytest.raises(ArtifactError, match="bias"):
        load(directory, manifest)
