"""One job as one line of the list: what stands in each cell, and above all why it is not running.

Owns the words of the cells. Widths and order are the layout's; colours are the widgets'.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import tzinfo
from types import MappingProxyType
from typing import Final, TypeAlias

from jobsched.states import ALIVE_STATES, ScheduleState, TaskStatus
from jobsched_tui.data.frame import Attention, JobLine, Progress, Trouble
from jobsched_tui.present import formats, glyphs
from jobsched_tui.present.attention import DOUBTFUL, brief
from jobsched_tui.present.columns import GUTTER, KINDS, Col, Layout
from jobsched_tui.present.formats import NOTHING
from jobsched_tui.present.glyphs import UNICODE, Pen
from jobsched_tui.present.spans import Line, Span, Tone, clip, clip_line, fit, span, width

#: Codes of reasons that keep a job from nothing: what it prints says more than why it runs.
AT_WORK: Final = frozenset({"", "RUNNING", "STARTING", "DONE"})
#: States in which a job waits, whatever else is so.
_QUEUED: Final = frozenset(
    {ScheduleState.INACTIVE, ScheduleState.WAITING, ScheduleState.ALIVE_WAITING}
)

#: Phrases of the scheduler's reasons that a row has no room for. Any other is shown as it is.
_SHORTER: Final = (
    (re.compile(r"^waits: "), ""),
    (re.compile(r"(\d+) of (\d+) launch slots are taken"), r"launch \1/\2"),
    (re.compile(r"(\d+) of (\d+) jobs that may be alive are"), r"alive \1/\2"),
    (re.compile(r"; in front of it: "), "; behind "),
    (re.compile(r"; it is next in line"), "; next in line"),
    (re.compile(r"^was created but not submitted"), "not submitted"),
    (re.compile(r"^is held; `[^`]*` lets it go on$"), "held"),
    (re.compile(r"^starts of new jobs are paused.*"), "starts are paused"),
)

#: Beyond so many seconds a time of day says too little.
_TODAY: Final = 20 * 3600.0

_BAR: Final = 8
_PERCENT: Final = 5
#: Cells that the words beside a progress bar need, else there is none.
_BESIDE_BAR: Final = 12


@dataclass(frozen=True, slots=True, kw_only=True)
class Look:
    """What a cell depends on beside its job."""

    now: float
    pen: Pen = UNICODE
    #: Whose time of day is shown; ``None``: where the machine is.
    zone: tzinfo | None = None
    folded: bool = False
    #: Whether SCHED is there to name a trouble.
    names_trouble: bool = True


_Cell: TypeAlias = tuple[str, Tone]


def row(
    line: JobLine,
    columns: Layout,
    now: float,
    *,
    pen: Pen = UNICODE,
    zone: tzinfo | None = None,
    selected: bool = False,
    marked: bool = False,
    changed: bool = False,
) -> list[Span]:
    """The job in exactly ``columns.width`` cells.

    ``selected``: the cursor is on it. ``changed``: it has just changed, and is drawn stronger.
    """
    look = Look(
        now=now,
        pen=pen,
        zone=zone,
        folded=columns.folded,
        names_trouble=columns.shows(Col.SCHED),
    )
    pieces = [_gutter(pen, selected=selected, marked=marked)]
    for placed in columns.columns:
        if placed.col is Col.WHY:
            pieces += _exactly(why(line, placed.cells, look), placed.cells)
        else:
            text, tone = _CELLS[placed.col](line, look)
            pieces.append(Span(fit(text, placed.cells, right=placed.kind.right), tone))
        pieces.append(Span(" " * columns.gap))
    return _finished(pieces, columns.width, pen, changed=changed)


def times(line: JobLine, columns: Layout, now: float) -> list[str]:
    """All in the row that changes by itself, because time passes: cheap to compare."""
    look = Look(now=now)
    shown = [placed.col for placed in columns.columns if placed.col in _TIMED]
    return [_CELLS[col](line, look)[0] for col in shown]


def missing_row(columns: Layout, pen: Pen = UNICODE, *, selected: bool = False) -> list[Span]:
    """A job that is there but has not been read yet: nothing is claimed of it."""
    pieces = [_gutter(pen, selected=selected, marked=False)]
    for placed in columns.columns:
        pieces.append(Span(fit("·", placed.cells), Tone.MUTED))
        pieces.append(Span(" " * columns.gap))
    return _finished(pieces, columns.width, pen)


def header_row(
    columns: Layout, sort: Sequence[tuple[str, bool]] = (), pen: Pen = UNICODE
) -> list[Span]:
    """The titles. ``sort``: names of orders with whether they descend, the first counts most."""
    descends = dict(sort)
    pieces = [Span(" " * GUTTER)]
    for placed in columns.columns:
        order = placed.kind.sort
        sign = (pen.down if descends[order] else pen.up) if order in descends else ""
        title = clip(placed.kind.title, placed.cells - len(sign)) + sign
        pieces.append(Span(fit(title, placed.cells, right=placed.kind.right), Tone.TITLE))
        pieces.append(Span(" " * columns.gap))
    return _finished(pieces, columns.width, pen)


def _gutter(pen: Pen, *, selected: bool, marked: bool) -> Span:
    signs = (pen.cursor if selected else " ") + (pen.marked if marked else " ")
    return Span(signs, Tone.KEY if marked else Tone.PLAIN)


def _finished(pieces: Line, cells: int, pen: Pen, *, changed: bool = False) -> list[Span]:
    """Cut or filled up to so many cells; stronger where it has changed; ASCII if so drawn."""
    line = _exactly(pieces, cells)
    if changed:
        line = [Span(one.text, Tone.STRONG if one.tone is Tone.PLAIN else one.tone) for one in line]
    return glyphs.ascii_line(line) if pen.is_ascii else line


def _exactly(line: Line, cells: int) -> list[Span]:
    cut = clip_line(line, cells)
    return [*cut, Span(" " * (cells - width(cut)))]


# What stands in LAST LOG / WHY: the most urgent of what is known.


def why(line: JobLine, cells: int, look: Look) -> list[Span]:
    """What the operator should know of the job, in at most so many cells.

    A trouble first; then for whatever waits the reason, for what runs its progress, else the last
    line of its log; for what is done, how it ended.
    """
    if line.trouble is not None:
        return _trouble(line.trouble, cells, look)
    if line.state is ScheduleState.DONE:
        return [_outcome(line, cells)]
    if _waits(line):
        return [Span(clip(_reason(line), cells))]
    if line.progress is not None:
        return _progress(line.progress, cells, look.pen)
    if line.last_line:
        return [Span(clip(line.last_line.strip(), cells), Tone.MUTED)]
    return [Span(clip(_reason(line), cells))]


def _trouble(trouble: Attention, cells: int, look: Look) -> list[Span]:
    mark = glyphs.trouble(trouble.trouble)
    named = look.names_trouble and _takes_over(trouble)
    sign = [] if named else [Span(mark.label(look.pen), mark.tone), Span(" ")]
    return clip_line([*sign, span(brief(trouble), Tone.BAD)], cells)


def _takes_over(trouble: Attention) -> bool:
    """Whether SCHED names the trouble instead of the state; a failure is told by its status."""
    return trouble.trouble is not Trouble.FAILED


def _waits(line: JobLine) -> bool:
    return line.state in _QUEUED or line.reason not in AT_WORK


def _reason(line: JobLine) -> str:
    """The sentence without what the row says already, its usual phrases in short."""
    said = line.why
    for opening in (f"job {line.job_id} ", f"job {line.job_id}: "):
        said = said.removeprefix(opening)
    for long, short in _SHORTER:
        said = long.sub(short, said)
    return said or NOTHING


def _outcome(line: JobLine, cells: int) -> Span:
    spent = formats.brief(None if line.ended_at is None else _runtime(line, line.ended_at))
    if line.status is TaskStatus.SUCCEEDED:
        return Span(clip(f"done in {spent}", cells), Tone.MUTED)
    if line.failure_reason:
        tone = Tone.BAD if line.status.is_failure else Tone.MUTED
        return Span(clip(line.failure_reason, cells), tone)
    word = line.status.value.lower().replace("_", " ")
    return Span(clip(f"{word} after {spent}", cells), Tone.MUTED)


def _runtime(line: JobLine, now: float) -> float | None:
    end = now if line.ended_at is None else line.ended_at
    return None if line.started_at is None else end - line.started_at


def _progress(progress: Progress, cells: int, pen: Pen) -> list[Span]:
    """The words, then bar and percent flush right, so that only the bar moves."""
    percent = formats.percent(progress.part, _PERCENT)
    room = cells - _BAR - 1 - _PERCENT
    if room < _BESIDE_BAR:
        text = fit(progress.text, cells - _PERCENT)
        return [Span(text), Span(percent, Tone.GOOD)]
    bar = formats.bar(progress.part, _BAR, pen)
    filled = bar.rstrip()
    return [
        Span(fit(progress.text, room) + " "),
        Span(filled, Tone.GOOD),
        Span(bar[len(filled) :]),
        Span(percent, Tone.GOOD),
    ]


# The other cells.


def _sched(line: JobLine, look: Look) -> _Cell:
    if line.trouble is not None and _takes_over(line.trouble):
        mark = glyphs.trouble(line.trouble.trouble)
        return mark.label(look.pen, short=look.folded), mark.tone
    mark, outcome = glyphs.state(line.state), glyphs.status(line.status)
    if line.state is ScheduleState.DONE:
        word = outcome.short if look.folded else mark.word
        return f"{mark.sign(look.pen)} {word}", outcome.tone
    if look.folded and line.status is TaskStatus.CANCELLING:
        mark = outcome
    return mark.label(look.pen, short=look.folded), mark.tone


def _status(line: JobLine, look: Look) -> _Cell:
    mark = glyphs.status(line.status)
    label = mark.label(look.pen)
    label = label if len(label) <= KINDS[Col.STATUS].cells else mark.label(look.pen, short=True)
    if line.trouble is not None and line.trouble.trouble in DOUBTFUL:
        return f"{label}?", Tone.MUTED
    return label, mark.tone


def _pid(line: JobLine, look: Look) -> _Cell:
    """The controller's PID, with whether it lives; none where none should be."""
    if line.pid is None or (line.alive is False and line.state not in ALIVE_STATES):
        return NOTHING, Tone.MUTED
    if line.alive is None:
        return f"{line.pid}{look.pen.unknown}", Tone.WARN
    if line.alive:
        return f"{line.pid}{look.pen.lives}", Tone.PLAIN
    return f"{line.pid}{look.pen.gone}", Tone.BAD


