"""Which job the cursor is on and which are marked, while the list moves under them.

Owns cursor, marks and the range that is being marked, all by job id. Knows no screen and no key.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Final

from jobsched_tui.data.frame import JobLine
from jobsched_tui.present.window import Place, Window, follow

#: Nothing is known for certain.
NOWHERE: Final[Mapping[int | None, Place]] = MappingProxyType({})


@dataclass(frozen=True, slots=True)
class Spot:
    """A job, and where it stands; ``None``: which job stands there is not known yet."""

    job_id: int | None = None
    index: int = 0


class Selection:
    """Cursor and marks on a list of which a window has been read."""

    def __init__(self) -> None:
        self.window = Window()
        self.spot = Spot()
        self.marks: frozenset[int] = frozenset()
        #: Where a range begins that ends at the cursor.
        self.start: Spot | None = None
        #: Whether the cursor stays with its job even where that is gone from the list.
        self.locked = False

    @property
    def current(self) -> JobLine | None:
        """The job under the cursor as it is shown, if its row has been read."""
        line = self.window.at(self.spot.index)
        return line if line is not None and line.job_id == self.spot.job_id else None

    def update(self, new: Window, places: Mapping[int | None, Place] = NOWHERE) -> None:
        """The list is this now. ``places``: of jobs of which it is known for certain."""
        old, self.window = self.window, new
        if self.start is not None:
            place = _place(old, new, self.start, places)
            self.start = None if place.is_gone else Spot(self.start.job_id, place.index)
        place = _place(old, new, self.spot, places)
        if self.spot.job_id is None or (place.is_gone and not self.locked):
            self.place_at(place.index)
        else:
            self.spot = Spot(self.spot.job_id, place.index)

    def place_at(self, index: int) -> None:
        """The cursor onto a row, whichever job is there; onto none if that is not known yet."""
        index = min(max(0, index), max(0, self.window.total - 1))
        line = self.window.at(index)
        self.spot = Spot(None if line is None else line.job_id, index)

    def toggle(self) -> None:
        """Mark the job under the cursor, or no longer."""
        if self.spot.job_id is not None:
            self.marks ^= {self.spot.job_id}

    def range_ids(self) -> tuple[Spot, Spot, list[int] | None]:
        """Both ends of the range, in order, and its jobs; ``None``: not all have been read."""
        first, last = sorted((self.start or self.spot, self.spot), key=lambda spot: spot.index)
        lines = [self.window.at(index) for index in range(first.index, last.index + 1)]
        known = [line.job_id for line in lines if line is not None]
        return first, last, known if len(known) == len(lines) else None

    def is_on(self, index: int, line: JobLine | None) -> bool:
        """Whether the cursor is on this row, as far as is known."""
        return index == self.spot.index and (line is None or line.job_id == self.spot.job_id)

    def is_marked(self, index: int, line: JobLine | None) -> bool:
        """Whether this row is marked, or would be if the range ended at the cursor."""
        if line is not None and line.job_id in self.marks:
            return True
        if self.start is None:
            return False
        first, last = sorted((self.start.index, self.spot.index))
        return first <= index <= last


def _place(old: Window, new: Window, spot: Spot, places: Mapping[int | None, Place]) -> Place:
    """What was read says most; then what is known, unless a row that was read denies it."""
    if spot.job_id is None:
        return Place(spot.index)
    known = places.get(spot.job_id)
    is_read = new.index_of(spot.job_id) is not None
    if known is None or is_read or (new.covers(known.index) and not known.is_gone):
        return follow(old, new, spot.job_id, spot.index)
    return Place(min(known.index, max(0, new.total - 1)), is_gone=known.is_gone)
