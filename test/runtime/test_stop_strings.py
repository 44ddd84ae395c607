import itertools

import numpy as np
import pytest

from octavo.runtime.stop_strings import StopStrings


def pushed(stops: list[str], *pieces: str) -> list[str]:
    """What each piece lets through, and the rest at the end unless a stop string was found."""
    filter_ = StopStrings(stops)
    shown = [filter_.push(piece) for piece in pieces]
    return shown if filter_.found else [*shown, filter_.finish()]


def test_without_stop_strings_text_passes() -> None:
    assert pushed([], "ab", "", "c") == ["ab", "", "c", ""]


def test_a_stop_string_across_pieces() -> None:
    assert pushed(["END"], "the E", "ND of it", " all") == ["the ", "", ""]


def test_a_beginning_that_came_to_nothing_is_released() -> None:
    assert pushed(["END"], "the E", "N", "C", "E") == ["the ", "", "ENC", "", "E"]


def test_only_as_much_is_held_as_may_become_a_stop_string() -> None:
    # "aab" may begin in the last two letters of "aaaa", not earlier.
    assert pushed(["aab"], "aaaa", "x") == ["aa", "aax", ""]


def test_the_stop_string_alone() -> None:
    assert pushed(["\n\n"], "\n", "\n") == ["", ""]


@pytest.mark.parametrize(
    ("stops", "kept"),
    [
        (["cd", "b"], "a"),  # "b" comes first
        (["bcd", "c"], "ab"),  # "c" is complete before "bcd" is
        (["c", "bc"], "a"),  # complete at the same place: the longer
    ],
)
def test_several_stop_strings(stops: list[str], kept: str) -> None:
    assert "".join(pushed(stops, "abcd")) == kept
    assert "".join(pushed(stops, *"abcd")) == kept


def test_the_cut_into_pieces_is_of_no_account(rng: np.random.Generator) -> None:
    for _ in range(300):
        text = "".join(rng.choice(list("ab"), 30))
        stops = [
            "".join(rng.choice(list("ab"), rng.integers(1, 7))) for _ in range(rng.integers(1, 4))
        ]
        cuts = sorted({0, 30, *rng.integers(0, 30, 8).tolist()})
        pieces = [text[a:b] for a, b in itertools.pairwise(cuts)]
        whole = "".join(pushed(stops, text))
        assert "".join(pushed(stops, *pieces)) == whole
        ends = [text.find(stop) + len(stop) for stop in stops if stop in text]
        assert len(whole) <= min(ends, default=30)
        assert text.startswith(whole)
