"""The timeline in words and bars: a line for each step, and where a job's time went.

Owns widths and wording; what happened is decided in ``data.timeline``.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import tzinfo
from typing import Final

from rich.cells import cell_len

from jobsched.states import ScheduleState, TaskStatus
from jobsched_tui.data.timeline import Step, Stretch, Timeline, totals
from jobsched_tui.present import formats, glyphs
from jobsched_tui.present.glyphs import UNICODE, Mark, Pen
from jobsched_tui.present.spans import Line, Span, Tone, clip, clip_line, fit, span, width

#: Cells from which on words are written out.
_WIDE: Final = 110
_DAY: Final = 86_400.0
#: How a state fills its part of a bar: itself, and in ASCII.
_FILLS: Final[dict[str, tuple[str, str]]] = {
    "INACTIVE": ("┈", "."),
    "WAITING": ("░", ":"),
    "ALIVE_WAITING": ("░", ":"),
    "LAUNCHING": ("▒", "="),
    "ALIVE": ("█", "#"),
    "DONE": (" ", " "),
    "PENDING": ("┈", "."),
    "STARTING": ("▒", "="),
    "RUNNING": ("█", "#"),
    "RECOVERING": ("▒", "%"),
    "CANCELLING": ("░", "x"),
}


def mark(state: ScheduleState | TaskStatus) -> Mark:
    """How a state of either kind looks."""
    return glyphs.state(state) if isinstance(state, ScheduleState) else glyphs.status(state)


def is_dated(timeline: Timeline) -> bool:
    """Whether its steps need the day as well as the time of day."""
    return timeline.end - timeline.start >= _DAY


def row(
    step: Step,
    cells: int,
    *,
    dated: bool = False,
    pen: Pen = UNICODE,
    zone: tzinfo | None = None,
) -> list[Span]:
    """One step in at most so many cells."""
    wide = cells >= _WIDE
    time = formats.moment(step.at, zone) if dated else formats.clock(step.at, zone)
    delta = "" if step.since is None else f"+{formats.age(step.since)}"
    # Where there is little room the names of controllers tell the attempt.
    attempt = fit(f"#{step.attempt}" if step.attempt else "", 4) if wide else ""
    line = [
        span(f"{time} ", Tone.MUTED),
        span(f"{fit(delta, 7, right=True)}  ", Tone.MUTED),
        span(f"{fit(step.scope, 14 if wide else 10)}  "),
        *_filled(_move(step, short=not wide, pen=pen), 31 if wide else 17),
        span(f"  {attempt}{fit(step.actor, 18 if wide else 13)}  ", Tone.MUTED),
        span(step.reason or ""),
    ]
    shown = clip_line(line, cells)
    return glyphs.ascii_line(shown) if pen.is_ascii else shown


def _move(step: Step, *, short: bool, pen: Pen) -> list[Span]:
    before, after = (_known(step, value) for value in (step.before, step.after))
    line: list[Span] = []
    if step.subject is not None:
        line += [span(step.subject, Tone.STRONG), Span(" ")]
    if step.before is not None:
        word = step.before if before is None else before.short if short else before.word
        line += [span(word, Tone.MUTED), span(" → ", Tone.MUTED)]
    if after is not None:
        line.append(span(after.label(pen, short=short), after.tone))
    elif step.after is not None:
        line.append(span(step.after, Tone.STRONG))
    return line


def _known(step: Step, value: str | None) -> Mark | None:
    """How the state looks that a step names, if it names one."""
    if value is None or step.subject is not None:
        return None
    if step.task_id is None and value in ScheduleState.__members__:
        return glyphs.state(ScheduleState(value))
    return glyphs.status(TaskStatus(value)) if value in TaskStatus.__members__ else None


def _filled(line: Line, cells: int) -> list[Span]:
    shown = clip_line(line, cells)
    return [*shown, Span(" " * max(0, cells - width(shown)))]


def summary(timeline: Timeline, cells: int, pen: Pen = UNICODE) -> list[Span]:
    """How long the job was in each state, each with a part of the line as large as its time.

    Where there is room each begins with what it is drawn with in the bars.
    """
    parts = totals(timeline.states)
    labels = [f"{mark(state).short} {formats.age(time)}" for state, time in parts.items()]
    room = cells - max(0, len(parts) - 1)
    keyed = [f"{fill(state, pen)} {label}" for state, label in zip(parts, labels, strict=True)]
    if sum(map(len, keyed)) <= room:
        labels = keyed
    if not parts or room < len(parts):
        return []
    line: list[Span] = []
    shares = apportion(room, list(parts.values()), [len(label) for label in labels])
    for state, label, share in zip(parts, labels, shares, strict=True):
        if line:
            line.append(span("|", Tone.MUTED))
        line.append(span(fit(label, share) if share > 1 else fill(state, pen), mark(state).tone))
    return glyphs.ascii_line(line) if pen.is_ascii else line


def apportion(cells: int, weights: Sequence[float], wanted: Sequence[int]) -> list[int]:
    """Share cells by weight; nobody gets less than what it wants, or than one if that is too much.

    There must be a cell for each.
    """
    least = list(wanted) if sum(wanted) <= cells else [1] * len(wanted)
    spare, whole = cells - sum(least), sum(weights)
    edges = [0.0]
    for weight in weights:
        edges.append(edges[-1] + (spare * weight / whole if whole else 0))
    return [
        base + round(until) - round(start)
        for base, start, until in zip(least, edges, edges[1:], strict=False)
    ]


def fill(state: ScheduleState | TaskStatus, pen: Pen = UNICODE) -> str:
    """The character that a state's part of a bar is made of; an outcome is its sign."""
    if state in _FILLS:
        return _FILLS[state][pen.is_ascii]
    return mark(state).sign(pen)


