"""What recovery is given to act with: everything outside of its decisions.

Owns the protocols, which a backend and the controller satisfy by their shape alone, and the
plainest recorder, which keeps the row in memory.
"""

from __future__ import annotations

import random
import threading
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from typing import Protocol, TypeAlias, runtime_checkable

from jobsched.clock import Clock
from jobsched.models import LaunchRequest, Observation, Placement, TaskSpec
from jobsched.recovery.row import RecoveryRow

#: Enters the job's launch slot; raises ``Cancelled`` when the job is.
Slot: TypeAlias = Callable[[], AbstractContextManager[object]]

#: Whether what is waited for has come. True only where trying would help now: being woken is none.
Enough: TypeAlias = Callable[[], bool]

#: Waits that many seconds at most; whether it returned before. It does as soon as the second
#: argument says so, asked at first and whenever something may have changed. Never called inside a
#: slot. It is to measure on a clock that does not step, and raises ``Cancelled`` when the job is.
WaitFor: TypeAlias = Callable[[float, Enough], bool]


class Provider(Protocol):
    """What launching needs of a backend; see ``backends.base.Backend`` for what each promises."""

    certain: bool

    def placements(self, task: TaskSpec) -> tuple[Placement, ...]:
        """All places that could ever serve ``task``. Raises ``PrecheckFailed``."""
        ...

    def reserve(
        self, wants: Sequence[tuple[str, TaskSpec, Sequence[Placement]]], *, job_id: int
    ) -> list[Placement]:
        """Set room aside for several clusters of a job, all or none."""
        ...

    def launch(self, request: LaunchRequest, stop: threading.Event) -> None:
        """Make the cluster and start the task on it."""
        ...

    def probe(self, cluster: str) -> Observation:
        """What is known of the cluster now."""
        ...

    def stop(self, cluster: str, *, grace: float) -> None:
        """End every process of the task; returns when none is left."""
        ...

    def remove(self, cluster: str, *, grace: float) -> None:
        """Stop, give back the room, delete what the cluster kept."""
        ...


@runtime_checkable
class KnowsRoom(Protocol):
    """A provider that can tell whether there is room; on any other a pause is waited out."""

    def has_room(self, wants: Sequence[tuple[TaskSpec, Sequence[Placement]]]) -> bool:
        """Whether new clusters for all of ``wants``, ``(task, places)``, would find room now.

        Takes nothing, and agrees with ``reserve``: a false "yes" would cost a try in vain.
        """
        ...


class Recorder(Protocol):
    """The keeper of a task's row. Each call is one transaction of the current attempt.

    All raise ``StaleAttempt`` once another attempt acts for the job; nothing is done after that.
    """

    def commit(self, row: RecoveryRow) -> None:
        """Store the row. A cluster's name is stored before the backend hears of it."""
        ...

    def started(self, row: RecoveryRow) -> None:
        """Store the row and that the task is RUNNING."""
        ...

    def request(self, row: RecoveryRow) -> LaunchRequest:
        """What to ask of the backend for ``row.cluster`` at ``row.placement``."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class Effects:
    """All that one task's recovery acts with."""

    backend: Provider
    recorder: Recorder
    slot: Slot
    clock: Clock
    wait: WaitFor
    #: Set when the job is cancelled.
    stop: threading.Event
    #: Seconds between asking a task's processes to end and ending them by force.
    stop_grace: float
    #: For jitter.
    rng: random.Random


class MemoryRecorder:
    """Keeps the row in memory: for programs that have no store. ``rows``: all of them, in order."""

    def __init__(self, task: TaskSpec, job_id: int, *, attempt: int = 1) -> None:
        self.task, self.job_id, self.attempt = task, job_id, attempt
        self.rows: list[RecoveryRow] = []

    def commit(self, row: RecoveryRow) -> None:
        """Append the row."""
        self.rows.append(row)

    def started(self, row: RecoveryRow) -> None:
        """Append the row."""
        self.rows.append(row)

    def request(self, row: RecoveryRow) -> LaunchRequest:
        """A request without environment or logs."""
        if row.cluster is None or row.placement is None:
            raise ValueError("a request needs a row that names a cluster and its place")
        return LaunchRequest(
            cluster=row.cluster,
            job_id=self.job_id,
            attempt=self.attempt,
            task=self.task,
            placement=row.placement,
        )
