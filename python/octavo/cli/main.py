"""The `octavo` command: `octavo COMMAND --help` explains each."""

import argparse
import os
import sys
from collections.abc import Sequence
from importlib import import_module
from importlib.metadata import version

from octavo.errors import OctavoError

# Name of each command and the module that has its `add_arguments` and `run`; imported when it is used.
_COMMANDS = {
    "compile": ("octavo.cli.compile", "compile a model into an artifact"),
    "generate": ("octavo.cli.generate", "continue one or more prompts, in one batch"),
    "chat": ("octavo.cli.chat", "talk to a model"),
    "inspect": ("octavo.cli.inspect", "say what an artifact holds, and check it"),
    "targets": ("octavo.cli.targets", "list what can be compiled for"),
}
_INTERRUPTED = 130  # what a shell reports for a process that Ctrl-C ended


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command line; return the exit status: 0, 1 for an error, 2 for wrong usage, 130 for Ctrl-C."""
    arguments = list(sys.argv[1:] if argv is None else argv)
    try:
        status = _run(arguments)
        # At exit it would be too late to say that it failed.
        print(end="", flush=True)
        return status
    except (OctavoError, ValueError) as error:
        print(f"octavo: {error}", file=sys.stderr)
        return 1
    except ModuleNotFoundError as error:
        print(f"octavo: {missing_package(error)}", file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        print("octavo: interrupted", file=sys.stderr)
        return _INTERRUPTED
    except BrokenPipeError:
        _drop_output()
        return 1
    except OSError as error:
        _drop_output()
        print(f"octavo: {error}", file=sys.stderr)
        return 1


def _drop_output() -> None:
    """Send to nowhere what could not be written; Python would try and complain once more at exit."""
    try:
        print(end="", flush=True)
    except OSError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def missing_package(error: ModuleNotFoundError) -> str:
    """Say what to install for a module that only the compiler needs."""
    return (
        f"the package '{error.name}' is not installed, which compiling a model needs and running an artifact "
        "does not. Install it with: pip install 'octavo[compile]'"
    )


def _run(arguments: Sequence[str]) -> int:
    parser = argparse.ArgumentParser(
        prog="octavo", description="Compile language models and run them."
    )
    parser.add_argument("--version", action="version", version=f"octavo {version('octavo')}")
    commands = parser.add_subparsers(dest="command", required=True, metavar="COMMAND")
    chosen = next((argument for argument in arguments if argument in _COMMANDS), None)
    for name, (module, summary) in _COMMANDS.items():
        command = commands.add_parser(name, help=summary, description=summary.capitalize() + ".")
        if name == chosen:
            import_module(module).add_arguments(command)
    parsed = parser.parse_args(arguments)
    status: int = import_module(_COMMANDS[parsed.command][0]).run(parsed)
    return status


if __name__ == "__main__":
    sys.exit(main())
