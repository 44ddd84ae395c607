"""The commands on a tiny model that has a tokenizer: compile, generate, chat, inspect, targets."""

import io
import json
from pathlib import Path

import pytest

from octavo.artifact import read_manifest
from octavo.cli.main import main
from octavo.runtime import LLM, SamplingParams

SMALL = ("--buckets", "3x1,1x8", "--block-size", "4", "--quiet")


@pytest.fixture(autouse=True)
def _own_cache(cache_root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OCTAVO_CACHE", str(cache_root))


def test_compile_writes_an_artifact(speaking_model: Path, tmp_path: Path, capsys) -> None:
    output = tmp_path / "out.octavo"
    assert main(["compile", str(speaking_model), "-o", str(output), *SMALL]) == 0
    assert read_manifest(output).model.vocab_size == 260
    printed = capsys.readouterr()
    assert str(output) in printed.out
    assert "cpu:native" in printed.out
    assert printed.err == ""


def test_compile_dumps_each_pass_and_prints_times(
    speaking_model: Path, tmp_path: Path, capsys
) -> None:
    dump = tmp_path / "dump"
    output = tmp_path / "out.octavo"
    arguments = ["compile", str(speaking_model), "-o", str(output), "--dump-to", str(dump), "--timing"]
    assert main([*arguments, *SMALL]) == 0
    dumped = sorted(path.name for path in (dump / "optimize").iterdir())
    assert dumped[:2] == ["00-input.mlir", "01-fold-identities.mlir"]
    assert any(name.endswith("-paginate-kv.mlir") for name in dumped)
    assert any(path.name.endswith("-check-lowered.mlir") for path in (dump / "lower").iterdir())
    assert "paginate-kv" in capsys.readouterr().err


def test_generate_streams_one_prompt(speaking_artifact: Path, capsys) -> None:
    assert main(["generate", str(speaking_artifact), "-p", "ab", "-n", "5", "--ignore-eos"]) == 0
    expected = LLM(speaking_artifact).generate(
        ["ab"], SamplingParams(temperature=0, max_tokens=5, ignore_eos=True)
    )[0]
    printed = capsys.readouterr().out
    assert printed.startswith("ab" + expected.text)
    assert "[2 + 5 tokens, TTFT " in printed


def test_generate_prints_prompts_in_order_as_json(speaking_artifact: Path, capsys) -> None:
    prompts = [argument for text in ("one", "two", "three") for argument in ("-p", text)]
    assert main(["generate", str(speaking_artifact), *prompts, "-n", "4", "--json", "--ignore-eos"]) == 0
    lines = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    assert [line["prompt"] for line in lines] == ["one", "two", "three"]
    assert all(len(line["token_ids"]) == 4 and line["finish_reason"] == "length" for line in lines)


def test_generate_compiles_a_model_first(speaking_model: Path, capsys) -> None:
    assert main(["generate", str(speaking_model), "-p", "a", "-n", "2", *SMALL]) == 0
    assert capsys.readouterr().out.startswith("a")


def test_generate_reads_standard_input(speaking_artifact: Path, monkeypatch, capsys) -> None:
    monkeypatch.setattr("sys.stdin", io.StringIO("from a pipe"))
    assert main(["generate", str(speaking_artifact), "-n", "2"]) == 0
    assert capsys.readouterr().out.startswith("from a pipe")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("-p", "a" * 70), "octavo: "),
        (("-p", "a", "--top-p", "2"), "octavo: top_p: expected a number above 0 and at most 1, got 2.0"),
        (("-p", "a", "-n", "0"), "octavo: max_tokens: expected"),
        (("-p", "a", "--target", "vulkan"), "octavo: no program for target 'vulkan'"),
        (("-p", "a", "--target", "cpu:native", "--target", "vulkan"), "octavo: generate runs on one"),
    ],
)
def test_generate_refuses_what_cannot_be(
    arguments: tuple[str, ...], message: str, speaking_artifact: Path, capsys
) -> None:
    assert main(["generate", str(speaking_artifact), *arguments]) == 1
    assert capsys.readouterr().err.startswith(message)


def test_chat_answers_each_line(speaking_artifact: Path, monkeypatch, capsys) -> None:
    monkeypatch.setattr("sys.stdin", io.StringIO("hi\n\nbye\n"))
    arguments = ["--system", "be brief", "-n", "3", "--ignore-eos"]
    assert main(["chat", str(speaking_artifact), *arguments]) == 0
    llm = LLM(speaking_artifact)
    params = SamplingParams(temperature=0, max_tokens=3, ignore_eos=True)
    messages = [{"role": "system", "content": "be brief"}]
    expected = ""
    for line in ("hi", "bye"):
        messages.append({"role": "user", "content": line})
        answer = llm.chat(messages, params).text
        messages.append({"role": "assistant", "content": answer})
        expected += answer + "\n"
    assert capsys.readouterr().out == expected


def test_inspect_says_what_is_there(speaking_artifact: Path, capsys) -> None:
    assert main(["inspect", str(speaking_artifact), "--verify"]) == 0
    printed = capsys.readouterr().out
    assert "llama, 260 tokens, context 64" in printed
    assert "cpu:native (local-task)" in printed
    assert "2 KV heads of 12" in printed
    assert "1x8, 3x1" in printed
    assert "every file has the digest" in printed


def test_inspect_prints_the_manifest(speaking_artifact: Path, capsys) -> None:
    assert main(["inspect", str(speaking_artifact), "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["format_version"] == 1


def test_inspect_finds_damage(speaking_artifact: Path, tmp_path: Path, capsys) -> None:
    copy = tmp_path / "copy.octavo"
    copy.mkdir()
    for path in speaking_artifact.iterdir():
        (copy / path.name).write_bytes(path.read_bytes())
    weights = copy / read_manifest(copy).weights.file
    data = bytearray(weights.read_bytes())
    data[-5000] ^= 1
    weights.write_bytes(data)
    assert main(["inspect", str(copy), "--verify"]) == 1
    assert weights.name in capsys.readouterr().err


def test_targets_lists_them(capsys) -> None:
    assert main(["targets"]) == 0
    printed = capsys.readouterr().out
    for name in ("cpu:native", "vulkan", "cuda:sm_89"):
        assert name in printed
