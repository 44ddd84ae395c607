"""An artifact from outside: what it imports, what it weighs, and what ends a compilation early."""

import json
import os
import re
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from interruptible import interruptible, was_interrupted

from octavo.artifact import read_manifest

SERVE = """
import json, re, sys
from pathlib import Path
from octavo.runtime import LLM, SamplingParams
llm = LLM(sys.argv[1])
[output] = llm.generate(["The capital of France is"], SamplingParams(temperature=0, max_tokens=32))
# Not getrusage: its peak counts what the parent had when it started this process.
peak = int(re.search(r"VmHWM:\\s+(\\d+) kB", Path("/proc/self/status").read_text())[1]) * 1024
loaded = sorted({name.partition(".")[0] for name in sys.modules})
print(json.dumps({"text": output.text, "peak": peak, "modules": loaded}))
"""


def test_serving_needs_little_and_imports_no_compiler(smollm2: Path) -> None:
    result = subprocess.run(
        [sys.executable, "-c", SERVE, str(smollm2)], capture_output=True, text=True, check=True
    )
    report = json.loads(result.stdout)
    assert report["text"].startswith(" Paris")
    modules = set(report["modules"])
    assert not {"torch", "torch_mlir", "transformers", "gguf", "safetensors", "tqdm"} & modules
    weights = read_manifest(smollm2).weights.nbytes
    print(f"peak {report['peak'] / 1e6:.0f} MB, weights {weights / 1e6:.0f} MB")
    assert report["peak"] < 1.3 * weights + 300e6


def compile_command(model: Path, output: Path) -> list[str]:
    return [
        *(sys.executable, "-m", "octavo.cli.main", "compile", str(model), "-o", str(output)),
        *("--buckets", "1x4", "--block-size", "4"),
    ]


def environment(cache: Path) -> dict[str, str]:
    return {**os.environ, "OCTAVO_CACHE": str(cache)}


def files_below(directory: Path) -> list[Path]:
    return [path for path in directory.rglob("*") if path.is_file() and path.parent.name != "locks"]


def test_ctrl_c_in_compile_leaves_nothing(tmp_path: Path, tiny_model) -> None:
    model = tiny_model("llama-tied").path
    output, cache = tmp_path / "out.octavo", tmp_path / "cache"
    streams = {"env": environment(cache), "stderr": subprocess.PIPE, "text": True}
    with interruptible(compile_command(model, output), **streams) as process:
        for line in process.stderr:  # wait for the long part
            if line.startswith("compile cpu:native"):
                break
        process.send_signal(signal.SIGINT)
        rest = process.communicate(timeout=60)[1]
    assert was_interrupted(process), rest
    assert "octavo: interrupted" in rest
    assert not output.exists()
    assert [path for path in files_below(cache) if "programs" in path.parts] == []
    assert [path for path in files_below(cache) if "artifacts" in path.parts] == []
    # And it can be done again.
    subprocess.run(compile_command(model, output), env=environment(cache), check=True)
    assert read_manifest(output).model.architecture == "llama"


def test_a_kill_in_compile_leaves_nothing_that_stays(tmp_path: Path, tiny_model) -> None:
    model = tiny_model("llama-tied").path
    output, cache = tmp_path / "out.octavo", tmp_path / "cache"
    command = compile_command(model, output)
    streams = {"env": environment(cache), "stderr": subprocess.PIPE, "text": True}
    with subprocess.Popen(command, **streams) as process:
        for line in process.stderr:
            if line.startswith("compile cpu:native"):
                break
        process.kill()
    assert not output.exists()
    assert list((cache / "artifacts").glob(".*")), "it was killed before it began"
    subprocess.run(command, env=environment(cache), check=True, timeout=300)
    assert read_manifest(output).model.architecture == "llama"
    assert not [path for path in cache.rglob(".*") if path.is_dir()]
    assert [path.name for path in tmp_path.iterdir() if path.name.startswith(".")] == []


@pytest.fixture
def read_only(tmp_path: Path) -> Iterator[Callable[[Path], Path]]:
    """`read_only(directory)`: the same on a mount that nobody writes to, not even root."""
    mounts: list[Path] = []

    def mount(directory: Path) -> Path:
        place = tmp_path / f"read-only-{len(mounts)}"
        place.mkdir()
        bind = ["mount", "--bind", str(directory), str(place)]
        if subprocess.run(bind, capture_output=True).returncode != 0:
            pytest.skip("a read-only mount needs root")
        mounts.append(place)
        subprocess.run(["mount", "-o", "remount,ro,bind", str(place)], check=True)
        return place

    yield mount
    for place in mounts:
        subprocess.run(["umount", str(place)], check=True)


