import json
from pathlib import Path

import pytest
import tokenizers
from transformers import PreTrainedTokenizerFast

from octavo.errors import ArtifactError
from octavo.runtime.tokenizer import Tokenizer, load_tokenizer

TEXTS = [
    "",
    "Once upon a time",
    " leading and trailing ",
    "Grüße aus Köln, 猫が好き, привет, مرحبا",
    "🐱👩‍👩‍👧‍👦 1234567890 \t\n\n  x",
    "<s>special</s> and <|im_end|> inside",
]
CHAT = [
    {"role": "system", "content": "Be brief."},
    {"role": "user", "content": "Why is the sky blue?"},
    {"role": "assistant", "content": "Rayleigh scattering."},
    {"role": "user", "content": "Danke 🐱"},
]


@pytest.fixture(params=["byte-level", "byte-level with bos", "SmolLM2"])
def directory(
    request: pytest.FixtureRequest, tmp_path: Path, byte_tokenizer: tokenizers.Tokenizer
) -> Path:
    if request.param == "SmolLM2":
        smollm2: Path = request.getfixturevalue("smollm2")
        return smollm2
    backend = tokenizers.Tokenizer.from_str(byte_tokenizer.to_str())
    if request.param == "byte-level with bos":
        backend.post_processor = tokenizers.processors.TemplateProcessing(
            single="<s> $A", special_tokens=[("<s>", 1)]
        )
    backend.save(str(tmp_path / "tokenizer.json"))
    config = {
        "bos_token": {"__type": "AddedToken", "content": "<s>", "lstrip": False, "special": True},
        "eos_token": "</s>",
        "chat_template": "{{ bos_token }}{% for m in messages %}{{ m.content }}{{ eos_token }}{% endfor %}",
    }
    (tmp_path / "tokenizer_config.json").write_text(json.dumps(config))
    return tmp_path


def test_tokens_are_those_of_transformers(directory: Path) -> None:
    ours, theirs = load_tokenizer(directory), PreTrainedTokenizerFast.from_pretrained(directory)
    for text in TEXTS:
        token_ids = ours.encode(text)
        assert token_ids == theirs(text).input_ids
        assert ours.decode(token_ids) == theirs.decode(token_ids, skip_special_tokens=True)


def test_chat_is_that_of_transformers(directory: Path) -> None:
    ours, theirs = load_tokenizer(directory), PreTrainedTokenizerFast.from_pretrained(directory)
    assert ours.has_chat_template
    for add_generation_prompt in (True, False):
        text = ours.render_chat(CHAT, add_generation_prompt=add_generation_prompt)
        expected = theirs.apply_chat_template(
            CHAT, add_generation_prompt=add_generation_prompt, return_dict=False
        )
        assert ours.encode_chat(text) == expected


def test_padding_and_truncation_in_the_file_are_ignored(
    byte_tokenizer: tokenizers.Tokenizer,
) -> None:
    backend = tokenizers.Tokenizer.from_str(byte_tokenizer.to_str())
    plain = Tokenizer(byte_tokenizer, {}, None).encode("the cat sat on the mat")
    backend.enable_truncation(3)
    backend.enable_padding(length=40)
    assert Tokenizer(backend, {}, None).encode("the cat sat on the mat") == plain


def test_token_text(tokenizer: Tokenizer) -> None:
    (the,) = tokenizer.encode("the")
    assert tokenizer.token_text(the) == "the"
    assert tokenizer.token_text(2) is None  # </s>, which is not text
    assert tokenizer.token_text(10**6) is None


def test_a_template_file_beside_the_config_counts(
    tmp_path: Path, byte_tokenizer: tokenizers.Tokenizer
) -> None:
    byte_tokenizer.save(str(tmp_path / "tokenizer.json"))
    (tmp_path / "tokenizer_config.json").write_text('{"chat_template": "old", "bos_token": "<s>"}')
    (tmp_path / "chat_template.jinja").write_text("{{ bos_token }}new")
    assert load_tokenizer(tmp_path).render_chat(CHAT) == "<s>new"


def test_of_several_templates_the_default_counts(
    tmp_path: Path, byte_tokenizer: tokenizers.Tokenizer
) -> None:
    byte_tokenizer.save(str(tmp_path / "tokenizer.json"))
    templates = [{"name": "tool_use", "template": "a"}, {"name": "default", "template": "b"}]
    (tmp_path / "tokenizer_config.json").write_text(json.dumps({"chat_template": templates}))
    assert load_tokenizer(tmp_path).render_chat(CHAT) == "b"


def test_a_model_without_a_template(tmp_path: Path, byte_tokenizer: tokenizers.Tokenizer) -> None:
    byte_tokenizer.save(str(tmp_path / "tokenizer.json"))
    tokenizer = load_tokenizer(tmp_path)
    assert not tokenizer.has_chat_template
    with pytest.raises(
        ValueError, match="the model has no chat template: pass the whole prompt as text"
    ):
        tokenizer.render_chat(CHAT)


def test_files_that_cannot_be_read(tmp_path: Path, byte_tokenizer: tokenizers.Tokenizer) -> None:
    with pytest.raises(ArtifactError, match=r"has no tokenizer\.json"):
        load_tokenizer(tmp_path)
    (tmp_path / "tokenizer.json").write_text("{")
    with pytest.raises(ArtifactError, match=r"tokenizer\.json is not a tokenizer"):
        load_tokenizer(tmp_path)
    byte_tokenizer.save(str(tmp_path / "tokenizer.json"))
    (tmp_path / "tokenizer_config.json").write_text("{")
    with pytest.raises(ArtifactError, match=r"tokenizer_config\.json is not valid JSON"):
        load_tokenizer(tmp_path)
    (tmp_path / "tokenizer_config.json").write_text("[]")
    with pytest.raises(ArtifactError, match="expected a JSON object, got list"):
        load_tokenizer(tmp_path)
