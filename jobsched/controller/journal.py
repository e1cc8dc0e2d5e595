"""The controller's way into the database: every write guarded by its attempt, cancels noticed.

Owns the transactions of a controller. Each first makes sure that this attempt still acts for the
job; a stale one changes nothing.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, TypeVar

from jobsched.context import Context
from jobsched.errors import Cancelled, NotFound, StaleAttempt
from jobsched.process import Identity
from jobsched.scheduler.patience import patiently
from jobsched.states import TaskStatus
from jobsched.store import moves, reads
from jobsched.store.rows import JobRow, TaskRow
from jobsched.store.tx import Tx

T = TypeVar("T")


class Journal:
    """Reads and writes of one attempt of one job; safe to use from several threads."""

    def __init__(self, context: Context, job_id: int, attempt: int) -> None:
        self.context, self.job_id, self.attempt = context, job_id, attempt
        #: Called after every committed change of a status.
        self.changed: Callable[[], None] = lambda: None

    def job(self) -> JobRow:
        """The job now. Raises ``StaleAttempt`` if it is somebody else's."""
        return self._patiently(lambda: self._read(self._job))

    def job_and_tasks(self) -> tuple[JobRow, list[TaskRow]]:
        """The job and the rows of all its tasks, of one moment. Raises as ``job`` does."""
        return self._patiently(
            lambda: self._read(lambda tx: (self._job(tx), reads.tasks_of(tx, self.job_id)))
        )

    def check(self) -> None:
        """Raise ``StaleAttempt`` or ``Cancelled`` if there is reason to."""
        if self.job().cancel_at is not None:
            raise Cancelled(self.job_id)

    def task(self, task_id: int) -> TaskRow:
        """The row of one task now."""
        return self._patiently(lambda: self._read(lambda tx: self._task(tx, task_id)))

    def put(self, task_id: int, **columns: Any) -> None:
        """Set columns of a task."""
        self._patiently(lambda: self._put(task_id, columns))

    def put_process(self, who: Identity) -> None:
        """Have the attempt's process be ``who`` from now on."""
        self._patiently(lambda: self._put_process(who))

    def move(
        self, task_id: int, to: TaskStatus, reason: str | None = None, **columns: Any
    ) -> TaskRow:
        """Move a task, or set its columns if it is there already; the row then.

        Raises ``Cancelled`` instead of moving a task of a cancelled job to anything but its end.
        """
        moved = self._patiently(lambda: self._move(task_id, to, reason, columns))
        self.changed()
        return moved

    def _put(self, task_id: int, columns: dict[str, Any]) -> None:
        with self._mine(durable=False) as (tx, _):
            moves.set_task(tx, self.job_id, task_id, **columns)

    def _put_process(self, who: Identity) -> None:
        with self._mine(durable=False) as (tx, _):
            moves.set_attempt(
                tx, self.job_id, self.attempt,
                pid=who.pid, start_ticks=who.start_ticks, pid_ns=who.pid_ns,
            )  # fmt: skip

    def _move(
        self, task_id: int, to: TaskStatus, reason: str | None, columns: dict[str, Any]
    ) -> TaskRow:
        # An outcome is never worked out again; any other status is, from what really runs.
        with self._mine(durable=to.is_terminal) as (tx, job):
            task = self._task(tx, task_id)
            if job.cancel_at is not None and to not in _CANCEL_STATUSES:
                raise Cancelled(self.job_id)
            if task.status is to:
                moves.set_task(tx, self.job_id, task_id, **columns)
                return self._task(tx, task_id)
            by = self.context.by(reason, attempt=self.attempt)
            return moves.status(tx, task, to, by, **columns)

    def _patiently(self, action: Callable[[], T]) -> T:
        return patiently(self.context.clock, action)

    def _read(self, query: Callable[[Tx], T]) -> T:
        with self.context.db.read() as tx:
            return query(tx)

    @contextmanager
    def _mine(self, *, durable: bool) -> Iterator[tuple[Tx, JobRow]]:
        with self.context.db.write(durable=durable) as tx:
            job = moves.owned(tx, self.job_id, self.context.by(attempt=self.attempt))
            if job.is_done:
                raise StaleAttempt(self.job_id, self.attempt, job.attempt)
            yield tx, job

    def _job(self, tx: Tx) -> JobRow:
        job = reads.job(tx, self.job_id)
        if job is None or job.attempt != self.attempt or job.is_done:
            raise StaleAttempt(self.job_id, self.attempt, job.attempt if job else None)
        return job

    def _task(self, tx: Tx, task_id: int) -> TaskRow:
        task = reads.task(tx, self.job_id, task_id)
        if task is None:
            raise NotFound(f"task of job {self.job_id}", task_id)
        return task


_CANCEL_STATUSES = frozenset({TaskStatus.CANCELLING, TaskStatus.CANCELLED})
