"""Compare-and-set: whoever decides on what was shown acts only if it is still so.

Owns the comparison. It counts only where nothing can move between it and the act: inside a write
transaction, which the caller holds.
"""

from __future__ import annotations

from dataclasses import dataclass

from jobsched.errors import Changed
from jobsched.states import ScheduleState
from jobsched.store.rows import JobRow


@dataclass(frozen=True, slots=True)
class Expected:
    """How a job stood when somebody decided what to do about it."""

    attempt: int
    schedule_state: ScheduleState

    def __str__(self) -> str:
        return f"{self.schedule_state} at attempt {self.attempt}"


def require_expected(job: JobRow, expect: Expected | None) -> None:
    """Raise ``Changed`` unless the job stands as ``expect`` says; ``None`` expects nothing."""
    now = Expected(job.attempt, job.schedule_state)
    if expect is not None and expect != now:
        raise Changed(job.job_id, before=str(expect), now=str(now))
