"""The values that recovery decides with, and what a strategy is.

Owns the shape of every decision; makes none. A decision says what is to be done next and, where
that changes what is stored, carries the row to store.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol, TypeAlias

from jobsched.config import RecoveryConfig
from jobsched.errors import JobschedError
from jobsched.models import JobRecovery, Observation, Placement
from jobsched.recovery.row import RecoveryRow
from jobsched.recovery.watch import Watch
from jobsched.states import TaskStatus


@dataclass(frozen=True, slots=True)
class Launched:
    """The task started on this cluster."""

    cluster: str
    placement: Placement


@dataclass(frozen=True, slots=True)
class Succeed:
    """The task's program ended with exit code 0; it is never run again."""

    observation: Observation


@dataclass(frozen=True, slots=True)
class Fail:
    """The task ends with this status, for this reason."""

    status: TaskStatus
    reason: str


@dataclass(frozen=True, slots=True)
class Wait:
    """Try again at ``row.backoff_until``; store the row first."""

    row: RecoveryRow


@dataclass(frozen=True, slots=True)
class Recover:
    """Run the task again: store the row together with RECOVERING, then call ``recover``."""

    row: RecoveryRow
    reason: str


@dataclass(frozen=True, slots=True)
class KeepWatching:
    """Nothing to do yet: probe again in so many seconds at the latest."""

    watch: Watch
    probe_in: float
    #: Why that is not plain sailing; empty if it is.
    reason: str = ""


#: What a probe leads to.
Verdict: TypeAlias = Succeed | Fail | Recover | KeepWatching
#: How ``launch`` and ``recover`` end.
Outcome: TypeAlias = Launched | Succeed | Fail


@dataclass(frozen=True, slots=True)
class Failure:
    """One thing that went wrong in a try, and where; ``None``: everywhere."""

    placement: Placement | None
    error: Exception
    #: Name of the task, where several are placed together.
    task: str | None = None

    def __str__(self) -> str:
        """One clause for people."""
        what = str(self.error)
        if not isinstance(self.error, JobschedError) or not what:
            what = f"{type(self.error).__name__}: {what}".removesuffix(": ")
        where = None if self.placement is None else self.placement.region
        return ": ".join(part for part in (self.task, where, what) if part)


class Strategy(Protocol):
    """Where the next try goes. An implementation has no state and does nothing else."""

    @property
    def name(self) -> str:
        """As written in ``job_recovery``, in capitals."""
        ...

    @property
    def recovers(self) -> bool:
        """Whether a task whose cluster was lost runs again."""
        ...

    def next_try(self, row: RecoveryRow, placements: Sequence[Placement]) -> tuple[Placement, ...]:
        """The places of the next try, in order, out of all that could ever serve the task.

        Never empty unless ``placements`` is.
        """
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class Policy:
    """The rules by which one task is recovered; fixed as long as it lives."""

    strategy: Strategy
    recovery: JobRecovery
    settings: RecoveryConfig
    #: Whether a probe of the task's backend is the truth at once.
    certain: bool
