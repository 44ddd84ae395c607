import shlex
from dataclasses import dataclass
from pathlib import Path

import pytest

from octavo.cli import opt
from octavo.errors import PassError
from octavo.mlir import ir
from octavo.passes import load_all
from octavo.passes.pipeline import parse_pipeline
from octavo.passes.registry import register_pass
from octavo.passes.runner import PassResult, print_result, run_pipeline

TEXT = """
func.func @f(%x: tensor<2x8xf32>) -> tensor<2x8xf32> {
  %unused = arith.constant 1 : i32
  %y = "llm.scale"(%x) {factor = 2.0 : f64} : (tensor<2x8xf32>) -> tensor<2x8xf32>
  return %y : tensor<2x8xf32>
}
"""


@dataclass(frozen=True)
class Options:
    by: int = 1


@pytest.fixture(autouse=True)
def passes(own_passes) -> None:
    @register_pass("count-ops", options=Options)
    def count(module: ir.Operation, options: Options) -> int:
        """Count."""
        return options.by * len(list(module.regions[0].blocks[0].operations))

    @register_pass("crash-here")
    def crash(module: ir.Operation) -> int:
        """Crash."""
        raise KeyError("boom")

    @register_pass("refuse", options=Options)
    def refuse(module: ir.Operation, options: Options) -> int:
        """Refuse."""
        raise PassError("expected less, got more")

    @register_pass("break-ir")
    def break_ir(module: ir.Operation) -> int:
        """Break a rule of an operation."""
        function = module.regions[0].blocks[0].operations[0]
        for op in function.regions[0].blocks[0].operations:
            if op.name == "llm.scale":
                op.operands[0] = op.results[0]  # used before it is defined
        return 1


@pytest.fixture
def module(context) -> ir.Module:
    return ir.Module.parse(TEXT)


def test_passes_run_in_order_and_are_counted(module) -> None:
    seen: list[PassResult] = []
    results = run_pipeline(
        module, parse_pipeline("count-ops{by=3},canonicalize,count-ops"), on_result=seen.append
    )
    assert [(each.name, each.num_changes) for each in results] == [
        ("count-ops", 3),
        ("canonicalize", None),
        ("count-ops", 1),
    ]
    assert all(each.seconds > 0 for each in results)
    assert seen == results
    assert "arith.constant" not in str(module)


def test_no_pass_changes_nothing(module) -> None:
    before = str(module)
    assert run_pipeline(module, []) == []
    assert str(module) == before


def test_nested_mlir_pipelines_run(module) -> None:
    run_pipeline(module, parse_pipeline("func.func(canonicalize)"))
    assert "arith.constant" not in str(module)


def test_dumps_are_numbered_and_can_be_read_back(module, tmp_path) -> None:
    folder = tmp_path / "new" / "dumps"
    run_pipeline(module, parse_pipeline("count-ops,canonicalize"), dump_dir=folder)
    files = sorted(path.name for path in folder.iterdir())
    assert files == ["00-input.mlir", "01-count-ops.mlir", "02-canonicalize.mlir"]
    texts = [(folder / name).read_text() for name in files]
    assert "arith.constant" in texts[1]
    assert texts[2] == str(ir.Module.parse(texts[2])) == str(module)


def test_dumps_before_a_failure_are_kept(module, tmp_path) -> None:
    with pytest.raises(PassError):
        run_pipeline(module, parse_pipeline("count-ops,refuse,count-ops"), dump_dir=tmp_path)
    assert sorted(path.name for path in tmp_path.iterdir()) == [
        "00-input.mlir",
        "01-count-ops.mlir",
    ]


