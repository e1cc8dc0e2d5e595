"""The whole history, verified: every job's own rows, and the limits over all of them. Pure."""

from __future__ import annotations

from collections.abc import Iterable

from jobsched.audit.findings import Invariant, Violation
from jobsched.audit.job import JobFold
from jobsched.audit.limits import LimitsFold
from jobsched.store.record import Event


def fold(events: Iterable[Event]) -> list[Violation]:
    """What is broken in a history, given in the order of ``seq``."""
    limits = LimitsFold()
    jobs: dict[int, JobFold] = {}
    found: list[Violation] = []
    last = 0
    for event in events:
        if event.seq <= last:
            text = f"history row {event.seq} comes after row {last}"
            found.append(Violation(Invariant.MOVES, text))
        last = event.seq
        found += limits.feed(event)
        if event.job_id is not None:
            if event.job_id not in jobs:
                jobs[event.job_id] = JobFold(event.job_id)
            found += jobs[event.job_id].feed(event)
    for job in jobs.values():
        found += job.finish()
    return found
