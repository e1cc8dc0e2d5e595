"""What a person should look at, in lines: the trouble, how long it has been so, what to do.

Owns widths and wording of the attention screen and of the clusters of failures; judges nothing.
"""

from __future__ import annotations

from jobsched_tui.data.failures import Cluster
from jobsched_tui.data.frame import Attention
from jobsched_tui.present import formats, glyphs
from jobsched_tui.present.glyphs import UNICODE, Pen
from jobsched_tui.present.spans import Span, Tone, clip_line, fit, joined, span

#: Jobs that a line names; of more it gives the number.
_NAMED = 5


def row(one: Attention, now: float, cells: int, pen: Pen = UNICODE) -> list[Span]:
    """The trouble, its job, its age and the sentence, in at most so many cells."""
    mark = glyphs.trouble(one.trouble)
    line = [
        span(fit(mark.label(pen), 9), mark.tone),
        span(f" {fit('' if one.job_id is None else str(one.job_id), 6, right=True)}"),
        span(f" {formats.since(one.since, now, 7)}  ", Tone.MUTED),
        span(one.text),
    ]
    return _shown(line, cells, pen)


def command(one: Attention, cells: int, pen: Pen = UNICODE) -> list[Span]:
    """What is suggested; nothing does it by itself."""
    return _shown([span("$ ", Tone.MUTED), span(one.command, Tone.KEY)], cells, pen)


def none_found(cells: int, pen: Pen = UNICODE) -> list[Span]:
    """What the screen says when there is nothing to look at."""
    text = "nothing needs attention: database, processes and logs agree"
    return _shown([span(text, Tone.GOOD)], cells, pen)


def cluster(one: Cluster, cells: int, pen: Pen = UNICODE) -> list[Span]:
    """``7 jobs: CUDA out of memory`` with the first ids."""
    ids = [[span(str(job_id))] for job_id in one.job_ids[:_NAMED]]
    more = len(one.job_ids) - _NAMED
    line = [
        span(f"{formats.plural(len(one.job_ids), 'job')}: ", Tone.BAD),
        span(one.kind, Tone.STRONG),
        *([span(f" ({one.hint})", Tone.WARN)] if one.hint else []),
        span("  ", Tone.MUTED),
        *joined(ids, span(", ", Tone.MUTED)),
        *([span(f" and {more} more", Tone.MUTED)] if more > 0 else []),
    ]
    return _shown(line, cells, pen)


def _shown(line: list[Span], cells: int, pen: Pen) -> list[Span]:
    shown = clip_line(line, cells)
    return glyphs.ascii_line(shown) if pen.is_ascii else shown
