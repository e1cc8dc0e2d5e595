"""Who looks for a pattern: we, where it is sure to be quick, else a process that may be killed.

Owns that choice, and how long one look may take.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Final, TypeVar

from jobsched_tui.data.elsewhere.asking import Helper
from jobsched_tui.data.logs.patterns import Pattern
from jobsched_tui.data.logs.scanning import Marks, lines_with, marks_in

T = TypeVar("T")
A = TypeVar("A")
B = TypeVar("B")

#: Seconds of a CPU for one block of a log, or a page of lines: usual ones take a thousandth.
_MOST: Final = 1.0


class Matcher:
    """Looks through lines. Both questions raise ``Unanswered``."""

    def __init__(self, seconds: float = _MOST) -> None:
        self._helper = Helper(seconds)

    def lines(self, pattern: Pattern, data: bytes) -> list[int]:
        """Which of several lines match, from 0."""
        if not pattern.may_be_in(data):
            return []
        return self._look(pattern, lines_with, pattern.regex, data)

    def marks(self, pattern: Pattern, texts: Sequence[str]) -> list[Marks]:
        """Where in each of some texts there are matches."""
        return self._look(pattern, marks_in, pattern.text_regex, texts)

    def stop(self) -> None:
        """Look for nothing any more; whoever looks now is told so. For any thread."""
        self._helper.stop()

    def _look(self, pattern: Pattern, look: Callable[[A, B], T], regex: A, where: B) -> T:
        return look(regex, where) if pattern.is_quick else self._helper.ask(look, regex, where)
