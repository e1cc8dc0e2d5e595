"""What stands on a page of a log: dividers above, lines, dividers below.

Owns the arithmetic between places in the view, rows of the log, and rows of the screen. Places run
from 0: first the dividers above, then the rows, then those below. Pure.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from jobsched_tui.data.logs.values import Row


@dataclass(frozen=True, slots=True)
class Contents:
    """All that could be scrolled to, as far as it has arrived."""

    heads: tuple[str, ...] = ()
    total: int = 0
    feet: tuple[str, ...] = ()
    rows: Mapping[int, Row] = field(default_factory=dict)
    #: The highest number that a line can have.
    lines: int = 0

    @property
    def size(self) -> int:
        """How many places there are."""
        return len(self.heads) + self.total + len(self.feet)

    def at(self, place: int) -> str | Row | None:
        """A divider's words or a row; ``None``: it has not arrived, or is not there."""
        if place < len(self.heads):
            return self.heads[place] if place >= 0 else None
        row = self.row_of(place)
        if row < self.total:
            return self.rows.get(row)
        return self.feet[row - self.total] if row - self.total < len(self.feet) else None

    def row_of(self, place: int) -> int:
        """The row that stands there; below 0 or past the last one: none."""
        return place - len(self.heads)

    def place_of(self, row: int) -> int:
        """Where a row stands."""
        return row + len(self.heads)


def last_top(contents: Contents, page: int, height: Callable[[int], int]) -> int:
    """The place at the top when the end is in sight: all from there on fits, no more would.

    ``height``: how many rows of the screen the thing at a place takes.
    """
    top, left = contents.size, page
    while top > 0 and (taken := height(top - 1)) <= left:
        top, left = top - 1, left - taken
    return min(top, max(0, contents.size - 1))


def wanted(contents: Contents, top: int, page: int) -> tuple[int, int]:
    """The rows to have ready, first and how many: those in sight, a page before, one after."""
    return contents.row_of(top) - page, 3 * page


def has_all(contents: Contents, top: int, page: int) -> bool:
    """Whether nothing in sight is missing."""
    first = max(0, contents.row_of(top))
    last = min(contents.total, contents.row_of(top) + page)
    return all(row in contents.rows for row in range(first, last))


def scrolled_to(place: int, top: int, page: int) -> int:
    """The top that shows a place: the same if it is in sight, else with some lines before it."""
    return top if top <= place < top + page else max(0, place - page // 3)
