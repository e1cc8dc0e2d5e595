"""One task's clusters, step by step: name, start, drop, prove gone.

Owns the order of record and effect. A name is stored before the cluster is made, and a cluster
counts as gone only after the backend has removed it, so that whoever goes on after a crash knows
every cluster that may exist. Loops and decisions are elsewhere.
"""

from __future__ import annotations

import logging
from collections.abc import Callable
from typing import Final, TypeVar

from jobsched.errors import BackendError, Cancelled, Fenced, StaleAttempt
from jobsched.models import ClusterState, Observation, Placement, TaskSpec
from jobsched.recovery.base import Failure, Launched, Succeed
from jobsched.recovery.effects import Effects
from jobsched.recovery.row import RecoveryRow

log = logging.getLogger(__name__)
T = TypeVar("T")

#: These end the controller's work on the job; none is a try that failed.
FINAL: Final = (Cancelled, StaleAttempt, Fenced)


def guarded(what: str, placement: Placement | None, action: Callable[[], T]) -> T | Failure:
    """What ``action`` returns or raises; only :data:`FINAL` and interrupts of the process pass."""
    try:
        return action()
    except FINAL:
        raise
    except Exception as error:  # whatever it is that a backend raises, another try may go better
        unexpected = not isinstance(error, BackendError)
        log.warning("%s failed: %s", what, error, exc_info=unexpected)
        return Failure(placement, error)


class Steps:
    """What can be done with one task's clusters. ``row`` is always as last stored."""

    def __init__(self, task: TaskSpec, job_id: int, row: RecoveryRow, effects: Effects) -> None:
        self.task, self.job_id, self.row = task, job_id, row
        self._effects, self._backend = effects, effects.backend

    def commit(self, row: RecoveryRow) -> None:
        """Store the row, then go by it."""
        self._effects.recorder.commit(row)
        self.row = row

    def prove_gone(self) -> Succeed | Failure | None:
        """Remove the cluster that the row names, if it may exist; ``None``: there is none now.

        A program that ended with exit code 0 before it was stopped has succeeded, however it looked
        when this recovery began: its cluster stays, with the record of that.
        """
        cluster, began = self.row.cluster, self._effects.clock.now()
        if cluster is None or not self.row.has_cluster:
            return None
        end = guarded(f"stop of cluster {cluster}", self.row.placement, lambda: self._end(cluster))
        if isinstance(end, Failure):
            return end
        return Succeed(end) if _succeeded(end, began) else self.drop()

    def name(self, placement: Placement | None) -> str:
        """Store the name of a new cluster, and its place where that is known; the name.

        Raises ``Cancelled`` instead once the job is.
        """
        if self._effects.stop.is_set():
            raise Cancelled(self.job_id)
        cluster = f"{self.job_id}-{self.task.task_id}-{self.row.launches + 1}"
        self.commit(self.row.launching(cluster, placement))
        return cluster

    def start(self) -> Failure | None:
        """Make the cluster that the row names and start the task on it."""
        request = self._effects.recorder.request(self.row)
        return guarded(
            f"launch of cluster {request.cluster} in {request.placement.region}",
            request.placement,
            lambda: self._backend.launch(request, self._effects.stop),
        )

    def drop(self) -> Failure | None:
        """Remove the cluster that the row names, and store that it is gone.

        If it cannot be removed, its name stays stored, and the next try begins by removing it.
        """
        cluster, grace = self.row.cluster, self._effects.stop_grace
        if cluster is None or not self.row.has_cluster:
            return None
        stuck = guarded(
            f"removal of cluster {cluster}",
            self.row.placement,
            lambda: self._backend.remove(cluster, grace=grace),
        )
        if stuck is None:
            self.commit(self.row.cleared())
        return stuck

    def started(self) -> Launched:
        """Store that the task runs on the cluster that the row names."""
        cluster, placement = self.row.cluster, self.row.placement
        if cluster is None or placement is None or not self.row.adoptable:
            raise ValueError(f"task {self.task.name} has no cluster that it could run on")
        row = self.row.running(self._effects.clock.now())
        self._effects.recorder.started(row)
        self.row = row
        return Launched(cluster, placement)

    def _end(self, cluster: str) -> Observation:
        self._backend.stop(cluster, grace=self._effects.stop_grace)
        return self._backend.probe(cluster)


def _succeeded(end: Observation, stopped_at: float) -> bool:
    """Whether the program ended well by itself; one that was told to stop may exit with 0, too."""
    by_itself = end.ended_at is None or end.ended_at <= stopped_at
    return end.state is ClusterState.ENDED and end.exit_code == 0 and by_itself
