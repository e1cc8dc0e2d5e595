"""The limits, to be changed, with what that would do shown while it is typed.

Owns the dialog. Arithmetic and sentences are made elsewhere; what is set is set by ``commit``.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar

from textual import on, work
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Horizontal
from textual.message import Message
from textual.screen import ModalScreen
from textual.widgets import Button, Input

from jobsched_tui.data.actions import AUTO, Plan, Planned, parse_limit, plan_limits
from jobsched_tui.data.applying import Result
from jobsched_tui.data.frame import Gauge, LimitsLine
from jobsched_tui.data.twins import twin
from jobsched_tui.data.whatif import Machine, Queue, forecast
from jobsched_tui.present.actions import setting_changes
from jobsched_tui.present.glyphs import UNICODE, Pen
from jobsched_tui.present.spans import Line, Tone, span
from jobsched_tui.present.whatif import forecast_lines
from jobsched_tui.widgets.dialog import AnswerButton, Dialog
from jobsched_tui.widgets.flag import Flag
from jobsched_tui.widgets.texts import Lines


@dataclass(frozen=True, slots=True)
class Committed:
    """What was set, and how that went."""

    plan: Plan
    result: Result


class LimitField(Input):
    """A limit as typed; the arrows count up and down."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("up", "count(1)", "More", id="limits.more", show=False),
        Binding("down", "count(-1)", "Less", id="limits.less", show=False),
    ]

    def __init__(self, gauge: Gauge, name: str) -> None:
        self._gauge = gauge
        value = AUTO if gauge.auto else str(gauge.limit)
        super().__init__(value, id=name, compact=True, max_length=8)

    def action_count(self, step: int) -> None:
        """One more or less than what is typed; from ``auto``, than what it means now."""
        typed = self.value.strip()
        start = int(typed) if typed.isdecimal() and typed.isascii() else self._gauge.limit
        self.value = str(max(0, start + step))


class LimitsDialog(ModalScreen[Committed | None]):
    """Two numbers and the pause; ``None``: nothing was set."""

    DEFAULT_CSS = """
    LimitsDialog { align: center middle; }
    LimitsDialog #dialog { width: 76; }
    LimitsDialog .field { height: 1; }
    LimitsDialog .field .label { width: 9; }
    LimitsDialog LimitField { width: 12; margin-right: 2; }
    LimitsDialog .field Lines { width: auto; }
    LimitsDialog #sum { padding-left: 9; }
    LimitsDialog #preview, LimitsDialog #twin { margin-top: 1; }
    """
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape", "close", "Close", id="limits.close"),
        Binding("ctrl+s", "set", "Set", id="limits.set"),
    ]

    class Tried(Message):
        """The library was asked to set them."""

        def __init__(self, committed: Committed) -> None:
            super().__init__()
            self.committed = committed

    def __init__(
        self,
        now: LimitsLine,
        queue: Queue,
        machine: Machine,
        commit: Callable[[Plan], Result],
        *,
        home: Path | None = None,
        pen: Pen = UNICODE,
    ) -> None:
        super().__init__()
        self._now, self._queue, self._machine = now, queue, machine
        self._commit, self._home, self._pen = commit, home, pen
        self._is_setting = False

    def compose(self) -> ComposeResult:
        """The fields, what they would do, and the answers."""
        with Dialog(pen=self._pen):
            yield Lines([[span("Limits", Tone.TITLE)]], pen=self._pen)
            yield self._field("launch", "Launch", self._now.launch, self._machine.auto_launch)
            yield self._field("alive", "Alive", self._now.alive, self._machine.auto_alive)
            if self._machine.alive_sum:
                says = f"auto: {self._machine.alive_sum}"
                yield Lines([[span(says, Tone.MUTED)]], pen=self._pen, id="sum")
            yield Flag("Pause starts of new jobs", value=self._now.paused, id="paused")
            yield Lines(pen=self._pen, id="preview")
            yield Lines(pen=self._pen, id="trouble")
            yield Lines(pen=self._pen, id="twin")
            with Horizontal(classes="buttons"):
                yield AnswerButton("Close", "close")
                yield AnswerButton("Set", "set")

    def _field(self, name: str, label: str, gauge: Gauge, auto: int) -> Horizontal:
        says = f"{gauge.used} used of {gauge.limit}; auto is {auto} here"
        title = Lines([[span(label)]], pen=self._pen)
        title.add_class("label")
        return Horizontal(
            title,
            LimitField(gauge, name),
            Lines([[span(says, Tone.MUTED)]], pen=self._pen),
            classes="field",
        )

    def on_mount(self) -> None:
        """Begin with the limit that is changed most."""
        self.query_one("#launch", LimitField).focus()
        self._preview()

    def _typed(self, name: str) -> str:
        return self.query_one(f"#{name}", LimitField).value

    def _planned(self) -> Planned:
        return plan_limits(
            self._now,
            launch=self._typed("launch"),
            alive=self._typed("alive"),
            paused=self.query_one("#paused", Flag).value,
        )

    @on(Input.Changed)
    @on(Flag.Changed)
    def _preview(self) -> None:
        """Show what would happen, or why nothing can."""
        planned = self._planned()
        self.query_one("#trouble", Lines).show([])
        self.query_one("#set", Button).disabled = planned.plan is None
        self.query_one("#preview", Lines).show(self._forecast(planned))
        command = "" if planned.plan is None else twin(planned.plan, self._home)
        self.query_one("#twin", Lines).show([[span(f"$ {command}", Tone.MUTED)]] if command else [])

    def _forecast(self, planned: Planned) -> list[Line]:
        try:
            launch, alive = parse_limit(self._typed("launch")), parse_limit(self._typed("alive"))
        except ValueError as error:
            return [[span(error, Tone.BAD)]]
        seen = forecast(
            self._now, self._queue, self._machine,
            launch=launch, alive=alive, paused=self.query_one("#paused", Flag).value,
        )  # fmt: skip
        if planned.plan is None:
            return [[span("as they are now:", Tone.MUTED)], *forecast_lines(seen)]
        changes = ", ".join(setting_changes(planned.plan.before, planned.plan.setting))
        return [[span(changes, Tone.STRONG)], *forecast_lines(seen)]

    @on(Input.Submitted)
    def _typed_enough(self) -> None:
        """Enter in a field leads on; it sets nothing."""
        self.app.action_focus_next()

    @on(Button.Pressed, "#close")
    def action_close(self) -> None:
        """Leave the limits as they are; not before it is known what became of them."""
        if not self._is_setting:
            self.dismiss(None)

    @on(Button.Pressed, "#set")
    def action_set(self) -> None:
        """Set what differs."""
        plan = self._planned().plan
        if plan is not None and not self._is_setting:
            self._is_setting = True
            self._set(plan)

    @work(thread=True, exclusive=True, group="limits")
    def _set(self, plan: Plan) -> None:
        self.post_message(self.Tried(Committed(plan, self._commit(plan))))

    def on_limits_dialog_tried(self, event: Tried) -> None:
        """Close, or say in the library's words why they were not set; what was typed stays."""
        self._is_setting = False
        error = event.committed.result.error
        if error is None:
            self.dismiss(event.committed)
        else:
            says = span(f"not applied: {error}", Tone.BAD)
            self.query_one("#trouble", Lines).show([[says]])
