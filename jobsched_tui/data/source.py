"""What the console asks of whatever it shows: the home now, the home as it was, or a fixed scene.

Owns the question (:class:`View`) and the seam (:class:`Source`); the answers are in ``frame``.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Protocol

from jobsched_tui.data.filters import Query
from jobsched_tui.data.frame import Frame


@dataclass(frozen=True, slots=True, kw_only=True)
class View:
    """Which jobs the list shows, and which rows of them are on the screen."""

    query: Query = field(default_factory=Query)
    #: Narrows the query further: the tab that is chosen, as its name in ``Frame.counts``.
    tab: str = "all"
    #: First row on the screen, and how many there are.
    top: int = 0
    height: int = 0
    #: The job that the cursor is on: read whether its row is on the screen or not.
    cursor: int | None = None
    #: The row of the history up to which things are to be shown; ``None``: as they are now.
    past: int | None = None
    #: The job that is looked into, if one is.
    detail: int | None = None
    #: Jobs that the operator has marked, for ``is:marked``.
    marks: frozenset[int] = frozenset()


class Source(Protocol):
    """Where frames come from. Used by one thread; never raises for what a home can do to it."""

    def has_changed(self) -> bool:
        """Whether another frame may be due because of a commit. Costs microseconds."""
        ...

    def frame(self, view: View) -> Frame:
        """What there is to see now."""
        ...

    def close(self) -> None:
        """Give back what is open."""
        ...