def chart(timeline: Timeline, cells: int, pen: Pen = UNICODE) -> list[list[Span]]:
    """A bar over the job's life for the job and for each task, below each other.

    A task that has not begun says so.
    """
    lives = [("job", timeline.states)] + [(one.name, one.stretches) for one in timeline.tasks]
    margin = _margin(timeline, cells)
    lines = []
    for name, stretches in lives:
        bar = _bar(timeline, stretches, cells - margin - 2, pen)
        if not stretches:
            bar = [span(clip("not begun", cells - margin - 2), Tone.MUTED)]
        lines.append([span(fit(name, margin) + "  "), *bar])
    return [glyphs.ascii_line(line) for line in lines] if pen.is_ascii else lines


def scale(timeline: Timeline, cells: int, zone: tzinfo | None = None) -> list[Span]:
    """When the bars begin and end, above both ends; a job that goes on has no end yet."""
    shown = formats.moment if is_dated(timeline) else formats.clock
    is_over = bool(timeline.states) and timeline.states[-1].state is ScheduleState.DONE
    start, end = shown(timeline.start, zone), shown(timeline.end, zone) if is_over else "now"
    margin = _margin(timeline, cells) + 2
    gap = cells - margin - len(start) - len(end)
    return [span(f"{' ' * margin}{start}{' ' * gap}{end}", Tone.MUTED)] if gap > 0 else []


def _margin(timeline: Timeline, cells: int) -> int:
    """Cells of the names beside the bars."""
    longest = max((cell_len(one.name) for one in timeline.tasks), default=0)
    return max(4, min(cells // 4, max(longest, len("job"))))


def _bar(
    timeline: Timeline,
    stretches: Sequence[Stretch],
    cells: int,
    pen: Pen,
) -> list[Span]:
    """One life in exactly so many cells; the short stretches last, so that none is painted over."""
    shown: list[Span] = [Span(" ")] * max(0, cells)
    scale = cells / (timeline.end - timeline.start) if timeline.end > timeline.start else 0.0
    for stretch in sorted(stretches, key=lambda one: -_painted(one)):
        first = min(int((stretch.start - timeline.start) * scale), cells - 1)
        last = max(first + 1, min(round((stretch.end - timeline.start) * scale), cells))
        if _painted(stretch) == 0:
            last = first + 1  # an outcome is a moment
        piece = span(fill(stretch.state, pen), mark(stretch.state).tone)
        shown[first:last] = [piece] * (last - first)
    return _merged(shown[: max(0, cells)])


def _painted(stretch: Stretch) -> float:
    """Seconds for which it fills the bar."""
    return stretch.seconds if stretch.state in _FILLS else 0.0


def _merged(line: Sequence[Span]) -> list[Span]:
    """Neighbours of one tone as one piece."""
    merged: list[Span] = []
    for piece in line:
        if merged and merged[-1].tone is piece.tone:
            merged[-1] = Span(merged[-1].text + piece.text, piece.tone)
        else:
            merged.append(piece)
    return merged
