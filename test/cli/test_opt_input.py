import pytest

from octavo.cli.opt_input import Part, parse, read_parts
from octavo.dialects import create_context
from octavo.errors import OctavoError

NORM = '"llm.rms_norm"(%x, %w) {eps = 1.0e-5 : f64, weight_offset = 0.0 : f64}'
HEAD = '%x, %w = "test.values"() : () -> (tensor<2x8xf32>, tensor<8xf32>)\n'
TAIL = " : (tensor<2x8xf32>, tensor<8xf32>) -> tensor<2x8xf32>\n"


def message_of(text: str) -> str:
    with create_context(), pytest.raises(OctavoError) as caught:
        parse(Part("f.mlir", text, is_file=False))
    return str(caught.value)


def test_a_file_is_one_part_unless_split(tmp_path) -> None:
    path = tmp_path / "f.mlir"
    path.write_text("a\n// -----\nb\n")
    assert read_parts(str(path), split=False) == [Part(str(path), "a\n// -----\nb\n", is_file=True)]


def test_parts_stand_on_the_lines_they_have_in_the_file(tmp_path) -> None:
    path = tmp_path / "f.mlir"
    path.write_text("a\n// -----\nb\nc\n\n// -----\n// ----- and words\nd")
    texts = [part.text for part in read_parts(str(path), split=True)]
    assert texts == ["a", "\n\nb\nc\n", "\n" * 6, "\n" * 7 + "d"]


@pytest.mark.parametrize("split", [True, False])
def test_a_missing_file(tmp_path, split) -> None:
    with pytest.raises(
        OctavoError, match=r"none\.mlir: cannot read it: No such file or directory$"
    ):
        read_parts(str(tmp_path / "none.mlir"), split)


def test_a_folder_is_not_a_file(tmp_path) -> None:
    with pytest.raises(OctavoError, match=r"cannot read it: Is a directory$"):
        read_parts(str(tmp_path), split=False)


def test_bytes_are_not_text(tmp_path) -> None:
    path = tmp_path / "f.mlir"
    path.write_bytes(b"\xff\xfe\x00")
    with pytest.raises(
        OctavoError, match=r"f\.mlir: expected MLIR as text, got bytes that are not UTF-8$"
    ):
        read_parts(str(path), split=False)


def test_good_text_becomes_a_module() -> None:
    with create_context():
        module = parse(Part("f.mlir", f"{HEAD}%y = {NORM}{TAIL}", is_file=False))
    assert len(module.body.operations) == 2


def test_operations_from_a_file_have_its_name_as_location(tmp_path) -> None:
    path = tmp_path / "f.mlir"
    path.write_text(HEAD)
    with create_context():
        [part] = read_parts(str(path), split=False)
        assert str(parse(part).body.operations[0].location) == f'loc("{path}":1:10)'


@pytest.mark.parametrize("is_file", [True, False])
def test_an_error_has_file_line_and_column(tmp_path, is_file) -> None:
    path = tmp_path / "f.mlir"
    path.write_text(f"{HEAD}%y = {NORM.replace('%w', '%x')}{TAIL.replace('<8x', '<2x8x')}")
    with create_context(), pytest.raises(OctavoError) as caught:
        parse(Part(str(path), path.read_text(), is_file))
    expected = f"{path}:2:6: error: 'llm.rms_norm' op expected weight of shape [8], got [2, 8]"
    assert str(caught.value) == expected


def test_an_error_has_its_notes() -> None:
    error, note = message_of(f'{HEAD}%y = "llm.norm"(%x, %w){TAIL}').splitlines()
    assert error.startswith("f.mlir:2:6: error: unregistered operation 'llm.norm' found in dialect")
    assert note.startswith('f.mlir:2:6: note: see current operation: %1 = "llm.norm"')


def test_a_location_that_the_text_gives_is_kept() -> None:
    bad = f"{HEAD}%y = {NORM.replace('%w', '%x')}{TAIL.strip().replace('<8x', '<2x8x')}"
    assert message_of(f'{bad} loc("model.py":7:3)').startswith(
        "model.py:7:3: error: 'llm.rms_norm'"
    )
    assert message_of(f"{bad} loc(unknown)").startswith(
        "f.mlir: loc(unknown): error: 'llm.rms_norm'"
    )


@pytest.mark.parametrize(
    ("line", "place", "op"),
    [
        ("%y = llm.rms_norm %x, %w : tensor<2x8xf32>", "2:6", "llm.rms_norm"),
        ("  %y:2 = llm.add_rms_norm(%x, %x, %w)", "2:10", "llm.add_rms_norm"),
        ("llm.kv_write %x", "2:1", "llm.kv_write"),
    ],
)
def test_custom_form_is_explained(line, place, op) -> None:
    message = message_of(f"{HEAD}{line}\n")
    assert message.startswith(
        f"f.mlir:{place}: error: '{op}' is in custom form, and llm operations have the"
    )
    assert 'such as\n  %y = "llm.rms_norm"(%x, %w) {' in message


def test_the_example_in_that_message_is_right() -> None:
    example = message_of(f"{HEAD}%y = llm.rms_norm %x\n").splitlines()[-1]
    with create_context():
        parse(Part("f.mlir", f"{HEAD}{example}\n", is_file=False))


def test_generic_form_and_attributes_are_not_taken_for_custom_form() -> None:
    text = f"""module attributes {{
  llm.block_size = 16 : i64}} {{
  // %y = llm.rms_norm %x, %w
  {HEAD}  %y = {NORM}{TAIL}  %z = llm.scale %y
}}
"""
    assert message_of(text).startswith("f.mlir:6:8: error: 'llm.scale' is in custom form")


def test_messages_name_the_file_where_mlir_could_not() -> None:
    message = 'pass failed at loc("-":3:8)'
    assert Part("f.mlir", "", is_file=False).shown(message) == 'pass failed at loc("f.mlir":3:8)'
    assert Part("f.mlir", "", is_file=True).shown(message) == message
