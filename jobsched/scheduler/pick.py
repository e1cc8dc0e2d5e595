"""How many of each kind a pass may grant: pure arithmetic over the limits.

Order in a pass: requeued, then resumes, then starts. A start that the alive limit blocks never
blocks a resume, because the two are counted apart.
"""

from __future__ import annotations

from jobsched.store.rows import Limits


def starts_allowed(limits: Limits, *, requeued: int, resumed: int) -> int:
    """First starts that still fit after so many adoptions and resumed slots."""
    if limits.paused:
        return 0
    return max(0, min(limits.launch_room - resumed, limits.alive_room - requeued))
