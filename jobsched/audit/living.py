"""The process table and the locks beside the tables: who lives must be who may.

Owns what is said of living attempts, of copies of a task, and of what waits although it need not.
Looks only: sends no signal and takes no lock that somebody could miss. What may be right a moment
later is looked at again until it is, or until it has been wrong for as long as it may be.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterator, Sequence
from pathlib import Path
from typing import Final

from jobsched import lock, process
from jobsched.audit.findings import Invariant, Violation
from jobsched.backends.local import workload
from jobsched.backends.local.folder import Folder
from jobsched.backends.local.observe import is_being_launched
from jobsched.context import Context
from jobsched.errors import BackendError
from jobsched.lock import Grip
from jobsched.models import ClusterState
from jobsched.store import reads
from jobsched.store.database import Database
from jobsched.store.record import AuditedAttempt
from jobsched.store.rows import JobRow
from jobsched.store.tx import Tx

#: Seconds that an ended attempt has to be gone, and a sweep to take back what the dead left.
GRACE: Final = 5.0
#: Seconds between two looks.
_LOOK: Final = 0.25
#: Waiting jobs that are looked at, of each kind.
_MOST: Final = 100


def check_attempts(
    context: Context, attempts: Sequence[AuditedAttempt], now: float
) -> Iterator[Violation]:
    """Attempts that ended more than 5 s before ``now`` and are not gone."""
    for one in attempts:
        if one.ended_at is None or now - one.ended_at <= GRACE:
            continue
        path = context.home.attempt_lock(one.job_id, one.attempt)
        if lock.probe(path) is Grip.HELD:
            pids = ", ".join(f"PID {pid}" for pid in process.holders(path)) or "somebody unseen"
            yield Violation(
                Invariant.LIVENESS,
                f"job {one.job_id}: attempt {one.attempt} ended {now - one.ended_at:.0f} s ago, but"
                f" {pids} still holds its lock",
            )


def check_copies(context: Context) -> Iterator[Violation]:
    """Tasks of which more than one copy runs, and clusters of which it cannot be told."""
    root = context.home.clusters
    try:
        listed = context.backend().clusters() if root.is_dir() else []
        unlisted = [Folder(root / name) for name in workload.survivors(root)]
    except (BackendError, OSError) as error:
        yield Violation(Invariant.COPIES, f"which clusters there are cannot be told: {error}")
        return
    by_task: dict[tuple[int, int], set[str]] = defaultdict(set)
    for cluster in listed:
        by_task[cluster.job_id, cluster.task_id].add(cluster.name)
    for folder in unlisted:
        if (whose := folder.guess()) is not None:
            by_task[whose.job_id, whose.task_id].add(folder.name)
    doubtful = {cluster.name for cluster in listed if cluster.state is ClusterState.UNKNOWN}
    yield from _untold(context, doubtful | {folder.name for folder in unlisted})
    for (job_id, task_id), names in by_task.items():
        alive = [name for name in sorted(names) if _lives(root / name)] if len(names) > 1 else []
        # Looked at once more: one may have ended before the next was launched.
        alive = [name for name in alive if _lives(root / name)] if len(alive) > 1 else []
        if len(alive) > 1:
            text = f"job {job_id}: task {task_id} runs more than once, on {' and '.join(alive)}"
            yield Violation(Invariant.COPIES, text)


def _untold(context: Context, names: Collection[str]) -> Iterator[Violation]:
    """Those of the clusters of which it cannot be told whether a copy runs on them, and why."""
    for name in sorted(names):
        seen = context.backend().probe(name)
        folder = Folder(context.home.clusters / name)
        if seen.state is ClusterState.UNKNOWN and not is_being_launched(folder):
            text = f"what runs on cluster {name} cannot be told: {seen.reason}"
            yield Violation(Invariant.COPIES, text)


def _lives(path: Path) -> bool:
    """Whether a process of the task of the cluster at ``path`` lives: the workload lock tells."""
    folder = Folder(path)
    if folder.lock.exists():
        return lock.probe(folder.lock) is Grip.HELD
    return bool(workload.holders(folder))


def check_progress(context: Context, database: Database) -> Iterator[Violation]:
    """What the dead hold and nobody takes back, and what waits beside free capacity.

    Wrong only while somebody ticks: else the next command sees to it. Waits up to 5 s to see
    whether what it finds comes right.
    """
    clock = context.clock
    until = clock.monotonic() + GRACE
    seen = _stuck(context, database)
    while seen and clock.monotonic() < until:
        clock.sleep(_LOOK)
        again = _stuck(context, database)
        seen = {key: text for key, text in again.items() if key in seen}
    for (job_id, _), text in seen.items():
        yield Violation(Invariant.PROGRESS, f"job {job_id} {text} for {GRACE:g} s or more")


#: A job and its attempt: the next one would not be stuck in the same way.
_Key = tuple[int, int]


def _stuck(context: Context, database: Database) -> dict[_Key, str]:
    if lock.probe(context.home.tick_lock) is not Grip.HELD:
        return {}
    with database.read() as tx:
        waiting = _waiting(tx, context.clock.now())
        alive = [job for job in reads.alive_jobs(tx) if _needs_controller(job)]
    found = {(job.job_id, job.attempt): "has waited beside free capacity" for job in waiting}
    for job in alive:
        if lock.probe(context.home.attempt_lock(job.job_id, job.attempt)) is Grip.FREE:
            what = f"has been {job.schedule_state} with a dead controller (attempt {job.attempt})"
            found[job.job_id, job.attempt] = what
    return found


def _waiting(tx: Tx, now: float) -> list[JobRow]:
    """What a pass would grant now."""
    limits = reads.current_limits(tx)
    first = [*reads.requeued(tx, now, _MOST), *reads.resumes(tx, min(limits.launch_room, _MOST))]
    if first or limits.paused:
        return first
    return reads.starts(tx, now, min(limits.launch_room, limits.alive_room, _MOST))


def _needs_controller(job: JobRow) -> bool:
    """Whether it is not being ended: that needs none, and takes as long as its processes do."""
    return not job.is_ending
