"""Pieces of text with a meaning: the only form in which text reaches a terminal.

Owns the choke point: whatever comes from outside becomes a :class:`Span`, and a span's text can do
nothing to a terminal. A tone says what a piece means; only the widgets know which colour that is.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from enum import StrEnum, unique
from typing import TypeAlias

from rich.cells import cell_len, set_cell_size

from jobsched.text import safe


@unique
class Tone(StrEnum):
    """What a piece of text means to the operator."""

    PLAIN = "plain"
    MUTED = "muted"
    STRONG = "strong"
    #: Waits.
    QUEUED = "queued"
    #: Holds a launch slot.
    LAUNCHING = "launching"
    #: Wants a slot again, or recovers.
    AGAIN = "again"
    #: Runs, or went well.
    GOOD = "good"
    #: Being ended, paused, nearly full.
    WARN = "warn"
    #: A person must act.
    BAD = "bad"
    #: The same, so that it cannot be overlooked.
    ALARM = "alarm"
    #: A key to press, something to follow.
    KEY = "key"
    #: A title.
    TITLE = "title"
    #: What a search found.
    MATCH = "match"


@dataclass(frozen=True, slots=True)
class Span:
    """A piece of one line. Make it by :func:`span`: the text must be harmless."""

    text: str
    tone: Tone = Tone.PLAIN


Line: TypeAlias = Sequence[Span]


def span(text: object, tone: Tone = Tone.PLAIN) -> Span:
    """A piece of text of any origin, made harmless."""
    return Span(safe(str(text)), tone)


def plain(line: Line) -> str:
    """The text alone."""
    return "".join(piece.text for piece in line)


def width(line: Line) -> int:
    """How many cells of a terminal it takes."""
    return sum(cell_len(piece.text) for piece in line)


def clip(text: str, cells: int) -> str:
    """Harmless ``text`` in at most so many cells; an ellipsis shows that some is missing."""
    shown = safe(text)
    if cell_len(shown) <= cells:
        return shown
    return set_cell_size(shown, cells - 1).rstrip() + "…" if cells > 0 else ""


def fit(text: str, cells: int, *, right: bool = False) -> str:
    """Harmless ``text`` in exactly so many cells, cut or filled up."""
    shown = clip(text, cells)
    room = " " * max(0, cells - cell_len(shown))
    return room + shown if right else shown + room


def clip_line(line: Line, cells: int) -> list[Span]:
    """The line in at most so many cells."""
    kept: list[Span] = []
    for piece in line:
        size = cell_len(piece.text)
        if size > cells:
            kept.append(Span(clip(piece.text, cells), piece.tone))
            break
        kept.append(piece)
        cells -= size
    return kept


def joined(lines: Iterable[Line], gap: Span) -> list[Span]:
    """Several pieces of a line, ``gap`` between each two."""
    result: list[Span] = []
    for line in lines:
        if result:
            result.append(gap)
        result.extend(line)
    return result
