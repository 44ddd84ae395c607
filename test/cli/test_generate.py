"""`octavo generate` on a tiny model that has a tokenizer."""

import io
import json
import subprocess
import sys
from pathlib import Path

import pytest

from octavo.cli.main import main
from octavo.runtime import LLM, SamplingParams

SMALL = ("--buckets", "3x1,1x8", "--block-size", "4", "--quiet")


def test_generate_streams_one_prompt(speaking_artifact: Path, capsys) -> None:
    assert main(["generate", str(speaking_artifact), "-p", "ab", "-n", "5", "--ignore-eos"]) == 0
    expected = LLM(speaking_artifact).generate(
        ["ab"], SamplingParams(temperature=0, max_tokens=5, ignore_eos=True)
    )[0]
    printed = capsys.readouterr()
    assert printed.out == "ab" + expected.text + "\n"
    assert printed.err.startswith("[2 + 5 tokens, TTFT ")


def test_generate_prints_prompts_in_order_as_json(speaking_artifact: Path, capsys) -> None:
    prompts = [argument for text in ("one", "two", "three") for argument in ("-p", text)]
    assert (
        main(["generate", str(speaking_artifact), *prompts, "-n", "4", "--json", "--ignore-eos"])
        == 0
    )
    lines = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    assert [line["prompt"] for line in lines] == ["one", "two", "three"]
    assert all(len(line["token_ids"]) == 4 and line["finish_reason"] == "length" for line in lines)


def test_generate_compiles_a_model_first(speaking_model: Path, capsys) -> None:
    assert main(["generate", str(speaking_model), "-p", "a", "-n", "2", *SMALL]) == 0
    assert capsys.readouterr().out.startswith("a")


def test_generate_reads_standard_input(speaking_artifact: Path, monkeypatch, capsys) -> None:
    monkeypatch.setattr("sys.stdin", io.StringIO("from a pipe\n"))
    assert main(["generate", str(speaking_artifact), "-n", "2"]) == 0
    assert capsys.readouterr().out.startswith("from a pipe")


def test_a_prompt_that_is_refused_is_not_shown(speaking_artifact: Path, capsys) -> None:
    assert main(["generate", str(speaking_artifact), "-p", "a" * 70]) == 1
    printed = capsys.readouterr()
    assert printed.out == ""
    assert "a prompt of 70 tokens and 64 to generate do not fit the context" in printed.err


def test_a_closed_standard_input_is_no_prompt(speaking_artifact: Path, monkeypatch, capsys) -> None:
    monkeypatch.setattr("sys.stdin", None)
    assert main(["generate", str(speaking_artifact)]) == 1
    assert "no prompt: expected one with -p, or on standard input" in capsys.readouterr().err


@pytest.mark.parametrize("options", [(), ("--json",), ("-p", "b", "-p", "c")])
def test_a_reader_that_leaves_sees_no_traceback(
    options: tuple[str, ...], speaking_artifact: Path
) -> None:
    command = [sys.executable, "-m", "octavo.cli.main", "generate", str(speaking_artifact)]
    command += ["-p", "a", "-n", "20", "--ignore-eos", *options]
    pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "text": True}
    with subprocess.Popen(command, **pipes) as process:
        process.stdout.close()
        errors = process.stderr.read()
    assert "Traceback" not in errors
    assert "BrokenPipe" not in errors


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("-p", "a" * 70), "octavo: "),
        (
            ("-p", "a", "--top-p", "2"),
            "octavo: top_p: expected a number above 0 and at most 1, got 2.0",
        ),
        (("-p", "a", "-n", "0"), "octavo: max_tokens: expected"),
        (("-p", "a", "--dtype", "bf16"), "octavo: "),
        (("-p", "a\udcff"), "octavo: the prompt is not UTF-8"),
        (("-p", "a", "--target", "vulkan"), "octavo: no program for target 'vulkan'"),
        (
            ("-p", "a", "--target", "cpu:native", "--target", "vulkan"),
            "octavo: generate runs on one",
        ),
    ],
)
def test_generate_refuses_what_cannot_be(
    arguments: tuple[str, ...], message: str, speaking_artifact: Path, capsys
) -> None:
    assert main(["generate", str(speaking_artifact), *arguments]) == 1
    assert capsys.readouterr().err.startswith(message)
