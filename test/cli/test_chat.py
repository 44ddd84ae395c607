"""`octavo chat` on a tiny model that has a chat template."""

import io
from pathlib import Path

from octavo.cli.main import main
from octavo.runtime import LLM, SamplingParams


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
