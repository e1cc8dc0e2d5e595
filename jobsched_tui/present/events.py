"""The rows of the history in words, a line each: moves, actions, limits, what was pruned.

Owns the wording. The order and the choice of rows are the caller's.
"""

from __future__ import annotations

from collections.abc import Callable
from datetime import tzinfo
from typing import Final

from jobsched.api import Change
from jobsched.states import ScheduleState, TaskStatus
from jobsched_tui.data.timeline import who
from jobsched_tui.present import formats, glyphs
from jobsched_tui.present.glyphs import UNICODE, Pen
from jobsched_tui.present.spans import Span, Tone, clip_line, fit, span

_ACTIONS: Final = {
    "CANCEL": "cancel asked for",
    "DONE": "ended by force",
    "HOLD": "held",
    "RELEASE": "released",
    "REQUEUE": "its controller is replaced",
}


def row(
    change: Change, cells: int, *, pen: Pen = UNICODE, zone: tzinfo | None = None
) -> list[Span]:
    """When, who, and what happened, in at most so many cells."""
    line = [
        span(f"{formats.moment(change.at, zone)}  ", Tone.MUTED),
        span(f"{fit(who(change.actor, change.attempt), 18)}  ", Tone.MUTED),
        *sentence(change, pen),
    ]
    if change.reason:
        line += [span(" · ", Tone.MUTED), span(change.reason)]
    shown = clip_line(line, cells)
    return glyphs.ascii_line(shown) if pen.is_ascii else shown


def sentence(change: Change, pen: Pen = UNICODE) -> list[Span]:
    """What happened; a kind that is not known yet is shown as it is stored."""
    return _WORDS.get(change.kind, _other)(change, pen)


def _schedule(change: Change, pen: Pen) -> list[Span]:
    return [span(f"job {change.job_id} "), *_move(change, pen, ScheduleState)]


def _status(change: Change, pen: Pen) -> list[Span]:
    return [span(f"job {change.job_id} task {change.task_id} "), *_move(change, pen, TaskStatus)]


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
    return [span(f"job {change.job_id} "), span(words, Tone.KEY)]


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
    del pen
    return [span(f"job {change.job_id} forgotten, with its history", Tone.MUTED)]


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
