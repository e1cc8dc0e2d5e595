"""The columns of the job list: which there are, which are shown at a width, and how wide each is.

Owns widths and order. What stands in a cell is decided in ``rows``.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum, unique
from types import MappingProxyType
from typing import Final

from jobsched_tui.present.glyphs import SHORT


@unique
class Col(StrEnum):
    """The columns, by the names that an operator chooses them by."""

    ID = "id"
    NAME = "name"
    SCHED = "sched"
    STATUS = "status"
    TASK = "task"
    PRIO = "prio"
    PID = "pid"
    CPU = "cpu"
    RSS = "rss"
    AGE = "age"
    STARTED = "started"
    RUNTIME = "runtime"
    RECOV = "recov"
    RESTARTS = "restarts"
    REGION = "region"
    SOURCE = "source"
    WHY = "why"


_NAMES: Final = frozenset(Col)


@dataclass(frozen=True, slots=True, kw_only=True)
class Kind:
    """What is always so of a column. ``cells`` 0: it shares what the others leave."""

    title: str
    #: What stands in it, for who chooses columns.
    says: str
    cells: int = 0
    right: bool = False
    #: The name of the order that a click on its title asks for, if there is one.
    sort: str | None = None


KINDS: Final[Mapping[Col, Kind]] = MappingProxyType(
    {
        Col.ID: Kind(title="ID", says="number of the job", cells=6, right=True, sort="id"),
        Col.NAME: Kind(title="NAME", says="name of the job", sort="name"),
        Col.SCHED: Kind(
            title="SCHED",
            says="what the scheduler makes of it, or what is wrong",
            cells=15,
            sort="state",
        ),
        Col.STATUS: Kind(title="STATUS", says="how its tasks are", cells=12, sort="status"),
        Col.TASK: Kind(title="TASK", says="tasks that ended, of how many", cells=5),
        Col.PRIO: Kind(
            title="PRIO", says="priority, higher first", cells=5, right=True, sort="priority"
        ),
        Col.PID: Kind(
            title="PID", says="its controller, and whether it lives", cells=8, right=True
        ),
        Col.CPU: Kind(title="CPU%", says="100 is one core", cells=4, right=True),
        Col.RSS: Kind(title="RSS", says="memory of all its processes", cells=4, right=True),
        Col.AGE: Kind(title="AGE", says="since it was submitted", cells=6, right=True, sort="age"),
        Col.STARTED: Kind(
            title="STARTED", says="when it began", cells=8, right=True, sort="started"
        ),
        Col.RUNTIME: Kind(
            title="RUNTIME", says="how long it has run, or ran", cells=8, right=True, sort="runtime"
        ),
        Col.RECOV: Kind(
            title="RECOV", says="times that a cluster was lost and replaced", cells=5, right=True
        ),
        Col.RESTARTS: Kind(
            title="RESTARTS",
            says="times that a task was restarted after an error",
            cells=8,
            right=True,
        ),
        Col.REGION: Kind(title="REGION", says="where its tasks run", cells=12),
        Col.SOURCE: Kind(title="SOURCE", says="the file that it was submitted from", cells=24),
        Col.WHY: Kind(
            title="LAST LOG / WHY", says="why it waits, how it ended, or its last log line"
        ),
    }
)

#: Cursor and mark, in front of every row.
GUTTER: Final = 2
#: SCHED where STATUS is folded into it: a sign and a short word.
_FOLDED: Final = 2 + SHORT
#: NAME and WHY get at least this, else a fixed column goes.
_LEAST: Final = MappingProxyType({Col.NAME: 8, Col.WHY: 12})
#: Of what the fixed columns leave, NAME gets this part, up to so many cells.
_NAME_PART: Final = 0.38
_NAME_MOST: Final = 48
#: From this width on there are two cells between columns.
_SPACIOUS: Final = 140

_NARROW: Final = (Col.ID, Col.NAME, Col.SCHED, Col.WHY)
_COMPACT: Final = (Col.ID, Col.NAME, Col.SCHED, Col.TASK, Col.AGE, Col.WHY)
_USUAL: Final = (
    *(Col.ID, Col.NAME, Col.SCHED, Col.STATUS, Col.TASK),
    *(Col.PID, Col.CPU, Col.RSS, Col.AGE, Col.WHY),
)
#: The same with STATUS folded: beside a log the names matter more.
_FOLDED_USUAL: Final = tuple(col for col in _USUAL if col is not Col.STATUS)
_WIDE: Final = (
    *(Col.ID, Col.NAME, Col.SCHED, Col.STATUS, Col.TASK, Col.PRIO),
    *(Col.PID, Col.CPU, Col.RSS, Col.AGE, Col.RUNTIME, Col.RECOV, Col.REGION, Col.WHY),
)
#: From how many cells on which columns are shown unless the operator chose.
_DEFAULTS: Final = ((156, _WIDE), (116, _USUAL), (98, _FOLDED_USUAL), (60, _COMPACT), (0, _NARROW))


@dataclass(frozen=True, slots=True)
class Placed:
    """A column, and where it stands."""

    col: Col
    start: int
    cells: int

    @property
    def kind(self) -> Kind:
        """What is always so of it."""
        return KINDS[self.col]


@dataclass(frozen=True, slots=True)
class Layout:
    """The columns that are shown, from left to right, in exactly ``width`` cells."""

    width: int
    columns: tuple[Placed, ...]
    #: Whether SCHED has short words and says the outcome too.
    folded: bool
    gap: int

    def at(self, x: int) -> Col | None:
        """The column in which a cell lies; the gap behind a column belongs to it."""
        for placed in self.columns:
            if placed.start <= x < placed.start + placed.cells + self.gap:
                return placed.col
        return None

    def order_at(self, x: int) -> str | None:
        """The order that a click on the title there asks for."""
        col = self.at(x)
        return None if col is None else KINDS[col].sort

    def shows(self, col: Col) -> bool:
        """Whether a column is there."""
        return any(placed.col is col for placed in self.columns)


def defaults(width: int) -> tuple[Col, ...]:
    """The columns that a width has room for, as designed."""
    return next(columns for least, columns in _DEFAULTS if width >= least)


def layout(width: int, chosen: Sequence[str] | None = None) -> Layout:
    """The columns for a terminal so wide, and never wider.

    ``chosen``: names in the operator's order; unknown and repeated ones are passed over. Where
    they do not fit, fixed columns go, the last first; ID stays.
    """
    columns = list(_known(chosen) or defaults(width))
    gap = 2 if width >= _SPACIOUS else 1
    while len(columns) > 1 and _needed(columns, gap) > width:
        columns.remove(_least_wanted(columns))
    cells = _cells(columns, max(0, width - GUTTER - gap * (len(columns) - 1)))
    placed, start = [], min(GUTTER, width)
    for col in columns:
        placed.append(Placed(col, start, cells[col]))
        start += cells[col] + gap
    return Layout(width, tuple(placed), Col.STATUS not in columns, gap)


def _known(chosen: Sequence[str] | None) -> list[Col]:
    named = dict.fromkeys(name.lower() for name in chosen or ())
    return [Col(name) for name in named if name in _NAMES]


def _least_wanted(columns: Sequence[Col]) -> Col:
    """The last fixed column but ID; then WHY, then NAME."""
    fixed = [col for col in columns if KINDS[col].cells and col is not Col.ID]
    others = [col for col in (Col.WHY, Col.NAME) if col in columns]
    spare = [col for col in fixed if col is not Col.SCHED] or fixed
    return spare[-1] if spare else others[0]


def _needed(columns: Sequence[Col], gap: int) -> int:
    cells = sum(_fixed(col, columns) or _LEAST[col] for col in columns)
    return GUTTER + cells + gap * (len(columns) - 1)


def _fixed(col: Col, columns: Sequence[Col]) -> int:
    folded = col is Col.SCHED and Col.STATUS not in columns
    return _FOLDED if folded else KINDS[col].cells


def _cells(columns: Sequence[Col], room: int) -> dict[Col, int]:
    """How many cells each column gets out of ``room``."""
    cells = {col: min(_fixed(col, columns), room) for col in columns}
    left = room - sum(cells.values())
    if Col.NAME in columns:
        share = min(_NAME_MOST, int(left * _NAME_PART)) if Col.WHY in columns else left
        cells[Col.NAME] = max(min(_LEAST[Col.NAME], left), share)
        left -= cells[Col.NAME]
    if Col.WHY in columns:
        cells[Col.WHY] = left
    return cells
