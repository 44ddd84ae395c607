"""What a build writes, against the model it was made from."""

import pytest

from octavo.artifact import read_manifest
from octavo.compiler.driver import compile_model
from octavo.compiler.options import CompileOptions
from octavo.config import Bucket, KVLayer
from octavo.runtime import verify

OPTIONS = CompileOptions(block_size=4, max_context=48, buckets=(Bucket(2, 1), Bucket(1, 8)))


@pytest.fixture(scope="module")
def artifact(tiny_model, cache_root):
    return compile_model(tiny_model("gemma2").path, OPTIONS, cache_root=cache_root)


def test_the_manifest_describes_the_model(artifact) -> None:
    manifest = read_manifest(artifact)
    assert manifest.model.architecture == "gemma2"
    assert (manifest.model.vocab_size, manifest.model.max_context) == (97, 48)
    assert (manifest.model.bos_token_id, manifest.model.eos_token_ids) == (1, (2,))
    assert manifest.kv.layers == (KVLayer(num_kv_heads=2, head_dim=20),) * 2
    assert (manifest.kv.block_size, manifest.kv.dtype) == (4, "f32")
    assert manifest.buckets == (Bucket(1, 8), Bucket(2, 1))
    assert manifest.level == "O2"
    names = [record.name for record in manifest.pipeline]
    assert names[0] == "fold-identities"
    assert names[-1] == "check-lowered"


def test_memory_is_that_of_the_files_and_shapes(artifact) -> None:
    manifest = read_manifest(artifact)
    assert manifest.memory.weights_nbytes == (artifact / manifest.weights.file).stat().st_size
    assert manifest.memory.kv_block_nbytes == 2 * 2 * 2 * 20 * 4 * 4
    # The largest bucket's logits alone, and the widest product of its tokens.
    assert manifest.memory.activations_nbytes >= 2 * 97 * 4
    assert manifest.memory.activations_nbytes < 1e6


def test_every_file_has_its_digest(artifact) -> None:
    verify(artifact)


def test_tied_weights_are_stored_once(artifact, tiny_model) -> None:
    parameters = {id(each): each.numel() for each in tiny_model("gemma2").module.parameters()}
    nbytes = 4 * sum(parameters.values())
    stored = read_manifest(artifact).weights.nbytes
    assert nbytes < stored < 1.2 * nbytes + 16384


def test_a_second_target_shares_the_weights(artifact, tiny_model, cache_root) -> None:
    options = CompileOptions(
        targets=("cpu:native", "cpu:x86-64-v2"),
        block_size=4,
        max_context=48,
        buckets=OPTIONS.buckets,
    )
    both = compile_model(tiny_model("gemma2").path, options, cache_root=cache_root)
    first, second = read_manifest(artifact), read_manifest(both)
    assert [program.target for program in second.programs] == ["cpu:native", "cpu:x86-64-v2"]
    assert second.weights == first.weights
    same = (artifact / first.weights.file).stat().st_ino, (both / second.weights.file).stat().st_ino
    assert same[0] == same[1], "the archive was written again"
