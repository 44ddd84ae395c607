"""A model without a tokenizer takes token ids; whatever needs text says so, and what to do."""

from collections.abc import Callable
from pathlib import Path

import pytest

from octavo.errors import ArtifactError
from octavo.runtime.llm import LLM
from octavo.runtime.no_tokenizer import NoTokenizer
from octavo.runtime.request import SamplingParams

GREEDY = SamplingParams(temperature=0, max_tokens=3, ignore_eos=True)
ADVICE = r"needs a tokenizer, and .* has no tokenizer\.json: .* Pass prompts as lists of token ids .* add tok"


@pytest.fixture
def llm(make_artifact: Callable[..., Path]) -> LLM:
    directory = make_artifact("local-task")
    (directory / "tokenizer.json").unlink()
    return LLM(directory)


def test_token_ids_are_continued(llm: LLM) -> None:
    [output] = llm.generate([[5, 6, 7]], GREEDY)
    # The program gives the sum of the context modulo 64.
    assert (output.token_ids, output.text, output.prompt) == ([18, 36, 8], "", None)


def test_text_is_refused(llm: LLM) -> None:
    with pytest.raises(ArtifactError, match=f"a prompt of text {ADVICE}"):
        llm.generate("the cat", GREEDY)
    with pytest.raises(ArtifactError, match=f"a chat {ADVICE}"):
        llm.chat([{"role": "user", "content": "hi"}], GREEDY)
    with pytest.raises(ArtifactError, match=f"the stop string 'x' {ADVICE}"):
        llm.generate([[5]], SamplingParams(stop="x"))
    assert llm.generate([[5]], GREEDY)


def test_it_decodes_to_nothing(tmp_path: Path) -> None:
    tokenizer = NoTokenizer(tmp_path)
    assert tokenizer.decode([1, 2]) == ""
    assert tokenizer.token_text(1) is None
    assert not tokenizer.has_chat_template
    with pytest.raises(ArtifactError, match="a chat needs a tokenizer"):
        tokenizer.encode_chat("hi")
