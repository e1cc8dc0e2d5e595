"""The main screen: summary, the jobs (or what needs attention), a log that follows the cursor.

Owns which of its panes is seen, and how large. Every decision about rows is in ``present``.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar, Final

from textual import on
from textual.app import ComposeResult
from textual.binding import BindingType
from textual.containers import Vertical
from textual.message import Message
from textual.timer import Timer

from jobsched_tui.data.failures import clusters
from jobsched_tui.data.frame import Frame, JobLine, Link, Trouble
from jobsched_tui.messages import Remember
from jobsched_tui.present import hints, titles
from jobsched_tui.present.columns import KINDS
from jobsched_tui.present.header import ATTENTION, Drawing, attention_line
from jobsched_tui.present.preview import preview
from jobsched_tui.present.selection import Spot
from jobsched_tui.present.spans import Tone, clip, span
from jobsched_tui.screens.base import Around, FrameScreen, Look, OpenJob
from jobsched_tui.widgets.attention_view import AttentionView
from jobsched_tui.widgets.bindings import bindings
from jobsched_tui.widgets.header import LinesView
from jobsched_tui.widgets.job_list import JobList
from jobsched_tui.widgets.log_pane import LogPane
from jobsched_tui.widgets.tabs import Summary

#: Seconds that the cursor rests on a job before its log is opened.
_REST: Final = 0.15
#: Seconds between looks at what goes on by itself above the list and beside it: a minute begins
#: with one.
_SELDOM: Final = 5.0
#: Rows below which there is no room for a preview.
_LEAST_ROWS: Final = 20
#: Actions on the list that the app has.
_LIST: Final = (
    "list.filter", "list.sort", "list.sort_left", "list.sort_right", "list.invert",
    "list.columns", "list.wide",
)  # fmt: skip
#: How list and preview share the screen.
SPLITS: Final = ("list", "half", "log")


class JobsScreen(FrameScreen):
    """All jobs that match."""

    CSS: ClassVar[str] = """
    JobsScreen { layout: vertical; }
    JobsScreen #body { height: 1fr; layout: vertical; }
    JobsScreen #jobs, JobsScreen #attention-list { height: 2fr; min-height: 3; }
    JobsScreen #preview { height: 1fr; min-height: 3; }
    JobsScreen #preview #log-title { text-style: bold; }
    JobsScreen .-hidden { display: none; }
    JobsScreen.-wide #body { layout: horizontal; }
    JobsScreen.-wide #jobs, JobsScreen.-wide #attention-list { width: 55%; height: 1fr; }
    JobsScreen.-wide #preview { width: 45%; height: 1fr; }
    """
    HORIZONTAL_BREAKPOINTS = [(0, "-narrow"), (160, "-wide")]  # noqa: RUF012 - Textual declares it so
    BINDINGS: ClassVar[list[BindingType]] = bindings(
        {
            "view.1": "tab('all')",
            "view.2": "tab('active')",
            "view.3": "tab('waiting')",
            "view.4": "tab('failed')",
            "view.5": "tab('done')",
            "view.6": "tab('attention')",
            "pane.next": "next_pane(1)",
            "pane.previous": "next_pane(-1)",
            "pane.zoom": "zoom",
            "pane.grow": "split(1)",
            "pane.shrink": "split(-1)",
            **{name: f"app.do('{name}')" for name in _LIST},
        }
    )

    @dataclass
    class TabAsked(Message):
        """The operator wants another tab, by its name."""

        tab: str

    def __init__(self, around: Around) -> None:
        super().__init__()
        self._around = around
        self._frame: Frame | None = None
        self._previewed: int | None = None
        self._rest: Timer | None = None
        self._split = "half"
        self._now = self._due = 0.0

    def compose(self) -> ComposeResult:
        """Summary, body, and the three lines at the bottom."""
        pen, zone = self._around.pen, self._around.zone
        yield Summary(id="summary")
        with Vertical(id="body"):
            yield JobList(pen=pen, zone=zone, id="jobs")
            yield AttentionView(pen=pen, id="attention-list")
            yield LogPane(
                pen=pen, habits=self._around.habits, events=self._around.events, id="preview"
            )
        yield LinesView([[]], id="alarm")
        yield LinesView([[]], id="twin")
        yield LinesView([[]], id="hints")

    def on_mount(self) -> None:
        """The list has the keys."""
        self.query_one("#attention-list").add_class("-hidden")
        self.jobs.focus()

    def restore(self, columns: Sequence[str], split: str = "") -> None:
        """Show the columns and the panes that were chosen once, as far as there are such."""
        known = [one for one in columns if one in {str(col) for col in KINDS}]
        self.jobs.set_columns(known or None)
        if split in SPLITS:
            self._split = split

    @property
    def pane(self) -> str:
        """Whether keys go to the log or to the list."""
        return "log" if self.preview.view.has_focus else "list"

    @property
    def jobs(self) -> JobList:
        """The list."""
        return self.query_one("#jobs", JobList)

    @property
    def preview(self) -> LogPane:
        """The log of the job under the cursor."""
        return self.query_one("#preview", LogPane)

    @property
    def log_path(self) -> Path | None:
        """The log that is open."""
        return self.preview.path

    @property
    def _shows_attention(self) -> bool:
        return self._around.looking.tab == ATTENTION

    # What is shown.

    def show_frame(self, frame: Frame, around: Around) -> None:
        """Draw this moment."""
        self._frame, self._around = frame, around
        is_old = frame.health.link is Link.STALE
        self._now = max(frame.now, self._now) if is_old else frame.now
        drawing = self._drawing()
        self.query_one("#summary", Summary).update(frame, around.looking, self._now, drawing)
        self.query_one("#jobs").set_class(self._shows_attention or self._split == "log", "-hidden")
        troubles = self.query_one("#attention-list", AttentionView)
        troubles.set_class(not self._shows_attention or self._split == "log", "-hidden")
        if self._shows_attention:
            failed = [
                (one.job_id, one.text)
                for one in frame.attention
                if one.trouble is Trouble.FAILED and one.job_id is not None
            ]
            groups = [one for one in clusters(failed) if len(one.job_ids) > 1]
            troubles.show(frame.attention, groups, frame.now)
        else:
            found = frame.cursor is not None and frame.cursor_index is not None
            self.jobs.show(
                frame,
                filter_text=around.looking.filter_text,
                cursor_at=Spot(frame.cursor, frame.cursor_index or 0) if found else None,
                gone=None if found else frame.cursor,
            )
        self.jobs.set_sort(around.looking.sort)
        self._show_foot(drawing)
        self._fit_preview()
        self._preview_later()

    def tick(self, now: float) -> None:
        """Ages go on."""
        self._now = now
        if self._frame is not None:
            is_stale = self._frame.health.link is Link.STALE
            if not is_stale:  # what is old grows no older by itself
                self.jobs.tick(now)
            if is_stale or now >= self._due:
                self._due = now - now % _SELDOM + _SELDOM
                self._preview_later()
                self.query_one("#summary", Summary).update(
                    self._frame, self._around.looking, now, self._drawing()
                )

    def _drawing(self) -> Drawing:
        return Drawing(width=self.size.width, pen=self._around.pen, zone=self._around.zone)

    def _show_foot(self, drawing: Drawing) -> None:
        frame, around = self._frame, self._around
        if frame is None:
            return
        said = [around.said] if around.said else [attention_line(frame, drawing)]
        self.query_one("#alarm", LinesView).show(said)
        twin = clip(f" $ {around.twin}", drawing.width) if around.twin else ""
        self.query_one("#twin", LinesView).show([[span(twin, Tone.MUTED)]])
        pane = "attention" if self.pane == "list" and self._shows_attention else self.pane
        line = hints.hints(
            pane, around.keys, drawing.width, read_only=frame.read_only, pen=drawing.pen
        )
        self.query_one("#hints", LinesView).show([line])

    # The preview.

    def _fit_preview(self) -> None:
        is_hidden = self._split == "list" or self.size.height < _LEAST_ROWS
        self.preview.set_class(is_hidden and self._split != "log", "-hidden")

    def _preview_later(self) -> None:
        """Once the cursor rests; a preview that is open is kept up to date at once."""
        line = self._current()
        if line is not None and line.job_id == self._previewed:
            self._show_preview()
        elif self._rest is None:
            self._rest = self.set_timer(_REST, self._show_preview)

    def _show_preview(self) -> None:
        self._rest = None
        if not self.is_ready:
            return  # it is being closed
        frame, line, pen = self._frame, self._current(), self._around.pen
        cells = self.preview.size.width
        if frame is None:
            return
        self._previewed = None if line is None else line.job_id
        if line is None:
            self.preview.close(titles.nothing(cells, pen), self._no_preview())
            return
        found = preview(line, frame.home, frame.now)
        title = titles.preview(line, found.which, cells, pen)
        if found.path is None:
            self.preview.close(title, found.why)
        else:
            self.preview.open(found.path, title, found.writer)

    def _no_preview(self) -> str:
        key = hints.first_key(self._around.keys.get("nav.open", ""))
        if self._shows_attention and self.chosen():
            return f"{key} opens job {self.chosen()[0]}"
        is_read = self._frame is not None and not self._frame.matched
        return "there is no job under the cursor" if is_read else ""

    def _current(self) -> JobLine | None:
        """The job that keys are about, if its row has been read."""
        if self._frame is None:
            return None
        if not self._shows_attention:
            return self.jobs.current
        return next((one for one in self._frame.lines if one.job_id in self.chosen()), None)

    # What the operator does.

    def step_back(self) -> bool:
        """End a search of the log; else leave the log; else show both panes again."""
        in_log = self.preview.view.has_focus
        if in_log and self.preview.view.clear_search():
            return True
        if self._split != "half":
            self._set_split("half")
        elif not in_log:
            return False
        self.show_tab()
        return True

    def go_to_trouble(self, job_id: int) -> None:
        """Put the cursor of the attention list on a job's."""
        self.query_one("#attention-list", AttentionView).go_to(job_id)

    def chosen(self) -> tuple[int, ...]:
        """Marked jobs, else the one under the cursor."""
        if self._shows_attention:
            current = self.query_one("#attention-list", AttentionView).current
            return () if current is None or current.job_id is None else (current.job_id,)
        if self.jobs.marks:
            return tuple(sorted(self.jobs.marks))
        return () if self.jobs.cursor is None else (self.jobs.cursor,)

    def action_tab(self, tab: str) -> None:
        """Another tab."""
        self.post_message(self.TabAsked(tab))

    @on(Summary.TabAsked)
    def _tab_clicked(self, event: Summary.TabAsked) -> None:
        event.stop()
        self.action_tab(event.tab)

    def show_tab(self) -> None:
        """The keys go to what the tab shows."""
        name = "#attention-list" if self._shows_attention else "#jobs"
        self.query_one(name).focus()
        self._show_foot(self._drawing())

    def action_next_pane(self, step: int) -> None:
        """List and preview have the keys in turn."""
        del step
        if self.preview.view.has_focus or self.preview.has_class("-hidden"):
            self.show_tab()
        else:
            self.preview.view.focus()
        self._show_foot(self._drawing())

    def action_zoom(self) -> None:
        """The pane with the keys alone, or both again."""
        alone = "log" if self.preview.view.has_focus else "list"
        self._set_split("half" if self._split == alone else alone)

    def action_split(self, step: int) -> None:
        """More room for the list, or for the log."""
        at = SPLITS.index(self._split) - step
        self._set_split(SPLITS[max(0, min(len(SPLITS) - 1, at))])

    def _set_split(self, split: str) -> None:
        self._split = split
        self.post_message(Remember(split=split))
        if self._frame is not None:
            self.show_frame(self._frame, self._around)
        if split == "log":
            self.preview.view.focus()
        elif split == "list":
            self.show_tab()

    @on(JobList.CursorMoved)
    def _cursor_moved(self, event: JobList.CursorMoved) -> None:
        self.post_message(Look(cursor=event.job_id))
        self._preview_later()

    @on(AttentionView.CursorMoved)
    def _trouble_moved(self) -> None:
        self._preview_later()

    @on(JobList.WindowChanged)
    def _window_changed(self, event: JobList.WindowChanged) -> None:
        self.post_message(Look(top=event.top, height=event.height))

    @on(JobList.Opened)
    @on(AttentionView.Opened)
    def _opened(self, event: JobList.Opened | AttentionView.Opened) -> None:
        self.post_message(OpenJob(event.job_id))

    def on_resize(self) -> None:
        """Other widths."""
        if self._frame is not None:
            self.show_frame(self._frame, self._around)
