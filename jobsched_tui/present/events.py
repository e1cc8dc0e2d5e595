"""The rows of the history in words, a line each: moves, actions, limits, what was pruned.

Owns the wording. The order and the choice of rows are the caller's.
"""

from __future__ import annotations

from collections.abc import Callable
from datetime import tzinfo
from typing import Final

from rich.cells import cell_len

from jobsched.api import Change
from jobsched.states import ScheduleState, TaskStatus
from jobsched_tui.data.frame import Detail
from jobsched_tui.data.timeline import who
from jobsched_tui.present import formats, glyphs
from jobsched_tui.present.glyphs import UNICODE, Pen
from jobsched_tui.present.spans import Line, Span, Tone, clip_line, fit, span

_ACTIONS: Final = {
    "CANCEL": "cancel asked for",
    "DONE": "ended by force",
    "HOLD": "held",
    "RELEASE": "released",
    "REQUEUE": "its controller is replaced",
}


#: Where there is less room than this the year goes: what was done today is looked at most.
_WIDE: Final = 90
#: Cells of a task's name.
_NAME: Final = 20


def rows(
    detail: Detail, cells: int, *, pen: Pen = UNICODE, zone: tzinfo | None = None
) -> list[Line]:
    """All that was written of one job; whose it is stands in a column: the job, or a task."""
    names = {task.task_id: span(task.name).text for task in detail.line.tasks}
    wide = min(_NAME, max((cell_len(name) for name in names.values()), default=0))
    found: list[Line] = []
    for change in detail.record:
        name = "job" if change.task_id is None else names.get(change.task_id)
        about = f"task {change.task_id}" if name is None else name
        said = [span(fit(about, max(len("job"), wide)) + "  "), *_said(change, pen)]
        found.append(_row(change, said, cells, pen, zone))
    return found


def row(
    change: Change, cells: int, *, pen: Pen = UNICODE, zone: tzinfo | None = None
) -> list[Span]:
    """When, who, and what happened to which job, in at most so many cells."""
    return _row(change, sentence(change, pen), cells, pen, zone)


def _row(change: Change, said: Line, cells: int, pen: Pen, zone: tzinfo | None) -> list[Span]:
    at, actor = formats.moment(change.at, zone), who(change.actor, change.attempt)
    wide = cells >= _WIDE
    line = [
        span(f"{at if wide else at[len('2026-') :]}  ", Tone.MUTED),
        span(f"{fit(actor, 18 if wide else 13)}  ", Tone.MUTED),
        *said,
    ]
    if change.reason:
        line += [span(" · ", Tone.MUTED), span(change.reason)]
    shown = clip_line(line, cells)
    return glyphs.ascii_line(shown) if pen.is_ascii else shown


def sentence(change: Change, pen: Pen = UNICODE) -> list[Span]:
    """What happened to which job; a kind that is not known yet is shown as it is stored."""
    said = _said(change, pen)
    if change.kind not in _OF_JOBS:
        return said
    task = f"task {change.task_id} " if change.kind == "STATUS" else ""
    return [span(f"job {change.job_id} {task}"), *said]


def _said(change: Change, pen: Pen) -> list[Span]:
    return _WORDS.get(change.kind, _other)(change, pen)


def _schedule(change: Change, pen: Pen) -> list[Span]:
    return _move(change, pen, ScheduleState)


def _status(change: Change, pen: Pen) -> list[Span]:
    return _move(change, pen, TaskStatus)


def _move(change: Change, pen: Pen, kind: type[ScheduleState | TaskStatus]) -> list[Span]:
    """``RUNNING → ✗ FAILED``; a first state is only named."""
    to = change.to_value or ""
    line = []
    if change.from_value is not None:
        line.append(span(f"{change.from_value} → ", Tone.MUTED))
    if to not in kind.__members__:
        return [*line, span(to)]
    value = kind(to)
    mark = glyphs.state(value) if isinstance(value, ScheduleState) else glyphs.status(value)
    return [*line, span(mark.label(pen), mark.tone)]


def _action(change: Change, pen: Pen) -> list[Span]:
    del pen
    subject = change.subject or ""
    if subject == "PRIORITY":
        words = f"priority {change.from_value} → {change.to_value}"
    else:
        words = _ACTIONS.get(subject, subject)
    return [span(words, Tone.STRONG)]


def _limit(change: Change, pen: Pen) -> list[Span]:
    del pen
    if change.subject == "PAUSED":
        paused = change.to_value != "0"
        words = "starts of new jobs paused" if paused else "starts of new jobs resumed"
        return [span(words, Tone.WARN if paused else Tone.GOOD)]
    name = f"{(change.subject or '').lower()} limit "
    if change.from_value is None:
        return [span(f"{name}is {change.to_value}", Tone.STRONG)]
    return [span(f"{name}{change.from_value} → {change.to_value}", Tone.STRONG)]


def _pruned(change: Change, pen: Pen) -> list[Span]:
    del change, pen
    return [span("forgotten, with its history", Tone.MUTED)]


def _other(change: Change, pen: Pen) -> list[Span]:
    del pen
    parts = (change.kind, change.subject, change.from_value, change.to_value)
    return [span(" ".join(part for part in parts if part))]


_WORDS: Final[dict[str, Callable[[Change, Pen], list[Span]]]] = {
    "SCHEDULE": _schedule,
    "STATUS": _status,
    "ACTION": _action,
    "LIMIT": _limit,
    "PRUNED": _pruned,
}
#: Kinds that are about a job.
_OF_JOBS: Final = frozenset({"SCHEDULE", "STATUS", "ACTION", "PRUNED"})
