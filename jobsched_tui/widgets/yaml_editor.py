"""Editors whose text can do nothing to the terminal: YAML, and variables that may be secret.

Owns how a line of them is drawn. What is typed stays what it is; only its picture is made harmless.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping
from typing import Any, Final

from rich.cells import cell_len
from rich.style import Style
from rich.text import Text
from textual.widgets import TextArea

from jobsched.text import is_printable, safe
from jobsched_tui.present.spans import Tone
from jobsched_tui.widgets.painting import palette_of

_KEY: Final = re.compile(r"^[\s-]*([\w./~-]+)(?=:(?:\s|$))")
_COMMENT: Final = re.compile(r"(?:^|\s)#.*$")
_DOCUMENT: Final = re.compile(r"^---(?:\s|$)")
_UNKNOWN: Final = "\N{REPLACEMENT CHARACTER}"


def harmless(line: str) -> str:
    """A line of an editor with as many characters, none of which moves a cursor but the tab."""
    if line.isprintable():
        return line
    return "".join(one if one == "\t" or is_printable(one) else _picture(one) for one in line)


def _picture(character: str) -> str:
    shown = safe(character)
    return shown if len(shown) == 1 else _UNKNOWN


class SafeArea(TextArea):
    """A text area that shows harmless pictures of what it holds."""

    DEFAULT_CSS = """
    SafeArea { border: none; padding: 0; }
    SafeArea:focus { border: none; }
    """

    def __init__(self, text: str = "", **options: Any) -> None:
        super().__init__(text, compact=True, **options)

    def get_line(self, line_index: int) -> Text:
        """What is drawn of a line."""
        return Text(harmless(self.document.get_line(line_index)), end="", no_wrap=True)


class VariablesArea(SafeArea):
    """``NAME=VALUE`` lines. ``masked``: no value is ever shown, nor given to the clipboard."""

    def __init__(self, text: str = "", *, masked: bool = False, **options: Any) -> None:
        self._masked = masked
        super().__init__(text, **options)

    def get_line(self, line_index: int) -> Text:
        """What is drawn of a line: of a secret only the name, and how long it is."""
        line = super().get_line(line_index)
        name, given, value = line.plain.partition("=")
        if not self._masked or not given:
            return line
        hidden = "".join("*" * max(1, cell_len(one)) for one in value)
        return Text(f"{name}={hidden}", end="", no_wrap=True)

    def action_copy(self) -> None:
        """Give the selection to the clipboard, unless it may be a secret."""
        if not self._masked:
            super().action_copy()

    def action_cut(self) -> None:
        """The same, and remove it."""
        if self._masked:
            self.delete(*self.selection)
        else:
            super().action_cut()


class YamlEditor(SafeArea):
    """An editor for DAG files: line numbers, plain colours, and lines that have a problem."""

    def __init__(self, text: str = "", **options: Any) -> None:
        self._troubled: frozenset[int] = frozenset()
        self._tones: Mapping[Tone, Style] | None = None
        super().__init__(text, show_line_numbers=True, soft_wrap=False, **options)

    def notify_style_update(self) -> None:
        """The colours may be others now."""
        self._tones = None
        super().notify_style_update()

    def mark(self, lines: Collection[int]) -> None:
        """Underline these lines, counted from 1."""
        if frozenset(lines) != self._troubled:
            self._troubled = frozenset(lines)
            self.notify_style_update()
            self.refresh()

    def replace_all(self, text: str) -> None:
        """Hold another text; undo brings back the one before."""
        self.replace(text, (0, 0), self.document.end)
        self.move_cursor((0, 0))

    def go_to(self, line: int, column: int) -> None:
        """Put the cursor there, counted from 1, and make that visible."""
        row = min(max(0, line - 1), self.document.line_count - 1)
        length = len(self.document.get_line(row))
        self.move_cursor((row, min(max(0, column - 1), length)), center=True)
        self.focus()

    def get_line(self, line_index: int) -> Text:
        """What is drawn of a line."""
        line = super().get_line(line_index)
        if self._tones is None:
            self._tones = palette_of(self.app).tones
        tones = self._tones
        if _DOCUMENT.match(line.plain):
            line.stylize(tones[Tone.MUTED])
        key = _KEY.match(line.plain)
        if key:
            line.stylize(tones[Tone.STRONG], *key.span(1))
        comment = _COMMENT.search(line.plain)
        if comment:
            line.stylize(tones[Tone.MUTED], *comment.span())
        if line_index + 1 in self._troubled:
            line.stylize(tones[Tone.BAD] + Style(underline=True))
        return line
