"""Choosing from a list: signals, what to copy, columns, sort orders, themes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar, Final

from rich.text import Text
from textual import on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical
from textual.screen import ModalScreen
from textual.widgets import OptionList
from textual.widgets.option_list import Option

from jobsched_tui.present.glyphs import UNICODE, Pen
from jobsched_tui.present.spans import Line, Span, Tone, clip, fit, span, width
from jobsched_tui.widgets.painting import palette_of
from jobsched_tui.widgets.texts import Lines, text_of

_LABEL_CELLS: Final = 24
_DETAIL_CELLS: Final = 60
#: Cells of the hint; of border, padding and scroll bar; rows of all but the list.
_LEAST_CELLS: Final = 52
_FRAME_CELLS: Final = 6
_OTHER_ROWS: Final = 5


@dataclass(frozen=True, slots=True, kw_only=True)
class Choice:
    """One entry. ``chosen``: it is in force now, or the first where only one can be."""

    key: str
    label: str
    detail: str = ""
    chosen: bool = False


class ChooseScreen(ModalScreen[tuple[str, ...] | None]):
    """Gives the keys of what was chosen: one, or with ``several`` all that are ticked, in order.

    ``None``: nothing was chosen, and nothing changes.
    """

    DEFAULT_CSS = """
    ChooseScreen { align: center middle; }
    ChooseScreen #dialog {
        max-width: 96%; height: auto; max-height: 100%;
        border: round $foreground 60%; padding: 0 1; background: $surface;
    }
    ChooseScreen.-ascii #dialog { border: ascii $foreground 60%; }
    ChooseScreen OptionList { height: auto; border: none; padding: 0; }
    ChooseScreen OptionList:focus { border: none; }
    """
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape,q", "close", "Close", id="choose.close"),
        Binding("j", "move(1)", "Down", id="choose.down", show=False),
        Binding("k", "move(-1)", "Up", id="choose.up", show=False),
        Binding("space", "tick", "Tick", id="choose.tick", show=False),
    ]

    def __init__(
        self, title: str, choices: Sequence[Choice], *, several: bool = False, pen: Pen = UNICODE
    ) -> None:
        super().__init__(classes="-ascii" if pen.is_ascii else None)
        self._title, self._choices = title, tuple(choices)
        self._several, self._pen = several, pen
        self._ticked = {one.key for one in choices if one.chosen}

    def compose(self) -> ComposeResult:
        """The title, the list, and which keys do what."""
        hint = "space ticks, enter takes them" if self._several else "enter takes it"
        with Vertical(id="dialog"):
            yield Lines([[span(self._title, Tone.TITLE)]], pen=self._pen)
            yield OptionList(markup=False, compact=True)
            yield Lines([[span(f"{hint}, esc changes nothing", Tone.MUTED)]], pen=self._pen)

    def on_mount(self) -> None:
        """Begin with what is in force."""
        listed = self.query_one(OptionList)
        listed.set_options(Option(self._text(one)) for one in self._choices)
        now = [row for row, one in enumerate(self._choices) if one.chosen]
        listed.highlighted = now[0] if now else 0
        listed.focus()
        widest = max((width(self._line(one)) for one in self._choices), default=0)
        self.query_one("#dialog").styles.width = max(_LEAST_CELLS, widest) + _FRAME_CELLS

    def on_resize(self) -> None:
        """Let the list scroll where it is too long, so that the hint stays in sight."""
        rows = max(2, self.size.height - _OTHER_ROWS)
        self.query_one(OptionList).styles.max_height = rows

    def _text(self, choice: Choice) -> Text:
        return text_of(self._line(choice), palette_of(self.app), self._pen)

    def _line(self, choice: Choice) -> Line:
        ticked = choice.key in self._ticked
        if self._several:
            tick = "[x] " if ticked else "[ ] "
        else:
            tick = f"{self._pen.marked} " if ticked else "  "
        wide = max(len(one.label) for one in self._choices)
        label = fit(choice.label, min(_LABEL_CELLS, wide))
        detail = clip(choice.detail, _DETAIL_CELLS)
        line = [Span(tick), Span(label, Tone.STRONG if ticked else Tone.PLAIN)]
        return [*line, Span(f"  {detail}", Tone.MUTED)] if detail else line

    def action_move(self, step: int) -> None:
        """Move as the arrows do."""
        listed = self.query_one(OptionList)
        if step > 0:
            listed.action_cursor_down()
        else:
            listed.action_cursor_up()

    def action_tick(self) -> None:
        """Tick what is under the cursor, or not any more."""
        listed = self.query_one(OptionList)
        row = listed.highlighted
        if not self._several or row is None:
            return
        choice = self._choices[row]
        self._ticked ^= {choice.key}
        listed.replace_option_prompt_at_index(row, self._text(choice))

    @on(OptionList.OptionSelected)
    def _take(self, event: OptionList.OptionSelected) -> None:
        if self._several:
            ticked = [one.key for one in self._choices if one.key in self._ticked]
            self.dismiss(tuple(ticked))
        else:
            self.dismiss((self._choices[event.option_index].key,))

    def action_close(self) -> None:
        """Change nothing."""
        self.dismiss(None)
