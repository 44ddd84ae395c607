"""Run single operations and small modules, and compare with torch."""

from collections.abc import Callable, Sequence

import ml_dtypes
import numpy as np
import pytest
import torch
from numpy.typing import DTypeLike

from octavo.dialects import create_context
from octavo.interpret import evaluate
from octavo.mlir import func, ir

BF16 = np.dtype(ml_dtypes.bfloat16)
ELEMENTS = {
    np.dtype(np.bool_): "i1",
    np.dtype(np.int32): "i32",
    np.dtype(np.int64): "i64",
    np.dtype(np.float16): "f16",
    np.dtype(np.float32): "f32",
    np.dtype(np.float64): "f64",
    BF16: "bf16",
}
# The rounding of a result, and for f32 another order of the sums.
TOLERANCE = {"bf16": 2**-7, "f16": 2**-10, "f32": 2e-5}


def tensor_type(array: np.ndarray) -> ir.Type:
    """The static tensor type of `array`."""
    return ir.RankedTensorType.get(array.shape, ir.Type.parse(ELEMENTS[array.dtype]))


@pytest.fixture
def run_op() -> Callable[..., list[np.ndarray]]:
    """Evaluate one operation: `run_op(build, *arrays)`, where `build` gets a value for each array.

    None stands for an absent operand.
    """

    def run(build: Callable[..., ir.OpView], *arrays: np.ndarray | None) -> list[np.ndarray]:
        given = [array for array in arrays if array is not None]
        with create_context(), ir.Location.unknown():
            module = ir.Module.create()
            with ir.InsertionPoint(module.body):
                main = func.FuncOp("main", ([tensor_type(array) for array in given], []))
            block = main.add_entry_block()
            values = iter(block.arguments)
            with ir.InsertionPoint(block):
                op = build(*(None if array is None else next(values) for array in arrays))
                func.ReturnOp(op.results)
            results = [result.type for result in op.results]
            main.function_type = ir.TypeAttr.get(ir.FunctionType.get(main.type.inputs, results))
            module.operation.verify()
            return evaluate(module, given)

    return run


@pytest.fixture
def run_text() -> Callable[..., list[np.ndarray]]:
    """Evaluate the function `main` of a module: `run_text(text, *inputs)`."""

    def run(text: str, *inputs: np.ndarray) -> list[np.ndarray]:
        with create_context():
            return evaluate(ir.Module.parse(text), inputs)

    return run


@pytest.fixture
def apply(run_text: Callable[..., list[np.ndarray]]) -> Callable[..., np.ndarray]:
    """Apply an operation to tensors of one type: `apply("arith.addf", element, *operands)`."""

    def run(op: str, element: str, *operands: np.ndarray) -> np.ndarray:
        kind = f"tensor<{operands[0].size}x{element}>"
        names = [f"%a{index}" for index in range(len(operands))]
        [result] = run_text(
            f"""
            func.func @main({", ".join(f"{name}: {kind}" for name in names)}) -> {kind} {{
              %out = {op} {", ".join(names)} : {kind}
              return %out : {kind}
            }}
            """,
            *operands,
        )
        return result

    return run


@pytest.fixture
def to_torch() -> Callable[[np.ndarray], torch.Tensor]:
    """Make a torch tensor; bf16 and f16 are widened to f32, in which the references compute."""

    def convert(array: np.ndarray) -> torch.Tensor:
        narrow = array.dtype in (BF16, np.dtype(np.float16))
        return torch.from_numpy(np.array(array, dtype=np.float32 if narrow else array.dtype))

    return convert


@pytest.fixture
def check_close() -> Callable[[np.ndarray, torch.Tensor], None]:
    """Compare a result with torch's, by the precision of the result's element type."""

    def check(got: np.ndarray, expected: torch.Tensor) -> None:
        tolerance = TOLERANCE[ELEMENTS[got.dtype]]
        np.testing.assert_allclose(
            got.astype(np.float32), expected.float().numpy(), rtol=tolerance, atol=tolerance
        )

    return check


@pytest.fixture(params=["f32", "f16", "bf16"])
def dtype(request: pytest.FixtureRequest) -> np.dtype:
    """Each element type that models come in."""
    return {"f32": np.dtype(np.float32), "f16": np.dtype(np.float16), "bf16": BF16}[request.param]


@pytest.fixture
def normal(rng: np.random.Generator) -> Callable[..., np.ndarray]:
    """Make arrays of normal numbers: `normal(shape, dtype)`."""

    def make(shape: Sequence[int], dtype: DTypeLike = np.float32) -> np.ndarray:
        return rng.standard_normal(shape).astype(dtype)

    return make
