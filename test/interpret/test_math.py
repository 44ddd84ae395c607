import ml_dtypes
import numpy as np
import pytest
import torch

ELEMENTS = {np.float16: "f16", np.float32: "f32", np.float64: "f64", ml_dtypes.bfloat16: "bf16"}
TOLERANCE = {"f16": 2**-10, "bf16": 2**-7, "f32": 1e-6, "f64": 1e-13}
RANGES = {
    (
        -3,
        3,
    ): "absf asinh atan cbrt ceil cos cosh erf erfc exp exp2 expm1 floor sin sinh tan tanh trunc",
    (0.01, 3): "log log10 log1p log2 rsqrt sqrt",
    (-0.99, 0.99): "acos asin atanh",
    (1.01, 3): "acosh",
}
CASES = [(name, bounds) for bounds, names in RANGES.items() for name in names.split()]
TORCH = {"absf": torch.abs, "cbrt": lambda x: x.sign() * x.abs() ** (1 / 3)}


@pytest.mark.parametrize(("name", "bounds"), CASES)
@pytest.mark.parametrize("dtype", ELEMENTS)
def test_functions_of_one_number_are_torchs(apply, rng, name, bounds, dtype) -> None:
    x = rng.uniform(*bounds, 40).astype(dtype)
    got = apply(f"math.{name}", ELEMENTS[dtype], x)
    assert got.dtype == dtype
    expected = TORCH.get(name, getattr(torch, name, None))(torch.from_numpy(x.astype(np.float64)))
    tolerance = TOLERANCE[ELEMENTS[dtype]]
    np.testing.assert_allclose(got.astype(np.float64), expected, rtol=tolerance, atol=tolerance)


def test_rounding_of_halves(apply) -> None:
    x = np.array([-2.5, -1.5, -0.5, 0.5, 1.5, 2.5, 0.49, -3.7], np.float32)
    np.testing.assert_array_equal(apply("math.round", "f32", x), [-3, -2, -1, 1, 2, 3, 0, -4])
    np.testing.assert_array_equal(apply("math.roundeven", "f32", x), [-2, -2, 0, 0, 2, 2, 0, -4])


def test_functions_of_several_numbers(apply, rng) -> None:
    a, b, c = rng.uniform(0.1, 2, (3, 10))
    np.testing.assert_allclose(apply("math.powf", "f64", a, b), a**b)
    np.testing.assert_allclose(apply("math.fma", "f64", a, b, c), a * b + c)
    np.testing.assert_array_equal(apply("math.copysign", "f64", a, -b), -a)
    np.testing.assert_allclose(apply("math.atan2", "f64", a, -b), np.arctan2(a, -b))


def test_a_power_has_an_integer_as_exponent(run_text, rng) -> None:
    x = rng.uniform(0.5, 2, 4).astype(np.float32)
    [got] = run_text(
        """
        func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
          %n = arith.constant dense<-3> : tensor<4xi32>
          %0 = math.fpowi %x, %n : tensor<4xf32>, tensor<4xi32>
          return %0 : tensor<4xf32>
        }
        """,
        x,
    )
    np.testing.assert_allclose(got, x.astype(np.float64) ** -3, rtol=1e-6)


def test_what_is_no_number_is_found(run_text) -> None:
    got = run_text(
        """
        func.func @main(%x: tensor<3xf32>) -> (tensor<3xi1>, tensor<3xi1>, tensor<3xi1>) {
          %0 = math.isfinite %x : tensor<3xf32>
          %1 = math.isinf %x : tensor<3xf32>
          %2 = math.isnan %x : tensor<3xf32>
          return %0, %1, %2 : tensor<3xi1>, tensor<3xi1>, tensor<3xi1>
        }
        """,
        np.array([1, -np.inf, np.nan], np.float32),
    )
    np.testing.assert_array_equal(got, np.eye(3, dtype=np.bool_))


@pytest.mark.parametrize("dtype", [np.float16, ml_dtypes.bfloat16])
def test_halves_are_rounded_once(apply, dtype) -> None:
    # The square is beyond f16, and between two bf16 numbers; the sum is neither.
    x, c = np.array([259], dtype), np.array([-65504], dtype)
    wide = x.astype(np.float32) ** 2 + c.astype(np.float32)
    np.testing.assert_array_equal(apply("math.fma", ELEMENTS[dtype], x, x, c), wide.astype(dtype))


def test_absi(apply) -> None:
    np.testing.assert_array_equal(apply("math.absi", "i32", np.array([-3, 4], np.int32)), [3, 4])
