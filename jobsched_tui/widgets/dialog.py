"""The frame of every dialog, and the answers in it.

Owns how they look in each kind of terminal. Of its place and its width the screen decides.
"""

from __future__ import annotations

from textual.containers import Vertical
from textual.content import Content
from textual.widgets import Button

from jobsched_tui.present.glyphs import Pen
from jobsched_tui.present.spans import span


class Dialog(Vertical):
    """A frame that is as high as what is in it."""

    DEFAULT_CSS = """
    Dialog {
        max-width: 96%; height: auto; max-height: 100%;
        border: round $foreground 60%; padding: 0 1; background: $surface;
    }
    Dialog.-ascii { border: ascii $foreground 60%; }
    Dialog:ansi { border: round ansi_default; background: ansi_default; }
    Dialog.-ascii:ansi { border: ascii ansi_default; }
    Dialog .buttons { height: 1; margin-top: 1; align-horizontal: right; }
    """

    def __init__(self, *, pen: Pen, id: str = "dialog") -> None:  # noqa: A002 - Textual's name
        super().__init__(id=id, classes="-ascii" if pen.is_ascii else None)


class AnswerButton(Button):
    """An answer: in brackets while it can be given, and faint while it cannot."""

    DEFAULT_CSS = """
    AnswerButton {
        margin-left: 2; min-width: 4;
        &.-style-default { text-style: none; color: $foreground; background: transparent; }
        &.-style-default:focus { text-style: bold reverse; background-tint: transparent; }
        &.-style-default:hover { text-style: bold underline; background: transparent; }
        &.-style-default:disabled { text-style: none; text-opacity: 60%; }
    }
    AnswerButton:ansi.-style-default {
        border: none; color: ansi_default; background: ansi_default;
        &:focus { text-style: bold reverse; }
        &:disabled {
            border: none !important; text-style: dim; text-opacity: 1;
            color: ansi_default; background: ansi_default !important;
        }
    }
    """

    def __init__(self, word: str, name: str, *, disabled: bool = False) -> None:
        self._word = span(word).text
        super().__init__(self._shown(disabled=disabled), id=name, compact=True, disabled=disabled)

    def _shown(self, *, disabled: bool) -> Content:
        left, right = "  " if disabled else "[]"
        return Content(f"{left} {self._word} {right}")

    def watch_disabled(self, disabled: bool) -> None:  # noqa: FBT001 - Textual calls it so
        """It can be given now, or not any more."""
        super().watch_disabled(disabled)
        self.label = self._shown(disabled=disabled)
