from dataclasses import dataclass

import pytest

from octavo.errors import PassError
from octavo.passes.pipeline import (
    PassCall,
    call,
    mlir_call,
    parse_pipeline,
    pipeline_text,
    split_pipeline,
    unknown_pass,
)
from octavo.passes.registry import register_pass


class Even(int):
    """A type of option with rules and a text of its own."""

    def __new__(cls, value: str | int) -> "Even":
        number = super().__new__(cls, value)
        if number % 2:
            raise ValueError(f"expected an even number, got {value}")
        return number


TWO = Even(2)


@dataclass(frozen=True)
class Needed:
    size: int
    name: str = "x"


@dataclass(frozen=True)
class Options:
    block_size: int = 16
    ratio: float = 0.5
    name: str = "x"
    eager: bool = False
    limit: int | None = None
    width: Even = TWO


@pytest.fixture(autouse=True)
def passes(own_passes) -> None:
    @register_pass("plain")
    def plain(module: object) -> int:
        """Plain."""
        return 0

    @register_pass("resize", options=Needed)
    def resize(module: object, options: Needed) -> int:
        """Resize."""
        return 0

    @register_pass("paginate-kv", options=Options)
    def paginate(module: object, options: Options) -> int:
        """Paginate."""
        return 0


@pytest.mark.parametrize(
    ("text", "elements"),
    [
        ("", []),
        ("a", ["a"]),
        (" a , b,, ", ["a", "b"]),
        ("a{x=1 y=2},b", ["a{x=1 y=2}", "b"]),
        (
            "func.func(cse,canonicalize{max-iterations=3}),b",
            ["func.func(cse,canonicalize{max-iterations=3})", "b"],
        ),
        ("a{f=<b,c>},d", ["a{f=<b,c>}", "d"]),
    ],
)
def test_split_at_the_outer_commas(text, elements) -> None:
    assert split_pipeline(text) == elements


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("a{x=1", r"^unbalanced brackets in the pipeline 'a\{x=1': 1 not closed$"),
        ("f(g(a)", r"^unbalanced brackets in the pipeline 'f\(g\(a\)': 1 not closed$"),
        ("a},b", r"^unbalanced '\}' at column 2 of the pipeline 'a\},b'$"),
    ],
)
def test_unbalanced_brackets(text, message) -> None:
    with pytest.raises(PassError, match=message):
        split_pipeline(text)


def test_names_that_nobody_registered_are_mlirs() -> None:
    assert parse_pipeline("plain,canonicalize{max-iterations=3},func.func(cse)") == [
        call("plain"),
        PassCall("canonicalize", mlir="canonicalize{max-iterations=3}"),
        PassCall("func.func", mlir="func.func(cse)"),
    ]


@pytest.mark.parametrize(
    ("text", "options"),
    [
        ("", Options()),
        ("{}", Options()),
        ("{block-size=32}", Options(block_size=32)),
        ("{block_size=32}", Options(block_size=32)),
        ("{ratio=0.25 name=y}", Options(ratio=0.25, name="y")),
        ("{eager}", Options(eager=True)),
        ("{eager=true}", Options(eager=True)),
        ("{eager=false}", Options(eager=False)),
        ("{limit=3}", Options(limit=3)),
        ("{width=6}", Options(width=Even(6))),
    ],
)
def test_options_are_read_by_their_types(text, options) -> None:
    assert parse_pipeline(f"paginate-kv{text}") == [PassCall("paginate-kv", options)]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (
            "paginate-kv{block-size=1 block_size=2}",
            r"^option block-size of pass 'paginate-kv': expected one value, got '1' and '2'$",
        ),
        (
            "paginate-kv{blocksize=1}",
            r"^pass 'paginate-kv' has no option 'blocksize': its options are block-size, ratio, name, eager, "
            r"limit, width$",
        ),
        ("plain{x=1}", "^pass 'plain' has no option 'x': its options are none$"),
        (
            "paginate-kv{block-size=big}",
            "^option block-size of pass 'paginate-kv': expected int, got 'big'$",
        ),
        ("paginate-kv{limit=x}", "^option limit of pass 'paginate-kv': expected int, got 'x'$"),
        ("paginate-kv{ratio=}", "^option ratio of pass 'paginate-kv': expected float, got ''$"),
        (
            "paginate-kv{eager=1}",
            "^option eager of pass 'paginate-kv': expected true or false, got '1'$",
        ),
        (
            "paginate-kv{width=3}",
            "^option width of pass 'paginate-kv': expected an even number, got 3$",
        ),
        ("resize", r"^pass 'resize' needs option 'size': write resize\{size=\.\.\.\}$"),
        ("plain(cse)", r"^cannot read 'plain\(cse\)': pass 'plain' holds no other passes$"),
        ("plain x", r"^cannot read 'plain x': expected a pass name, or name\{option=value\}$"),
    ],
)
def test_malformed_elements(text, message) -> None:
    with pytest.raises(PassError, match=message):
        parse_pipeline(text)


def test_call_takes_options_by_name() -> None:
    assert call("paginate-kv", block_size=8) == PassCall("paginate-kv", Options(block_size=8))


def test_call_takes_an_option_called_name() -> None:
    assert call("resize", size=1, name="y") == PassCall("resize", Needed(1, "y"))


def test_call_refuses_to_leave_out_an_option_without_default() -> None:
    with pytest.raises(PassError, match=r"^pass 'resize' needs option 'size': write resize\{size="):
        call("resize")


def test_call_refuses_unknown_options() -> None:
    with pytest.raises(
        PassError, match=r"^pass 'paginate-kv' has no option 'size': its options are"
    ):
        call("paginate-kv", size=8)


def test_call_refuses_unknown_names_and_suggests() -> None:
    with pytest.raises(
        PassError, match=r"^no pass named 'paginate-k': did you mean paginate-kv\?$"
    ):
        call("paginate-k")


def test_the_message_of_a_name_like_no_other() -> None:
    expected = "no pass named 'zzz': 'octavo-opt --list-passes' lists them."
    assert unknown_pass("zzz") == expected


def test_mlir_calls_are_named_by_their_first_word() -> None:
    assert [mlir_call(text).name for text in ("cse", "func.func(cse)", "inline{x=1}")] == [
        "cse",
        "func.func",
        "inline",
    ]


@pytest.mark.parametrize(
    "text",
    [
        "",
        "plain",
        "plain,canonicalize,func.func(cse,canonicalize)",
        "paginate-kv{block-size=32 ratio=0.25 name=y eager=true limit=3 width=6}",
        "plain,paginate-kv{eager=true},cse",
    ],
)
def test_text_and_calls_convert_both_ways(text) -> None:
    assert pipeline_text(parse_pipeline(text)) == text


def test_options_at_their_defaults_are_not_written() -> None:
    assert pipeline_text([call("paginate-kv", block_size=16, limit=None)]) == "paginate-kv"
