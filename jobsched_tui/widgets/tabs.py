"""The lines above the job list, whose tabs can be clicked.

Decides nothing: ``present.header`` says what the lines are and where each tab is.
"""

from __future__ import annotations

from textual import events
from textual.message import Message

from jobsched_tui.data.frame import Frame
from jobsched_tui.present.header import TABS_LINE, Drawing, Looking, summary, tab_at
from jobsched_tui.widgets.header import LinesView


class Summary(LinesView):
    """Header, limits, tabs and filter."""

    class TabAsked(Message):
        """The operator wants another tab, by its name."""

        def __init__(self, tab: str) -> None:
            super().__init__()
            self.tab = tab

    _shown: tuple[Frame, Looking, Drawing] | None = None

    def update(self, frame: Frame, looking: Looking, now: float, drawing: Drawing) -> None:
        """Draw this moment; what has not changed costs nothing."""
        self._shown = (frame, looking, drawing)
        self.show(summary(frame, looking, now, drawing))

    def on_click(self, event: events.Click) -> None:
        """A tab asks for its jobs."""
        at = event.get_content_offset(self)
        if at is None or self._shown is None or at.y != TABS_LINE:
            return
        tab = tab_at(*self._shown, at.x)
        if tab is not None:
            self.post_message(self.TabAsked(tab))
