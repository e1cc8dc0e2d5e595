"""``event_callback``: the user's own program, told of every committed change of a task's status.

Owns when it runs, with which names, and for how long. It runs after the commit, in order and at
least once (what it was told of is stored after it ended), and can never make the job fail.
"""

from __future__ import annotations

import json
import logging
import os
import signal
import subprocess
import tempfile
from collections.abc import Mapping
from typing import Final

from jobsched.context import Context
from jobsched.environment import task_environment
from jobsched.errors import JobschedError
from jobsched.models import DagSpec, TaskSpec
from jobsched.states import TaskStatus
from jobsched.store import moves, reads
from jobsched.store.rows import HistoryRow, JobRow

log = logging.getLogger(__name__)

#: Seconds that one call may take.
_TIMEOUT: Final = 60.0


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
    if stored is None or '"event_callback":"' not in stored["dag"]:
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


class Callbacks:
    """Tells one task's callback what it has not been told of yet."""

    def __init__(
        self, context: Context, job_id: int, attempt: int, task: TaskSpec, env: Mapping[str, str]
    ) -> None:
        self._context, self._job_id, self._attempt = context, job_id, attempt
        self._task, self._env = task, env

    def catch_up(self) -> None:
        """Run the callback for each change since the last that it was told of.

        Raises ``StaleAttempt`` once another attempt acts for the job.
        """
        if self._task.event_callback is None:
            return
        task_id = self._task.task_id
        with self._context.db.read() as tx:
            row = reads.task(tx, self._job_id, task_id)
            seen = 0 if row is None else row.callback_seq
            news = reads.changes_of_task(tx, self._job_id, task_id, seen)
        for change in news:
            if change.from_value is not None:
                self._call(change, (row and row.cluster) or "")
            with self._context.db.write() as tx:
                moves.owned(tx, self._job_id, self._context.by(attempt=self._attempt))
                moves.set_task(tx, self._job_id, task_id, callback_seq=change.seq)

    def _call(self, change: HistoryRow, cluster: str) -> None:
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
            self._run(self._task.event_callback or "", {**self._env, **known})
        except (OSError, JobschedError) as error:
            log.warning("task %s: event_callback: %s", self._task.name, error)

    def _run(self, text: str, env: Mapping[str, str]) -> None:
        """Run the text as a file given to bash, in a session of its own."""
        home = self._context.home
        path = home.callback_log(self._job_id, self._task.task_id)
        flags = os.O_WRONLY | os.O_CREAT | os.O_APPEND | os.O_NOFOLLOW | os.O_CLOEXEC
        with (
            tempfile.NamedTemporaryFile("w", dir=home.root / "jobs", encoding="utf-8") as script,
            os.fdopen(os.open(path, flags, 0o600), "ab") as output,
        ):
            script.write(text)
            script.flush()
            with subprocess.Popen(
                ["bash", script.name],
                stdin=subprocess.DEVNULL,
                stdout=output,
                stderr=output,
                cwd=home.root,
                env=dict(env),
                start_new_session=True,
            ) as child:
                try:
                    child.wait(_TIMEOUT)
                except subprocess.TimeoutExpired:
                    log.warning("task %s: event_callback took too long; ended", self._task.name)
                    os.killpg(child.pid, signal.SIGKILL)
