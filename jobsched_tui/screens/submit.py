"""Writing and submitting a job: its file, its text, what is wrong with it, where it would stand.

Owns the dialog and the draft while it is open. The library judges and submits, in worker threads;
an answer about a text that is no longer there is dropped.
"""

from __future__ import annotations

import asyncio
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import ClassVar, Final

from textual import on, work
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Horizontal, Vertical, VerticalScroll
from textual.screen import ModalScreen
from textual.suggester import Suggester
from textual.timer import Timer
from textual.widgets import Footer, Input, TextArea

from jobsched.api import Scheduler, Submitted
from jobsched.errors import JobschedError
from jobsched.text import safe
from jobsched_tui.data import drafts, editing, files
from jobsched_tui.data.drafts import Draft, Options, Report
from jobsched_tui.data.editing import Editor
from jobsched_tui.data.frame import LimitsLine
from jobsched_tui.data.shelf import Shelf
from jobsched_tui.data.twins import submit_twin
from jobsched_tui.data.whatif import Queue, place
from jobsched_tui.present.glyphs import UNICODE, Pen
from jobsched_tui.present.problems import task_tree, verdict
from jobsched_tui.present.spans import Line, Tone, span
from jobsched_tui.present.whatif import place_line
from jobsched_tui.screens.submitting import Checked, Fetched, Filled, Refused, Stored
from jobsched_tui.widgets.file_picker import FilePicker
from jobsched_tui.widgets.flag import Flag
from jobsched_tui.widgets.problem_list import ProblemList
from jobsched_tui.widgets.texts import HARMLESS, Lines
from jobsched_tui.widgets.yaml_editor import VariablesArea, YamlEditor

#: Seconds after the last key until the text is judged.
PAUSE: Final = 0.15


class PathSuggester(Suggester):
    """How a path goes on."""

    def __init__(self) -> None:
        super().__init__(use_cache=False, case_sensitive=True)

    async def get_suggestion(self, value: str) -> str | None:
        """The path, completed; looked up beside the screen's thread."""
        return await asyncio.to_thread(files.completed, value) if value else None


