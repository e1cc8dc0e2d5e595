"""What is stored of a task's launches, and how each step changes it.

Owns :class:`RecoveryRow` and its transitions, which are pure: they return the next row. Whoever
acts stores that row first. A field is named like the column that keeps it; every decision of this
package is made from a row, so a controller's next attempt goes on exactly where this one ended.
"""

from __future__ import annotations

from dataclasses import dataclass, fields, replace
from enum import StrEnum, unique
from typing import Any, Final, Self

from jobsched.models import Placement


@unique
class Cause(StrEnum):
    """Why a task that ran is to run again."""

    #: Its cluster was lost, or gave no sign of life for too long.
    PREEMPTED = "PREEMPTED"
    #: Its setup or run ended with a non-zero exit code.
    USER_ERROR = "USER_ERROR"


@unique
class WaitCode(StrEnum):
    """Why the next try waits; also what ``waiting_reason`` shows."""

    BACKOFF = "BACKOFF"
    #: Nothing is free now, on a backend that tells when something is: the wait ends then.
    NO_ROOM = "NO_ROOM"


@dataclass(frozen=True, slots=True, kw_only=True)
class RecoveryRow:
    """Launches, tries and counts of one task. Times are Unix seconds."""

    #: The newest cluster; it may exist unless ``torn_down``.
    cluster: str | None = None
    #: Where that is: region and index of the candidate.
    region: str | None = None
    candidate: int | None = None
    torn_down: bool = True
    #: Clusters named so far; part of their names.
    launches: int = 0
    #: Failed tries since this launch or recovery began.
    tries: int = 0
    #: No try before this moment, why, and the sentence for people.
    backoff_until: float | None = None
    backoff_code: WaitCode | None = None
    backoff_reason: str | None = None
    #: Of the recovery under way; ``None`` at the first launch and while the task runs.
    cause: Cause | None = None
    #: The launch that ended, and where it was.
    lost_launch: int | None = None
    lost_region: str | None = None
    lost_candidate: int | None = None
    #: Preemptions recovered.
    recovery_count: int = 0
    #: Restarts after errors, and how many of them count against ``max_restarts_on_errors``.
    restart_count: int = 0
    restarts_spent: int = 0
    #: First start; written by the move of the status, only read here.
    started_at: float | None = None

    @classmethod
    def of(cls, source: object) -> Self:
        """From anything that has attributes of these names: a row of the database."""
        values: dict[str, Any] = {name: getattr(source, name) for name in _NAMES}
        cause, code = values["cause"], values["backoff_code"]
        values["cause"] = None if cause is None else Cause(cause)
        values["backoff_code"] = None if code is None else WaitCode(code)
        values["torn_down"] = bool(values["torn_down"])
        return cls(**values)

    def columns(self) -> dict[str, Any]:
        """What is to be stored, by column."""
        return {name: getattr(self, name) for name in _STORED}

    @property
    def has_cluster(self) -> bool:
        """Whether a cluster may exist that is not yet proven gone."""
        return self.cluster is not None and not self.torn_down

    @property
    def adoptable(self) -> bool:
        """Whether the newest cluster may be found running as it should.

        The one that a recovery under way has left may not: it is only to be proved gone.
        """
        return self.has_cluster and self.launches != self.lost_launch

    @property
    def placement(self) -> Placement | None:
        """Where the newest cluster is or was."""
        return _placement(self.region, self.candidate)

    @property
    def lost(self) -> Placement | None:
        """Where the task ran when the recovery under way began."""
        return _placement(self.lost_region, self.lost_candidate)

    @property
    def frees_room(self) -> bool:
        """Whether something has just ended that may have held room which others wait for.

        A try that found no room held none.
        """
        is_lost = self.torn_down and self.launches == self.lost_launch
        return is_lost or self.backoff_code is WaitCode.BACKOFF

    def launching(self, cluster: str, placement: Placement | None) -> Self:
        """A cluster of that name is about to be made; ``None``: its place is not chosen yet.

        That ends a pause, but not the count of tries.
        """
        return replace(
            self._paused(self.tries, None, None, None).placed(placement),
            cluster=cluster,
            torn_down=False,
            launches=self.launches + 1,
        )

    def placed(self, placement: Placement | None) -> Self:
        """The place of the newest cluster is this."""
        if placement is None:
            return replace(self, region=None, candidate=None)
        return replace(self, region=placement.region, candidate=placement.candidate)

    def cleared(self) -> Self:
        """The newest cluster is gone for certain."""
        return replace(self, torn_down=True)

    def waiting(self, *, tries: int, until: float, code: WaitCode, reason: str) -> Self:
        """A try failed, the so many-th in a row; the next one waits."""
        return self._paused(tries, until, code, reason)

    def waiting_like(self, other: RecoveryRow) -> Self:
        """A try failed, and the next one waits together with ``other``'s."""
        return self._paused(
            other.tries, other.backoff_until, other.backoff_code, other.backoff_reason
        )

    def running(self, now: float) -> Self:
        """The task started on the newest cluster: whatever was under way is over."""
        return replace(
            self._paused(0, None, None, None),
            cause=None,
            lost_launch=None,
            lost_region=None,
            lost_candidate=None,
            recovery_count=self.recovery_count + (self.cause is Cause.PREEMPTED),
            started_at=now if self.started_at is None else self.started_at,
        )

    def recovering(self, cause: Cause, *, spends: bool = False) -> Self:
        """The task is to run again; ``spends``: that costs one of ``max_restarts_on_errors``."""
        return replace(
            self._paused(0, None, None, None),
            cause=cause,
            lost_launch=self.launches,
            lost_region=self.region,
            lost_candidate=self.candidate,
            restart_count=self.restart_count + (cause is Cause.USER_ERROR),
            restarts_spent=self.restarts_spent + spends,
        )

    def _paused(
        self, tries: int, until: float | None, code: WaitCode | None, reason: str | None
    ) -> Self:
        return replace(
            self, tries=tries, backoff_until=until, backoff_code=code, backoff_reason=reason
        )


#: The columns; ``started_at`` is written by the move of the status.
_NAMES: Final = tuple(field.name for field in fields(RecoveryRow))
_STORED: Final = tuple(name for name in _NAMES if name != "started_at")


def _placement(region: str | None, candidate: int | None) -> Placement | None:
    return None if region is None else Placement(region=region, candidate=candidate or 0)
