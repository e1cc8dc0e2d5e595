"""``event_callback``: the user's own program, told of every committed change of a task's status.

Owns when it runs, with which names, and for how long. It runs after the commit, in order and at
least once (what it was told of is stored after it ended), and can never make the job fail.
"""

from __future__ import annotations

import logging
import os
import signal
import subprocess
import tempfile
import threading
from collections.abc import Mapping, Sequence
from contextlib import suppress
from typing import Final

from jobsched.controller.journal import Journal
from jobsched.errors import JobschedError, StaleAttempt
from jobsched.models import TaskSpec
from jobsched.states import TaskStatus
from jobsched.store import reads
from jobsched.store.rows import HistoryRow

log = logging.getLogger(__name__)

#: Seconds that one call may take.
_TIMEOUT: Final = 60.0


def event_name(row: HistoryRow) -> str:
    """The word for a change: the status, but STARTED and RECOVERED for the two ways to RUNNING."""
    if row.to_value != TaskStatus.RUNNING:
        failed = row.to_value is not None and TaskStatus(row.to_value).is_failure
        return "FAILED" if failed else str(row.to_value)
    return "RECOVERED" if row.from_value == TaskStatus.RECOVERING else "STARTED"


class Callbacks:
    """Tells one task's callback what it has not been told of yet."""

    def __init__(self, journal: Journal, task: TaskSpec, env: Mapping[str, str]) -> None:
        self._journal, self._task, self._env = journal, task, env

    def catch_up(self) -> None:
        """Run the callback for each change since the last that it was told of."""
        if self._task.event_callback is None:
            return
        row = self._journal.task(self._task.task_id)
        with self._journal.context.db.read() as tx:
            news = reads.changes_of_task(
                tx, self._journal.job_id, self._task.task_id, row.callback_seq
            )
        for change in news:
            if change.from_value is not None:
                self._call(change, row.cluster or "")
            self._journal.put(self._task.task_id, callback_seq=change.seq)

    def _call(self, change: HistoryRow, cluster: str) -> None:
        known = {
            "JOB_ID": str(self._journal.job_id),
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
        home = self._journal.context.home
        path = home.callback_log(self._journal.job_id, self._task.task_id)
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


class CallbackThread:
    """Runs the callbacks of a job's tasks beside them, one after the other."""

    def __init__(self, callbacks: Sequence[Callbacks]) -> None:
        self._callbacks = callbacks
        self._news, self._ending = threading.Event(), threading.Event()
        self._thread = threading.Thread(target=self._run, name="callbacks", daemon=True)
        self._thread.start()

    def tell(self) -> None:
        """Something has changed."""
        self._news.set()

    def finish(self) -> None:
        """Return when all that was committed has been told."""
        self._ending.set()
        self._news.set()
        self._thread.join()

    def _run(self) -> None:
        ending = False
        while not ending:
            self._news.wait()
            self._news.clear()
            ending = self._ending.is_set()
            for one in self._callbacks:
                with suppress(StaleAttempt):  # the main thread will notice, too
                    one.catch_up()
