import ml_dtypes
import numpy as np
import pytest
import torch

BF16 = ml_dtypes.bfloat16
ELEMENTS = {np.float32: "f32", np.float64: "f64", np.float16: "f16", BF16: "bf16", np.int32: "i32"}


@pytest.fixture
def cast(run_text):
    """Cast a tensor: `cast("arith.extf", "f16", "f32", operand)`."""

    def run(op: str, source: str, target: str, operand: np.ndarray) -> np.ndarray:
        types = [f"tensor<{operand.size}x{element}>" for element in (source, target)]
        [result] = run_text(
            f"""
            func.func @main(%a: {types[0]}) -> {types[1]} {{
              %out = {op} %a : {types[0]} to {types[1]}
              return %out : {types[1]}
            }}
            """,
            operand,
        )
        return result

    return run


FLOATS = {
    "addf": torch.add,
    "subf": torch.sub,
    "mulf": torch.mul,
    "divf": torch.div,
    "maximumf": torch.maximum,
    "minimumf": torch.minimum,
    "maxnumf": torch.fmax,
    "minnumf": torch.fmin,
    "remf": torch.fmod,
}


@pytest.mark.parametrize("name", FLOATS)
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_float_operations_are_torchs(apply, rng, name, dtype) -> None:
    a, b = rng.standard_normal((2, 20)).astype(dtype)
    a[0] = b[1] = np.nan
    got = apply(f"arith.{name}", ELEMENTS[dtype], a, b)
    expected = FLOATS[name](torch.from_numpy(a), torch.from_numpy(b))
    np.testing.assert_array_equal(got, expected.numpy())


@pytest.mark.parametrize("dtype", [np.float16, BF16])
def test_halves_round_after_each_operation(apply, dtype) -> None:
    # The sum needs more bits than either type has; the tie goes to the even neighbour.
    one = np.array([1], dtype)
    tiny = (one.astype(np.float32) * np.float32(ml_dtypes.finfo(dtype).eps) / 2).astype(dtype)
    assert apply("arith.addf", ELEMENTS[dtype], one, tiny) == one


def test_negf_flips_the_sign_of_zero(apply) -> None:
    got = apply("arith.negf", "f32", np.array([0, -2, np.inf], np.float32))
    np.testing.assert_array_equal(np.signbit(got), [True, False, True])


INTEGERS = {
    "addi": lambda a, b: a + b,
    "subi": lambda a, b: a - b,
    "muli": lambda a, b: a * b,
    "divsi": lambda a, b: torch.div(a, b, rounding_mode="trunc"),
    "floordivsi": lambda a, b: torch.div(a, b, rounding_mode="floor"),
    "ceildivsi": lambda a, b: -torch.div(-a, b, rounding_mode="floor"),
    "remsi": torch.fmod,
    "maxsi": torch.maximum,
    "minsi": torch.minimum,
    "andi": torch.bitwise_and,
    "ori": torch.bitwise_or,
    "xori": torch.bitwise_xor,
}


@pytest.mark.parametrize("name", INTEGERS)
def test_integer_operations_are_torchs(apply, rng, name) -> None:
    a, b = rng.integers(-50, 50, (2, 200), np.int32)
    b[b == 0] = 7
    got = apply(f"arith.{name}", "i32", a, b)
    expected = INTEGERS[name](torch.from_numpy(a), torch.from_numpy(b))
    np.testing.assert_array_equal(got, expected.numpy())


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        # 0xFFFFFFFF and 7, as unsigned numbers.
        ("divui", 613566756),
        ("remui", 3),
        ("maxui", -1),
        ("minui", 7),
        ("shrui", 2**25 - 1),
        ("shrsi", -1),
        ("shli", -128),
    ],
)
def test_unsigned_operations_and_shifts(apply, name, expected) -> None:
    got = apply(f"arith.{name}", "i32", np.array([-1], np.int32), np.array([7], np.int32))
    assert got.dtype == np.int32
    assert got == expected


def test_integers_wrap(apply) -> None:
    top, one = np.array([2**31 - 1], np.int32), np.array([1], np.int32)
    assert apply("arith.addi", "i32", top, one) == -(2**31)


def test_logic_of_truth_values(apply) -> None:
    a, b = np.array([0, 0, 1, 1], np.bool_), np.array([0, 1, 0, 1], np.bool_)
    np.testing.assert_array_equal(apply("arith.andi", "i1", a, b), a & b)
    np.testing.assert_array_equal(apply("arith.ori", "i1", a, b), a | b)
    np.testing.assert_array_equal(apply("arith.xori", "i1", a, b), a ^ b)


INTEGER_PREDICATES = {
    "eq": [1, 0, 0],
    "ne": [0, 1, 1],
    "slt": [0, 1, 0],
    "sle": [1, 1, 0],
    "sgt": [0, 0, 1],
    "sge": [1, 0, 1],
    "ult": [0, 0, 1],
    "ule": [1, 0, 1],
    "ugt": [0, 1, 0],
    "uge": [1, 1, 0],
}


