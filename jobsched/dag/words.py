"""How values and names are put into sentences, and the guess behind "did you mean".

Whatever comes from a file is shown escaped and cut short, so that no message can carry an escape
sequence to a terminal or fill a screen.
"""

from __future__ import annotations

import difflib
from collections.abc import Iterable
from typing import Final

_SHOWN: Final = 60


class Unfit(ValueError):
    """A value is not what its field takes. ``expected`` completes "expected ..."."""

    def __init__(self, expected: str, hint: str = "") -> None:
        self.expected, self.hint = expected, hint
        super().__init__(expected)


def shown(text: str, limit: int = _SHOWN) -> str:
    """``text`` in quotes, escaped, cut after ``limit`` characters."""
    return repr(text if len(text) <= limit else text[: limit - 1] + "…")


def describe(value: object) -> str:
    """What ``value`` is, for "..., found the number 5"."""
    if value is None:
        return "nothing"
    if isinstance(value, bool):
        return f"the boolean {str(value).lower()}"
    if isinstance(value, int | float):
        return f"the number {str(value)[:_SHOWN]}"
    if isinstance(value, str):
        return f"the text {shown(value)}" if value else "empty text"
    if isinstance(value, list):
        return "a list" if value else "an empty list"
    return "a mapping"


def listed(words: Iterable[str], last: str = "or") -> str:
    """``a, b or c``, in the order given."""
    *most, final = list(words) or ["nothing"]
    return f"{', '.join(most)} {last} {final}" if most else final


def is_near(word: str, known: str) -> bool:
    """Whether ``word`` may be a misspelt ``known``."""
    return bool(difflib.get_close_matches(word[:_SHOWN].lower(), [known], n=1, cutoff=0.6))


def did_you_mean(word: str, known: Iterable[str]) -> str:
    """``did you mean 'run'?`` for the known word nearest to ``word``; empty if none is near."""
    by_lower = {candidate[:_SHOWN].lower(): candidate for candidate in known}
    near = difflib.get_close_matches(word[:_SHOWN].lower(), by_lower, n=1, cutoff=0.6)
    return f"did you mean {shown(by_lower[near[0]])}?" if near else ""
