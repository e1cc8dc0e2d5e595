"""What the history of the last hours says: which jobs ended, and how long launches take here.

Owns how far that goes back, and what is remembered of it. Judges nothing.
"""

from __future__ import annotations

from collections.abc import Sequence
from statistics import median
from typing import Final

from jobsched.api import Change, Watch
from jobsched.states import ScheduleState

#: Rows of the history that are read back for what happened before the console came.
_BACK: Final = 2_000
#: Jobs that are remembered to have ended, and launches whose time is: the newest of each.
_ENDED: Final = 1_000
_LAUNCHES: Final = 100
#: Seconds: how far back an end is news where nobody has looked before.
_NEWS: Final = 86_400.0


class Lately:
    """For one watch. ``seen_seq``: the newest row that the operator has seen; 0: none ever."""

    def __init__(self, watch: Watch, seen_seq: int) -> None:
        self._watch = watch
        self.seen_seq = seen_seq
        self._read_back = False
        self._ended: dict[int, int] = {}
        self._launching: dict[int, float] = {}
        self._launches: list[float] = []

    @property
    def news(self) -> set[int]:
        """Jobs that have ended since the operator looked last."""
        return {job_id for job_id, seq in self._ended.items() if seq > self.seen_seq}

    def ended(self, job_id: int) -> int | None:
        """The row that says that a job has ended; ``None``: that was long ago."""
        return self._ended.get(job_id)

    @property
    def median_launch(self) -> float | None:
        """Seconds that a launch takes here."""
        return median(self._launches) if self._launches else None

    def launching_since(self, job_id: int) -> float | None:
        """When the launch of a job began that has not ended."""
        return self._launching.get(job_id)

    def seen(self, seq: int) -> None:
        """The operator has seen everything up to that row."""
        self.seen_seq = max(self.seen_seq, seq)

    def read_back(self, now: float) -> None:
        """Take note of what happened before the first :meth:`note`; once is enough."""
        if self._read_back:
            return
        latest = self._watch.latest()
        back = self._watch.changes_before(latest + 1, most=_BACK, kinds=("SCHEDULE",))
        noted, self._ended = self._ended, {}
        self.note(list(reversed(back)))
        self._ended |= noted
        if not 0 < self.seen_seq <= latest:  # nobody has looked yet, or at another database
            self.seen_seq = self._watch.moment(now - _NEWS)
        self._read_back = True

    def note(self, changes: Sequence[Change]) -> None:
        """Take note of what has happened, in order."""
        for change in changes:
            if change.kind == "SCHEDULE" and change.job_id is not None:
                self._moved(change, change.job_id)

    def _moved(self, change: Change, job_id: int) -> None:
        began = self._launching.pop(job_id, None)
        if change.to_value == ScheduleState.LAUNCHING:
            self._launching[job_id] = change.at
        elif began is not None:
            self._launches = [*self._launches[1 - _LAUNCHES :], change.at - began]
        if change.to_value == ScheduleState.DONE:
            self._ended.pop(job_id, None)
            self._ended[job_id] = change.seq
            if len(self._ended) > _ENDED:
                del self._ended[next(iter(self._ended))]