@pytest.mark.parametrize(
    ("pipeline", "message"),
    [
        ("refuse", "^pass 'refuse' failed: expected less, got more$"),
        ("crash-here", "^pass 'crash-here' failed: KeyError: 'boom'$"),
        ("canonicalise", "^pass 'canonicalise' failed: no pass named 'canonicalise': "),
        ("refuze", "^pass 'refuze' failed: no pass named 'refuze': did you mean refuse"),
        ("cse{x=1}", "^pass 'cse' failed: (?s:.*)x"),
        ("func.func(nothing)", "^pass 'func.func' failed: (?s:.*)nothing"),
        ("break-ir", "^pass 'break-ir' failed: (?s:.*)operand #0 does not dominate this use"),
    ],
)
def test_a_failure_names_the_pass_and_the_reason(module, pipeline, message) -> None:
    with pytest.raises(PassError, match=message):
        run_pipeline(module, parse_pipeline(pipeline))


def test_a_failure_keeps_its_cause(module) -> None:
    with pytest.raises(PassError) as caught:
        run_pipeline(module, parse_pipeline("crash-here"))
    assert isinstance(caught.value.__cause__, KeyError)


def test_the_reproducer_runs_again(module, tmp_path, capsys) -> None:
    path = tmp_path / "new folder" / "before.mlir"
    calls = parse_pipeline("canonicalize,refuse{by=2},count-ops")
    with pytest.raises(PassError) as caught:
        run_pipeline(module, calls, reproducer=path)
    first, second = str(caught.value).splitlines()
    assert first == "pass 'refuse' failed: expected less, got more"
    assert second.startswith(f"The IR before it is in {path}. To run it again: octavo-opt --load ")
    assert "arith.constant" not in path.read_text(), "written before the pass that ran well"

    command = shlex.split(second.partition("To run it again: ")[2])
    # This file defines the pass, as a plugin would.
    assert command == ["octavo-opt", "--load", __file__, "--passes", "refuse{by=2}", str(path)]
    assert opt.main(command[1:]) == 1
    assert "pass 'refuse' failed: expected less, got more" in capsys.readouterr().err


def test_the_command_of_octavos_own_passes_loads_nothing(module, tmp_path, monkeypatch) -> None:
    monkeypatch.undo()  # back to the table of Octavo's passes
    load_all()
    with pytest.raises(PassError) as caught:
        run_pipeline(module, parse_pipeline("check-lowered"), reproducer=tmp_path / "before.mlir")
    assert f"octavo-opt --passes check-lowered {tmp_path}" in str(caught.value)


def test_the_reproducer_keeps_locations(context, tmp_path) -> None:
    source = tmp_path / "source.mlir"
    source.write_text(TEXT)
    path = tmp_path / "before.mlir"
    with pytest.raises(PassError):
        run_pipeline(ir.Module.parseFile(str(source)), parse_pipeline("refuse"), reproducer=path)
    again = ir.Module.parseFile(str(path))
    function = again.body.operations[0]
    assert str(function.location) == f'loc("{source}":2:1)'


def test_a_reproducer_that_cannot_be_written_does_not_hide_the_failure(module, tmp_path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(
        PassError, match=r"(?s)pass 'refuse' failed: .*The IR before it could not be written"
    ):
        run_pipeline(module, parse_pipeline("refuse"), reproducer=tmp_path / "file" / "before.mlir")


def test_no_reproducer_is_written_where_nothing_fails(module, tmp_path) -> None:
    path = tmp_path / "before.mlir"
    run_pipeline(module, parse_pipeline("count-ops"), reproducer=path)
    assert not path.exists()


def test_results_are_printed_on_a_line(capsys) -> None:
    print_result(PassResult("fuse-qkv", 3, 0.0123))
    print_result(PassResult("fuse-qkv", 1, 0.0123))
    print_result(PassResult("cse", None, 1.5))
    mine, once, mlirs = capsys.readouterr().err.splitlines()
    assert once.endswith("1 change")
    assert mine.split() == ["12.3", "ms", "fuse-qkv", "3", "changes"]
    assert mlirs.split() == ["1500.0", "ms", "cse"]


def test_paths_of_dumps_are_where_they_are_asked_for(module, tmp_path) -> None:
    blocked = tmp_path / "file"
    blocked.write_text("")
    with pytest.raises(OSError, match="file"):
        run_pipeline(module, [], dump_dir=Path(blocked))
