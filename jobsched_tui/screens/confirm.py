"""The question before an action: whom it hits, what it takes with it, and "no" unless one insists.

Owns the dialog. What it says comes from ``present.actions``; it does nothing itself.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar, Final

from textual import events, on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Horizontal, VerticalScroll
from textual.screen import ModalScreen
from textual.widgets import Button, Input

from jobsched_tui.data.actions import Kind, Plan, Refusal
from jobsched_tui.data.blast import Blast
from jobsched_tui.data.twins import twin
from jobsched_tui.present.actions import (
    VERBS,
    blast_lines,
    change_lines,
    demand,
    job_lines,
    question,
    refusal_lines,
)
from jobsched_tui.present.glyphs import UNICODE, Pen
from jobsched_tui.present.spans import Line, Tone, clip, span
from jobsched_tui.widgets.dialog import AnswerButton, Dialog
from jobsched_tui.widgets.texts import HARMLESS, Lines

#: Cells of the command: two rows of a narrow screen.
_TWIN_CELLS: Final = 138
#: Rows that everything but the body takes: border, title, twin, answers; and one field.
_OTHER_ROWS: Final = 9
_FIELD_ROWS: Final = 2
_HERE: Final = "type it here"
#: Characters of a reason.
_LONGEST_REASON: Final = 500
#: Those that have no place in the history for a reason.
_WITHOUT_REASON: Final = frozenset({Kind.RERUN, Kind.SWEEP})


@dataclass(frozen=True, slots=True)
class Answer:
    """Yes: do this. ``cancel_first``: ask about a cancel of the same jobs instead."""

    plan: Plan
    cancel_first: bool = False


class ConfirmScreen(ModalScreen[Answer | None]):
    """Asks; ``None`` is no."""

    DEFAULT_CSS = """
    ConfirmScreen { align: center middle; }
    ConfirmScreen #dialog { width: 96; }
    ConfirmScreen #body { height: auto; }
    ConfirmScreen .field { height: 1; margin-top: 1; }
    ConfirmScreen .field Lines { width: auto; margin-right: 1; }
    ConfirmScreen .field Input { width: 1fr; }
    ConfirmScreen #twin { margin-top: 1; max-height: 2; }
    """
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape", "no", "No", id="confirm.no"),
        Binding("n", "refuse", "No", id="confirm.no_letter", show=False),
        Binding("y", "yes", "Yes", id="confirm.yes"),
        Binding("up", "scroll_body(-1)", "Up", id="confirm.up", show=False),
        Binding("down", "scroll_body(1)", "Down", id="confirm.down", show=False),
        Binding("pageup", "scroll_body(-8)", "Up", id="confirm.page_up", show=False),
        Binding("pagedown", "scroll_body(8)", "Down", id="confirm.page_down", show=False),
        Binding("left", "app.focus_previous", "Left", id="confirm.left", show=False),
        Binding("right", "app.focus_next", "Right", id="confirm.right", show=False),
    ]

    def __init__(
        self,
        plan: Plan,
        hit: Blast,
        *,
        now: float,
        refusals: Sequence[Refusal] = (),
        home: Path | None = None,
        pen: Pen = UNICODE,
    ) -> None:
        super().__init__()
        self._plan, self._hit, self._now = plan, hit, now
        self._refusals, self._home, self._pen = refusals, home, pen
        self._demand = demand(plan, hit)

    def compose(self) -> ComposeResult:
        """Question, what it hits, what is to be typed, and the answers."""
        with Dialog(pen=self._pen):
            yield Lines([[span(question(self._plan), Tone.TITLE)]], pen=self._pen)
            with VerticalScroll(id="body", can_focus=False):
                yield Lines(self._body(), pen=self._pen)
            yield from self._fields()
            yield Lines(self._twin(), pen=self._pen, id="twin")
            with Horizontal(classes="buttons"):
                yield from self._buttons()

    def _body(self) -> list[Line]:
        return [
            *(change_lines(self._plan) or job_lines(self._hit.jobs)),
            *blast_lines(self._plan, self._hit, self._now),
            *refusal_lines(self._refusals),
        ]

    def _fields(self) -> Iterator[Horizontal]:
        word = self._demand.word
        if word is not None:
            yield self._field(
                [span("Type "), span(word, Tone.STRONG), span(" to go on:")],
                Input(placeholder=_HERE, compact=True, select_on_focus=False, id="word"),
            )
        if self._plan.kind not in _WITHOUT_REASON:
            label = "Reason (needed):" if self._demand.reason else "Reason:"
            field = Input(
                self._plan.reason or "", placeholder=_HERE, compact=True, id="reason",
                max_length=_LONGEST_REASON, restrict=HARMLESS,
            )  # fmt: skip
            yield self._field([span(label)], field)

    def _field(self, label: Line, field: Input) -> Horizontal:
        return Horizontal(Lines([label], pen=self._pen), field, classes="field")

    def _buttons(self) -> Iterator[Button]:
        yield AnswerButton("No", "no")
        if self._demand.cancel_first:
            yield AnswerButton("Cancel first", "cancel-first")
        # Not the verb alone: a button that says "Cancel" is taken for the one that does nothing.
        yes = f"Yes, {VERBS[self._plan.kind].removesuffix(' of')}"
        yield AnswerButton(yes, "yes", disabled=not self._is_met())

    def on_mount(self) -> None:
        """Enter does no harm: it says no, or leads to the question that does less."""
        first = "#cancel-first" if self._demand.cancel_first else "#no"
        self.query_one(first, Button).focus()

    def on_resize(self) -> None:
        """Let the body scroll where it is too high, so that no answer is out of sight."""
        others = _OTHER_ROWS + _FIELD_ROWS * len(self.query(Input))
        self.query_one("#body").styles.max_height = max(2, self.size.height - others)

    def _typed(self, name: str) -> str:
        fields = self.query(f"#{name}").results(Input)
        return next((field.value for field in fields), "")

    def _is_met(self) -> bool:
        if not self.is_mounted:
            return self._demand.is_met("", self._plan.reason or "")
        return self._demand.is_met(self._typed("word"), self._typed("reason"))

    def _with_reason(self) -> Plan:
        return self._plan.because(self._typed("reason").strip() or None)

    def _twin(self) -> list[Line]:
        plan = self._with_reason() if self.is_mounted else self._plan
        return [[span(clip(f"$ {twin(plan, self._home)}", _TWIN_CELLS), Tone.MUTED)]]

    @on(Input.Changed)
    def _typing(self) -> None:
        self.query_one("#yes", Button).disabled = not self._is_met()
        self.query_one("#twin", Lines).show(self._twin())

    @on(Input.Submitted)
    def _typed_enough(self) -> None:
        """Enter in a field leads on; it never answers."""
        self.app.action_focus_next()

    @on(Button.Pressed, "#no")
    def action_no(self) -> None:
        """Do nothing."""
        self.dismiss(None)

    def action_refuse(self) -> None:
        """The same, by its letter."""
        self.action_no()

    def on_key(self, event: events.Key) -> None:
        """Who types the word that is asked for types it where it belongs, wherever the keys go."""
        typed = event.character if event.is_printable else None
        if self._demand.word is None or typed is None or isinstance(self.focused, Input):
            return
        field = self.query_one("#word", Input)
        if self._demand.word.startswith(field.value + typed):
            field.focus()
            field.insert_text_at_cursor(typed)
            event.stop()

    @on(Button.Pressed, "#yes")
    def action_yes(self) -> None:
        """Do it, if what is asked for was typed."""
        if self._is_met():
            self.dismiss(Answer(self._with_reason()))

    @on(Button.Pressed, "#cancel-first")
    def _cancel_first(self) -> None:
        self.dismiss(Answer(self._with_reason(), cancel_first=True))

    def action_scroll_body(self, rows: int) -> None:
        """Move what is told up or down."""
        self.query_one("#body", VerticalScroll).scroll_relative(y=rows, animate=False)

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Letters are no answers where a word has to be typed."""
        del parameters
        return not (action in ("yes", "refuse") and self._demand.word is not None)
