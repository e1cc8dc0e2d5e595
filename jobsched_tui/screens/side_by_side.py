"""Several logs side by side: tasks of one job, or the jobs that were marked.

Owns which of them has the keys, and which are seen. Each is a log as anywhere else, with searches
of its own; all are closed with this screen.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import ClassVar, Final

from textual import events
from textual.app import ComposeResult
from textual.binding import BindingType
from textual.containers import Grid

from jobsched_tui.data.frame import Frame
from jobsched_tui.data.logs.watching import LogWatches
from jobsched_tui.present import hints, logpanes
from jobsched_tui.present.logpanes import Arrangement, PaneLog
from jobsched_tui.present.spans import Tone, clip, span
from jobsched_tui.screens.base import Around, FrameScreen
from jobsched_tui.widgets.bindings import bindings
from jobsched_tui.widgets.header import LinesView
from jobsched_tui.widgets.log_pane import LogPane

#: Seconds between looks at a log that grows all the time, times the number of logs.
_REST: Final = 0.05
#: Rows above and below the logs.
_LINES: Final = 4


class SideBySideScreen(FrameScreen):
    """Two to six logs."""

    CSS: ClassVar[str] = """
    SideBySideScreen { layout: vertical; }
    SideBySideScreen #logs { height: 1fr; grid-gutter: 0 1; grid-rows: 1fr; }
    SideBySideScreen .-hidden { display: none; }
    """
    BINDINGS: ClassVar[list[BindingType]] = bindings(
        {
            "pane.next": "next_pane(1)",
            "pane.previous": "next_pane(-1)",
            "pane.zoom": "zoom",
        }
    )

    def __init__(self, logs: Sequence[PaneLog], frame: Frame, around: Around) -> None:
        super().__init__()
        self._logs = tuple(logs)
        self._frame, self._around = frame, around
        self._at, self._is_alone = 0, False

    def compose(self) -> ComposeResult:
        """Title, the logs, and the lines at the bottom."""
        around, watches = self._around, LogWatches()
        yield LinesView([[]], id="title")
        with Grid(id="logs"):
            for _ in self._logs:
                yield LogPane(
                    pen=around.pen, habits=around.habits, events=around.events,
                    watches=watches, rest=_REST * len(self._logs),
                )  # fmt: skip
        yield LinesView([[]], id="alarm")
        yield LinesView([[]], id="twin")
        yield LinesView([[]], id="hints")

    def on_mount(self) -> None:
        """The first one has the keys."""
        self._arrange()
        self._panes[0].view.focus()
        self.show_frame(self._frame, self._around)

    @property
    def pane(self) -> str:
        """All of them are logs, with a few keys more."""
        return "logs"

    @property
    def log_path(self) -> Path | None:
        """The log that has the keys."""
        return self._logs[self._at].path

    @property
    def _panes(self) -> list[LogPane]:
        return list(self.query(LogPane))

    # What is shown.

    def show_frame(self, frame: Frame, around: Around) -> None:
        """Draw what is said below; logs are told of by the file system."""
        self._frame, self._around = frame, around
        cells = self.size.width
        self.query_one("#alarm", LinesView).show([around.said])
        twin = clip(f" $ {around.twin or self._twin()}", cells)
        self.query_one("#twin", LinesView).show([[span(twin, Tone.MUTED)]])
        line = hints.hints(self.pane, around.keys, cells, read_only=frame.read_only, pen=around.pen)
        self.query_one("#hints", LinesView).show([line])

    def _twin(self) -> str:
        return f"jobsched logs -f {self._logs[self._at].job_id}"

    def on_resize(self) -> None:
        """Another size: other columns."""
        if self.is_ready:
            self._arrange()
            self.show_frame(self._frame, self._around)

    def _arrange(self) -> None:
        """Show those that fit, in columns."""
        cells, rows = self.size.width, self.size.height - _LINES
        seen = logpanes.arranged(len(self._logs), self._at, cells, rows, alone=self._is_alone)
        self.query_one("#logs", Grid).styles.grid_size_columns = seen.columns
        for at, pane in enumerate(self._panes):
            pane.set_class(not 0 <= at - seen.first < seen.shown, "-hidden")
        self._draw_titles(seen)

    def _draw_titles(self, seen: Arrangement) -> None:
        """Write above each whose it is, and which one has the keys."""
        pen, cells, count = self._around.pen, self.size.width, len(self._logs)
        self.query_one("#title", LinesView).show([logpanes.heading(self._logs, seen, cells, pen)])
        panes = list(zip(self._logs, self._panes, strict=True))[seen.first :]
        placed = zip(panes, seen.spans(), seen.widths(cells), strict=False)
        for at, ((one, pane), columns, room) in enumerate(placed, seen.first):
            pane.styles.column_span = columns
            has_keys = at == self._at
            title = logpanes.title(one, (at + 1, count), room, pen, has_keys=has_keys)
            pane.open(one.path, title, one.writer)

    # What the operator does.

    def step_back(self) -> bool:
        """End the search of the log; else show all of them again; else close them."""
        if self._panes[self._at].view.clear_search():
            return True
        if self._is_alone:
            self.action_zoom()
        else:
            self.app.pop_screen()
        return True

    def chosen(self) -> tuple[int, ...]:
        """The job whose log has the keys."""
        return (self._logs[self._at].job_id,)

    def action_next_pane(self, step: int) -> None:
        """They have the keys in turn."""
        self._at = (self._at + step) % len(self._logs)
        self._arrange()
        self._panes[self._at].view.focus()

    def action_zoom(self) -> None:
        """The log that has the keys alone, or all again."""
        self._is_alone = not self._is_alone
        self._arrange()
        self._panes[self._at].view.focus()

    def on_descendant_focus(self, event: events.DescendantFocus) -> None:
        """A click gives a log the keys, too."""
        panes = [at for at, pane in enumerate(self._panes) if pane in event.widget.ancestors]
        if panes and panes[0] != self._at:
            self._at = panes[0]
            self._arrange()
