import ml_dtypes
import numpy as np
import pytest

from octavo.dialects import create_context
from octavo.errors import OctavoError
from octavo.interpret.dtypes import constant_array, dtype_of
from octavo.mlir import ir


@pytest.mark.parametrize(
    ("text", "dtype"),
    [
        ("i1", np.bool_),
        ("i8", np.int8),
        ("i16", np.int16),
        ("i32", np.int32),
        ("i64", np.int64),
        ("index", np.int64),
        ("bf16", ml_dtypes.bfloat16),
        ("f16", np.float16),
        ("f32", np.float32),
        ("f64", np.float64),
        ("tensor<2x?xbf16>", ml_dtypes.bfloat16),
    ],
)
def test_types_have_numpys_types(text, dtype) -> None:
    with create_context():
        assert dtype_of(ir.Type.parse(text)) == dtype


@pytest.mark.parametrize("text", ["i4", "f8E4M3FN", "tensor<2xi7>", "memref<2xf32>"])
def test_other_types_are_an_error(text) -> None:
    with create_context(), pytest.raises(OctavoError, match="interpreter has no values of type"):
        dtype_of(ir.Type.parse(text))


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("1.5 : f32", np.array(1.5, np.float32)),
        ("0xFF800000 : f32", np.array(-np.inf, np.float32)),
        ("1.5 : bf16", np.array(1.5, ml_dtypes.bfloat16)),
        ("true", np.array(True)),
        ("false", np.array(False)),
        ("-7 : i32", np.array(-7, np.int32)),
        ("255 : i8", np.array(-1, np.int8)),
        ("7 : index", np.array(7)),
        ("dense<[1.0, 2.0]> : tensor<2xf32>", np.array([1, 2], np.float32)),
        ("dense<[1.0, 2.0]> : tensor<2xf16>", np.array([1, 2], np.float16)),
        ("dense<[[1, 2]]> : tensor<1x2xindex>", np.array([[1, 2]])),
        ("dense<[true, false, true]> : tensor<3xi1>", np.array([True, False, True])),
        ("dense<false> : tensor<2xi1>", np.array([False, False])),
        ("dense<-3> : tensor<2x2xi64>", np.full((2, 2), -3)),
        ("dense<0xFF80> : tensor<2xbf16>", np.full(2, -np.inf, ml_dtypes.bfloat16)),
        ("dense<> : tensor<0x2xf32>", np.zeros((0, 2), np.float32)),
    ],
)
def test_constants_are_arrays(text, expected) -> None:
    with create_context():
        got = constant_array(ir.Attribute.parse(text))
    assert got.dtype == expected.dtype
    np.testing.assert_array_equal(got, expected)


def test_a_constant_that_the_bindings_hide_is_an_error() -> None:
    with create_context(), pytest.raises(OctavoError, match=r"tensor<2xbf16>.*arith\.truncf"):
        constant_array(ir.Attribute.parse("dense<[1.0, 2.0]> : tensor<2xbf16>"))
