"""A log with its title, kept up to date: told by the file system, looked at now and then anyway.

Owns which file is open, and that it is watched. How it is read and drawn is ``log_view``'s.
"""

from __future__ import annotations

from pathlib import Path
from typing import ClassVar, Final

from textual.app import ComposeResult
from textual.binding import BindingType
from textual.containers import Vertical
from textual.message import Message
from textual.timer import Timer

from jobsched_tui.data.logs.file import LogFile
from jobsched_tui.data.logs.values import USUAL, Habits
from jobsched_tui.data.logs.watching import LogWatches
from jobsched_tui.present.glyphs import UNICODE, Pen
from jobsched_tui.present.logstatus import Writer
from jobsched_tui.present.spans import Line, Tone, span
from jobsched_tui.widgets.bindings import bindings
from jobsched_tui.widgets.header import LinesView
from jobsched_tui.widgets.log_view import LogView
from jobsched_tui.widgets.texts import Lines

#: Seconds between looks at a log of which nothing is told.
_PULSE: Final = 1.0
#: The same where somebody tells of what is written.
_SELDOM: Final = 5.0
_NO_FILE: Final = Path("/nonexistent")


class LogPane(Vertical):
    """One log at a time, below a line that says whose it is; or why there is none."""

    DEFAULT_CSS: ClassVar[str] = """
    LogPane { height: 1fr; }
    LogPane LinesView { height: 1; }
    LogPane LogView { height: 1fr; }
    LogPane.-closed LogView { display: none; }
    LogPane #log-why { display: none; padding: 0 1; }
    LogPane.-closed #log-why { display: block; }
    """

    BINDINGS: ClassVar[list[BindingType]] = bindings(
        {"log.search": "app.do('log.search')", "log.keep": "app.do('log.keep')"}
    )

    class Written(Message):
        """The file may have grown."""

    def __init__(
        self,
        *,
        pen: Pen = UNICODE,
        habits: Habits = USUAL,
        events: bool = True,
        watches: LogWatches | None = None,
        rest: float = 0.0,
        id: str | None = None,  # noqa: A002 - Textual's name
    ) -> None:
        super().__init__(id=id, classes="-closed")
        self._pen, self._habits, self._events = pen, habits, events
        self._path: Path | None = None
        self._watches = LogWatches() if watches is None else watches
        #: Seconds between looks at a log that grows all the time.
        self._rest, self._resting = rest, False
        self._is_due = False
        self._writer: Writer | None = None
        self._is_untold = self._is_polled = False
        self._beat: Timer | None = None

    def compose(self) -> ComposeResult:
        """Title, then the log, or why there is none."""
        yield LinesView([[]], id="log-title")
        yield LogView(LogFile(_NO_FILE), pen=self._pen, habits=self._habits, id="log-view")
        yield Lines(pen=self._pen, id="log-why")

    def on_mount(self) -> None:
        """Look every now and then, whether told or not."""
        self._look_in(_PULSE)

    def on_unmount(self) -> None:
        """Watch no more."""
        self._unwatch()

    @property
    def view(self) -> LogView:
        """The log itself."""
        return self.query_one(LogView)

    @property
    def path(self) -> Path | None:
        """The file that is open."""
        return self._path

    def open(self, path: Path, title: Line, writer: Writer | None = None) -> None:
        """Show this log from its end; the same one again goes on as it was.

        ``writer``: who is to write it, said while it is empty.
        """
        self.query_one("#log-title", LinesView).show([title])
        self.remove_class("-closed")
        if path != self._path:
            self._unwatch()
            self._path = path
            self.view.open(LogFile(path))
            if self._events:
                self._watches.add(path, self._told)
            self._look_in(_PULSE)
        if writer != self._writer:
            self._writer = writer
            self.view.set_writer(writer)

    def close(self, title: Line, why: str) -> None:
        """Show no log, and why."""
        self._unwatch()
        self._path = None
        self.add_class("-closed")
        self.query_one("#log-title", LinesView).show([title])
        self.query_one("#log-why", Lines).show([[span(why, Tone.MUTED)]])

    def _unwatch(self) -> None:
        if self._path is not None:
            self._watches.remove(self._path, self._told)

    def _told(self) -> None:
        """In the watcher's thread."""
        self.post_message(self.Written())

    def on_log_pane_written(self, event: Written) -> None:
        """Look at the file: at once, or when it has rested from the look before."""
        event.stop()
        self._is_due = True
        if not self._resting:
            self._look_and_rest()

    def _look_and_rest(self) -> None:
        self._resting = bool(self._rest) and self._is_due
        if self._is_due:
            self._is_due = False
            self._look()
        if self._resting:
            self.set_timer(self._rest, self._look_and_rest)

    def _look_anyway(self) -> None:
        """Now and then; where that is the only way, the view says so."""
        if not self.query(LogView):
            return  # it is being closed
        path, was_untold = self._path, self._is_untold
        self._is_untold = path is not None and self._watches.cause(path) is not None
        # A watch takes a moment to begin: only who tells nothing twice tells nothing.
        is_polled = self._is_untold and was_untold
        if is_polled != self._is_polled:
            self._is_polled = is_polled
            self.view.set_polling(_PULSE if is_polled else None)
        self._look()
        self._look_in(_PULSE if self._is_untold else _SELDOM)

    def _look_in(self, seconds: float) -> None:
        if self._beat is not None:
            self._beat.stop()
        self._beat = self.set_timer(seconds, self._look_anyway)

    def _look(self) -> None:
        if self._path is not None and self.is_on_screen and self.query(LogView):
            self.view.refresh_log()
