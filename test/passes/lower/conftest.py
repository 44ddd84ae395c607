"""Lower a module, compile it, run it on a device, and compare with the interpreter."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from string import Template

import iree.runtime as rt
import ml_dtypes
import numpy as np
import pytest

from octavo.compiler.iree import compile_module
from octavo.compiler.pipeline import lower_calls
from octavo.compiler.targets import target_named
from octavo.interpret import evaluate
from octavo.mlir import ir
from octavo.passes.runner import run_pipeline
from octavo.runtime.device import Device, open_device

# Of f32: another order of the sums. Of the others: a rounding of the result more or less.
TOLERANCE = {"f32": 2e-5, "bf16": 2**-6, "f16": 2**-9}
DTYPES = {
    "f32": np.dtype(np.float32),
    "bf16": np.dtype(ml_dtypes.bfloat16),
    "f16": np.dtype(np.float16),
}
_HAL_TYPES = {
    "float32": rt.HalElementType.FLOAT_32,
    "bfloat16": rt.HalElementType.BFLOAT_16,
    "float16": rt.HalElementType.FLOAT_16,
    "int32": rt.HalElementType.SINT_32,
    "bool": rt.HalElementType.BOOL_8,
}
# Types whose arrays do not offer their memory as it is.
_PLAIN = {"bfloat16": np.int16}


@dataclass(frozen=True, slots=True)
class Backend:
    """Where lowered modules run."""

    target: str
    device: Device


@pytest.fixture(scope="session", params=["cpu:native", "vulkan"])
def backend(request: pytest.FixtureRequest) -> Backend:
    """Each target that this machine runs."""
    if request.param == "vulkan":
        request.getfixturevalue("vulkan_device")
    return Backend(request.param, open_device(target_named(request.param).driver))


class Program:
    """A compiled module, called with arrays and integers."""

    def __init__(self, device: Device, path: Path, weights: Mapping[str, np.ndarray]) -> None:
        instance = rt.VmInstance()
        self._module = rt.VmModule.mmap(instance, str(path))
        index = rt.ParameterIndex()
        for key, value in weights.items():
            index.add_buffer(key, np.ascontiguousarray(value).view(np.uint8).reshape(-1))
        modules = [
            rt.create_hal_module(instance, device.hal),
            rt.create_io_parameters_module(instance, index.create_provider(scope="model")),
            self._module,
        ]
        self._context = rt.VmContext(instance, modules)
        self._device = device

    def __call__(self, name: str, *inputs: np.ndarray | int) -> list[np.ndarray]:
        """Call a function; return its results."""
        arguments = rt.VmVariantList(len(inputs))
        for value in inputs:
            if isinstance(value, int):
                arguments.push_int(value)
            else:
                arguments.push_ref(self._upload(value))
        results = rt.VmVariantList(1)
        self._context.invoke(self._module.lookup_function(name), arguments, results)
        views = [results.get_as_object(i, rt.HalBufferView) for i in range(len(results))]
        return [np.array(self._device.download(view)) for view in views]

    def _upload(self, array: np.ndarray) -> rt.HalBufferView:
        return self._device.hal.allocator.allocate_buffer_copy(
            memory_type=rt.MemoryType.DEVICE_LOCAL,
            allowed_usage=rt.BufferUsage.DEFAULT,
            device=self._device.hal,
            buffer=np.ascontiguousarray(array).view(_PLAIN.get(array.dtype.name, array.dtype)),
            element_type=_HAL_TYPES[array.dtype.name],
        )


@pytest.fixture
def compile_text(
    context: ir.Context, backend: Backend, tmp_path: Path
) -> Callable[..., tuple[ir.Module, Program]]:
    """`compile_text(text, weights={})`: the module as it was, and the program that it becomes."""

    def compile_it(
        text: str, weights: Mapping[str, np.ndarray] | None = None
    ) -> tuple[ir.Module, Program]:
        lowered = ir.Module.parse(text)
        run_pipeline(lowered, lower_calls())
        path = tmp_path / "program.vmfb"
        compile_module(lowered.operation.get_asm(), target_named(backend.target), path)
        return ir.Module.parse(text), Program(backend.device, path, weights or {})

    return compile_it


@pytest.fixture
def random(rng: np.random.Generator) -> Callable[..., np.ndarray]:
    """`random(*shape, element="f32")`: normally distributed numbers."""

    def make(*shape: int, element: str = "f32") -> np.ndarray:
        return rng.standard_normal(shape, np.float32).astype(DTYPES[element])

    return make


@pytest.fixture
def check_lowering(
    compile_text: Callable[..., tuple[ir.Module, Program]], backend: Backend
) -> Callable[..., None]:
    """`check_lowering(templates, sizes, inputs, element="f32")`: the device gives the interpreter's numbers.

    Each template defines `@$name`. It is taken twice: with `sizes` for the names of sizes, and with `?`. All
    of them are one compilation. `$element` is the type computed in; the test is skipped where the target does
    not compile it.
    """

    def check(
        templates: Sequence[str],
        sizes: Mapping[str, int],
        inputs: Sequence[np.ndarray],
        element: str = "f32",
    ) -> None:
        if element not in target_named(backend.target).element_types:
            pytest.skip(f"{backend.target} does not compile {element}")
        forms = {"fixed": sizes, "dynamic": dict.fromkeys(sizes, "?")}
        functions = {
            f"{form}{number}": Template(template).substitute(
                name=f"{form}{number}", element=element, **values
            )
            for form, values in forms.items()
            for number, template in enumerate(templates)
        }
        module, program = compile_text("".join(functions.values()))
        for name, text in functions.items():
            expected = evaluate(module, inputs, function=name)
            for got, wanted in zip(program(name, *inputs), expected, strict=True):
                assert_close(got, wanted, element, text)

    return check


@pytest.fixture
def variants() -> Callable[..., list[str]]:
    """`variants(template, {...}, {...})`: the template once for each set of values of some of its names."""

    def make(template: str, *values: Mapping[str, object]) -> list[str]:
        return [Template(template).safe_substitute(each) for each in values]

    return make


def assert_close(got: np.ndarray, wanted: np.ndarray, element: str, what: str) -> None:
    """Compare as exactly as the element type allows."""
    assert got.dtype == wanted.dtype
    tolerance = TOLERANCE[element]
    as_f32 = (each.astype(np.float32) for each in (got, wanted))
    np.testing.assert_allclose(*as_f32, rtol=tolerance, atol=tolerance, err_msg=what)
