"""Lists as plain text, for people who read a file: what the screen shows, and all rows of it.

Owns the lines above a list that say what it is. The rows are those of the screen.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from datetime import tzinfo

from jobsched_tui.data.frame import Attention, Frame, JobLine
from jobsched_tui.present import attention, rows
from jobsched_tui.present.columns import Layout
from jobsched_tui.present.glyphs import Pen, ascii_line
from jobsched_tui.present.header import Drawing, Looking, summary
from jobsched_tui.present.spans import Line, plain


def head(frame: Frame, looking: Looking, drawing: Drawing) -> Iterator[str]:
    """What the screen says above the list."""
    yield from _texts(summary(frame, looking, frame.now, drawing), drawing.pen)


def jobs(
    lines: Iterable[JobLine],
    layout: Layout,
    sort: Sequence[tuple[str, bool]],
    now: float,
    *,
    pen: Pen,
    zone: tzinfo | None,
) -> Iterator[str]:
    """Titles and rows, each a line of text with its end."""
    yield from _texts([rows.header_row(layout, sort, pen)], pen)
    yield from _texts((rows.row(one, layout, now, pen=pen, zone=zone) for one in lines), pen)


def troubles(found: Iterable[Attention], now: float, cells: int, pen: Pen) -> Iterator[str]:
    """Two lines for each trouble: what it is, and what can be done."""
    for one in found:
        said = (attention.row(one, now, cells, pen), attention.command(one, cells, pen))
        yield from _texts(said, pen)


def _texts(lines: Iterable[Line], pen: Pen) -> Iterator[str]:
    for line in lines:
        yield plain(ascii_line(line) if pen.is_ascii else line).rstrip() + "\n"
