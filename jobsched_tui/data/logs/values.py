"""What a view of a log asks for and what it is told: frozen values, handed from thread to thread.

Owns the shapes alone. A row is a line of the file, or, where only matching lines are kept, one of
those. Rows run from 0.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum, unique
from typing import Final

from jobsched_tui.data.logs.file import Event
from jobsched_tui.data.logs.lines import LogLine
from jobsched_tui.data.logs.patterns import Pattern
from jobsched_tui.data.logs.scanning import Marks
from jobsched_tui.data.logs.seeking import Direction


@unique
class Target(StrEnum):
    """What may be jumped to."""

    MATCH = "match"
    ERROR = "error"
    TIME = "time"


@dataclass(frozen=True, slots=True)
class Habits:
    """How a person likes logs to be drawn."""

    wrap: bool = False
    numbers: bool = False
    timestamps: bool = True


USUAL: Final = Habits()


@dataclass(frozen=True, slots=True)
class Jump:
    """A wish to go somewhere; ``serial`` tells two wishes apart."""

    serial: int
    target: Target
    #: Go from this row.
    row: int = 0
    direction: Direction = Direction.ON
    #: For ``TIME``: Unix seconds.
    at: float = 0.0


@dataclass(frozen=True, slots=True)
class Request:
    """What the view wants now. Rows are lines, or of a filtered view the lines that match."""

    #: The first row wanted and how many; ``None``: the last ones.
    first: int | None = None
    count: int = 0
    search: Pattern | None = None
    keep: Pattern | None = None
    jump: Jump | None = None


@dataclass(frozen=True, slots=True)
class Row:
    """A line, and which it is."""

    #: From 0; ``None`` while it is not known.
    number: int | None
    line: LogLine
    #: Where in its text what is searched for stands.
    marks: Marks = ()


@dataclass(frozen=True, slots=True)
class Counting:
    """How far a search is: matches so far, and the part of the file that was searched."""

    count: int
    part: float
    #: Why it was given up; empty: it was not.
    failure: str = ""


@dataclass(frozen=True, slots=True)
class Landing:
    """Where a jump went; no row: there is nothing that way."""

    serial: int
    target: Target
    row: int | None = None
    #: The how-manieth match it is, from 1.
    ordinal: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Update:
    """What the view may show. Frozen, complete, and handed from thread to thread."""

    standing: Event | None
    cause: str = ""
    #: What happened to the file, for a divider; ``None``: nothing new.
    event: Event | None = None
    #: All that was shown before is void.
    fresh: bool = False
    #: To be added to every row number that was given before.
    shift: int = 0
    size: int = 0
    #: Bytes at the beginning that were dropped.
    dropped: int = 0
    #: How many rows there are, and how many lines: the same where nothing is filtered.
    total: int = 0
    lines: int = 0
    numbered: bool = True
    #: How much of the file is counted, 0 to 1.
    indexed: float = 1.0
    #: By row.
    rows: Mapping[int, Row] = field(default_factory=dict)
    search: Counting | None = None
    keep: Counting | None = None
    landing: Landing | None = None
    #: There is work left.
    more: bool = False
