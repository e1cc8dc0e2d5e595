"""The automatic alive limit in words: the sum that it comes from, as one clause.

Owns the clause and how sizes are written in it. Reckons nothing.
"""

from __future__ import annotations

from typing import Final

from jobsched.machine.footprint import Footprint
from jobsched.machine.room import Bound, Room, is_worth_it

_MIB: Final = 1024 * 1024
_GIB: Final = 1024 * _MIB
_SPANS: Final = ((86_400, "d"), (3600, "h"), (60, "min"), (1, "s"))


def in_words(in_force: int, used: int, room: Room, footprint: Footprint, now: float) -> str:
    """``3,120 = 12 alive + (18.2 GiB available - 2.4 GiB kept) / 5.1 MiB, measured on ...``.

    ``in_force``: the limit that counts, where a look at memory now may give another; ``used``: of
    it.
    """
    comes = f"{room.limit:,} = {_sum(room)}, {_whence(footprint, now)}"
    if room.limit == in_force:
        return comes
    follows = is_worth_it(in_force, room.limit, used)
    then = "the next pass takes that" if follows else "too near to be changed for it"
    return f"{in_force:,}; memory now gives {comes}; {then}"


def _sum(room: Room) -> str:
    kept, each = f"{size(room.kept)} kept", size(room.each)
    available = f"{size(room.memory.available)} available"
    alive = f"{room.alive:,} alive"
    match room.bound:
        case Bound.TOTAL:
            return f"({size(room.memory.total)} in all - {kept}) / {each}"
        case Bound.STALLED:
            stalled = f"{room.memory.stalled:.0f} % of the time"
            return f"{alive} and no more, as programs wait for memory {stalled}"
        case Bound.LEAST:
            return f"the least there is, with {available}, {kept} and {each} for each"
        case Bound.MOST:
            return f"the most there may be, with {available} and {each} for each"
        case Bound.AVAILABLE if room.memory.available < room.kept:
            return f"{alive} - ({kept} - {available}) / {each}"
        case Bound.AVAILABLE:
            return f"{alive} + ({available} - {kept}) / {each}".removeprefix("0 alive + ")


def _whence(footprint: Footprint, now: float) -> str:
    if footprint.at is None:
        return "assumed until controllers are measured"
    one = footprint.controllers == 1
    count = "1 controller" if one else f"{footprint.controllers:,} controllers"
    return f"measured on {count} {_span(now - footprint.at)} ago"


def _span(seconds: float) -> str:
    """In its largest unit."""
    whole = max(0, int(seconds))
    for unit, name in _SPANS:
        if whole >= unit:
            return f"{whole // unit} {name}"
    return "0 s"


def size(count: int) -> str:
    """``5.1 MiB``, ``18.2 GiB``."""
    return f"{count / _GIB:.1f} GiB" if count >= _GIB else f"{count / _MIB:.1f} MiB"
