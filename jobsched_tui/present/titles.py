"""The lines above a pane: whose it is, and which panes there are.

Owns their wording.
"""

from __future__ import annotations

from typing import Final

from jobsched_tui.data.frame import JobLine, Trouble
from jobsched_tui.present import formats, glyphs
from jobsched_tui.present.attention import DOUBTFUL
from jobsched_tui.present.glyphs import UNICODE, Mark, Pen, ascii_line
from jobsched_tui.present.spans import Line, Span, Tone, clip, clip_line, span, width

#: The tabs of a job: name, action, title.
TABS: Final = (
    ("log", "job.log", "log"),
    ("timeline", "job.timeline", "timeline"),
    ("dag", "job.dag", "DAG"),
    ("processes", "job.processes", "processes"),
    ("yaml", "job.yaml", "YAML"),
    ("events", "job.events", "events"),
)
_NAME: Final = 40


def nothing(cells: int, pen: Pen = UNICODE) -> Line:
    """The rule above a log where there is no job: ``── log ───``."""
    return _ruled([Span(f"{pen.horizontal * 2} ", Tone.MUTED), Span("log ")], cells, pen)


def preview(line: JobLine, which: str, cells: int, pen: Pen = UNICODE) -> Line:
    """``── 1039 train ─ log of prepare ───``."""
    rule = pen.horizontal
    title = [
        Span(f"{rule * 2} ", Tone.MUTED),
        span(f"{line.job_id} {clip(line.name, _NAME)}", Tone.TITLE),
        Span(f" {rule} ", Tone.MUTED),
        span(f"log of {clip(which, _NAME)} "),
    ]
    return _ruled(title, cells, pen)


def job(line: JobLine, now: float, cells: int, pen: Pen = UNICODE) -> Line:
    """Id, name, state, status, tasks, controller and age of one job."""
    state, status = _state(line), glyphs.status(line.status)
    doubtful = line.trouble is not None and line.trouble.trouble in DOUBTFUL
    lives = {True: pen.lives, False: pen.gone, None: pen.unknown}[line.alive]
    tone = {True: Tone.GOOD, False: Tone.MUTED, None: Tone.WARN}[line.alive]
    pid = [Span(f" {lives}", tone), Span(f" pid {line.pid}  ")] if line.pid else [Span(" ")]
    pieces = [
        span(f" {line.job_id} {clip(line.name, _NAME)}  ", Tone.TITLE),
        Span(state.label(pen), state.tone),
        Span("  "),
        Span(
            f"{status.label(pen)}{'?  ' if doubtful else '  '}",
            Tone.MUTED if doubtful else status.tone,
        ),
        Span(f"tasks {line.tasks_done}/{len(line.tasks)} "),
        *pid,
        Span(f"age {formats.since(line.submitted_at, now).strip()}  ", Tone.MUTED),
        *([Span("held  ", Tone.WARN)] if line.held else []),
        *([Span("cancel asked  ", Tone.WARN)] if line.cancel_requested else []),
    ]
    return _cut(pieces, cells, pen)


def _state(line: JobLine) -> Mark:
    """As in the list: a trouble takes the place of the state, but for a failure."""
    trouble = line.trouble
    if trouble is not None and trouble.trouble is not Trouble.FAILED:
        return glyphs.trouble(trouble.trouble)
    return glyphs.state(line.state)


def why(line: JobLine, cells: int, pen: Pen = UNICODE) -> Line:
    """The trouble, else why it is where it is, else why it failed."""
    if line.trouble is not None:
        said = line.trouble.text.removeprefix(f"job {line.job_id} ")
        return _cut([span(f" {pen.attention} {said}", Tone.BAD)], cells, pen)
    said = line.why.removeprefix(f"job {line.job_id} ") or line.failure_reason or ""
    tone = Tone.BAD if line.failure_reason and not line.why else Tone.MUTED
    return _cut([span(f" {said}", tone)], cells, pen)


def tabs(chosen: str, keys: dict[str, str], cells: int, pen: Pen = UNICODE) -> Line:
    """The tabs of a job with their keys; the one that is shown stands in brackets."""
    pieces: list[Span] = []
    for name, action, title in TABS:
        is_chosen = name == chosen
        left, right = ("[", "]") if is_chosen else (" ", " ")
        pieces += [
            Span(left, Tone.TITLE),
            span(keys.get(action, ""), Tone.KEY),
            Span(f" {title}", Tone.TITLE if is_chosen else Tone.PLAIN),
            Span(f"{right} ", Tone.TITLE),
        ]
    return _cut([Span(" "), *pieces], cells, pen)


def _ruled(line: Line, cells: int, pen: Pen) -> Line:
    rule = pen.horizontal * max(0, cells - width(line))
    return _cut([*line, Span(rule, Tone.MUTED)], cells, pen)


def _cut(line: Line, cells: int, pen: Pen) -> Line:
    cut = clip_line(line, cells)
    return ascii_line(cut) if pen.is_ascii else cut
