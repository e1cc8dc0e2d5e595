"""What happened to a job, folded into steps and stretches of time.

Owns the fold from the ``history`` and ``actions`` of a ``show`` object. Reads nothing.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from jobsched.api import Change
from jobsched.states import ScheduleState, TaskStatus

#: What history says of a controller's own writes; its attempt tells which one it was.
_CONTROLLER: Final = "controller"


@dataclass(frozen=True, slots=True, kw_only=True)
class Step:
    """One row of the timeline: a move of the job or of a task, or what an operator did."""

    seq: int
    at: float
    #: Seconds since the step before; ``None`` for the first, and where the clock was set back.
    since: float | None
    #: ``None``: the job itself.
    task_id: int | None
    #: ``job``, or the name of the task.
    scope: str
    #: For an operator's action, which: CANCEL, HOLD, PRIORITY, ...; ``None`` for a move.
    subject: str | None
    before: str | None
    after: str | None
    attempt: int | None
    #: ``scheduler``, ``controller 2``, or who acted by what.
    actor: str
    reason: str | None


@dataclass(frozen=True, slots=True)
class Stretch:
    """Something was in one state for some time."""

    state: ScheduleState | TaskStatus
    start: float
    end: float

    @property
    def seconds(self) -> float:
        """How long."""
        return self.end - self.start


@dataclass(frozen=True, slots=True, kw_only=True)
class TaskLife:
    """The stretches of one task, in order; the last may have begun and ended at once."""

    task_id: int
    name: str
    stretches: tuple[Stretch, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Timeline:
    """A job's life, from its creation to its end, or to now."""

    start: float
    end: float
    steps: tuple[Step, ...]
    states: tuple[Stretch, ...]
    tasks: tuple[TaskLife, ...]


def fold(job: Mapping[str, Any], now: float) -> Timeline:
    """The timeline of a ``show`` object at the moment ``now``; empty if it has no history."""
    rows = _in_order(job)
    names = {task["task_id"]: str(task["name"]) for task in job["tasks"]}
    end = _end(job, rows, now)
    moves = [row for row in rows if "subject" not in row]
    return Timeline(
        start=min((row["at"] for row in rows), default=end),
        end=end,
        steps=tuple(_steps(rows, names)),
        states=_stretches(ScheduleState, (row for row in moves if row["task_id"] is None), end),
        tasks=tuple(
            TaskLife(
                task_id=task_id,
                name=name,
                stretches=_stretches(
                    TaskStatus, (row for row in moves if row["task_id"] == task_id), end
                ),
            )
            for task_id, name in names.items()
        ),
    )


def changes_of(job: Mapping[str, Any]) -> list[Change]:
    """The history and actions of a ``show`` object as rows of the history, in order."""
    return [
        Change(
            seq=row["seq"],
            at=row["at"],
            kind=_kind(row),
            job_id=job["job_id"],
            task_id=row.get("task_id"),
            subject=row.get("subject"),
            from_value=row["from"],
            to_value=row["to"],
            attempt=row["attempt"],
            actor=row["actor"],
            reason=row["reason"],
        )
        for row in _in_order(job)
    ]


def _kind(row: Mapping[str, Any]) -> str:
    if "subject" in row:
        return "ACTION"
    return "SCHEDULE" if row["task_id"] is None else "STATUS"


def _in_order(job: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    return sorted([*job["history"], *job["actions"]], key=lambda row: row["seq"])


def totals(stretches: Iterable[Stretch]) -> dict[ScheduleState | TaskStatus, float]:
    """Seconds in each state, in the order in which they were first reached; nothing for none."""
    found: dict[ScheduleState | TaskStatus, float] = {}
    for stretch in stretches:
        found[stretch.state] = found.get(stretch.state, 0.0) + stretch.seconds
    return {state: seconds for state, seconds in found.items() if seconds > 0}


def _end(job: Mapping[str, Any], rows: Sequence[Mapping[str, Any]], now: float) -> float:
    """When its life ended: never before its last row, whatever the clocks say."""
    ended = job["ended_at"]
    return float(max([now if ended is None else ended, *(row["at"] for row in rows)]))


def _steps(rows: Sequence[Mapping[str, Any]], names: Mapping[int, str]) -> Iterable[Step]:
    before: float | None = None
    for row in rows:
        since = None if before is None or row["at"] < before else row["at"] - before
        before = row["at"]
        task_id = row.get("task_id")
        yield Step(
            seq=row["seq"],
            at=row["at"],
            since=since,
            task_id=task_id,
            scope="job" if task_id is None else names.get(task_id, f"task {task_id}"),
            subject=row.get("subject"),
            before=row["from"],
            after=row["to"],
            attempt=row["attempt"],
            actor=who(row["actor"], row["attempt"]),
            reason=row["reason"],
        )


def who(actor: str, attempt: int | None) -> str:
    """Who acted; a controller by its number."""
    return f"{actor} {attempt}" if actor == _CONTROLLER and attempt else actor


def _stretches(
    states: type[ScheduleState | TaskStatus], moves: Iterable[Mapping[str, Any]], end: float
) -> tuple[Stretch, ...]:
    """Each state until the next; a clock that was set back makes a stretch of no length."""
    points = [(states(move["to"]), float(move["at"])) for move in moves]
    ends = [*(at for _, at in points[1:]), end]
    return tuple(
        Stretch(state, start, max(start, until))
        for (state, start), until in zip(points, ends, strict=False)  # none for no points
    )
