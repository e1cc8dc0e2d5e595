"""One line to type at the bottom of whatever is shown: a filter, a search, a command, a moment.

Owns typing, recalling and completing. What the text means is the caller's; it may be told of every
change, and says why a text is refused.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import ClassVar

from textual import on
from textual.app import ComposeResult
from textual.binding import BindingType
from textual.containers import Horizontal, Vertical
from textual.screen import ModalScreen
from textual.widgets import Input

from jobsched_tui.present.glyphs import UNICODE, Pen
from jobsched_tui.present.spans import Tone, span
from jobsched_tui.widgets.bindings import bindings
from jobsched_tui.widgets.texts import HARMLESS, Lines


class PromptScreen(ModalScreen[str | None]):
    """Gives what was typed; ``None``: nothing is to be done."""

    DEFAULT_CSS = """
    PromptScreen { align: left bottom; background: transparent; }
    PromptScreen > Vertical { height: auto; background: $surface; }
    PromptScreen Horizontal { height: 1; }
    PromptScreen Horizontal Lines { width: auto; }
    PromptScreen Input { width: 1fr; }
    PromptScreen #said { height: auto; min-height: 1; max-height: 2; }
    """
    BINDINGS: ClassVar[list[BindingType]] = bindings(
        {
            "prompt.leave": "give_up",
            "prompt.earlier": "recall(-1)",
            "prompt.later": "recall(1)",
            "prompt.complete": "complete",
        }
    )

    def __init__(
        self,
        label: str,
        value: str = "",
        *,
        history: Sequence[str] = (),
        check: Callable[[str], str | None] = lambda _: None,
        complete: Callable[[str, int], tuple[str, int]] = lambda text, at: (text, at),
        changed: Callable[[str], None] = lambda _: None,
        hint: str = "",
        pen: Pen = UNICODE,
    ) -> None:
        super().__init__()
        self._label, self._value, self._hint, self._pen = label, value, hint, pen
        self._history = [*history, value]
        self._at = len(self._history) - 1
        self._check, self._complete, self._changed = check, complete, changed

    def compose(self) -> ComposeResult:
        """What is wrong or what it is for, then the line itself."""
        with Vertical():
            yield Lines([[span(self._hint, Tone.MUTED)]], pen=self._pen, id="said")
            with Horizontal():
                yield Lines([[span(f" {self._label} ", Tone.KEY)]], pen=self._pen)
                yield Input(self._value, compact=True, restrict=HARMLESS, id="line")

    def on_mount(self) -> None:
        """Type at once."""
        line = self.query_one(Input)
        line.focus()
        line.cursor_position = len(self._value)

    @on(Input.Changed)
    def _typing(self, event: Input.Changed) -> None:
        why = self._check(event.value)
        said = span(f" {why}", Tone.BAD) if why else span(self._hint, Tone.MUTED)
        self.query_one("#said", Lines).show([[said]])
        if why is None:
            self._changed(event.value)

    @on(Input.Submitted)
    def _typed(self, event: Input.Submitted) -> None:
        if self._check(event.value) is None:
            self.dismiss(event.value)

    def action_give_up(self) -> None:
        """As it was before."""
        self._changed(self._value)
        self.dismiss(None)

    def action_recall(self, step: int) -> None:
        """What was typed before, or after that."""
        self._at = max(0, min(len(self._history) - 1, self._at + step))
        line = self.query_one(Input)
        line.value = self._history[self._at]
        line.cursor_position = len(line.value)

    def action_complete(self) -> None:
        """Finish the word before the cursor."""
        line = self.query_one(Input)
        line.value, line.cursor_position = self._complete(line.value, line.cursor_position)
