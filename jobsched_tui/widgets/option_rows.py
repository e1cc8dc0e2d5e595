"""A list of things to pick from, a row for each, whose cursor looks like that of the job list.

Owns that look in each kind of terminal. What is picked, and what then, is the subclass's.
"""

from __future__ import annotations

from typing import Any, Final

from textual.strip import Strip
from textual.style import Style
from textual.widgets import OptionList

from jobsched_tui.present.glyphs import UNICODE, Pen
from jobsched_tui.widgets.texts import with_pen

_CURSOR: Final = "option-list--option-highlighted"
_REVERSED: Final = Style(reverse=True)


class OptionRows(OptionList):
    """Each option takes one row: where there is no room for it, an ellipsis says so."""

    DEFAULT_CSS = """
    OptionRows {
        border: none; padding: 0; background: transparent;
        text-wrap: nowrap; text-overflow: ellipsis; scrollbar-size-vertical: 1;
        & > .option-list--option-highlighted {
            color: $foreground; background: transparent; text-style: none;
        }
    }
    OptionRows:focus {
        border: none; background-tint: transparent;
        & > .option-list--option-highlighted {
            color: $foreground; background: $foreground 16%; text-style: none;
        }
    }
    OptionRows:focus:ansi > .option-list--option-highlighted {
        color: ansi_default; background: ansi_default;
    }
    """

    def __init__(self, *, pen: Pen = UNICODE, **options: Any) -> None:
        super().__init__(markup=False, compact=True, **options)
        self._pen = pen

    def render_line(self, y: int) -> Strip:
        """One line of the screen."""
        return with_pen(super().render_line(y), self._pen)

    def get_visual_style(self, *component_classes: str, partial: bool = False) -> Style:
        """As Textual has it, with the one thing that it forgets: the cursor may be reversed."""
        style = super().get_visual_style(*component_classes, partial=partial)
        is_cursor = _CURSOR in component_classes and self.has_focus
        return style + _REVERSED if is_cursor and self.app.native_ansi_color else style
