"""How many of each kind a pass may grant: pure arithmetic over the limits.

Order in a pass: requeued, then resumes, then starts; among these first the jobs that were to be
started before. A start that the alive limit blocks never blocks a resume, because the two are
counted apart.
"""

from __future__ import annotations

from jobsched.store.rows import Limits


def restarts_allowed(limits: Limits, *, requeued: int) -> int:
    """Restarts that fit after so many adoptions. They begin without a launch slot."""
    return 0 if limits.paused else max(0, limits.alive_room - requeued)


def starts_allowed(limits: Limits, *, requeued: int, resumed: int, restarted: int = 0) -> int:
    """First starts that still fit after all that comes before them."""
    if limits.paused:
        return 0
    return max(0, min(limits.launch_room - resumed, limits.alive_room - requeued - restarted))
