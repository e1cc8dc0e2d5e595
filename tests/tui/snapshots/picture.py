"""What stands on a screen, cell by cell: its text, and which style each cell has.

Owns the form in which that is kept in a file and how two are compared.
"""

from __future__ import annotations

import difflib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby
from string import ascii_letters
from typing import Any, Final, TypeAlias

from rich.cells import cell_len
from rich.style import Style
from textual._compositor import LayoutUpdate
from textual.app import App

#: Cells in a row that look alike, and how.
Run: TypeAlias = tuple[int, str]

_MARKS: Final = ascii_letters
_ATTRIBUTES: Final = ("bold", "dim", "italic", "underline", "reverse", "strike")
_RULE: Final = "--"


@dataclass(frozen=True)
class Picture:
    """A screen. ``rows`` without the blanks at their ends."""

    rows: tuple[str, ...] = ()
    runs: tuple[tuple[Run, ...], ...] = ()


def picture_of(app: App[Any]) -> Picture:
    """What an application shows now, modal screens and what is behind them together."""
    update = app.screen._compositor.render_update(full=True, screen_stack=app._background_screens)
    assert isinstance(update, LayoutUpdate)
    lines = [[piece for strip in strips for piece in strip] for strips in update.strips]
    return Picture(
        tuple("".join(piece.text for piece in line).rstrip() for line in lines),
        tuple(
            tuple(_runs((cell_len(one.text), _words(one.style)) for one in line)) for line in lines
        ),
    )


def _runs(pieces: Iterator[Run]) -> Iterator[Run]:
    for style, alike in groupby(
        (piece for piece in pieces if piece[0]), key=lambda piece: piece[1]
    ):
        yield sum(cells for cells, _ in alike), style


def _words(style: Style | None) -> str:
    """``bold #e0e0e0 on #121212``."""
    if style is None:
        return "plain"
    words = [name for name in _ATTRIBUTES if getattr(style, name)]
    words.append("default" if style.color is None else style.color.name)
    if style.bgcolor is not None:
        words += ["on", style.bgcolor.name]
    return " ".join(words)


# In a file.


def written(picture: Picture) -> str:
    """As text: the rows, the styles by letter, then the letters of each row."""
    styles = sorted({style for row in picture.runs for _, style in row})
    marks = dict(zip(styles, _MARKS, strict=False))
    lines = [f"|{row}" for row in picture.rows]
    lines += [_RULE, *(f"{marks[style]} {style}" for style in styles), _RULE]
    lines += [" ".join(f"{marks[style]}{cells}" for cells, style in row) for row in picture.runs]
    return "\n".join(lines) + "\n"


def read(text: str) -> Picture:
    """What was written."""
    lines = text.splitlines()
    first = lines.index(_RULE)
    second = lines.index(_RULE, first + 1)
    styles = {line[0]: line[2:] for line in lines[first + 1 : second]}
    return Picture(
        tuple(line[1:] for line in lines[:first]),
        tuple(
            tuple((int(run[1:]), styles[run[0]]) for run in line.split())
            for line in lines[second + 1 :]
        ),
    )


# Compared.


def difference(expected: Picture, found: Picture) -> str:
    """What is not the same: the text if it differs, else where the styles do; empty: nothing."""
    if expected.rows != found.rows:
        shown = difflib.unified_diff(
            expected.rows, found.rows, "expected", "found", lineterm="", n=1
        )
        return "\n".join(shown)
    pairs = zip(expected.rows, expected.runs, found.runs, strict=True)
    told = [
        f"row {y}: {row}\n  expected {_told(before)}\n  found    {_told(after)}"
        for y, (row, before, after) in enumerate(pairs)
        if before != after
    ]
    return "\n".join(told)


def _told(runs: Sequence[Run]) -> str:
    return ", ".join(f"{cells} x {style}" for cells, style in runs)
