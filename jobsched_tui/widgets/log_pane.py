"""A log with its title, kept up to date: told by the file system, looked at every second anyway.

Owns which file is open and the watch on its directory. How it is read and drawn is ``log_view``'s.
"""

from __future__ import annotations

from collections.abc import Collection
from pathlib import Path
from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import BindingType
from textual.containers import Vertical
from textual.message import Message

from jobsched_tui.data.logs.file import LogFile
from jobsched_tui.data.watcher import Watcher
from jobsched_tui.present.glyphs import UNICODE, Pen
from jobsched_tui.present.spans import Line
from jobsched_tui.widgets.bindings import bindings
from jobsched_tui.widgets.header import LinesView
from jobsched_tui.widgets.log_view import LogView

#: Seconds between looks at a log of which nothing is told.
_PULSE = 1.0


class LogPane(Vertical):
    """One log at a time, below a line that says whose it is."""

    DEFAULT_CSS: ClassVar[str] = """
    LogPane { height: 1fr; }
    LogPane LinesView { height: 1; }
    LogPane LogView { height: 1fr; }
    """

    BINDINGS: ClassVar[list[BindingType]] = bindings(
        {"log.search": "app.do('log.search')", "log.keep": "app.do('log.keep')"}
    )

    class Written(Message):
        """The file may have grown."""

    def __init__(self, *, pen: Pen = UNICODE, id: str | None = None) -> None:  # noqa: A002 - Textual's name
        super().__init__(id=id)
        self._pen = pen
        self._path: Path | None = None
        self._watcher: Watcher | None = None

    def compose(self) -> ComposeResult:
        """Title, then the log."""
        yield LinesView([[]], id="log-title")
        yield LogView(LogFile(Path("/nonexistent")), pen=self._pen, id="log-view")

    def on_mount(self) -> None:
        """Look every now and then, whether told or not."""
        self.set_interval(_PULSE, self._look)

    def on_unmount(self) -> None:
        """Watch no more."""
        self._stop()

    @property
    def view(self) -> LogView:
        """The log itself."""
        return self.query_one(LogView)

    @property
    def path(self) -> Path | None:
        """The file that is open."""
        return self._path

    def open(self, path: Path, title: Line) -> None:
        """Show this log from its end; the same one again goes on as it was."""
        self.query_one("#log-title", LinesView).show([title])
        if path == self._path:
            return
        self._stop()
        self._path = path
        self.view.open(LogFile(path))
        name = path.name
        self._watcher = Watcher(path.parent, lambda found: found == name, self._told)
        self._watcher.start()

    def _stop(self) -> None:
        if self._watcher is not None:
            self._watcher.stop()
            self._watcher = None

    def _told(self, names: Collection[str]) -> None:
        """In the watcher's thread."""
        del names
        self.post_message(self.Written())

    def on_log_pane_written(self, event: Written) -> None:
        """Look at the file."""
        event.stop()
        self._look()

    def _look(self) -> None:
        if self._path is not None and self.is_on_screen:
            self.view.refresh_log()
