"""Naming a model, and the options that commands share."""

import argparse

import pytest

from octavo.cli.models import (
    add_compile_options,
    add_sampling_options,
    compile_options,
    sampling_params,
)
from octavo.compiler.options import CompileOptions
from octavo.config import Bucket
from octavo.runtime import SamplingParams


def parse(*arguments: str) -> argparse.Namespace:
    parser = argparse.ArgumentParser()
    add_compile_options(parser)
    add_sampling_options(parser, max_tokens=7)
    return parser.parse_args(arguments)


def test_defaults_are_the_options_own() -> None:
    assert compile_options(parse()) == CompileOptions()
    assert sampling_params(parse()) == SamplingParams(temperature=0.0, max_tokens=7)


def test_every_option_arrives() -> None:
    parsed = parse(
        *("--target", "vulkan", "--target", "cpu:x86-64-v3", "-O1", "--dtype", "bf16"),
        *("--max-context", "99", "--block-size", "8", "--buckets", "1x1,4x32"),
    )
    assert compile_options(parsed) == CompileOptions(
        targets=("vulkan", "cpu:x86-64-v3"),
        level="O1",
        dtype="bf16",
        max_context=99,
        block_size=8,
        buckets=(Bucket(1, 1), Bucket(4, 32)),
    )


def test_sampling_options_arrive() -> None:
    parsed = parse(
        *("-n", "3", "--temperature", "0.5", "--top-k", "4", "--top-p", "0.9", "--seed", "5"),
        *("--stop", "a", "--stop", "b", "--ignore-eos"),
    )
    assert sampling_params(parsed) == SamplingParams(
        temperature=0.5, top_k=4, top_p=0.9, seed=5, max_tokens=3, stop=("a", "b"), ignore_eos=True
    )


@pytest.mark.parametrize("text", ["", "1", "1x", "x1", "0x1", "1x-1", "1x1x1", "axb"])
def test_wrong_buckets_are_refused(text: str, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        parse("--buckets", text)
    assert "--buckets" in capsys.readouterr().err
