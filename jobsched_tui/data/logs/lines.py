"""A line of a log, made fit to be seen.

Owns what of a line's bytes is shown: what stands after its last carriage return, decoded, at most
4 KiB of it, harmless, with the colours that may be shown. Pure. ``shown`` is the same decision for
many lines at a time, for those who search.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from typing import Final

from jobsched.text import safe
from jobsched_tui.data.logs import sgr
from jobsched_tui.data.logs.index import RawLine
from jobsched_tui.data.logs.sgr import Styled

#: Bytes of a line that are shown, at most.
SHOWN: Final = 4096

_TAB: Final = 8
_CONTINUES: Final = 0b1000_0000
_TWO_BITS: Final = 0b1100_0000
#: The look behind keeps this linear on long runs.
_LINE_END: Final = re.compile(rb"(?<!\r)\r++$", re.MULTILINE)
_REPLACED: Final = re.compile(rb"^[^\n]*\r", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class LogLine:
    """A line as it may be shown."""

    pieces: tuple[Styled, ...] = ()
    #: How often it was written over by carriage returns.
    updates: int = 0
    #: Bytes that are not shown.
    missing: int = 0
    #: Whether only its ends were read, so that there may be more updates.
    in_part: bool = False

    @property
    def text(self) -> str:
        """All pieces together."""
        return "".join(piece.text for piece in self.pieces)


def clean(raw: RawLine) -> LogLine:
    """What a person should see of a line."""
    if raw.tail:
        return _clean_part(raw)
    return clean_bytes(raw.head)


def clean_bytes(data: bytes) -> LogLine:
    """The same for the bytes of a whole line, without its newline."""
    data = data.rstrip(b"\r")
    updates = data.count(b"\r")
    last = data[data.rfind(b"\r") + 1 :] if updates else data
    return _shown(last, updates, len(last))


def shown(data: bytes) -> bytes:
    """Whole lines, each reduced to what is seen of it; there are as many as before."""
    if b"\r" in data:
        data = _REPLACED.sub(b"", _LINE_END.sub(b"", data))
    return sgr.SEQUENCE_BYTES.sub(b"", data) if b"\x1b[" in data else data


def _clean_part(raw: RawLine) -> LogLine:
    """Of a line of which only both ends were read: its last rewrite, else its beginning."""
    tail = raw.tail.rstrip(b"\r")
    at = tail.rfind(b"\r")
    if at < 0:
        return _shown(raw.head, 0, raw.size)
    updates = raw.head.count(b"\r") + tail.count(b"\r")
    return replace(_shown(tail[at + 1 :], updates, len(tail) - at - 1), in_part=True)


def _shown(data: bytes, updates: int, size: int) -> LogLine:
    cut = _cut(data)
    text = data[:cut].decode("utf-8", "replace")
    return LogLine(tuple(_pieces(text)), updates, size - cut)


def _cut(data: bytes) -> int:
    """How many bytes to show: no character is cut in two."""
    if len(data) <= SHOWN:
        return len(data)
    cut = SHOWN
    while cut > SHOWN - 4 and data[cut] & _TWO_BITS == _CONTINUES:
        cut -= 1
    return cut


def _pieces(text: str) -> list[Styled]:
    pieces: list[Styled] = []
    column = 0
    for part, style in sgr.split(text):
        if "\t" in part:
            indent = column % _TAB
            part = (" " * indent + part).expandtabs(_TAB)[indent:]  # noqa: PLW2901 -- the same, wider
        pieces.append(Styled(safe(part), style))
        column += len(part)
    return pieces
