"""What stands on each line of the job list, and which lines would look different by now.

Owns the memory of what was drawn. Knows no cursor, no scrolling and no key.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import tzinfo

from jobsched_tui.data.frame import JobLine
from jobsched_tui.present.columns import Layout, layout
from jobsched_tui.present.glyphs import UNICODE, Pen
from jobsched_tui.present.rows import header_row, missing_row, row, times
from jobsched_tui.present.spans import Line


@dataclass(frozen=True, slots=True, kw_only=True)
class Seen:
    """All that the look of a row depends on but the time."""

    #: ``None``: the row has not been read yet.
    line: JobLine | None
    selected: bool = False
    marked: bool = False
    changed: bool = False


@dataclass(frozen=True, slots=True)
class _Drawn:
    """What stands on a line: of what it was made (``None``: of nothing), and what came of it."""

    seen: Seen | None
    #: The ages that it shows.
    times: Sequence[str]
    spans: Line


class RowPainter:
    """Lines of the screen, by number, each as it was drawn last."""

    def __init__(self, pen: Pen = UNICODE, zone: tzinfo | None = None) -> None:
        self.pen, self.zone = pen, zone
        #: The columns that the operator chose, and the orders that the titles show.
        self.chosen: Sequence[str] | None = None
        self.sort: Sequence[tuple[str, bool]] = ()
        self.layout: Layout = layout(0)
        self._drawn: dict[int, _Drawn] = {}

    def arrange(self, width: int) -> None:
        """Place the columns anew; nothing that was drawn counts any more."""
        self.layout = layout(width, self.chosen)
        self.forget()

    def forget(self) -> None:
        """Nothing that was drawn counts any more: another place of the list, other columns."""
        self._drawn.clear()

    def titles(self) -> Line:
        """The line above the rows."""
        return header_row(self.layout, self.sort, self.pen)

    def line(self, y: int, seen: Seen, now: float) -> Line:
        """A row as it stands on line ``y``, made now if it has not been."""
        drawn = self._drawn.get(y)
        if drawn is None or drawn.seen != seen:
            drawn = self._drawn[y] = self._made(seen, now)
        return drawn.spans

    def is_stale(self, y: int, seen: Seen | None, now: float) -> bool:
        """Whether line ``y`` has to be drawn anew; what it will say then is made at once."""
        old = self._drawn.get(y)
        if old is not None and old.seen == seen and old.times == self._times(seen, now):
            return False
        new = self._drawn[y] = self._made(seen, now)
        return old is None or old.spans != new.spans or _is_selected(old) != _is_selected(new)

    def _made(self, seen: Seen | None, now: float) -> _Drawn:
        spans = () if seen is None else self._spans(seen, now)
        return _Drawn(seen, self._times(seen, now), spans)

    def _times(self, seen: Seen | None, now: float) -> Sequence[str]:
        return () if seen is None or seen.line is None else times(seen.line, self.layout, now)

    def _spans(self, seen: Seen, now: float) -> Line:
        if seen.line is None:
            return missing_row(self.layout, self.pen, selected=seen.selected)
        return row(
            seen.line,
            self.layout,
            now,
            pen=self.pen,
            zone=self.zone,
            selected=seen.selected,
            marked=seen.marked,
            changed=seen.changed,
        )


def _is_selected(drawn: _Drawn) -> bool:
    return drawn.seen is not None and drawn.seen.selected