@pytest.mark.parametrize("predicate", INTEGER_PREDICATES)
def test_cmpi(run_text, predicate) -> None:
    [got] = run_text(
        f"""
        func.func @main(%a: tensor<3xi32>, %b: tensor<3xi32>) -> tensor<3xi1> {{
          %out = arith.cmpi {predicate}, %a, %b : tensor<3xi32>
          return %out : tensor<3xi1>
        }}
        """,
        np.array([5, -1, 2], np.int32),
        np.array([5, 1, -2], np.int32),
    )
    np.testing.assert_array_equal(got, np.array(INTEGER_PREDICATES[predicate], np.bool_))


# Of (1, 2), (2, 1), (1, 1), (1, NaN).
FLOAT_PREDICATES = {
    "false": [0, 0, 0, 0],
    "oeq": [0, 0, 1, 0],
    "ogt": [0, 1, 0, 0],
    "oge": [0, 1, 1, 0],
    "olt": [1, 0, 0, 0],
    "ole": [1, 0, 1, 0],
    "one": [1, 1, 0, 0],
    "ord": [1, 1, 1, 0],
    "ueq": [0, 0, 1, 1],
    "ugt": [0, 1, 0, 1],
    "uge": [0, 1, 1, 1],
    "ult": [1, 0, 0, 1],
    "ule": [1, 0, 1, 1],
    "une": [1, 1, 0, 1],
    "uno": [0, 0, 0, 1],
    "true": [1, 1, 1, 1],
}


@pytest.mark.parametrize("predicate", FLOAT_PREDICATES)
@pytest.mark.parametrize("dtype", [np.float32, BF16])
def test_cmpf(run_text, predicate, dtype) -> None:
    kind = f"tensor<4x{ELEMENTS[dtype]}>"
    [got] = run_text(
        f"""
        func.func @main(%a: {kind}, %b: {kind}) -> tensor<4xi1> {{
          %out = arith.cmpf {predicate}, %a, %b : {kind}
          return %out : tensor<4xi1>
        }}
        """,
        np.array([1, 2, 1, 1], dtype),
        np.array([2, 1, 1, np.nan], dtype),
    )
    np.testing.assert_array_equal(got, np.array(FLOAT_PREDICATES[predicate], np.bool_))


@pytest.mark.parametrize("condition", [True, False])
def test_select_takes_one_condition_or_one_for_each_element(run_text, condition) -> None:
    a, b = np.array([1, 2], np.float32), np.array([3, 4], np.float32)
    which = np.array([condition, not condition])
    got = run_text(
        """
        func.func @main(%c: i1, %w: tensor<2xi1>, %a: tensor<2xf32>, %b: tensor<2xf32>)
            -> (tensor<2xf32>, tensor<2xf32>) {
          %0 = arith.select %c, %a, %b : tensor<2xf32>
          %1 = arith.select %w, %a, %b : tensor<2xi1>, tensor<2xf32>
          return %0, %1 : tensor<2xf32>, tensor<2xf32>
        }
        """,
        np.array(condition),
        which,
        a,
        b,
    )
    np.testing.assert_array_equal(got[0], a if condition else b)
    np.testing.assert_array_equal(got[1], np.where(which, a, b))


def test_truncf_rounds_to_the_nearest_even(cast, rng) -> None:
    x = rng.standard_normal(100).astype(np.float32)
    expected = torch.from_numpy(x).bfloat16()
    got = cast("arith.truncf", "f32", "bf16", x)
    assert got.dtype == BF16
    np.testing.assert_array_equal(got.astype(np.float32), expected.float().numpy())
    np.testing.assert_array_equal(cast("arith.extf", "bf16", "f32", got), expected.float().numpy())


@pytest.mark.parametrize(
    ("op", "source", "target", "operand", "expected"),
    [
        ("arith.sitofp", "i32", "f32", np.array([-3, 4], np.int32), [-3, 4]),
        ("arith.sitofp", "i1", "f32", np.array([False, True]), [0, -1]),
        ("arith.uitofp", "i1", "f32", np.array([False, True]), [0, 1]),
        ("arith.uitofp", "i32", "f64", np.array([-1], np.int32), [2**32 - 1]),
        ("arith.fptosi", "f32", "i32", np.array([-2.7, 2.7], np.float32), [-2, 2]),
        ("arith.extsi", "i1", "i32", np.array([False, True]), [0, -1]),
        ("arith.extsi", "i32", "i64", np.array([-1], np.int32), [-1]),
        ("arith.extui", "i1", "i32", np.array([False, True]), [0, 1]),
        ("arith.extui", "i32", "i64", np.array([-1], np.int32), [2**32 - 1]),
        ("arith.trunci", "i64", "i32", np.array([2**32 + 5], np.int64), [5]),
        ("arith.trunci", "i32", "i1", np.array([2, 3], np.int32), [0, 1]),
        ("arith.index_cast", "i32", "index", np.array([-3], np.int32), [-3]),
        ("arith.index_cast", "index", "i32", np.array([7], np.int64), [7]),
        ("arith.index_castui", "i32", "index", np.array([-1], np.int32), [2**32 - 1]),
        ("arith.bitcast", "f32", "i32", np.array([1.0], np.float32), [0x3F800000]),
    ],
)
def test_casts(cast, op, source, target, operand, expected) -> None:
    np.testing.assert_array_equal(cast(op, source, target, operand).astype(object), expected)
