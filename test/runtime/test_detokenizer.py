from collections.abc import Iterator, Sequence
from pathlib import Path

import numpy as np
import pytest
import tokenizers
from hypothesis import given, settings, strategies
from tokenizers import decoders

from octavo.runtime.detokenizer import Detokenizer
from octavo.runtime.tokenizer import Tokenizer, load_tokenizer

# A cat of 4 bytes, a family of 25, and scripts of 2 and 3 bytes a letter.
TEXT = "The cat 🐱, the family 👩‍👩‍👧‍👦: Kätzchen, котёнок, 子猫, लड़का\n\n  done. "


def pieces(
    tokenizer: Tokenizer, token_ids: Sequence[int], context: Sequence[int] = ()
) -> Iterator[str]:
    detokenizer = Detokenizer(tokenizer, context)
    for token_id in token_ids:
        yield detokenizer.push(token_id)
    yield detokenizer.finish()


LLAMA = [
    decoders.Replace("▁", " "),
    decoders.ByteFallback(),
    decoders.Fuse(),
    decoders.Strip(" ", 1, 0),
]
GEMMA = LLAMA[:3]
METASPACE = [decoders.ByteFallback(), decoders.Metaspace()]


def make_byte_fallback(decoder: Sequence[object]) -> Tokenizer:
    """A tokenizer of the SentencePiece kind: words begin with a mark, and what is no word is bytes."""
    words = ["▁the", "▁cat", "▁", "s", "▁«", "»", "子"]
    vocab = ["<unk>", "<s>", "</s>", *(f"<0x{byte:02X}>" for byte in range(256)), *words]
    model = tokenizers.models.BPE(
        {token: idx for idx, token in enumerate(vocab)}, [], unk_token="<unk>", byte_fallback=True
    )
    backend = tokenizers.Tokenizer(model)
    backend.add_special_tokens(["<s>", "</s>"])
    backend.decoder = decoders.Sequence(list(decoder))
    return Tokenizer(backend, {}, None)


@pytest.fixture
def byte_fallback() -> Tokenizer:
    return make_byte_fallback(LLAMA)


def ids_of(tokenizer: Tokenizer, *tokens: str) -> list[int]:
    ids = [tokenizer._backend.token_to_id(token) for token in tokens]
    assert None not in ids
    return ids


@pytest.fixture(scope="session")
def smollm2_tokenizer(smollm2: Path) -> Tokenizer:
    return load_tokenizer(smollm2)


def random_ids(rng: np.random.Generator, tokenizer: Tokenizer, num_special: int) -> list[int]:
    """Tokens of any kind; many bytes and special tokens, which are rare among all."""
    size = tokenizer._backend.get_vocab_size()
    length = int(rng.integers(1, 150))
    common = rng.integers(0, num_special + 256, length)
    return np.where(rng.random(length) < 0.6, common, rng.integers(0, size, length)).tolist()


def test_pieces_add_up_for_random_tokens_of_smollm2(
    smollm2_tokenizer: Tokenizer, rng: np.random.Generator
) -> None:
    for _ in range(300):
        ids = random_ids(rng, smollm2_tokenizer, num_special=17)
        assert "".join(pieces(smollm2_tokenizer, ids)) == smollm2_tokenizer.decode(ids)


@pytest.mark.parametrize("decoder", [LLAMA, GEMMA, METASPACE], ids=["llama", "gemma", "metaspace"])
def test_pieces_add_up_for_random_tokens_with_byte_fallback(
    decoder: Sequence[object], rng: np.random.Generator
) -> None:
    tokenizer = make_byte_fallback(decoder)
    for _ in range(300):
        ids = random_ids(rng, tokenizer, num_special=3)
        assert "".join(pieces(tokenizer, ids)) == tokenizer.decode(ids)


