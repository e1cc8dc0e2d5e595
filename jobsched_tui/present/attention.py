"""What a person should look at, in lines: the trouble, how long it has been so, what to do.

Owns widths and wording of the attention screen and of the clusters of failures; judges nothing.
"""

from __future__ import annotations

import re
from typing import Final

from jobsched_tui.data.failures import Cluster
from jobsched_tui.data.frame import Attention, Trouble
from jobsched_tui.present import formats, glyphs
from jobsched_tui.present.glyphs import UNICODE, Pen
from jobsched_tui.present.spans import Span, Tone, clip_line, fit, joined, span, width

#: Jobs that a line names; of more it gives the number.
_NAMED: Final = 5
#: What a sentence says that stands beside it already, and phrases that a row has no room for.
_JOB: Final = re.compile(r"^job \d+(?:,|:)? ")
_SHORTER: Final = (
    (re.compile(r"^is \w+, but its controller, (pid \d+), is gone \(known since (.{5}):..\)"),
     r"\1 gone since \2"),
    (re.compile(r"^prints nothing and computes nothing since (.{5}):.."), r"silent, idle since \1"),
    (re.compile(r"^ended \w+ at .{8}: "), ""),
)  # fmt: skip
#: Troubles that make what the database says doubtful.
DOUBTFUL: Final = frozenset({Trouble.DEAD, Trouble.REUSED, Trouble.UNKNOWN})
#: How kinds of failures begin: the line says it already.
_ENDED: Final = re.compile(r"^job # ended \w+ at #: ")


def row(one: Attention, now: float, cells: int, pen: Pen = UNICODE) -> list[Span]:
    """The trouble, its job, its age and the sentence, in at most so many cells."""
    mark = glyphs.trouble(one.trouble)
    line = [
        span(fit(mark.label(pen), 9), mark.tone),
        span(f" {fit('' if one.job_id is None else str(one.job_id), 6, right=True)}"),
        span(f" {formats.since(one.since, now, 7)}  ", Tone.MUTED),
    ]
    said = span(_alone(one))
    fits = width([*line, said]) <= cells
    return _shown([*line, said if fits else span(brief(one))], cells, pen)


def brief(one: Attention) -> str:
    """The sentence without its job, its usual phrases in short: for a row of the list."""
    said = _alone(one)
    for long, short in _SHORTER:
        said = long.sub(short, said)
    return said


def _alone(one: Attention) -> str:
    return one.text if one.job_id is None else _JOB.sub("", one.text)


def command(one: Attention, cells: int, pen: Pen = UNICODE) -> list[Span]:
    """What is suggested; nothing does it by itself."""
    return _shown([span("$ ", Tone.MUTED), span(one.command, Tone.STRONG)], cells, pen)


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
        span(_ENDED.sub("", one.kind), Tone.STRONG),
        *([span(f" ({one.hint})", Tone.WARN)] if one.hint else []),
        span("  ", Tone.MUTED),
        *joined(ids, span(", ", Tone.MUTED)),
        *([span(f" and {more} more", Tone.MUTED)] if more > 0 else []),
    ]
    return _shown(line, cells, pen)


def _shown(line: list[Span], cells: int, pen: Pen) -> list[Span]:
    shown = clip_line(line, cells)
    return glyphs.ascii_line(shown) if pen.is_ascii else shown
