"""Several logs side by side: which ones, where each of them stands, and what is written above it.

Owns these choices. Opens nothing. Pure.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from jobsched_tui.data.frame import Detail, JobLine
from jobsched_tui.present.glyphs import UNICODE, Pen, ascii_line
from jobsched_tui.present.logstatus import Writer
from jobsched_tui.present.preview import preview, writer
from jobsched_tui.present.spans import Line, Span, Tone, clip, clip_line, span, width

#: Logs that are shown together at most, and at least.
MOST: Final = 6
LEAST: Final = 2
#: Why there is nothing to show.
TOO_FEW: Final = "mark two jobs first, or open a job with several tasks"

#: Columns below which one log is seen at a time.
_ONE_BELOW: Final = 80
#: Cells that a log needs beside another one; rows, with its title and its status.
_CELLS: Final = 56
_ROWS: Final = 6
_NAME: Final = 40


@dataclass(frozen=True, slots=True)
class PaneLog:
    """One of the logs, and whose it is."""

    job_id: int
    job: str
    #: A task, or the controller.
    which: str
    path: Path
    writer: Writer | None = None


@dataclass(frozen=True, slots=True)
class Arrangement:
    """Where panes stand: so many of them from one on, in columns."""

    first: int
    shown: int
    columns: int

    def spans(self) -> list[int]:
        """How many columns each takes: the last one all that are left."""
        left = -self.shown % self.columns
        return [1] * (self.shown - 1) + [1 + left]

    def widths(self, cells: int) -> list[int]:
        """How many cells each has at least, with one between columns."""
        column = (cells - self.columns + 1) // self.columns
        return [taken * (column + 1) - 1 for taken in self.spans()]


def of_job(detail: Detail, now: float) -> list[PaneLog]:
    """The logs of the tasks of one job, of each of their nodes."""
    line = detail.line
    paths = {Path(task.log_path).parent for task in line.tasks if task.log_path}
    return [
        PaneLog(line.job_id, line.name, label, path, writer(line, now))
        for label, path in detail.logs
        if path.parent in paths
    ]


def of_jobs(lines: Sequence[JobLine], home: str, now: float) -> list[PaneLog]:
    """Of each job the log that is looked at first, or will be."""
    return [found for line in lines if (found := _of_line(line, home, now)) is not None]


def _of_line(line: JobLine, home: str, now: float) -> PaneLog | None:
    found = preview(line, home, now)
    if found.path is not None:
        return PaneLog(line.job_id, line.name, found.which, found.path, found.writer)
    first = next((task for task in line.tasks if task.log_path), None)
    if first is None:
        return None
    return PaneLog(line.job_id, line.name, first.name, Path(first.log_path))


def arranged(count: int, at: int, cells: int, rows: int, *, alone: bool = False) -> Arrangement:
    """Columns where it is wide, rows where it is narrow; the one at ``at`` is always seen.

    Where not all fit, those that are seen with it change only when the keys go beyond them.
    """
    columns = max(1, cells // _CELLS)
    most = 1 if alone or cells < _ONE_BELOW else columns * max(1, rows // _ROWS)
    first = at // most * most
    shown = min(count - first, most)
    return Arrangement(first, shown, min(columns, shown))


def title(
    one: PaneLog, place: tuple[int, int], cells: int, pen: Pen = UNICODE, *, has_keys: bool
) -> Line:
    """``─▶ 1039 train ─ task 1 (eval) ─── 2 of 4``; ``place``: which it is, and of how many."""
    rule = pen.horizontal
    sign = Span(pen.cursor, Tone.KEY) if has_keys else Span(rule, Tone.MUTED)
    right = span(f" {place[0]} of {place[1]}", Tone.MUTED)
    left: Line = [
        Span(rule, Tone.MUTED),
        sign,
        span(f" {one.job_id} {clip(one.job, _NAME)}", Tone.TITLE if has_keys else Tone.PLAIN),
        Span(f" {rule} ", Tone.MUTED),
        span(f"{clip(one.which, _NAME)} ", Tone.TITLE if has_keys else Tone.PLAIN),
    ]
    left = clip_line(left, max(0, cells - width([right])))
    left.append(Span(rule * max(0, cells - width([*left, right])), Tone.MUTED))
    return _drawn(clip_line([*left, right], cells), pen)


def heading(logs: Sequence[PaneLog], seen: Arrangement, cells: int, pen: Pen = UNICODE) -> Line:
    """What this screen is: `` 4 logs side by side: jobs 1038 1039``."""
    ids = list(dict.fromkeys(one.job_id for one in logs))
    named = f"job {ids[0]} {clip(logs[0].job, _NAME)}" if len(ids) == 1 else _jobs(ids)
    said = [span(f" {len(logs)} logs side by side", Tone.TITLE), span(f"  {named}")]
    if seen.shown < len(logs):
        said.append(span(f"  {seen.shown} at a time: Tab shows the others", Tone.MUTED))
    return _drawn(clip_line(said, cells), pen)


def _jobs(ids: Sequence[int]) -> str:
    return f"jobs {' '.join(map(str, ids))}"


def _drawn(line: Line, pen: Pen) -> Line:
    return ascii_line(line) if pen.is_ascii else line
