"""One task, from where its row says it is to its outcome and the end of its cluster.

Owns the loop of one task, in whatever thread: pick up, launch, watch, recover, clean up.
Decides by ``recovery``, acts through the backend, and writes the outcome before anything is torn
down. Knows nothing of other tasks.
"""

from __future__ import annotations

import logging
import os
import threading
from collections.abc import Callable
from contextlib import AbstractContextManager
from dataclasses import dataclass
from typing import Any, Final

from jobsched.backends.base import Backend
from jobsched.controller.bell import Bell, Waits
from jobsched.controller.journal import Journal
from jobsched.environment import task_environment
from jobsched.errors import BackendError, Cancelled, Fenced
from jobsched.models import ClusterState, DagSpec, LaunchRequest, Observation, TaskSpec
from jobsched.recovery.base import Fail, KeepWatching, Launched, Outcome, Recover, Succeed
from jobsched.recovery.effects import Enough
from jobsched.recovery.executor import StrategyExecutor
from jobsched.recovery.retries import deadline
from jobsched.recovery.row import RecoveryRow
from jobsched.states import TERMINAL, TaskStatus
from jobsched.store import moves
from jobsched.store.rows import TaskRow

log = logging.getLogger(__name__)

#: Tries to remove a cluster after the outcome, and seconds before the second; then doubled.
_CLEANUP_TRIES: Final = 5
_CLEANUP_PAUSE: Final = 0.5
#: Seconds between probes of a backend that always knows but cannot call.
_SOON: Final = 0.2
#: What is seen of a cluster on which the task's program was started and is not lost.
_STARTED: Final = (ClusterState.UP, ClusterState.ENDED)

#: Where no launch follows, so that a cluster that is named stays the last one.
_ENDING: Final = TERMINAL | {TaskStatus.CANCELLING}

Slot = Callable[[Waits], AbstractContextManager[None]]


@dataclass(frozen=True, slots=True, kw_only=True)
class Surroundings:
    """What the tasks of one job share."""

    journal: Journal
    spec: DagSpec
    backend: Backend
    bell: Bell
    slot: Slot
    secrets: dict[int, dict[str, str]]
    base_env: dict[str, str]
    submitted_at: float
    #: Called after a cluster was given up: others may have waited for its room.
    room_freed: Callable[[], None]


