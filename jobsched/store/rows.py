"""Rows of the database as immutable records with real enums.

Owns the shape in which the rest of jobsched sees a row; reads nothing by itself. What each
step of a job reads is a named tuple: made in a fifth of the time that a frozen dataclass takes.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Final, NamedTuple, Self, TypeAlias

from jobsched.states import ALIVE_STATES, ScheduleState, TaskStatus

#: What a query gives for one row: values by column.
Row: TypeAlias = Mapping[str, Any]

#: Seconds that a start is put off at most; a deadline further ahead means that the clock was set
#: back since.
LONGEST_PAUSE: Final = 60.0
#: ``JobRow.hold`` of a job held by an operator: adoption goes on, no launch begins.
HELD: Final = 1
#: ``JobRow.hold`` of a job held after a reboot: adoption waits too.
HELD_BY_REBOOT: Final = 2

_STATES: Final = {state.value: state for state in ScheduleState}
_STATUSES: Final = {status.value: status for status in TaskStatus}


class JobRow(NamedTuple):
    """One job. Times are Unix seconds; see ``schema`` for what each column means.

    What has a default is as in a job that was just created.
    """

    job_id: int
    name: str
    created_at: float
    schedule_state: ScheduleState = ScheduleState.INACTIVE
    status: TaskStatus = TaskStatus.PENDING
    attempt: int = 0
    priority: int = 0
    hold: int = 0
    queue_seq: int | None = None
    submitted_at: float | None = None
    started_at: float | None = None
    ended_at: float | None = None
    cancel_at: float | None = None
    cancel_reason: str | None = None
    not_before: float | None = None
    requeues: int = 0
    failed_starts: int = 0
    failure_reason: str | None = None

    @classmethod
    def of(cls, row: Row) -> Self:
        """From a row that has just the columns of ``jobs``."""
        state = _state(row["schedule_state"])
        return cls(**{**row, "schedule_state": state, "status": _status(row["status"])})

    @property
    def is_alive(self) -> bool:
        """Whether it counts against the alive limit."""
        return self.schedule_state in ALIVE_STATES

    @property
    def is_ending(self) -> bool:
        """Whether its end is asked for, or its outcome written: nothing more is launched for it."""
        return self.cancel_at is not None or self.status.is_terminal

    @property
    def is_done(self) -> bool:
        """Whether outcome and cleanup are behind it."""
        return self.schedule_state is ScheduleState.DONE


class TaskRow(NamedTuple):
    """One task of a job."""

    job_id: int
    task_id: int
    name: str
    status: TaskStatus
    counts: int
    cluster: str | None
    region: str | None
    candidate: int | None
    torn_down: int
    launches: int
    tries: int
    backoff_until: float | None
    backoff_code: str | None
    backoff_reason: str | None
    cause: str | None
    lost_launch: int | None
    lost_region: str | None
    lost_candidate: int | None
    exit_code: int | None
    recovery_count: int
    restart_count: int
    restarts_spent: int
    started_at: float | None
    ended_at: float | None
    failure_reason: str | None
    cleanup_error: str | None
    callback_seq: int

    @classmethod
    def of(cls, row: Row) -> Self:
        """From a row that has just the columns of ``tasks``."""
        return cls(**{**row, "status": _status(row["status"])})

    @property
    def has_cluster(self) -> bool:
        """Whether a cluster may exist for it."""
        return self.cluster is not None and not self.torn_down


class AttemptRow(NamedTuple):
    """One right to act for a job, and the process that has (or had) it."""

    job_id: int
    attempt: int
    kind: str
    started_at: float
    boot_id: str | None
    pid: int | None
    start_ticks: int | None
    pid_ns: int | None
    called_at: float | None
    stop_sent_at: float | None
    ended_at: float | None
    end_reason: str | None

    @classmethod
    def of(cls, row: Row) -> Self:
        """From a row that has just the columns of ``attempts``."""
        return cls(**row)


@dataclass(frozen=True, slots=True, kw_only=True)
class HistoryRow:
    """One line of the record."""

    seq: int
    at: float
    kind: str
    job_id: int | None
    task_id: int | None
    subject: str | None
    from_value: str | None
    to_value: str | None
    attempt: int | None
    actor: str
    reason: str | None

    @classmethod
    def of(cls, row: Row) -> Self:
        """From a row that has just the columns of ``history``."""
        return cls(**row)


@dataclass(frozen=True, slots=True, kw_only=True)
class Limits:
    """The limits in force and what is used of them."""

    launch: int
    launch_auto: bool
    alive: int
    alive_auto: bool
    paused: bool
    launching_used: int = 0
    alive_used: int = 0

    @property
    def is_auto(self) -> bool:
        """Whether any of them follows the machine."""
        return self.launch_auto or self.alive_auto

    @property
    def launch_room(self) -> int:
        """Launch slots that are free."""
        return max(0, self.launch - self.launching_used)

    @property
    def alive_room(self) -> int:
        """First starts that the alive limit still admits."""
        return max(0, self.alive - self.alive_used)


@dataclass(frozen=True, slots=True)
class Counts:
    """How many jobs there are, by what an operator asks for first."""

    all: int = 0
    #: LAUNCHING, ALIVE, ALIVE_WAITING.
    active: int = 0
    #: INACTIVE, WAITING.
    waiting: int = 0
    #: DONE, and failed.
    failed: int = 0
    #: DONE, however it ended.
    done: int = 0
    #: When the WAITING job that was submitted first was. A time is no number of jobs: counts that
    #: differ in it alone are equal.
    waiting_since: float | None = field(default=None, compare=False)


def _state(word: str) -> ScheduleState:
    return _STATES.get(word) or ScheduleState(word)  # which says what is wrong with it


def _status(word: str) -> TaskStatus:
    return _STATUSES.get(word) or TaskStatus(word)
