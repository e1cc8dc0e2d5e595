"""What is written once, when a job is submitted: snapshot, place in the queue, whom it follows."""

from __future__ import annotations

from collections.abc import Iterable

from jobsched.errors import NotFound
from jobsched.lock import Held
from jobsched.states import ScheduleState, TaskStatus
from jobsched.store import moves, reads, sql
from jobsched.store.moves import By
from jobsched.store.rows import JobRow
from jobsched.store.tx import Tx


def snapshot(tx: Tx, job_id: int, *, yaml: str, dag: str, env: str, source: str) -> None:
    """Store what the job needs; ``dag`` and ``env`` are JSON."""
    tx.change(sql.ADD_SNAPSHOT, job_id=job_id, yaml=yaml, dag=dag, env=env, source=source)


def require_known(tx: Tx, job_ids: Iterable[int]) -> None:
    """Raise ``NotFound`` for the first of some ids that is no job's."""
    for job_id in dict.fromkeys(job_ids):
        if reads.job(tx, job_id) is None:
            raise NotFound("job", job_id)


def follow(tx: Tx, job_id: int, on_job_id: int) -> bool | None:
    """Let ``job_id`` start only after ``on_job_id`` succeeded.

    True: it has; False: it never will; ``None``: not known yet. Raises ``NotFound``.
    """
    other = reads.job(tx, on_job_id)
    if other is None:
        raise NotFound("job", on_job_id)
    succeeded = other.is_done and other.status is TaskStatus.SUCCEEDED
    tx.change(sql.ADD_DEPENDENCY, job_id=job_id, on_job_id=on_job_id, satisfied=int(succeeded))
    return succeeded if other.is_done else None


def enter_queue(tx: Tx, held: Held, job: JobRow, by: By) -> None:
    """INACTIVE to WAITING; its place in the queue is that history row."""
    seq = moves.next_seq(tx)
    moves.schedule(tx, held, job, ScheduleState.WAITING, by, queue_seq=seq, submitted_at=by.now)
