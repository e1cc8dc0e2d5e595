"""One job: its log, timeline, DAG, processes, YAML and events, one at a time.

Owns which tab is seen and which log is open. What is in a tab is decided in ``data`` and
``present``.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import ClassVar

from textual import on
from textual.app import ComposeResult
from textual.binding import BindingType
from textual.containers import Vertical
from textual.message import Message
from textual.widget import Widget

from jobsched_tui.data.frame import Detail, Frame
from jobsched_tui.data.tails import newest
from jobsched_tui.present import events, hints, titles, yaml
from jobsched_tui.present.preview import writer
from jobsched_tui.present.spans import Line, Span, Tone, clip, span
from jobsched_tui.screens.base import Around, FrameScreen, Look
from jobsched_tui.widgets.bindings import bindings
from jobsched_tui.widgets.dag_view import DagView
from jobsched_tui.widgets.header import LinesView
from jobsched_tui.widgets.log_pane import LogPane
from jobsched_tui.widgets.process_view import ProcessView
from jobsched_tui.widgets.text_view import TextView
from jobsched_tui.widgets.timeline_view import TimelineView


class DetailScreen(FrameScreen):
    """All there is to see of one job."""

    CSS: ClassVar[str] = """
    DetailScreen { layout: vertical; }
    DetailScreen #panes { height: 1fr; }
    DetailScreen #panes > * { height: 1fr; }
    DetailScreen .-hidden { display: none; }
    """
    BINDINGS: ClassVar[list[BindingType]] = bindings(
        {
            "job.log": "log",
            "job.timeline": "tab('timeline')",
            "job.dag": "tab('dag')",
            "job.processes": "tab('processes')",
            "job.yaml": "tab('yaml')",
            "job.events": "tab('events')",
            "pane.next": "next_tab(1)",
            "pane.previous": "next_tab(-1)",
        },
        first={"job.log"},  # in a log the same key would move sideways
    )

    class Signal(Message):
        """The operator wants to signal a process of the job."""

        def __init__(self, event: ProcessView.SignalAsked) -> None:
            super().__init__()
            self.identity, self.kind = event.identity, event.kind

    def __init__(self, job_id: int, around: Around, tab: str = "log") -> None:
        super().__init__()
        self.job_id = job_id
        self._around, self._tab = around, tab
        self._frame: Frame | None = None
        self._log: tuple[str, Path] | None = None
        self._at: float | None = None

    def compose(self) -> ComposeResult:
        """Title, why, tabs, the pane, and the lines at the bottom."""
        pen, zone = self._around.pen, self._around.zone
        yield LinesView([[], [], []], id="title")
        with Vertical(id="panes"):
            yield LogPane(pen=pen, habits=self._around.habits, events=self._around.events, id="log")
            yield TimelineView(pen=pen, zone=zone, id="timeline")
            yield DagView(pen=pen, id="dag")
            yield ProcessView(pen=pen, id="processes")
            yield TextView(pen=pen, id="yaml")
            yield TextView(pen=pen, follow=True, id="events")
        yield LinesView([[]], id="alarm")
        yield LinesView([[]], id="twin")
        yield LinesView([[]], id="hints")

    def on_mount(self) -> None:
        """The pane that was asked for."""
        self.action_tab(self._tab)

    def on_screen_resume(self) -> None:
        """It may have been covered by a screen that looked into another job."""
        self.post_message(Look(detail=self.job_id))

    @property
    def pane_widget(self) -> Widget:
        """The pane that is seen."""
        return self.query_one(f"#{self._tab}")

    @property
    def pane(self) -> str:
        """The log and the DAG have keys of their own."""
        return self._tab if self._tab in ("log", "dag") else "detail"

    @property
    def detail(self) -> Detail | None:
        """What is known of the job."""
        frame = self._frame
        if frame is None or frame.detail is None or frame.detail.line.job_id != self.job_id:
            return None
        return frame.detail

    @property
    def tab(self) -> str:
        """The name of the pane that is seen."""
        return self._tab

    @property
    def log_path(self) -> Path | None:
        """The log that is open."""
        return self.query_one(LogPane).path

    # What is shown.

    def show_frame(self, frame: Frame, around: Around) -> None:
        """Draw this moment."""
        self._frame, self._around = frame, around
        detail, cells, pen = self.detail, self.size.width, around.pen
        if detail is None:
            gone = f" job {self.job_id} is not known (any more)"
            lines: list[Line] = [[span(gone, Tone.WARN)], [], []]
        else:
            keys = {name: hints.first_key(keys) for name, keys in around.keys.items()}
            lines = [
                titles.job(detail.line, frame.now, cells, pen),
                titles.why(detail.line, cells, pen),
                titles.tabs(self._tab, keys, cells, pen),
            ]
            self._show_pane(detail)
        self.query_one("#title", LinesView).show(lines)
        self._show_foot(frame, around)

    def _show_foot(self, frame: Frame, around: Around) -> None:
        cells = self.size.width
        self.query_one("#alarm", LinesView).show([around.said])
        twin = clip(
            f" $ jobsched show {self.job_id}" if not around.twin else f" $ {around.twin}", cells
        )
        self.query_one("#twin", LinesView).show([[span(twin, Tone.MUTED)]])
        line = hints.hints(self._tab, around.keys, cells, read_only=frame.read_only, pen=around.pen)
        self.query_one("#hints", LinesView).show([line])

    def _show_pane(self, detail: Detail) -> None:
        pen, zone = self._around.pen, self._around.zone
        match self._tab:
            case "log":
                self._show_log(detail)
            case "timeline":
                self.query_one(TimelineView).show(detail.timeline)
            case "dag":
                self.query_one(DagView).show(detail.graph)
            case "processes":
                self.query_one(ProcessView).show(detail.usage)
            case "yaml":
                self.query_one("#yaml", TextView).show(
                    lambda cells: yaml.lines(detail.yaml, detail.source, cells, pen)
                )
            case _:
                self.query_one("#events", TextView).show(
                    lambda cells: events.rows(detail, cells, pen=pen, zone=zone)
                )

    def _show_log(self, detail: Detail) -> None:
        logs = detail.logs
        if self._log is None or self._log not in logs:
            self._log = _first(detail)
        if self._log is None:
            return
        label, path = self._log
        more = f"  ({logs.index(self._log) + 1} of {len(logs)})" if self._log in logs else ""
        title: Line = [
            Span(f" {self._around.pen.horizontal * 2} ", Tone.MUTED),
            span(label, Tone.TITLE),
            Span(more, Tone.MUTED),
            span(f"  {path}", Tone.MUTED),
        ]
        pane = self.query_one("#log", LogPane)
        pane.open(path, title, writer(detail.line, self._frame.now if self._frame else 0.0))
        if self._at is not None:
            at, self._at = self._at, None
            pane.view.go_to_time(at)

    # What the operator does.

    def step_back(self) -> bool:
        """End a search of the log."""
        return self._tab == "log" and self.query_one(LogPane).view.clear_search()

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """In the DAG the key of the log moves along an edge."""
        del parameters
        return not (action == "log" and self._tab == "dag")

    def chosen(self) -> tuple[int, ...]:
        """This job."""
        return (self.job_id,)

    def action_tab(self, tab: str) -> None:
        """Another pane."""
        self._tab = tab
        for pane in self.query_one("#panes").children:
            pane.set_class(pane.id != tab, "-hidden")
        (self.query_one(LogPane).view if tab == "log" else self.pane_widget).focus()
        if self._frame is not None:
            self.show_frame(self._frame, self._around)

    def action_log(self) -> None:
        """The log; pressed there, the next of its logs."""
        detail = self.detail
        if self._tab == "log" and detail is not None and self._log is not None:
            at = list(detail.logs).index(self._log) + 1 if self._log in detail.logs else 0
            self._log = detail.logs[at % len(detail.logs)]
        self.action_tab("log")

    def action_next_tab(self, step: int) -> None:
        """The tabs in turn."""
        names = [name for name, _, _ in titles.TABS]
        self.action_tab(names[(names.index(self._tab) + step) % len(names)])

    @on(TimelineView.JumpToTime)
    def _jump(self, event: TimelineView.JumpToTime) -> None:
        """Show what was printed at that moment."""
        self._at = event.at
        self._open_log_of(event.task_id)

    @on(DagView.TaskChosen)
    def _task_chosen(self, event: DagView.TaskChosen) -> None:
        """Show the task's log."""
        self._open_log_of(event.task_id)

    def _open_log_of(self, task_id: int | None) -> None:
        detail = self.detail
        if detail is None:
            return
        self._log = _log_of(detail, task_id) or self._log
        self.action_tab("log")

    @on(ProcessView.SignalAsked)
    def _signal(self, event: ProcessView.SignalAsked) -> None:
        event.stop()
        self.post_message(self.Signal(event))


def _first(detail: Detail) -> tuple[str, Path] | None:
    """The log to begin with: of the task that runs or ran last, else the controller's."""
    task = newest(detail.line)
    found = None if task is None else _log_of(detail, task.task_id)
    return found or (detail.logs[0] if detail.logs else None)


def _log_of(detail: Detail, task_id: int | None) -> tuple[str, Path] | None:
    """A task's log, or for ``None`` the controller's."""
    path = next((task.log_path for task in detail.line.tasks if task.task_id == task_id), None)
    logs: Sequence[tuple[str, Path]] = detail.logs
    if task_id is None:
        return logs[0] if logs else None
    return next((one for one in logs if str(one[1]) == path), None)
