"""The words of the two state machines and the one table of legal moves for each.

Owns which states exist and which move may follow which. Reads nothing, writes nothing, imports the
standard library alone. Whoever writes a state (``store.moves``) derives its guard from these
tables, so that the guard and the table cannot disagree.
"""

from __future__ import annotations

from collections.abc import Mapping
from enum import StrEnum, unique
from types import MappingProxyType
from typing import Final


@unique
class ScheduleState(StrEnum):
    """Where a *job* stands with the scheduler. Only DONE proves that cleanup has ended."""

    #: The row exists; no DAG has been stored with it yet.
    INACTIVE = "INACTIVE"
    #: Submitted, and wants a controller: its first (attempt 0), or the next after one that died.
    WAITING = "WAITING"
    #: Its controller is being started, or holds the job's launch slot.
    LAUNCHING = "LAUNCHING"
    #: Its controller watches, sleeps in backoff or cleans up; it holds no launch slot.
    ALIVE = "ALIVE"
    #: Its controller asks for the launch slot again.
    ALIVE_WAITING = "ALIVE_WAITING"
    #: Outcome settled and cleanup ended. Final.
    DONE = "DONE"


@unique
class TaskStatus(StrEnum):
    """What a *task* is doing, or how it ended. A terminal status never changes."""

    PENDING = "PENDING"
    #: A cluster is being looked for, for the first time.
    STARTING = "STARTING"
    RUNNING = "RUNNING"
    #: Its cluster was lost or its program failed with restarts left; a new run is being launched.
    RECOVERING = "RECOVERING"
    #: A cancel is under way; processes of the task may still live.
    CANCELLING = "CANCELLING"
    SUCCEEDED = "SUCCEEDED"
    #: ``run`` ended with a non-zero exit code and no restart was left.
    FAILED = "FAILED"
    #: ``setup`` ended with a non-zero exit code and no restart was left.
    FAILED_SETUP = "FAILED_SETUP"
    #: Known before provisioning that no candidate can ever serve it.
    FAILED_PRECHECKS = "FAILED_PRECHECKS"
    #: No cluster could be had within the retries that the configuration allows.
    FAILED_NO_RESOURCE = "FAILED_NO_RESOURCE"
    #: Its controllers died more often than the budget allows.
    FAILED_CONTROLLER = "FAILED_CONTROLLER"
    CANCELLED = "CANCELLED"

    @property
    def is_terminal(self) -> bool:
        """Whether the status is an outcome."""
        return self in TERMINAL

    @property
    def is_failure(self) -> bool:
        """Whether the status is one of the FAILED family."""
        return self in FAILURES


#: States that count against the alive limit.
ALIVE_STATES: Final = frozenset(
    {ScheduleState.LAUNCHING, ScheduleState.ALIVE, ScheduleState.ALIVE_WAITING}
)

FAILURES: Final = frozenset(
    {
        TaskStatus.FAILED,
        TaskStatus.FAILED_SETUP,
        TaskStatus.FAILED_PRECHECKS,
        TaskStatus.FAILED_NO_RESOURCE,
        TaskStatus.FAILED_CONTROLLER,
    }
)

TERMINAL: Final = FAILURES | {TaskStatus.SUCCEEDED, TaskStatus.CANCELLED}

UNFINISHED: Final = frozenset(TaskStatus) - TERMINAL

_S = ScheduleState
#: from -> to. ``None`` is "no row yet".
SCHEDULE_MOVES: Final[Mapping[ScheduleState | None, frozenset[ScheduleState]]] = MappingProxyType(
    {
        None: frozenset({_S.INACTIVE}),
        _S.INACTIVE: frozenset({_S.WAITING, _S.DONE}),
        _S.WAITING: frozenset({_S.LAUNCHING, _S.ALIVE, _S.DONE}),
        _S.LAUNCHING: frozenset({_S.ALIVE, _S.WAITING, _S.DONE}),
        _S.ALIVE: frozenset({_S.ALIVE_WAITING, _S.WAITING, _S.DONE}),
        _S.ALIVE_WAITING: frozenset({_S.LAUNCHING, _S.ALIVE, _S.WAITING, _S.DONE}),
        _S.DONE: frozenset(),
    }
)

_T = TaskStatus
_ANY_TIME: Final = frozenset({_T.CANCELLING, _T.FAILED_CONTROLLER})
#: from -> to, for everyone but ``job_done``, which may end an unfinished task in any outcome.
STATUS_MOVES: Final[Mapping[TaskStatus | None, frozenset[TaskStatus]]] = MappingProxyType(
    {
        None: frozenset({_T.PENDING}),
        _T.PENDING: _ANY_TIME | {_T.STARTING, _T.SUCCEEDED, _T.CANCELLED},
        _T.STARTING: _ANY_TIME | {_T.RUNNING, _T.FAILED_PRECHECKS, _T.FAILED_NO_RESOURCE},
        _T.RUNNING: _ANY_TIME | {_T.RECOVERING, _T.SUCCEEDED, _T.FAILED, _T.FAILED_SETUP},
        _T.RECOVERING: _ANY_TIME | {_T.RUNNING, _T.FAILED_PRECHECKS, _T.FAILED_NO_RESOURCE},
        _T.CANCELLING: frozenset({_T.CANCELLED, _T.FAILED_CONTROLLER}),
        **{status: frozenset() for status in sorted(TERMINAL)},
    }
)


def status_sources(to: TaskStatus, *, ending_job: bool = False) -> frozenset[TaskStatus]:
    """The statuses from which a task may move to ``to``.

    ``ending_job``: the move is part of ``job_done``, which may give any unfinished task any
    outcome.
    """
    if ending_job and to.is_terminal:
        return UNFINISHED
    return frozenset(source for source, targets in STATUS_MOVES.items() if source and to in targets)


#: While a job is unfinished it shows the first of these that any of its tasks has.
_UNFINISHED_ORDER: Final = (_T.CANCELLING, _T.RECOVERING, _T.RUNNING, _T.STARTING, _T.PENDING)


def job_status(tasks: list[tuple[TaskStatus, bool, float | None]]) -> TaskStatus:
    """The status of a job whose tasks are ``(status, counts, ended_at)``.

    ``counts`` is false for the auxiliary tasks of a job group. ``ended_at`` (Unix seconds) orders
    failures: the first in time names the job's outcome. A job without tasks is PENDING.
    """
    statuses = {status for status, _, _ in tasks}
    unfinished = statuses & UNFINISHED
    if unfinished:
        if _T.PENDING in unfinished and statuses & TERMINAL:
            unfinished.add(_T.RUNNING)  # between two tasks of a chain the job is under way
        return next(status for status in _UNFINISHED_ORDER if status in unfinished)
    counting = [(ended_at or 0.0, status) for status, counts, ended_at in tasks if counts]
    failures = [(ended_at, status) for ended_at, status in counting if status.is_failure]
    if failures:
        return min(failures, key=lambda failure: failure[0])[1]
    if any(status is _T.CANCELLED for _, status in counting):
        return _T.CANCELLED
    return _T.SUCCEEDED if counting else _T.PENDING
