"""What was a torch operation is named by it, also after other passes took it apart or merged it."""

from octavo.dialects import create_context
from octavo.mlir import ir
from octavo.passes.origin import Origin, mark, origin, unlifted_report

SOURCE = """
!t = !torch.vtensor<[8],f32>
func.func @f(%x: !t) -> !t {
  %y = torch.aten.erf %x : !t -> !t loc("model.py":3:0)
  %z = torch.operator "torch.author.mix"(%y) : (!t) -> !t loc("model.py":4:0)
  return %z : !t
}
"""
ERF = Origin("torch.aten.erf", '"model.py":3:0')


def test_operations_of_torch_and_of_others() -> None:
    with create_context():
        module = ir.Module.parse(SOURCE)
        erf, mix, ret = module.body.operations[0].regions[0].blocks[0].operations
        assert origin(erf.operation) == ERF
        assert origin(mix.operation) == Origin("torch.author.mix", '"model.py":4:0')
        assert origin(ret.operation) is None


def test_a_mark_outlives_merging_inlining_and_other_names() -> None:
    with create_context():
        module = ir.Module.parse(SOURCE)
        erf, _, ret = module.body.operations[0].regions[0].blocks[0].operations
        mark(erf.operation)
        plain = ir.Location.file("other.py", 1, 0)
        for location in (
            erf.location,
            ir.Location.fused([plain, erf.location]),
            ir.Location.callsite(erf.location, [plain]),
            ir.Location.name("a variable", erf.location),
        ):
            ret.operation.location = location
            assert origin(ret.operation) == ERF


def test_a_report_lists_the_first_few() -> None:
    report = unlifted_report([ERF] * 7)
    lines = report.splitlines()
    assert lines[0] == "no lifting for 7 operations of this model:"
    assert lines[1:6] == ["  'torch.aten.erf' at \"model.py\":3:0"] * 5
    assert lines[6] == "  and 2 more"
    assert "add a 'lift-' pass" in lines[7]