class SubmitScreen(ModalScreen[tuple[Submitted, ...] | None]):
    """Gives the jobs that were made; ``None``: none were, and the draft lies on the shelf."""

    DEFAULT_CSS = """
    SubmitScreen { background: $surface; }
    SubmitScreen .row { height: 1; }
    SubmitScreen .row Lines { width: auto; margin-right: 1; }
    SubmitScreen .row Input { width: 1fr; }
    SubmitScreen .row .short { width: 7; margin-right: 2; }
    SubmitScreen #work { height: 2fr; min-height: 5; }
    SubmitScreen #files { width: 25%; min-width: 24; max-width: 48; }
    SubmitScreen #text { width: 1fr; }
    SubmitScreen #judged { height: 1fr; min-height: 3; }
    SubmitScreen #problems { width: 2fr; }
    SubmitScreen #tree { width: 1fr; padding-left: 1; }
    SubmitScreen #variables { height: 3; }
    SubmitScreen #variables > Vertical { width: 1fr; margin-right: 1; }
    SubmitScreen #variables VariablesArea { height: 2; }
    SubmitScreen #said, SubmitScreen #twin {
        height: 1; text-wrap: nowrap; text-overflow: ellipsis;
    }
    """
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("ctrl+s", "submit", "Submit", id="submit.send", priority=True),
        Binding("escape", "close", "Keep and close", id="submit.close"),
        Binding("ctrl+e", "edit", "$EDITOR", id="submit.edit", priority=True),
        Binding("f2", "focus_on('path')", "File", id="submit.file"),
        Binding("f3", "focus_on('text')", "Text", id="submit.text"),
        Binding("f4", "focus_on('problems')", "Problems", id="submit.problems"),
        Binding("f5", "focus_on('envs')", "Variables", id="submit.variables"),
    ]

    def __init__(
        self,
        door: Scheduler,
        shelf: Shelf,
        *,
        limits: LimitsLine,
        queue: Queue,
        recent: Sequence[str] = (),
        home: Path | None = None,
        pen: Pen = UNICODE,
        editor: Editor = lambda _: "there is no editor here",
    ) -> None:
        super().__init__(classes="-ascii" if pen.is_ascii else None)
        self._door, self._shelf = door, shelf
        self._limits, self._queue = limits, queue
        self._recent, self._home, self._pen, self._editor = recent, home, pen, editor
        self._read: str | None = None
        self._number = 0
        self._report = Report()
        self._timer: Timer | None = None
        self._is_sending = False

    # What is on it.

    def compose(self) -> ComposeResult:
        """File and text above, what is said of it below, then everything beside the text."""
        with Horizontal(classes="row"):
            yield self._label("Submit a job", Tone.TITLE)
            yield Input(
                placeholder="path of a YAML file; right completes, enter reads it",
                suggester=PathSuggester(), restrict=HARMLESS, compact=True, id="path",
            )  # fmt: skip
        with Horizontal(id="work"):
            yield FilePicker(Path.cwd(), recent=self._recent, pen=self._pen, id="files")
            yield YamlEditor(id="text")
        with Horizontal(id="judged"):
            yield ProblemList(pen=self._pen, id="problems")
            with VerticalScroll(id="tree"):
                yield Lines(pen=self._pen, id="tasks")
        with Horizontal(id="variables"):
            yield from self._variables()
        with Horizontal(classes="row"):
            yield from self._options()
        yield Lines(pen=self._pen, id="said")
        yield Lines(pen=self._pen, id="twin")
        yield Footer(show_command_palette=False, compact=True)

    def _label(self, text: str, tone: Tone = Tone.PLAIN) -> Lines:
        return Lines([[span(text, tone)]], pen=self._pen)

    def _variables(self) -> Iterator[Vertical]:
        yield Vertical(
            self._label("Variables, NAME=VALUE a line", Tone.MUTED), VariablesArea(id="envs")
        )
        yield Vertical(
            self._label("Secrets, NAME=VALUE a line; never shown", Tone.MUTED),
            VariablesArea(masked=True, id="secrets"),
        )

    def _options(self) -> Iterator[Lines | Input | Flag]:
        yield self._label("Priority")
        yield Input(compact=True, restrict=r"[+-]?\d*", classes="short", id="priority")
        yield self._label("Copies")
        yield Input("1", compact=True, restrict=r"\d*", classes="short", id="copies")
        yield Flag("Hold", id="hold")

    def on_mount(self) -> None:
        """Go on where the last draft was left."""
        self.query_one("#path", Input).focus()
        self._open()

    @work(thread=True, group="shelf")
    def _open(self) -> None:
        self.post_message(Filled(self._shelf.draft()))

    def on_filled(self, event: Filled) -> None:
        """Show the draft, unless somebody has typed meanwhile."""
        draft = event.draft
        if not self.draft.is_empty or draft.is_empty:
            self._later()
            return
        self._read = draft.read
        self.query_one("#path", Input).value = draft.path
        self.query_one("#text", YamlEditor).load_text(draft.text)
        self.query_one("#envs", VariablesArea).load_text(draft.envs)
        self.query_one("#secrets", VariablesArea).load_text(draft.secrets)
        self.query_one("#priority", Input).value = draft.priority
        self.query_one("#copies", Input).value = draft.copies
        self.query_one("#hold", Flag).value = draft.hold

    @property
    def draft(self) -> Draft:
        """What is typed now."""
        return Draft(
            path=self.query_one("#path", Input).value,
            text=self.query_one("#text", YamlEditor).text,
            read=self._read,
            envs=self.query_one("#envs", VariablesArea).text,
            secrets=self.query_one("#secrets", VariablesArea).text,
            priority=self.query_one("#priority", Input).value,
            copies=self.query_one("#copies", Input).value,
            hold=self.query_one("#hold", Flag).value,
        )

    # Files.

    @on(FilePicker.Picked)
    def _picked(self, event: FilePicker.Picked) -> None:
        self.query_one("#path", Input).value = str(event.path)
        self._fetch(event.path)

    @on(Input.Submitted, "#path")
    def _path_typed(self, event: Input.Submitted) -> None:
        """Read the file, or show the directory; a pasted path may stand in quotes."""
        typed = event.value.strip().strip("'\"")
        if typed:
            self._fetch(files.expanded(typed))

    def action_edit(self) -> None:
        """The text in an editor; what it was before can be brought back."""
        area = self.query_one("#text", YamlEditor)
        edited = editing.edit(area.text, self._editor)
        if edited.text != area.text:
            area.replace_all(edited.text)
        area.focus()
        if edited.problem is not None:
            self._tell(edited.problem)

    @on(Input.Submitted, "#priority, #copies")
    def _option_typed(self) -> None:
        self.app.action_focus_next()

    @work(thread=True, exclusive=True, group="fetch")
    def _fetch(self, path: Path) -> None:
        if path.is_dir():
            self.post_message(Fetched(path))
            return
        try:
            self.post_message(Fetched(path, drafts.read(path)))
        except JobschedError as error:
            self.post_message(Refused(str(error)))

    def on_fetched(self, event: Fetched) -> None:
        """Show the directory, or the text; what the text replaces can be brought back."""
        if event.text is None:
            self.query_one("#files", FilePicker).open(event.path)
            return
        editor = self.query_one("#text", YamlEditor)
        overwritten = bool(editor.text.strip()) and editor.text != self._read
        self._read = event.text
        self.query_one("#path", Input).value = str(event.path)
        editor.replace_all(event.text)
        editor.focus()
        if overwritten:
            self._tell("the text was replaced; ctrl+z brings the other one back")

    # Judging.

    @on(TextArea.Changed)
    @on(Input.Changed)
    @on(Flag.Changed)
    def _later(self) -> None:
        """Judge it once nobody has typed for a moment."""
        self._number += 1
        if self._timer is not None:
            self._timer.stop()
        self._timer = self.set_timer(PAUSE, self._judge)

    def _judge(self) -> None:
        if not self.is_attached:
            return  # it is being closed
        draft = self.draft
        options = drafts.read_options(draft)
        if draft.text.strip():
            self._check(self._number, draft, options)
        else:
            self._show(Report(options.findings), draft, options)

    @work(thread=True, exclusive=True, group="check")
    def _check(self, number: int, draft: Draft, options: Options) -> None:
        report = drafts.check(draft.text, draft.file, options.envs, options.secrets, self._door)
        self.post_message(Checked(number, _with_fields(report, options), draft, options))

    def on_checked(self, event: Checked) -> None:
        """Show what was found, if it is about what is there."""
        if event.number == self._number:
            self._show(event.report, event.draft, event.options)

    def _show(self, report: Report, draft: Draft, options: Options) -> None:
        self._report = report
        self.query_one(ProblemList).show(report.findings)
        lines = {one.line for one in report.findings if one.severity is drafts.Severity.ERROR}
        self.query_one("#text", YamlEditor).mark(lines)
        self.query_one("#tasks", Lines).show([] if report.dag is None else task_tree(report.dag))
        self.query_one("#said", Lines).show([self._verdict(draft, options)])
        twin = submit_twin(draft, options, self._home) if draft.text.strip() else ""
        self.query_one("#twin", Lines).show([[span(f"$ {twin}", Tone.MUTED)]] if twin else [])

    def _verdict(self, draft: Draft, options: Options) -> Line:
        report = self._report
        if report.dag is None and not report.findings:
            return [span("nothing to submit yet", Tone.MUTED)]
        if report.errors or report.dag is None:
            return verdict(report)
        priority = report.dag.priority if options.priority is None else options.priority
        where = place(
            self._limits, self._queue,
            priority=priority, copies=options.copies, hold=draft.hold,
        )  # fmt: skip
        return [*verdict(report), span("; "), *place_line(where)]

    def follow(self, limits: LimitsLine, queue: Queue) -> None:
        """Reckon with these limits and this queue from now on."""
        self._limits, self._queue = limits, queue
        if self.is_mounted:
            draft = self.draft
            options = drafts.read_options(draft)
            self.query_one("#said", Lines).show([self._verdict(draft, options)])

    @on(ProblemList.Chosen)
    def _lead(self, event: ProblemList.Chosen) -> None:
        self.query_one("#text", YamlEditor).go_to(event.line, event.column)

    def action_focus_on(self, name: str) -> None:
        """Go to a part of the dialog."""
        self.query_one(f"#{name}").focus()

    def _say(self, text: str, tone: Tone) -> None:
        self.query_one("#said", Lines).show([[span(text, tone)]])

    def _tell(self, text: str) -> None:
        """Say it for longer than the next verdict takes."""
        self.app.notify(safe(text), severity="warning", markup=False)

    # Ending.

    def action_submit(self) -> None:
        """Submit what is typed now; the library judges it once more."""
        if self._is_sending:
            return
        self._is_sending = True
        self._say("submitting", Tone.MUTED)
        self._send(self.draft)

    @work(thread=True, exclusive=True, group="send")
    def _send(self, draft: Draft) -> None:
        try:
            made = drafts.submit(self._door, draft)
        except (JobschedError, OSError) as error:
            self.post_message(Refused(str(error)))
        else:
            self.post_message(Stored(tuple(made)))

    def on_stored(self, event: Stored) -> None:
        """Nothing of the draft is needed any more."""
        self._shelf.clear()
        self.dismiss(event.made)

    def on_refused(self, event: Refused) -> None:
        """Say why in the library's words; what was typed stays."""
        self._is_sending = False
        first, *more = event.why.split("\n")
        rest = f" (and {len(more)} more)" if more else ""
        self._say(f"not done: {first}{rest}", Tone.BAD)

    def action_close(self) -> None:
        """Leave, and keep what was typed; not before it is known what became of a submission."""
        if self._is_sending:
            return
        trouble = self._shelf.put(self.draft)
        if trouble is not None:
            self._tell(trouble)
        self.dismiss(None)


def _with_fields(report: Report, options: Options) -> Report:
    """The report with what is wrong beside the text before it."""
    return replace(report, findings=(*options.findings, *report.findings))