@given(text=strategies.text(max_size=60))
@settings(max_examples=200, deadline=None)
def test_text_comes_back_and_no_piece_shows_half_a_character(
    byte_tokenizer: tokenizers.Tokenizer, text: str
) -> None:
    tokenizer = Tokenizer(byte_tokenizer, {}, None)
    shown = list(pieces(tokenizer, tokenizer.encode(text)))
    assert "".join(shown) == text
    assert text.count("\N{REPLACEMENT CHARACTER}") == "".join(shown).count(
        "\N{REPLACEMENT CHARACTER}"
    )


def test_a_character_appears_when_its_last_byte_does(tokenizer: Tokenizer) -> None:
    ids = tokenizer.encode("a🐱b")
    assert len(ids) == 6  # the cat is no merge, so it takes 4 tokens
    assert list(pieces(tokenizer, ids)) == ["a", "", "", "", "🐱", "b", ""]


def test_bytes_that_are_no_text_are_shown_once_that_is_sure(tokenizer: Tokenizer) -> None:
    cat, b = tokenizer.encode("🐱"), tokenizer.encode("b")
    # Two of four bytes, then a letter: the half character is lost for good.
    assert list(pieces(tokenizer, [*cat[:2], *b])) == ["", "", "�b", ""]
    # The text ends within a character.
    assert list(pieces(tokenizer, [*b, *cat[:3]])) == ["b", "", "", "", "�"]


def test_windows_are_let_go(tokenizer: Tokenizer) -> None:
    ids = tokenizer.encode(TEXT * 20)
    longest = 0

    class Counting:
        token_text = tokenizer.token_text

        @staticmethod
        def decode(token_ids: Sequence[int]) -> str:
            nonlocal longest
            longest = max(longest, len(token_ids))
            return tokenizer.decode(token_ids)

    assert "".join(pieces(Counting(), ids)) == TEXT * 20
    assert len(ids) > 1000
    assert longest < 50


def test_special_tokens_are_not_text(tokenizer: Tokenizer) -> None:
    ids = [1, *tokenizer.encode("cat"), 2]
    assert "".join(pieces(tokenizer, ids)) == "cat"


def test_the_first_word_has_no_space_the_next_ones_do(byte_fallback: Tokenizer) -> None:
    the, cat = ids_of(byte_fallback, "▁the", "▁cat")
    assert list(pieces(byte_fallback, [the, cat])) == ["the", " cat", ""]


def test_after_a_prompt_the_first_word_has_its_space(byte_fallback: Tokenizer) -> None:
    the, cat = ids_of(byte_fallback, "▁the", "▁cat")
    assert list(pieces(byte_fallback, [cat], context=[the])) == [" cat", ""]
    assert list(pieces(byte_fallback, [cat], context=[the] * 100)) == [" cat", ""]
    assert list(pieces(byte_fallback, [cat], context=[1, 2])) == ["cat", ""]


def test_byte_tokens_are_judged_as_a_run(byte_fallback: Tokenizer) -> None:
    euro = ids_of(byte_fallback, "<0xE2>", "<0x82>", "<0xAC>")
    (s,) = ids_of(byte_fallback, "s")
    assert list(pieces(byte_fallback, [*euro, s])) == ["", "", "", "€s", ""]
    # The decoder makes a mark of each byte of a run that is no UTF-8, the first three included.
    assert list(pieces(byte_fallback, [*euro, euro[0], s])) == ["", "", "", "", "����s", ""]
    assert list(pieces(byte_fallback, [s, *euro])) == ["s", "", "", "", "€"]


def test_a_prompt_that_ends_in_bytes_is_no_context(byte_fallback: Tokenizer) -> None:
    euro = ids_of(byte_fallback, "<0xE2>", "<0x82>", "<0xAC>")
    assert list(pieces(byte_fallback, [euro[2]], context=euro[:2])) == ["", "�"]


def test_a_prompt_that_ends_within_a_character_is_completed(tokenizer: Tokenizer) -> None:
    cat = tokenizer.encode("🐱")
    assert list(pieces(tokenizer, cat[2:], context=cat[:2])) == ["", "🐱", ""]
