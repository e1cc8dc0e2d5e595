"""Choosing from a list: signals, what to copy, columns, sort orders, themes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar, Final

from rich.cells import cell_len
from rich.text import Text
from textual import on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.screen import ModalScreen
from textual.widgets.option_list import Option

from jobsched_tui.present.glyphs import UNICODE, Pen
from jobsched_tui.present.spans import Line, Span, Tone, fit, span, width
from jobsched_tui.widgets.dialog import Dialog
from jobsched_tui.widgets.option_rows import OptionRows
from jobsched_tui.widgets.painting import palette_of
from jobsched_tui.widgets.texts import Lines, text_of

#: Cells of the hint; of border, padding and scroll bar; rows of all but the list.
_LEAST_CELLS: Final = 52
_FRAME_CELLS: Final = 6
_OTHER_ROWS: Final = 5
#: Of the screen the dialog takes at most this part; the detail in full has so many rows.
_PART: Final = 0.96
_DETAIL_ROWS: Final = 2


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
    ChooseScreen OptionRows { height: auto; }
    ChooseScreen #detail { margin-top: 1; }
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
        super().__init__()
        self._title, self._choices = title, tuple(choices)
        self._several, self._pen = several, pen
        self._ticked = {one.key for one in choices if one.chosen}

    def compose(self) -> ComposeResult:
        """The title, the list, and which keys do what."""
        hint = "space ticks, enter takes them" if self._several else "enter takes it"
        with Dialog(pen=self._pen):
            yield Lines([[span(self._title, Tone.TITLE)]], pen=self._pen)
            yield OptionRows(pen=self._pen)
            yield Lines(pen=self._pen, id="detail")
            yield Lines([[span(f"{hint}, esc changes nothing", Tone.MUTED)]], pen=self._pen)

    def on_mount(self) -> None:
        """Begin with what is in force."""
        listed = self.query_one(OptionRows)
        listed.set_options(Option(self._text(one)) for one in self._choices)
        now = [row for row, one in enumerate(self._choices) if one.chosen]
        listed.highlighted = now[0] if now else 0
        listed.focus()
        self.query_one("#dialog").styles.width = max(_LEAST_CELLS, self._widest) + _FRAME_CELLS

    @property
    def _widest(self) -> int:
        return max((width(self._line(one)) for one in self._choices), default=0)

    def on_resize(self) -> None:
        """Let the list scroll where it is too long, so that the hint stays in sight.

        Where rows are cut the detail of the one under the cursor is told in full below them.
        """
        is_cut = self._widest + _FRAME_CELLS > int(self.size.width * _PART)
        detail = self.query_one("#detail")
        detail.display = is_cut
        detail.styles.height = _DETAIL_ROWS
        others = _OTHER_ROWS + (_DETAIL_ROWS + 1 if is_cut else 0)
        self.query_one(OptionRows).styles.max_height = max(2, self.size.height - others)

    @on(OptionRows.OptionHighlighted)
    def _tell(self, event: OptionRows.OptionHighlighted) -> None:
        told = span(self._choices[event.option_index].detail)
        self.query_one("#detail", Lines).show([[told]])

    def _text(self, choice: Choice) -> Text:
        return text_of(self._line(choice), palette_of(self.app), self._pen)

    def _line(self, choice: Choice) -> Line:
        ticked = choice.key in self._ticked
        if self._several:
            tick = "[x] " if ticked else "[ ] "
        else:
            tick = f"{self._pen.marked} " if ticked else "  "
        label = fit(choice.label, max(cell_len(one.label) for one in self._choices))
        line = [Span(tick), Span(label, Tone.STRONG if ticked else Tone.PLAIN)]
        return [*line, span(f"  {choice.detail}", Tone.MUTED)] if choice.detail else line

    def action_move(self, step: int) -> None:
        """Move as the arrows do."""
        listed = self.query_one(OptionRows)
        if step > 0:
            listed.action_cursor_down()
        else:
            listed.action_cursor_up()

    def action_tick(self) -> None:
        """Tick what is under the cursor, or not any more."""
        listed = self.query_one(OptionRows)
        row = listed.highlighted
        if not self._several or row is None:
            return
        choice = self._choices[row]
        self._ticked ^= {choice.key}
        listed.replace_option_prompt_at_index(row, self._text(choice))

    @on(OptionRows.OptionSelected)
    def _take(self, event: OptionRows.OptionSelected) -> None:
        if self._several:
            ticked = [one.key for one in self._choices if one.key in self._ticked]
            self.dismiss(tuple(ticked))
        else:
            self.dismiss((self._choices[event.option_index].key,))

    def action_close(self) -> None:
        """Change nothing."""
        self.dismiss(None)
