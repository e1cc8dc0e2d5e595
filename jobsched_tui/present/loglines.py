"""A line of a log as rows of a screen: numbered, wrapped or moved sideways, with what stands out.

Owns what is highlighted, how a line is cut to the width, and what is drawn of it where there is
only ASCII. Pure. The colours that the program itself printed go along with each piece; a tone of
ours lies over them.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Final, TypeAlias

from rich.cells import cell_len, get_character_cell_size

from jobsched_tui.data.logs.lines import LogLine
from jobsched_tui.data.logs.sgr import NO_STYLE, LogStyle
from jobsched_tui.data.logs.stamps import stamp_size
from jobsched_tui.data.logs.values import Row
from jobsched_tui.present.glyphs import ascii_line
from jobsched_tui.present.spans import Span, Tone

#: How far into a line words are looked at that tell its level.
_LEVEL_WITHIN: Final = 120
_LEVEL: Final = re.compile(
    r"\b(?:(?P<bad>ERROR|CRITICAL|FATAL|Traceback|[Ee]rror(?=:)|[A-Z]\w*(?:Error|Exception)(?=:|$))"
    r"|(?P<warn>WARN(?:ING)?|[Ww]arning(?=:)|[A-Z]\w*Warning(?=:))"
    r"|(?P<good>INFO)|(?P<muted>DEBUG|TRACE))\b"
)


@dataclass(frozen=True, slots=True)
class LogSpan(Span):
    """A piece of a log's line: a tone of ours over the style that was printed."""

    style: LogStyle = NO_STYLE


LogSpans: TypeAlias = Sequence[LogSpan]


@dataclass(frozen=True, slots=True)
class Look:
    """How lines are shown."""

    width: int
    wrap: bool = False
    numbers: bool = False
    timestamps: bool = True
    #: Cells of the text, not of the numbers, that are left of the screen. Not where it wraps.
    offset: int = 0
    #: Nothing but ASCII, in as many cells.
    is_ascii: bool = False
    #: Digits of the highest number.
    digits: int = 1
    #: Rows that one line may take at most.
    most: int = 1000


def log_rows(row: Row, look: Look, *, current: bool = False) -> list[LogSpans]:
    """The rows of one line; one alone unless it wraps. ``current``: the one jumped to last."""
    gutter = _gutter(row.number, look, current=current)
    room = max(1, look.width - sum(cell_len(piece.text) for piece in gutter))
    pieces = [*_highlighted(row, look), *_notes(row.line)]
    if look.is_ascii:
        pieces = [_in_ascii(piece) for piece in pieces]
    if not look.wrap:
        return [[*gutter, *_crop(pieces, look.offset, room)]]
    blank = [LogSpan(" " * cell_len(piece.text)) for piece in gutter]
    rows = _wrapped(pieces, room)[: look.most]
    return [[*(blank if at else gutter), *piece] for at, piece in enumerate(rows)]


def log_width(line: LogLine) -> int:
    """Cells of the whole line, numbers not counted."""
    notes = sum(cell_len(note.text) for note in _notes(line))
    return notes + sum(cell_len(piece.text) for piece in line.pieces)


def gutter_width(look: Look) -> int:
    """Cells in front of the text."""
    return sum(cell_len(piece.text) for piece in _gutter(None, look, current=False))


def _gutter(number: int | None, look: Look, *, current: bool) -> list[LogSpan]:
    if not look.numbers:
        return []
    shown = "" if number is None else str(number + 1)
    tone = Tone.STRONG if current else Tone.MUTED
    return [LogSpan(f"{shown:>{look.digits}}{'>' if current else ' '}", tone)]


def _notes(line: LogLine) -> list[LogSpan]:
    """What was left out."""
    notes = []
    if line.missing:
        notes.append(LogSpan(f"… +{line.missing} bytes", Tone.MUTED))
    if line.updates:
        more = " or more" if line.in_part else ""
        notes.append(LogSpan(f"  ({line.updates}{more} updates collapsed)", Tone.MUTED))
    return notes


def _in_ascii(piece: LogSpan) -> LogSpan:
    return replace(piece, text=ascii_line([piece])[0].text)


def _highlighted(row: Row, look: Look) -> Iterator[LogSpan]:
    """The pieces, cut where a tone begins or ends; what was searched for outweighs the rest."""
    line, text = row.line, row.line.text
    marks = [*((begin, end, Tone.MATCH) for begin, end in row.marks), *_level(text)]
    stamp = stamp_size(text)
    skipped = 0 if look.timestamps else stamp
    if stamp:
        marks.append((0, stamp, Tone.MUTED))
    edges = sorted({edge for begin, end, _ in marks for edge in (begin, end)} | {skipped})
    at = 0
    for piece in line.pieces:
        end = at + len(piece.text)
        inside = [at, *(edge for edge in edges if at < edge < end), end]
        for begin, stop in pairwise(inside):
            if begin >= skipped and stop > begin:
                tone = next((tone for low, high, tone in marks if low <= begin < high), Tone.PLAIN)
                yield LogSpan(piece.text[begin - at : stop - at], tone, piece.style)
        at = end


def _level(text: str) -> list[tuple[int, int, Tone]]:
    found = _LEVEL.search(text, 0, _LEVEL_WITHIN)
    return [] if found is None else [(found.start(), found.end(), Tone(found.lastgroup or "plain"))]


def _crop(pieces: Sequence[LogSpan], offset: int, room: int) -> Iterator[LogSpan]:
    """The cells from ``offset`` on; half of a wide character becomes a blank."""
    stop, at = offset + room, 0
    for piece in pieces:
        size = cell_len(piece.text)
        if at + size > offset and at < stop:
            low, high = max(0, offset - at), min(size, stop - at)
            text = piece.text
            cut = text[low:high] if text.isascii() else _cut(text, low, high)
            yield LogSpan(cut, piece.tone, piece.style)
        at += size


def _cut(text: str, low: int, high: int) -> str:
    """The cells from ``low`` up to ``high`` of a piece."""
    kept, at = [], 0
    for character in text:
        size = get_character_cell_size(character)
        inside = min(high, at + size) - max(low, at)
        if size and inside > 0:
            kept.append(character if inside == size else " " * inside)
        elif not size and low < at <= high:
            kept.append(character)
        at += size
    return "".join(kept)


def _wrapped(pieces: Sequence[LogSpan], room: int) -> list[list[LogSpan]]:
    """Rows of at most ``room`` cells; one at least. A wide character moves to the next row."""
    rows: list[list[LogSpan]] = [[]]
    left = room
    for piece in pieces:
        text = piece.text
        while text:
            fits = _fitting(text, left)
            if fits:
                rows[-1].append(LogSpan(text[:fits], piece.tone, piece.style))
                left -= cell_len(text[:fits])
                text = text[fits:]
            elif rows[-1]:
                rows.append([])
                left = room
            else:  # wider than the screen
                text = text[1:]
    return rows


def _fitting(text: str, cells: int) -> int:
    """How many characters fit."""
    if text.isascii():
        return min(len(text), cells)
    used = 0
    for at, character in enumerate(text):
        used += get_character_cell_size(character)
        if used > cells:
            return at
    return len(text)
