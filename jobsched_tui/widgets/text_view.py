"""Lines that are only read: a YAML file as it was submitted, events, help."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from jobsched_tui.present.glyphs import UNICODE, Pen
from jobsched_tui.present.spans import Line
from jobsched_tui.widgets.line_list import LineList


class TextView(LineList):
    """Draws what it is given for its width; the cursor stands on every line that is a stop."""

    def __init__(
        self,
        *,
        pen: Pen = UNICODE,
        follow: bool = False,
        id: str | None = None,  # noqa: A002 - Textual's name
    ) -> None:
        super().__init__(pen=pen, id=id)
        self._lay: Callable[[int], Sequence[Line]] = lambda _: ()
        self._follow = follow

    def show(self, lay: Callable[[int], Sequence[Line]]) -> None:
        """Draw these; with ``follow`` the cursor stays on the last if it was there."""
        was_last = not self._stops or self._cursor == self._stops[-1]
        key = self.cursor_key
        self._lay = lay
        self.relay(key)
        if self._follow and was_last and self._stops:
            self.move_to(self._stops[-1])

    def lay(self, width: int) -> tuple[Sequence[Line], Sequence[int]]:
        """What it was given."""
        if width == 0:
            return (), ()
        lines = self._lay(width)
        return lines, range(len(lines))
