"""``event_callback``: the user's own program, told of every committed change of a task's status.

Owns when it runs and with which names; ``calling`` runs it. It runs after the commit, in order and
at least once (what it was told of is stored after it ended), and can never make the job fail.
"""

from __future__ import annotations

import json
import logging
import os
from collections.abc import Mapping
from typing import Final

from jobsched.context import Context
from jobsched.environment import task_environment
from jobsched.errors import JobschedError, StoreError
from jobsched.models import DagSpec, TaskSpec
from jobsched.states import TaskStatus
from jobsched.store import moves, reads
from jobsched.store.rows import HistoryRow, JobRow
from jobsched.store.tx import Tx
from jobsched.sweep.calling import CALL_SECONDS, call, may_pass

log = logging.getLogger(__name__)

#: What the stored DAG holds where any task has a callback.
_CALLBACK: Final = '"event_callback":"'
#: How a callback's log is opened; one that nobody reads (a FIFO) keeps nobody waiting.
_LOG_FLAGS: Final = (
    os.O_WRONLY | os.O_CREAT | os.O_APPEND | os.O_NOFOLLOW | os.O_CLOEXEC | os.O_NONBLOCK
)


def event_name(row: HistoryRow) -> str:
    """The word for a change: the status, but STARTED and RECOVERED for the two ways to RUNNING."""
    if row.to_value != TaskStatus.RUNNING:
        failed = row.to_value is not None and TaskStatus(row.to_value).is_failure
        return "FAILED" if failed else str(row.to_value)
    return "RECOVERED" if row.from_value == TaskStatus.RECOVERING else "STARTED"


def callbacks_of(context: Context, job: JobRow) -> list[Callbacks]:
    """What is to be told of a job's changes; empty where no task has a callback."""
    with context.db.read() as tx:
        stored = reads.snapshot(tx, job.job_id)
    return [] if stored is None else callbacks_in(stored, context, job)


def callbacks_in(stored: Mapping[str, str], context: Context, job: JobRow) -> list[Callbacks]:
    """The same for one who has read the job's snapshot already."""
    if _CALLBACK not in stored["dag"]:
        return []
    spec = DagSpec.from_json(stored["dag"])
    base, at = json.loads(stored["env"]), job.submitted_at or job.created_at
    return [
        Callbacks(
            context, job.job_id, job.attempt, task,
            {**base, **task_environment(spec, task, job.job_id, at, {})},
        )
        for task in spec.tasks
        if task.event_callback is not None
    ]  # fmt: skip


def has_untold(tx: Tx, job_id: int) -> bool:
    """Whether a callback of the job has not been told of a change, committed or in ``tx``."""
    stored = reads.snapshot(tx, job_id)
    if stored is None or _CALLBACK not in stored["dag"]:
        return False
    seen = {task.task_id: task.callback_seq for task in reads.tasks_of(tx, job_id)}
    return any(
        change.from_value is not None
        for task in DagSpec.from_json(stored["dag"]).tasks
        if task.event_callback is not None
        for change in reads.changes_of_task(tx, job_id, task.task_id, seen[task.task_id])
    )


def telling_seconds(context: Context, job: JobRow) -> float:
    """Seconds that telling may take a job of which nothing else is left to end; 0: something is."""
    with context.db.read() as tx:
        tasks = reads.tasks_of(tx, job.job_id)
    if any(task.has_cluster or not task.status.is_terminal for task in tasks):
        return 0.0
    return sum(CALL_SECONDS * one.calls() for one in callbacks_of(context, job))


class Callbacks:
    """Tells one task's callback what it has not been told of yet."""

    def __init__(
        self, context: Context, job_id: int, attempt: int, task: TaskSpec, env: Mapping[str, str]
    ) -> None:
        self._context, self._job_id, self._attempt = context, job_id, attempt
        self._task, self._env = task, env
        #: The newest history row of which this process has told; storing that may have failed.
        self._told = 0

    def calls(self) -> int:
        """How many changes there have been to tell of."""
        with self._context.db.read() as tx:
            changes = reads.changes_of_task(tx, self._job_id, self._task.task_id, 0)
        return sum(change.from_value is not None for change in changes)

    def has_news(self) -> bool:
        """Whether there is anything that it has not been told of."""
        return any(change.from_value is not None for change in self._news()[1])

    def catch_up(self) -> None:
        """Run the callback for each change since the last that it was told of.

        Raises ``StaleAttempt`` once another attempt acts for the job, and ``StoreError``: then the
        same object goes on where it stopped, should it be called again.
        """
        if self._task.event_callback is None:
            return
        cluster, news = self._news()
        for change in news:
            if change.from_value is not None and change.seq > self._told:
                self._tell(self._task.event_callback, change, cluster)
            self._told = change.seq
            with self._context.db.write() as tx:
                self._require_owner(tx)
                moves.set_task(tx, self._job_id, self._task.task_id, callback_seq=change.seq)

    def _news(self) -> tuple[str, list[HistoryRow]]:
        """The task's cluster, and its changes since the last that was told of."""
        task_id = self._task.task_id
        with self._context.db.read() as tx:
            self._require_owner(tx)
            row = reads.task(tx, self._job_id, task_id)
            if row is None:
                return "", []
            changes = reads.changes_of_task(tx, self._job_id, task_id, row.callback_seq)
            return row.cluster or "", changes

    def _require_owner(self, tx: Tx) -> None:
        moves.owned(tx, self._job_id, self._context.by(attempt=self._attempt))

    def _tell(self, text: str, change: HistoryRow, cluster: str) -> None:
        """Run the callback once; whatever comes of that, it was told.

        Raises ``StoreError`` where it could not be run now, and may be later.
        """
        known = {
            "JOB_ID": str(self._job_id),
            "TASK_ID": str(self._task.task_id),
            "TASK_NAME": self._task.name,
            "JOB_STATUS": event_name(change),
            "JOBSCHED_STATUS": str(change.to_value),
            "CLUSTER_NAME": cluster,
            "EVENT_TYPE": "Spot",
        }
        try:
            in_time = self._call(text, {**self._env, **known})
        except (OSError, ValueError, JobschedError) as error:
            if may_pass(error):
                raise StoreError(f"event_callback: {error}", passes=True) from error
            log.warning("task %s: event_callback: %s", self._task.name, error)
        else:
            if not in_time:
                log.warning("task %s: event_callback took too long; ended", self._task.name)

    def _call(self, text: str, env: Mapping[str, str]) -> bool:
        home, task_id = self._context.home, self._task.task_id
        output = self._open_log()
        try:
            return call(
                home.callback_file(self._job_id, task_id), text, env,
                output=output, cwd=home.root, clock=self._context.clock,
            )  # fmt: skip
        finally:
            os.close(output)

    def _open_log(self) -> int:
        """Where the callback prints: rather nowhere than not being told."""
        path = self._context.home.callback_log(self._job_id, self._task.task_id)
        try:
            log_file = os.open(path, _LOG_FLAGS, 0o600)
        except OSError as error:
            log.warning("task %s: event_callback has no log: %s", self._task.name, error)
            return os.open(os.devnull, os.O_WRONLY | os.O_CLOEXEC)
        os.set_blocking(log_file, True)
        return log_file
