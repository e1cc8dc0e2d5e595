"""What a job needs next, as a pure function of its DAG and its rows.

Owns which tasks may start, which are cancelled by another's end, and when the job is finished.
Reads nothing and changes nothing; the same rows always give the same plan, whichever attempt asks.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from jobsched.models import DagSpec
from jobsched.states import TaskStatus
from jobsched.store.rows import TaskRow


@dataclass(frozen=True, slots=True)
class Plan:
    """What to do now."""

    #: Tasks to be driven: those that may start, and those that were under way.
    drive: tuple[int, ...] = ()
    #: Whether those are a job group to be placed together or not at all.
    together: bool = False
    #: Tasks with an outcome whose cluster a dead controller has left; to be driven, too.
    tidy: tuple[int, ...] = ()
    #: PENDING tasks that can never start, and why.
    skip: tuple[tuple[int, str], ...] = ()
    #: Auxiliary tasks to be ended at a moment (Unix seconds).
    end_at: tuple[tuple[int, float], ...] = ()
    #: Whether every task has its outcome, and nothing is left of any.
    finished: bool = False


def plan(spec: DagSpec, rows: Sequence[TaskRow]) -> Plan:
    """The next steps of a job that is not cancelled."""
    unfinished = [row for row in rows if not row.status.is_terminal]
    skip = tuple(
        (row.task_id, reason)
        for row in unfinished
        if (reason := _never(spec, rows, row)) is not None
    )
    skipped = {task_id for task_id, _ in skip}
    tidy = tuple(row.task_id for row in rows if row.status.is_terminal and _is_left(row))
    drive = tuple(
        row.task_id
        for row in unfinished
        if row.task_id not in skipped
        and (row.status is not TaskStatus.PENDING or _ready(spec, rows, row))
    )
    return Plan(
        drive=drive,
        together=spec.is_group and len(drive) == len(unfinished) and _none_runs(unfinished),
        tidy=tidy,
        skip=skip,
        end_at=_auxiliaries(spec, rows),
        finished=not (unfinished or tidy),
    )


def _is_left(row: TaskRow) -> bool:
    """Whether its cluster may exist, and nobody has tried in vain to remove it."""
    return row.has_cluster and row.cleanup_error is None


def _none_runs(rows: Sequence[TaskRow]) -> bool:
    return all(row.status in (TaskStatus.PENDING, TaskStatus.STARTING) for row in rows)


def _ready(spec: DagSpec, rows: Sequence[TaskRow], row: TaskRow) -> bool:
    needed = spec.tasks[row.task_id].depends_on
    return all(rows[other].status is TaskStatus.SUCCEEDED for other in needed)


def _never(spec: DagSpec, rows: Sequence[TaskRow], row: TaskRow) -> str | None:
    """Why a PENDING task cannot start any more; ``None`` if it still may."""
    if row.status is not TaskStatus.PENDING:
        return None
    for other in spec.tasks[row.task_id].depends_on:
        ended = rows[other]
        if ended.status.is_terminal and ended.status is not TaskStatus.SUCCEEDED:
            return f"task {ended.name}, which it depends on, ended {ended.status}"
    return None


def _auxiliaries(spec: DagSpec, rows: Sequence[TaskRow]) -> tuple[tuple[int, float], ...]:
    """When auxiliary tasks are to end: some time after the last task that counts."""
    counting = [row for row in rows if row.counts]
    if len(counting) == len(rows) or any(row.ended_at is None for row in counting):
        return ()
    last = max(row.ended_at or 0.0 for row in counting)
    return tuple(
        (row.task_id, last + spec.tasks[row.task_id].termination_delay)
        for row in rows
        if not row.counts and not row.status.is_terminal
    )
