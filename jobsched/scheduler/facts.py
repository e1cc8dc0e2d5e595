"""What the reason of a job follows from, gathered for a page of jobs at once.

Owns the reading: a fixed number of queries for the whole page, and a look at the lock of each job
that is alive. Draws no conclusion (``reasons`` does) and changes nothing.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache

from jobsched.context import Context
from jobsched.scheduler import office
from jobsched.scheduler.pick import restarts_allowed, starts_allowed
from jobsched.scheduler.reasons import NAMED, Facts, ReasonCode, reason_for
from jobsched.states import ScheduleState
from jobsched.store import reads, views
from jobsched.store.limits import sum_in_words
from jobsched.store.rows import AttemptRow, JobRow, Limits, TaskRow
from jobsched.store.tx import Tx
from jobsched.sweep.liveness import Liveness, liveness

_WAITS = frozenset({ScheduleState.WAITING, ScheduleState.ALIVE_WAITING})


@dataclass(frozen=True, slots=True)
class _Page:
    """What was read for some jobs together."""

    limits: Limits
    tasks: Mapping[int, list[TaskRow]]
    attempts: Mapping[int, AttemptRow]
    blockers: Mapping[int, list[views.Blocker]]
    #: Those of which a controller has ever called.
    called: set[int]
    #: Ids of jobs that a pass made now would move.
    next_up: frozenset[int]


def gather(context: Context, tx: Tx, jobs: Sequence[JobRow], now: float) -> list[Facts]:
    """What there is to know of some jobs at ``now``; not who is in front of them."""
    page = _read(tx, jobs, now)
    is_watched = cache(lambda: office.is_filled(context))  # asked for few, but then it is dear
    return [_facts(context, page, job, now, is_watched=is_watched) for job in jobs]


def gather_one(context: Context, tx: Tx, job: JobRow, now: float) -> Facts:
    """What there is to know of one job, also who is in front, and what its blockers wait for."""
    facts = gather(context, tx, [job], now)[0]
    if job.schedule_state not in _WAITS:
        return facts
    starts = job.schedule_state is ScheduleState.WAITING
    return replace(
        facts,
        blocker_code=_code_of_first(context, tx, facts.blockers, now),
        resumes_ahead=views.resumes_ahead(tx, job, NAMED),
        starts_ahead=views.starts_ahead(tx, job, now, NAMED) if starts else None,
        alive_sum=sum_in_words(facts.limits, context.auto_limits()) if starts else "",
    )


def _read(tx: Tx, jobs: Sequence[JobRow], now: float) -> _Page:
    ids = [job.job_id for job in jobs]
    waiting = [job.job_id for job in jobs if job.schedule_state in _WAITS]
    limits = reads.current_limits(tx)
    return _Page(
        limits=limits,
        tasks=views.tasks_of_all(tx, ids),
        attempts=views.newest_attempts(tx, [job.job_id for job in jobs if job.attempt]),
        blockers=views.blockers_of_all(tx, waiting),
        called=views.called_among(tx, [job.job_id for job in jobs if job.attempt]),
        next_up=frozenset(_next_up(tx, limits, now)) if waiting else frozenset(),
    )


def _next_up(tx: Tx, limits: Limits, now: float) -> Iterable[int]:
    """Whom a pass would move, asked as the pass asks: at most as many as there is room for."""
    resumes = reads.resumes(tx, limits.launch_room)
    requeued = reads.requeued(tx, now, max(1, limits.alive_room))
    restarts = reads.restarts(tx, now, restarts_allowed(limits, requeued=len(requeued)))
    room = starts_allowed(
        limits, requeued=len(requeued), restarted=len(restarts), resumed=len(resumes)
    )
    starts = reads.starts(tx, now, room)
    return (job.job_id for job in (*resumes, *restarts, *starts))


def _facts(
    context: Context, page: _Page, job: JobRow, now: float, *, is_watched: Callable[[], bool]
) -> Facts:
    attempt = page.attempts.get(job.job_id)
    lives = liveness(context, job, attempt) if job.is_alive else Liveness(alive=False)
    return Facts(
        job=job,
        tasks=page.tasks[job.job_id],
        limits=page.limits,
        liveness=lives,
        is_watched=_is_for_others(job, lives) and is_watched(),
        now=now,
        attempt=attempt,
        blockers=page.blockers.get(job.job_id, ()),
        has_called=job.job_id in page.called,
        is_next=job.job_id in page.next_up,
    )


def _is_for_others(job: JobRow, lives: Liveness) -> bool:
    """Whether it is to be ended, and its controller cannot."""
    return job.is_ending and not job.is_done and (lives.stopped is not None or lives.alive is False)


def _code_of_first(
    context: Context, tx: Tx, blockers: Sequence[views.Blocker], now: float
) -> ReasonCode | None:
    """What the first of them does or waits for itself."""
    first = reads.job(tx, blockers[0].job_id) if blockers else None
    return None if first is None else reason_for(gather(context, tx, [first], now)[0]).code