class TaskDriver:
    """Drives one task. ``stop`` ends it early; why is ``stop_reason`` (the job's, if not set)."""

    def __init__(
        self, around: Surroundings, task: TaskSpec, stop: threading.Event | None = None
    ) -> None:
        self.around, self.task = around, task
        self.stop = stop or threading.Event()
        self.stop_reason: str | None = None
        self._journal, self._backend = around.journal, around.backend
        #: The row as this driver's last move left it. If anybody has moved it since, the next move
        #: finds out; of its cluster it tells what is true only in an ending status.
        self._moved: TaskRow | None = None
        self._grace = around.journal.context.config.backend.stop_grace_seconds

    def end_early(self, reason: str | None) -> None:
        """Have the task stopped and CANCELLED; called from another thread, which then rings."""
        self.stop_reason = reason
        self.stop.set()

    def run(self, listener: Waits, row: TaskRow | None = None) -> None:
        """Bring the task to its outcome and remove its cluster. ``row``: its own, just read."""
        row = row or self._journal.task(self.task.task_id)
        try:
            self._drive(self.executor(listener, row), row, listener)
        except Cancelled:
            self._cancel()
        self.clean_up()

    def rejoins(self, listener: Waits) -> bool:
        """Fence what a launch that was cut has left; whether its program runs, or has ended.

        What was to be taken down, because the try had failed, does not count.
        """
        row = self._journal.task(self.task.task_id)
        found, left = self._adopt(row, listener), RecoveryRow.of(row)
        return left.adoptable and left.backoff_until is None and found in _STARTED

    def finish(self, outcome: Outcome) -> None:
        """Settle a member of a group, and remove its cluster unless that runs."""
        self.settle(outcome)
        if not isinstance(outcome, Launched):
            self.clean_up()

    def executor(self, listener: Waits, row: TaskRow) -> StrategyExecutor:
        """The strategy at work on this task, from where its row is."""
        context = self._journal.context
        return StrategyExecutor.make(
            self.task,
            self._journal.job_id,
            backend=self._backend,
            slot=lambda: self.around.slot(listener),
            clock=context.clock,
            row=RecoveryRow.of(row),
            recorder=self,
            wait=lambda seconds, enough: self._pause(listener, seconds, enough),
            settings=context.config.recovery,
            stop=self.stop,
            stop_grace=self._grace,
        )

    # What the executor stores (its Recorder).

    def commit(self, row: RecoveryRow) -> None:
        """Store the row."""
        self._journal.put(self.task.task_id, **row.columns())
        if row.frees_room:
            self.around.room_freed()

    def started(self, row: RecoveryRow) -> None:
        """Store the row and RUNNING."""
        self._move(TaskStatus.RUNNING, row.region, **row.columns())

    def request(self, row: RecoveryRow) -> LaunchRequest:
        """What the backend is asked for."""
        if row.cluster is None or row.placement is None:
            raise BackendError(f"task {self.task.name} has no place yet")
        around, job_id = self.around, self._journal.job_id
        home = self._journal.context.home
        row_id, nodes = self.task.task_id, range(self.task.num_nodes)
        return LaunchRequest(
            cluster=row.cluster,
            job_id=job_id,
            attempt=self._journal.attempt,
            task=self.task,
            placement=row.placement,
            base_env=around.base_env,
            env=task_environment(
                around.spec, self.task, job_id, around.submitted_at,
                around.secrets.get(row_id, {}),
            ),
            log_paths=tuple(home.task_log(job_id, row_id, node) for node in nodes),
        )  # fmt: skip

    # The life of the task.

    def _drive(self, executor: StrategyExecutor, row: TaskRow, listener: Waits) -> None:
        if row.status.is_terminal:
            return
        if row.status is TaskStatus.CANCELLING:
            raise Cancelled(self._journal.job_id)
        if row.status is TaskStatus.PENDING and self.task.run is None:
            self._move(TaskStatus.SUCCEEDED, "nothing to run")
            return
        outcome = self._pick_up(executor, row, listener)
        while isinstance(outcome, Launched):
            outcome = self._watch(executor, listener)
        self.settle(outcome)

    def _pick_up(self, executor: StrategyExecutor, row: TaskRow, listener: Waits) -> Outcome:
        """Adopt what runs already, or launch it."""
        found = self._adopt(row, listener)
        if row.status is TaskStatus.RUNNING:
            return self._launched(row)
        if executor.row.adoptable and found in _STARTED:
            return executor.started()
        if row.status is TaskStatus.RECOVERING:
            return executor.recover()
        self._move(TaskStatus.STARTING)
        return executor.launch()

    def _launched(self, row: TaskRow) -> Launched:
        """A RUNNING task: the watch will say what its cluster's answer means."""
        placement = RecoveryRow.of(row).placement
        if row.cluster is None or placement is None:
            raise BackendError(f"task {row.name} is RUNNING but names no cluster")
        return Launched(row.cluster, placement)

    def _adopt(self, row: TaskRow, listener: Waits) -> ClusterState:
        """Fence the cluster that the row names, and look at it until there is an answer.

        Without one nothing may be launched: that would begin by stopping what may well run.
        """
        if row.cluster is None or row.torn_down:
            return ClusterState.GONE
        seen = self._backend.adopt(row.cluster, self._journal.attempt)
        while seen.state is ClusterState.UNKNOWN:
            self._check()
            listener.wait(self._journal.context.config.recovery.probe_seconds)
            seen = self._backend.probe(row.cluster)
        log.info("task %s: cluster %s is %s", row.name, row.cluster, seen.state)
        return seen.state

    def _watch(self, executor: StrategyExecutor, listener: Waits) -> Outcome:
        """Watch the task on its cluster until that says something, and act on it."""
        cluster = executor.row.cluster or ""
        while True:
            self._check()
            verdict = executor.judge(self._backend.probe(cluster))
            if isinstance(verdict, Recover):
                log.warning("task %s: %s", self.task.name, verdict.reason)
                self._move(
                    TaskStatus.RECOVERING, verdict.reason,
                    **verdict.row.columns(), **self._exit_code(cluster),
                )  # fmt: skip
                return executor.recover(verdict.row)
            if not isinstance(verdict, KeepWatching):
                return verdict
            if verdict.reason:
                log.warning("task %s: %s", self.task.name, verdict.reason)
            overdue = self._wait_for_news(executor, cluster, listener, verdict.probe_in)
            if overdue is not None:
                return overdue

    def _wait_for_news(
        self, executor: StrategyExecutor, cluster: str, listener: Waits, probe_in: float
    ) -> Fail | None:
        """Wait until it is worth probing again; the end if ``max_duration`` has passed."""
        end = deadline(executor.row, self.task)
        now = self._journal.context.clock.now()
        if end is not None and now >= end:
            return Fail(
                TaskStatus.FAILED,
                f"stopped: max_duration of {self.task.max_duration:g} s has passed",
            )
        descriptors = self._backend.watch(cluster)
        try:
            if self._backend.certain:
                # Without a descriptor it has just ended, or this machine has none: look again soon.
                probe_in = _SOON
            seconds = None if descriptors and self._backend.certain else probe_in
            if end is not None:
                seconds = min(end - now, end - now if seconds is None else seconds)
            listener.wait(seconds, descriptors)
        finally:
            for descriptor in descriptors:
                os.close(descriptor)
        return None

    def settle(self, outcome: Outcome) -> None:
        """Write the outcome; a stop of what still runs follows with the cleanup."""
        task_id = self.task.task_id
        match outcome:
            case Succeed(observation):
                row = self._moved or self._journal.task(task_id)
                if row.status is not TaskStatus.RUNNING:
                    # It ran to its end before a recovery looked: it has been RUNNING all the same.
                    self._move(TaskStatus.RUNNING)
                row = self._move(
                    TaskStatus.SUCCEEDED, exit_code=observation.exit_code, **_ended(observation)
                )
            case Fail(status, reason):
                columns = self._exit_code(self._journal.task(task_id).cluster)
                row = self._move(status, reason, **columns)
            case Launched():
                return
        log.info("task %s: %s %s", self.task.name, row.status, row.failure_reason or "")

    def _move(self, to: TaskStatus, reason: str | None = None, **columns: Any) -> TaskRow:
        self._moved = self._journal.move(self.task.task_id, to, reason, **columns)
        return self._moved

    def _exit_code(self, cluster: str | None) -> dict[str, int | None]:
        if cluster is None:
            return {}
        seen = self._backend.probe(cluster)
        return {"exit_code": seen.exit_code} if seen.state is ClusterState.ENDED else {}

    def _cancel(self) -> None:
        """CANCELLING until its processes are gone, then CANCELLED."""
        task_id, reason = self.task.task_id, self.stop_reason or self._journal.job().cancel_reason
        row = self._journal.task(task_id)
        if row.status.is_terminal:
            return
        row = self._move(moves.when_cancelled(row), reason)
        if row.status is TaskStatus.CANCELLING:
            self.clean_up()
            self._move(TaskStatus.CANCELLED, reason)

    def clean_up(self) -> None:
        """Remove the task's cluster, if it has one; trouble is kept beside the outcome."""
        row = self._moved
        if row is None or row.status not in _ENDING:
            row = self._journal.task(self.task.task_id)
        if not row.has_cluster or row.cluster is None:
            return
        error = self._remove(row.cluster)
        done = {"torn_down": 1} if error is None else {"cleanup_error": error}
        self._journal.put(self.task.task_id, **done)
        self.around.room_freed()

    def _remove(self, cluster: str) -> str | None:
        clock = self._journal.context.clock
        problem = ""
        for number in range(_CLEANUP_TRIES):
            try:
                self._backend.remove(cluster, grace=self._grace)
            except Fenced:
                raise
            except BackendError as error:
                problem = str(error)
                log.warning("cluster %s: %s", cluster, problem)
                clock.sleep(_CLEANUP_PAUSE * 2**number)
            else:
                return None
        return problem

    # Waiting.

    def _check(self) -> None:
        if self.stop.is_set():
            raise Cancelled(self._journal.job_id)
        self._journal.check()

    def _pause(self, listener: Waits, seconds: float, enough: Enough) -> bool:
        """The pause between two tries; whether ``enough`` ended it before its time.

        The bell alone does not: it rings for much else, such as the slot that a try is granted.
        """
        clock = self._journal.context.clock
        until = clock.monotonic() + seconds
        self._check()
        while (left := until - clock.monotonic()) > 0:
            if enough():
                return True
            listener.wait(left)
            self._check()
        return False


def _ended(observation: Observation) -> dict[str, Any]:
    return {} if observation.ended_at is None else {"ended_at": observation.ended_at}
