"""The part of a long list that has been read, and where a job went between two looks at it.

Owns the one rule by which a cursor follows its job: by id, never by index.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Final, TypeAlias

from jobsched_tui.data.frame import JobLine

#: Seconds from which on an age is told without its seconds.
_HOUR: Final = 3600.0


@dataclass(frozen=True, slots=True)
class Window:
    """Rows ``top`` and following of a list of ``total``."""

    total: int = 0
    top: int = 0
    lines: Sequence[JobLine] = ()
    _places: dict[int, int] = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        places = {line.job_id: self.top + at for at, line in enumerate(self.lines)}
        object.__setattr__(self, "_places", places)

    def at(self, index: int) -> JobLine | None:
        """The row, if it has been read."""
        place = index - self.top
        return self.lines[place] if 0 <= place < len(self.lines) else None

    def covers(self, index: int) -> bool:
        """Whether the row has been read."""
        return self.at(index) is not None

    def tells_seconds(self, now: float) -> bool:
        """Whether an age or a runtime in it is short enough to change every second."""
        return any(
            at is not None and now - at < _HOUR
            for line in self.lines
            for at in (line.submitted_at, None if line.ended_at else line.started_at)
        )

    def index_of(self, job_id: int) -> int | None:
        """Where a job stands, if its row has been read."""
        return self._places.get(job_id)


@dataclass(frozen=True, slots=True)
class Place:
    """Where a job is now, or, if ``is_gone``, where the row is that took its place."""

    index: int
    is_gone: bool = False


def follow(old: Window, new: Window, job_id: int, index: int) -> Place:
    """Where the job that stood at ``index`` of ``old`` stands in ``new``.

    It is gone only where what was read proves it: every row between those that were its neighbours
    has been read, and it is none of them. Otherwise it is taken to have moved along with them.
    """
    found = new.index_of(job_id)
    if found is not None:
        return Place(found)
    before = _neighbour(old, new, range(index - 1, old.top - 1, -1))
    after = _neighbour(old, new, range(index + 1, old.top + len(old.lines)))
    last = max(0, new.total - 1)
    if _is_proof(new, before, after):
        place = after[1] if after else before[1] + 1 if before else index
        return Place(min(place, last), is_gone=True)
    nearest = before or after
    moved = nearest[1] - nearest[0] if nearest else 0
    return Place(min(max(0, index + moved), last))


_Moved: TypeAlias = tuple[int, int]


def _neighbour(old: Window, new: Window, indices: Iterable[int]) -> _Moved | None:
    """The first of these rows that is in both: where it was, and where it is."""
    for index in indices:
        line = old.at(index)
        place = None if line is None else new.index_of(line.job_id)
        if place is not None:
            return index, place
    return None


def _is_proof(new: Window, before: _Moved | None, after: _Moved | None) -> bool:
    """Whether all rows between two neighbours were read; the ends of the list are such too."""
    starts = before is not None or new.top == 0
    ends = after is not None or new.top + len(new.lines) >= new.total
    return starts and ends


def changes(old: Window, new: Window) -> frozenset[int]:
    """The jobs in both to which something has happened that an eye should be drawn to."""
    before = {line.job_id: line for line in old.lines}
    return frozenset(
        line.job_id
        for line in new.lines
        if (was := before.get(line.job_id)) is not None
        and was is not line
        and _standing(was) != _standing(line)
    )


def _standing(line: JobLine) -> tuple[object, ...]:
    return line.state, line.status, line.tasks_done, line.trouble is None
