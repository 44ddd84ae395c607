"""Whether the file that is to keep a failing pass's input can be written, asked before any pass runs."""

from pathlib import Path


def writing_problem(path: Path) -> str | None:
    """Return why `path` cannot be written, or `None` where it can; leave nothing behind."""
    try:
        is_new = not path.exists()
        path.parent.mkdir(parents=True, exist_ok=True)
        path.open("ab").close()
    except OSError as error:
        return f"{path} cannot be written: {error.strerror}"
    if is_new:
        path.unlink()
    return None
