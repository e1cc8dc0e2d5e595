"""What limits would do and where a new job would stand, in sentences."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from jobsched_tui.data.whatif import Forecast, Place, Waiter
from jobsched_tui.present.formats import plural, size
from jobsched_tui.present.spans import Line, Tone, clip, span

#: Jobs that are named.
_NAMED: Final = 4
_NAME_CELLS: Final = 16


def forecast_lines(seen: Forecast) -> list[Line]:
    """Who starts, what that takes, and what the new limits do not reach."""
    lines: list[Line] = [_starters("start", seen.starts)]
    if seen.resumes:
        lines.append(_starters("launch again", seen.resumes))
    lines.append([span(f"{plural(seen.left, 'job')} would still wait", Tone.MUTED)])
    if seen.added_bytes:
        lines.append(_memory(seen))
    for over, what in ((seen.over_launch, "launch"), (seen.over_alive, "are alive")):
        if over:
            says = f"{over} more {what} than may: nothing is stopped, nothing new follows"
            lines.append([span(says, Tone.WARN)])
    return lines


def _starters(what: str, jobs: Sequence[Waiter]) -> Line:
    named = ", ".join(f"{job.job_id} {clip(job.name, _NAME_CELLS)}" for job in jobs[:_NAMED])
    more = f" and {len(jobs) - _NAMED} more" if len(jobs) > _NAMED else ""
    tone = Tone.GOOD if jobs else Tone.PLAIN
    line = [span(f"{plural(len(jobs), 'job')} would {what}", tone)]
    return [*line, span(f": {named}{more}")] if jobs else line


def _memory(seen: Forecast) -> Line:
    added = f"their controllers take about {size(seen.added_bytes)}"
    if seen.free_bytes is None:
        return [span(added)]
    free = f" of {size(seen.free_bytes)} that are free"
    return [span(added + free, Tone.PLAIN if seen.fits else Tone.BAD)]


def place_line(seen: Place) -> Line:
    """``would start now``, or ``would wait: launch 3/3; 4 jobs in front``."""
    if seen.starting == seen.copies:
        return [span("would start now", Tone.GOOD)]
    front = f"; {plural(seen.in_front, 'job')} in front" if seen.in_front else ""
    waits = f"would wait: {seen.kept_by}{front}"
    if seen.starting:
        waits = f"{seen.starting} of {seen.copies} would start now, the others {waits}"
    return [span(waits, Tone.QUEUED)]
