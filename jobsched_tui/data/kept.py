"""What was read of some jobs, kept as long as it is true.

Owns when a job is read again: at once when the history tells of it, and now and then when somebody
has committed anything (not everything leaves a row there), when its controller has died or come,
or when it waits for a moment that draws near.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from typing import Any, Final, Generic, Protocol, TypeVar

from jobsched.api import ReasonCode, Seen
from jobsched.states import ALIVE_STATES
from jobsched_tui.data.frame import JobLine
from jobsched_tui.data.lines import job_line
from jobsched_tui.data.news import Happened

#: Reasons whose sentences say how long it takes still.
_COUNTING_DOWN: Final = frozenset({str(ReasonCode.BACKOFF), str(ReasonCode.NO_ROOM)})


class Looks(Protocol):
    """What is asked beside the jobs themselves: a ``Watch``."""

    def alive(self, job_ids: Collection[int]) -> dict[int, bool | None]:
        """Whether the controllers of those that are alive live."""
        ...


class Known:
    """One job as the door tells it (the keys of ``Watch.rows``)."""

    __slots__ = ("line", "seen")

    def __init__(self, found: Mapping[str, Any]) -> None:
        self.line: JobLine = job_line(found)
        #: What has the PID of its last controller.
        self.seen: Seen | None = found["controller_seen"]


KnownT = TypeVar("KnownT", bound=Known)


class Kept(Generic[KnownT]):
    """Some jobs of one home. ``read``: those of some jobs that there are, by id."""

    def __init__(
        self, looks: Looks, read: Callable[[Collection[int]], Mapping[int, KnownT]]
    ) -> None:
        self._looks, self._read = looks, read
        self._known: dict[int, KnownT] = {}
        self._outdated = False

    def note(self, happened: Happened) -> None:
        """Something has happened."""
        self._outdated = self._outdated or happened.committed
        if happened.jobs is None:
            self._known.clear()
        else:
            for job_id in happened.jobs & self._known.keys():
                del self._known[job_id]

    def bring_up(self, wanted: Collection[int], *, again: bool) -> Mapping[int, KnownT]:
        """Those of the jobs that there are; all others are forgotten.

        ``again``: it is time to look at those, too, of which the history tells nothing new.
        """
        stale = set(wanted) - self._known.keys()
        if again:
            stale |= set(wanted) if self._outdated else self._moving(wanted)
            self._outdated = False
        fresh = self._read(stale) if stale else {}
        kept = {
            job_id: self._known[job_id]
            for job_id in wanted
            if job_id not in stale and job_id in self._known
        }
        self._known = {**kept, **fresh}
        return self._known

    def _moving(self, wanted: Collection[int]) -> set[int]:
        """Those that are another way by now although nobody has written anything."""
        lines = [self._known[job_id].line for job_id in wanted if job_id in self._known]
        lives = self._looks.alive([line.job_id for line in lines if line.state in ALIVE_STATES])
        return {
            line.job_id
            for line in lines
            if line.reason in _COUNTING_DOWN or lives.get(line.job_id, line.alive) != line.alive
        }