def _regions(line: JobLine, _look: Look) -> _Cell:
    """Where its unfinished tasks are, else where they were."""
    living = [task for task in line.tasks if not task.status.is_terminal and task.region]
    found = dict.fromkeys(task.region for task in living or line.tasks if task.region)
    return _known(",".join(str(region) for region in found))


def _task(line: JobLine, _look: Look) -> _Cell:
    return f"{line.tasks_done}/{len(line.tasks)}", Tone.PLAIN


def _priority(line: JobLine, _look: Look) -> _Cell:
    return (str(line.priority), Tone.PLAIN) if line.priority else ("0", Tone.MUTED)


def _started(line: JobLine, look: Look) -> _Cell:
    """The time of day while that says it all, else how many days ago."""
    if line.started_at is not None and look.now - line.started_at > _TODAY:
        return f"{formats.since(line.started_at, look.now)}", Tone.MUTED
    return _known(formats.clock(line.started_at, look.zone))


def _known(text: str) -> _Cell:
    """Muted where there is nothing to say."""
    return (text, Tone.PLAIN) if text not in ("", NOTHING) else (NOTHING, Tone.MUTED)


def _number(value: int) -> _Cell:
    return (str(value), Tone.AGAIN) if value else ("0", Tone.MUTED)


_CELLS: Final[Mapping[Col, Callable[[JobLine, Look], _Cell]]] = MappingProxyType(
    {
        Col.ID: lambda line, _: (str(line.job_id), Tone.PLAIN),
        Col.NAME: lambda line, _: (line.name, Tone.PLAIN),
        Col.SCHED: _sched,
        Col.STATUS: _status,
        Col.TASK: _task,
        Col.PRIO: _priority,
        Col.PID: _pid,
        Col.CPU: lambda line, _: _known(formats.cpu(line.cpu)),
        Col.RSS: lambda line, _: _known(formats.size(line.rss)),
        Col.AGE: lambda line, look: _known(formats.since(line.submitted_at, look.now)),
        Col.STARTED: _started,
        Col.RUNTIME: lambda line, look: _known(formats.age(_runtime(line, look.now))),
        Col.RECOV: lambda line, _: _number(line.recovery_count),
        Col.RESTARTS: lambda line, _: _number(line.restart_count),
        Col.REGION: _regions,
        Col.SOURCE: lambda line, _: _known(_tail(line.source or "")),
    }
)


_TIMED: Final = frozenset({Col.AGE, Col.STARTED, Col.RUNTIME})


def _tail(path: str) -> str:
    """A file by its last two parts: the rest is the same for all."""
    return "/".join(path.rstrip("/").split("/")[-2:])
