"""What is shown while nothing newer comes: the last view, and since when nobody answers.

Owns from when on an answer is late. Sources tell by themselves what keeps them from reading; this
is about one that says nothing at all, because the database is held by another or its disk hangs.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Final

from jobsched_tui.data.frame import Frame, Health, Link

#: Seconds: longer than a look at thousands of jobs takes.
LATE: Final = 2.0
#: Links that say by themselves that this is not the newest.
_KNOWN_OLD: Final = frozenset({Link.STALE, Link.MISSING, Link.FROZEN, Link.PAST})


def overdue(frame: Frame, seconds: float, now: float) -> Frame:
    """The frame as it stands when the next has been asked for in vain for so many seconds."""
    if seconds < LATE or frame.health.link in _KNOWN_OLD:
        return frame
    cause = "the database does not answer: another process holds it, or its disk hangs"
    return replace(frame, health=Health(link=Link.STALE, at=now - seconds, cause=cause))
