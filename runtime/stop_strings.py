"""Stop strings in text that arrives in pieces."""

from collections.abc import Sequence


class StopStrings:
    """Passes text through up to a stop string.

    The end of the text is held back as long as it may be the beginning of a stop string, so nothing is ever
    shown that has to be taken back. Of several stop strings the one completed first counts, and of those
    that are complete at the same place the longest: the result does not depend on how the text is cut into
    pieces.
    """

    def __init__(self, stops: Sequence[str]) -> None:
        """Watch for `stops`, none of them empty."""
        self._stops = tuple(stops)
        self._held = ""
        self.found = False

    def push(self, piece: str) -> str:
        """Add text; return what may be shown. After a stop string was `found`, nothing is."""
        if self.found:
            return ""
        text = self._held + piece
        found = [
            (start + len(stop), start) for stop in self._stops if (start := text.find(stop)) >= 0
        ]
        if found:
            self.found = True
            self._held = ""
            _, start = min(found)
            return text[:start]
        shown = len(text) - max((_overlap(text, stop) for stop in self._stops), default=0)
        self._held = text[shown:]
        return text[:shown]

    def finish(self) -> str:
        """Return the text held back, which began no stop string after all."""
        held, self._held = self._held, ""
        return held


def _overlap(text: str, stop: str) -> int:
    """Return the length of the longest proper prefix of `stop` that ends `text`."""
    longest = min(len(stop) - 1, len(text))
    return next((size for size in range(longest, 0, -1) if text.endswith(stop[:size])), 0)