def test_a_read_only_artifact_is_served(read_only, speaking_artifact: Path) -> None:
    command = [sys.executable, "-m", "octavo.cli.main", "generate", "-p", "a", "-n", "2"]
    command.append(str(read_only(speaking_artifact)))
    result = subprocess.run(command, capture_output=True, text=True)
    assert result.returncode == 0, result.stderr
    assert result.stdout.startswith("a")


def test_a_read_only_cache_gives_what_it_has(read_only, tmp_path: Path, tiny_model) -> None:
    model, cache = tiny_model("llama-tied").path, tmp_path / "cache"
    output = tmp_path / "out.octavo"
    subprocess.run(compile_command(model, output), env=environment(cache), check=True)
    settings = {"env": environment(read_only(cache)), "capture_output": True, "text": True}
    again = subprocess.run(compile_command(model, tmp_path / "again.octavo"), **settings)
    assert again.returncode == 0, again.stderr
    other = subprocess.run([*compile_command(model, output), "-O0"], **settings)
    assert other.returncode == 1
    assert "the compile cache" in other.stderr
    assert "Set OCTAVO_CACHE to a directory that can" in other.stderr


def test_ctrl_c_in_generate_ends_it(smollm2: Path) -> None:
    command = [sys.executable, "-m", "octavo.cli.main", "generate", str(smollm2)]
    command += ["-p", "Once upon a time", "-n", "4000", "--ignore-eos"]
    streams = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
    with interruptible(command, **streams) as process:
        process.stdout.read(len("Once upon a time") + 8)  # it is writing
        process.send_signal(signal.SIGINT)
        stderr = process.communicate(timeout=60)[1].decode()
    assert was_interrupted(process), stderr
    assert "Traceback" not in stderr


def test_two_processes_compile_one_model(tmp_path: Path, tiny_model) -> None:
    model, cache = tiny_model("llama-tied").path, tmp_path / "cache"
    processes = [
        subprocess.Popen(
            compile_command(model, tmp_path / f"{name}.octavo"),
            env=environment(cache),
            stderr=subprocess.PIPE,
            text=True,
        )
        for name in ("one", "two")
    ]
    messages = [process.communicate()[1] for process in processes]
    assert [process.returncode for process in processes] == [0, 0], messages
    assert sum("compile cpu:native" in message for message in messages) == 1
    for name in ("one", "two"):
        assert read_manifest(tmp_path / f"{name}.octavo").programs[0].target == "cpu:native"


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    """A file system of 100 kB."""
    place = tmp_path / "small"
    place.mkdir()
    mount = ["mount", "-t", "tmpfs", "-o", "size=100k", "tmpfs", str(place)]
    if subprocess.run(mount, capture_output=True).returncode != 0:
        pytest.skip("mounting a small file system needs root")
    yield place
    subprocess.run(["umount", str(place)], check=True)


def test_a_full_disk_leaves_no_half_artifact(small_disk: Path, tiny_model) -> None:
    model = tiny_model("llama-tied").path  # its weights take 170 kB
    output, cache = small_disk / "out.octavo", small_disk / "cache"
    result = subprocess.run(
        compile_command(model, output), env=environment(cache), capture_output=True, text=True
    )
    assert result.returncode == 1
    assert re.search(r"octavo: no space for .*weights-f32.irpa: \d+ bytes needed", result.stderr)
    assert "Traceback" not in result.stderr
    assert not output.exists()
    assert files_below(small_disk) == []


FAILING_PASS = """
from octavo.passes.registry import register_pass
from octavo.passes.optimize import fuse_add_rms_norm
import octavo.passes.registry as registry

def broken(module, _):
    raise RuntimeError("the pass fell over")

found = registry.find_pass("fuse-add-rms-norm")
import dataclasses
registry._PASSES["fuse-add-rms-norm"] = dataclasses.replace(found, run=broken)
"""


def test_a_failing_pass_leaves_its_input_and_a_command(tmp_path: Path, tiny_model) -> None:
    plugin = tmp_path / "broken.py"
    plugin.write_text(FAILING_PASS)
    command = [
        *compile_command(tiny_model("llama-tied").path, tmp_path / "o"),
        "--load",
        str(plugin),
    ]
    result = subprocess.run(
        command, env=environment(tmp_path / "cache"), capture_output=True, text=True
    )
    assert result.returncode == 1
    assert "pass 'fuse-add-rms-norm' failed: RuntimeError: the pass fell over" in result.stderr
    assert "Traceback" not in result.stderr
    reproduce = result.stderr.partition("To run it again: ")[2].strip().split()
    assert reproduce[0] == "octavo-opt"
    # With the real pass the same input goes through.
    again = subprocess.run(
        [sys.executable, "-m", "octavo.cli.opt", *reproduce[1:]], capture_output=True, text=True
    )
    assert again.returncode == 0, again.stderr
    assert "llm.add_rms_norm" in again.stdout
