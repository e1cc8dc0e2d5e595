"""The tables beside the history: they must say the same.

Owns the comparison of a job's rows with the fold of its history, and of what is stored once. Reads
one transaction, in pages; looks at no process and no file.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from itertools import groupby
from operator import attrgetter
from typing import Final

from jobsched.audit.findings import Invariant, Violation
from jobsched.audit.job import JobFold
from jobsched.audit.limits import ALIVE, LAUNCH, PAUSED, LimitsFold
from jobsched.states import ALIVE_STATES, ScheduleState, TaskStatus, job_status
from jobsched.store import reads, record
from jobsched.store.migrations import VERSION
from jobsched.store.record import AuditedAttempt, AuditedJob, AuditedTask, Page
from jobsched.store.tx import Tx

#: What SQLite says is wrong is said up to so many times.
_MOST_DAMAGE: Final = 20


def check_database(tx: Tx) -> Iterator[Violation]:
    """What is wrong with the file itself."""
    for text in record.damage(tx)[:_MOST_DAMAGE]:
        yield Violation(Invariant.DATABASE, text)
    version = record.schema_version(tx)
    if version != VERSION:
        yield Violation(Invariant.DATABASE, f"user_version is {version}, not {VERSION}")


def check_limits(tx: Tx) -> Iterator[Violation]:
    """Where the limits were not kept, or are not those that the history says."""
    fold = LimitsFold()
    for event in record.limit_events(tx):
        yield from fold.feed(event)
    stored = reads.current_limits(tx)
    for name, value in ((LAUNCH, stored.launch), (ALIVE, stored.alive), (PAUSED, stored.paused)):
        said = fold.in_force.get(name, 0 if name == PAUSED else None)
        if said != value:
            yield _differs(f"{name} is {int(value)}, but the history says {said}")
    for job_id, other in record.too_early(tx):
        yield _differs(
            f"job {job_id} is alive, but job {other}, which it follows, has not succeeded"
        )


def check_page(page: Page) -> Iterator[Violation]:
    """Where the histories of these jobs break an invariant, or their rows do not say the same."""
    folds: dict[int, JobFold] = {}
    for job_id, events in groupby(page.events, key=attrgetter("job_id")):
        folds[job_id] = JobFold(job_id)
        for event in events:
            yield from folds[job_id].feed(event)
    tasks: dict[int, list[AuditedTask]] = defaultdict(list)
    for task in page.tasks:
        tasks[task.job_id].append(task)
    attempts: dict[int, list[AuditedAttempt]] = defaultdict(list)
    for attempt in page.attempts:
        attempts[attempt.job_id].append(attempt)
    jobs = {job.job_id: job for job in page.jobs}
    for fold in folds.values():
        yield from fold.finish()
        if fold.job_id not in jobs and not fold.pruned:
            yield _differs(f"job {fold.job_id} has a history, but no row")
    for job_id, job in jobs.items():
        found = folds.get(job_id)
        if found is None:
            yield _differs(f"job {job_id} has a row, but no history")
        else:
            yield from _compare(job, tasks[job_id], attempts[job_id], found)


def _compare(
    job: AuditedJob,
    tasks: Sequence[AuditedTask],
    attempts: Sequence[AuditedAttempt],
    fold: JobFold,
) -> Iterator[Violation]:
    name = f"job {job.job_id}"
    if fold.pruned:
        yield Violation(Invariant.PRUNING, f"{name} was pruned, but has a row")
        return
    if job.schedule_state != fold.state:
        yield _differs(f"{name} is {job.schedule_state}, but its history says {fold.state}")
    if job.attempt != fold.attempt:
        yield _differs(f"{name} is at attempt {job.attempt}, but its history says {fold.attempt}")
    if (job.cancel_at is not None) != fold.cancelled:
        what = "asks for" if fold.cancelled else "knows nothing of"
        yield _differs(f"{name}: its history {what} a cancel, its row says otherwise")
    if [one.attempt for one in attempts] != list(range(1, job.attempt + 1)):
        numbers = ", ".join(str(one.attempt) for one in attempts) or "none"
        yield Violation(
            Invariant.ATTEMPTS, f"{name} is at attempt {job.attempt}, but those noted are {numbers}"
        )
    acting = job.attempt if job.schedule_state in ALIVE_STATES else None
    for one in attempts:
        if one.ended_at is None and one.attempt != acting:
            text = f"{name}: attempt {one.attempt} may no longer act, but no end of it is noted"
            yield Violation(Invariant.ATTEMPTS, text)
    yield from _compare_tasks(job, tasks, fold)


def _compare_tasks(
    job: AuditedJob, tasks: Sequence[AuditedTask], fold: JobFold
) -> Iterator[Violation]:
    name = f"job {job.job_id}"
    stored: dict[int, str | None] = {task.task_id: task.status for task in tasks}
    for task_id in sorted(stored.keys() | fold.statuses.keys()):
        status, said = stored.get(task_id), fold.statuses.get(task_id)
        if status != said:
            yield _differs(f"{name}: task {task_id} is {status}, but its history says {said}")
    follows = job_status(
        [(TaskStatus(task.status), bool(task.counts), task.ended_at) for task in tasks]
    )
    if job.status != follows:
        yield _differs(f"{name} has status {job.status}, but its tasks make it {follows}")
    if job.schedule_state != ScheduleState.DONE or fold.forced:
        return
    for task in tasks:
        if not task.torn_down and task.cleanup_error is None:
            yield Violation(
                Invariant.OUTCOMES,
                f"{name} is DONE, but cluster {task.cluster} of task {task.task_id} was neither"
                " removed nor is it noted why not",
            )


def _differs(text: str) -> Violation:
    return Violation(Invariant.RECORD, text)
