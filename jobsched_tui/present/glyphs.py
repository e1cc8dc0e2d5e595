"""Which sign, letter, word and tone every state, status and trouble has: one table for each.

Owns the signs, what bars and frames are drawn with, and the ASCII twin of everything.
Knows no colour (the widgets do) and no column.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Final

from rich.cells import cell_len

from jobsched.states import ScheduleState, TaskStatus
from jobsched_tui.data.frame import Trouble
from jobsched_tui.present.spans import Line, Span, Tone


@dataclass(frozen=True, slots=True, kw_only=True)
class Pen:
    """What lines, bars and hints are drawn with; every piece is one cell."""

    horizontal: str
    vertical: str
    #: Corners: top left, top right, bottom left, bottom right.
    corners: str
    cursor: str
    marked: str
    up: str
    down: str
    #: Whether a process lives: yes, no, cannot be told.
    lives: str
    gone: str
    unknown: str
    attention: str
    dot: str
    #: A bar: a whole cell, the parts of one (least first), and an empty one.
    full: str
    parts: str
    empty: str
    #: Heights, lowest first.
    heights: str
    is_ascii: bool = False


UNICODE: Final = Pen(
    horizontal="─",
    vertical="│",
    corners="┌┐└┘",
    cursor="▶",
    marked="*",
    up="▲",
    down="▼",
    lives="●",
    gone="✗",
    unknown="?",
    attention="⚠",
    dot="●",
    full="█",
    parts="▏▎▍▌▋▊▉",
    empty=" ",
    heights="▁▂▃▄▅▆▇█",
)

ASCII: Final = Pen(
    is_ascii=True,
    horizontal="-",
    vertical="|",
    corners="++++",
    cursor=">",
    marked="*",
    up="^",
    down="v",
    lives="+",
    gone="!",
    unknown="?",
    attention="!",
    dot="*",
    full="#",
    parts="",
    empty=".",
    heights="_.:-=+*#",
)


@dataclass(frozen=True, slots=True)
class Mark:
    """How one value looks: always a sign and a word; the tone only repeats what they say."""

    glyph: str
    #: The sign where only ASCII may be written.
    letter: str
    tone: Tone
    #: The whole word, and one of at most :data:`SHORT` cells for narrow terminals.
    word: str
    short: str

    def sign(self, pen: Pen = UNICODE) -> str:
        """One cell."""
        return self.letter if pen.is_ascii else self.glyph

    def label(self, pen: Pen = UNICODE, *, short: bool = False) -> str:
        """Sign and word."""
        return f"{self.sign(pen)} {self.short if short else self.word}"


#: Cells of the longest short word.
SHORT: Final = 7

_S, _T = ScheduleState, TaskStatus

STATES: Final[Mapping[ScheduleState, Mark]] = MappingProxyType(
    {
        _S.INACTIVE: Mark("○", "-", Tone.MUTED, "INACTIVE", "INACT"),
        _S.WAITING: Mark("◔", "w", Tone.QUEUED, "WAITING", "WAIT"),
        _S.LAUNCHING: Mark("▲", "L", Tone.LAUNCHING, "LAUNCHING", "LNCH"),
        _S.ALIVE_WAITING: Mark("◐", "a", Tone.AGAIN, "ALIVE_WAITING", "ALV-W"),
        _S.ALIVE: Mark("●", "A", Tone.GOOD, "ALIVE", "ALIVE"),
        _S.DONE: Mark("■", "D", Tone.MUTED, "DONE", "DONE"),
    }
)

STATUSES: Final[Mapping[TaskStatus, Mark]] = MappingProxyType(
    {
        _T.PENDING: Mark("◔", "p", Tone.QUEUED, "PENDING", "PEND"),
        _T.STARTING: Mark("▲", "s", Tone.LAUNCHING, "STARTING", "START"),
        _T.RUNNING: Mark("●", "r", Tone.GOOD, "RUNNING", "RUN"),
        _T.RECOVERING: Mark("◐", "v", Tone.AGAIN, "RECOVERING", "RECOV"),
        _T.CANCELLING: Mark("⊘", "c", Tone.WARN, "CANCELLING", "CANC-G"),
        _T.SUCCEEDED: Mark("✓", "+", Tone.GOOD, "SUCCEEDED", "OK"),
        _T.FAILED: Mark("✗", "x", Tone.BAD, "FAILED", "FAIL"),
        _T.FAILED_SETUP: Mark("✗", "x", Tone.BAD, "FAILED_SETUP", "F-SETUP"),
        _T.FAILED_PRECHECKS: Mark("✗", "x", Tone.BAD, "FAILED_PRECHECKS", "F-CHECK"),
        _T.FAILED_NO_RESOURCE: Mark("✗", "x", Tone.BAD, "FAILED_NO_RESOURCE", "F-ROOM"),
        _T.FAILED_CONTROLLER: Mark("✗", "x", Tone.BAD, "FAILED_CONTROLLER", "F-CTRL"),
        _T.CANCELLED: Mark("⊘", "C", Tone.WARN, "CANCELLED", "CANC"),
    }
)

TROUBLES: Final[Mapping[Trouble, Mark]] = MappingProxyType(
    {one: Mark("✗", "!", Tone.ALARM, one.value, one.value) for one in Trouble}
)


def state(value: ScheduleState) -> Mark:
    """How a schedule state looks."""
    return STATES[value]


def status(value: TaskStatus) -> Mark:
    """How a status looks."""
    return STATUSES[value]


def trouble(value: Trouble) -> Mark:
    """How a trouble looks."""
    return TROUBLES[value]


def pen_for(*, is_ascii: bool) -> Pen:
    """What to draw with, by the operator's choice."""
    return ASCII if is_ascii else UNICODE


#: What takes the place of characters that the console itself writes into texts.
_TWINS: Final = {"●": "*", "…": "~", "·": "-", "─": "-", "→": ">", "↓": "v"}


def ascii_line(line: Line) -> list[Span]:
    """The line in as many cells and ASCII alone: a question mark for each cell that has none."""
    return [
        piece if piece.text.isascii() else Span(_ascii(piece.text), piece.tone) for piece in line
    ]


def _ascii(text: str) -> str:
    return "".join(one if one.isascii() else _TWINS.get(one, "?" * cell_len(one)) for one in text)
