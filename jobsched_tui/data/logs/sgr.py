"""Colours that a program printed into its log: those that may be shown, taken from the text.

Owns the allow-list: the 16 colours, the 256, 24-bit ones, bold, dim, underline and their ends.
Blinking, hiding, reversing are taken out and do nothing; every other escape stays in the text, for
:func:`jobsched.text.safe` to make visible.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Final, TypeAlias

#: A number of the palette (0 to 15 are the terminal's own), or red, green and blue.
Colour: TypeAlias = "int | tuple[int, int, int]"

#: One escape, as text and as bytes.
SEQUENCE: Final = re.compile("\x1b\\[([0-9;:]*)m")
SEQUENCE_BYTES: Final = re.compile(rb"\x1b\[[0-9;:]*m")

_BYTE: Final = 255


@dataclass(frozen=True, slots=True)
class LogStyle:
    """How a program wanted a piece of its output to look."""

    fore: Colour | None = None
    back: Colour | None = None
    bold: bool = False
    dim: bool = False
    underline: bool = False


NO_STYLE: Final = LogStyle()


@dataclass(frozen=True, slots=True)
class Styled:
    """A harmless piece of a line."""

    text: str
    style: LogStyle = NO_STYLE


_SIMPLE: Final[dict[int, dict[str, bool | None]]] = {
    1: {"bold": True},
    2: {"dim": True},
    4: {"underline": True},
    22: {"bold": False, "dim": False},
    24: {"underline": False},
    39: {"fore": None},
    49: {"back": None},
}
#: First code, which side, first colour of the palette.
_RANGES: Final = ((30, "fore", 0), (40, "back", 0), (90, "fore", 8), (100, "back", 8))
_EXTENDED: Final = {38: "fore", 48: "back"}


def split(text: str) -> Iterator[tuple[str, LogStyle]]:
    """The text between the escapes, each piece with the style in force there."""
    style, at = NO_STYLE, 0
    for found in SEQUENCE.finditer(text):
        if found.start() > at:
            yield text[at : found.start()], style
        style, at = apply(style, found[1]), found.end()
    if at < len(text):
        yield text[at:], style


@lru_cache(1024)
def apply(style: LogStyle, parameters: str) -> LogStyle:
    """The style after an escape with these parameters."""
    codes = [int(code[:4]) if code else 0 for code in re.split("[;:]", parameters)]
    while codes:
        code = codes.pop(0)
        if code == 0:
            style = NO_STYLE
        elif code in _SIMPLE:
            style = replace(style, **_SIMPLE[code])  # type: ignore[arg-type] # names stand in _SIMPLE
        elif code in _EXTENDED:
            colour = _extended(codes)
            style = style if colour is None else _coloured(style, _EXTENDED[code], colour)
        else:
            style = _basic(style, code)
    return style


def _basic(style: LogStyle, code: int) -> LogStyle:
    for first, side, colour in _RANGES:
        if first <= code < first + 8:
            return _coloured(style, side, colour + code - first)
    return style


def _extended(codes: list[int]) -> Colour | None:
    """Take a colour's numbers from the front; ``None`` if they name none."""
    kind = codes.pop(0) if codes else 0
    count = {5: 1, 2: 3}.get(kind, 0)
    numbers = [codes.pop(0) for _ in range(min(count, len(codes)))]
    if len(numbers) < count or not count or max(numbers) > _BYTE:
        return None
    return numbers[0] if count == 1 else (numbers[0], numbers[1], numbers[2])


def _coloured(style: LogStyle, side: str, colour: Colour) -> LogStyle:
    return replace(style, fore=colour) if side == "fore" else replace(style, back=colour)
