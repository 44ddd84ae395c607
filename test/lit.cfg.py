"""How lit runs the tests of IR: every .mlir file below this folder is one.

Nothing here imports torch or the bindings: a test starts in the time that octavo-opt takes. lit provides
`config` and `lit_config`.
"""

import importlib.util
import shlex
import shutil
import sys
from pathlib import Path

import lit.formats

ROOT = Path(__file__).resolve().parents[1]
PYTHON = shlex.quote(sys.executable)
# A feature that a test may require, and the package that brings it.
FEATURES = {"torch": "torch", "transformers": "transformers", "iree-compiler": "iree.compiler"}


def _has_package(name: str) -> bool:
    try:
        return importlib.util.find_spec(name) is not None
    except ModuleNotFoundError:  # of the parent package
        return False


def _filecheck() -> str:
    beside_python = str(Path(sys.executable).parent)
    found = shutil.which("FileCheck") or shutil.which("filecheck", path=beside_python)
    if found is None:
        lit_config.fatal(
            "no FileCheck: expected LLVM's FileCheck on the PATH or the package 'filecheck' in "
            f"{beside_python}. Install one: {PYTHON} -m pip install filecheck"
        )
    return shlex.quote(found)


config.name = "octavo"
config.test_format = lit.formats.ShTest(execute_external=False)
config.suffixes = [".mlir"]
config.excludes = ["Inputs"]
config.test_source_root = str(ROOT / "test")
config.test_exec_root = str(ROOT / "build" / "lit")
config.maxIndividualTestTime = 60  # seconds; a test takes about 0.2

config.environment["PYTHONPATH"] = str(ROOT / "python")
# Colours would end up in what FileCheck reads.
config.environment["NO_COLOR"] = "1"
config.environment["PYTHONUTF8"] = "1"

config.substitutions += [
    ("%octavo-opt", f"{PYTHON} -m octavo.cli.opt"),
    ("%python", PYTHON),
    (r"\bFileCheck\b", _filecheck()),
]
config.available_features.update(
    feature for feature, package in FEATURES.items() if _has_package(package)
)
