"""When a line was written, where it says so at its beginning.

Owns which notations count: ``2024-05-01 12:20:01.113`` (with ``T``, zone, brackets or without) and
``12:20:01``, of which the day is the latest that is not after a given moment. Most logs of tasks
have none; then there is no answer, and none is made up.
"""

from __future__ import annotations

import re
from datetime import UTC, datetime, timedelta, tzinfo
from typing import Final

from jobsched_tui.data.logs.index import LineIndex
from jobsched_tui.data.logs.lines import clean

_STAMP: Final = re.compile(
    r"\[?(?:(\d{4}-\d\d-\d\d)[T ])?(\d\d:\d\d:\d\d)(?:[.,](\d{1,9}))?"
    r"(Z|[+-]\d\d:?\d\d)?\]?(?=[\s:|-]|$)"
)
#: Lines of a block that are looked at for a time.
_LOOKED_AT: Final = 40
#: How far a clock of the writer may be ahead.
_AHEAD: Final = timedelta(minutes=5)


def stamp_size(text: str) -> int:
    """How many characters at the start of a line are its time, with the blank behind it."""
    found = _STAMP.match(text)
    if found is None:
        return 0
    return found.end() + text[found.end() : found.end() + 1].isspace()


def stamp_of(text: str, *, before: float, zone: tzinfo | None = None) -> float | None:
    """When a line says that it was written, in Unix seconds.

    ``before``: the latest that can be, for a time without a day. ``zone``: of times that name
    none; ``None``: the machine's.
    """
    found = _STAMP.match(text)
    if found is None:
        return None
    day, time, fraction, offset = found.groups()
    latest = datetime.fromtimestamp(before, UTC).astimezone(zone)
    try:
        at = datetime.fromisoformat(f"{day or latest.date()}T{time}.{(fraction or '0')[:6]:0<6}")
        at = at.replace(tzinfo=_zone(offset)) if offset else _placed(at, zone)
    except ValueError:
        return None
    if day is None and at > latest + _AHEAD:
        at -= timedelta(days=1)
    return at.timestamp()


def line_at_time(
    index: LineIndex, at: float, *, before: float, zone: tzinfo | None = None
) -> int | None:
    """The first line written at or after a time, the last one if all are older.

    ``None``: no line looked at says when it was written. Needs a complete index; takes it that
    times do not fall.
    """
    low, high, seen = 0, index.end, False
    while low < high:
        middle = (low + high) // 2
        sample = _sample(index, middle, high, before, zone)
        seen = seen or sample is not None
        if sample is None or sample[1] >= at:
            high = middle
        else:
            low = sample[0] + 1
    return _within(index, max(0, low - 1), at, before, zone) if seen else None


def _sample(
    index: LineIndex, block: int, stop: int, before: float, zone: tzinfo | None
) -> tuple[int, float] | None:
    """The first time in one of the blocks from this one on, and the block it is in."""
    for looked_at in range(block, stop):
        first = index.before(looked_at) + (looked_at > 0)
        for raw in index.window(first, min(_LOOKED_AT, index.before(looked_at + 1) + 1 - first)):
            at = stamp_of(clean(raw).text, before=before, zone=zone)
            if at is not None:
                return looked_at, at
    return None


def _within(
    index: LineIndex, block: int, at: float, before: float, zone: tzinfo | None
) -> int | None:
    """The line itself: it begins in this block, or is the first with a time behind it."""
    last = None
    for raw in index.window(index.before(block), index.total):
        found = stamp_of(clean(raw).text, before=before, zone=zone)
        if found is not None:
            last = raw.number
            if found >= at:
                break
    return last


def _placed(at: datetime, zone: tzinfo | None) -> datetime:
    return at.astimezone() if zone is None else at.replace(tzinfo=zone)


def _zone(offset: str) -> tzinfo | None:
    return datetime.fromisoformat(f"2000-01-01T00:00:00{offset}").tzinfo
