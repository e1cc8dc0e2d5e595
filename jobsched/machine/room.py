"""How many jobs may be alive: the arithmetic of the automatic limit, as pure functions.

Owns the formula, how much memory is kept free, and which difference is worth a change. Reads no
file and no clock.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum, unique
from typing import Final

from jobsched.bounds import MOST_JOBS
from jobsched.machine.memory import Memory

_MIB: Final = 1024 * 1024

#: Of all memory, the part that controllers leave free for everything else: a tenth, within bounds.
#: It is what a wrong measure, or a task that begins to grow, may take before anybody is short.
_KEPT_PART: Final = 10
_KEPT_LEAST: Final = 128 * _MIB
_KEPT_MOST: Final = 4096 * _MIB
#: In a small container never more than a quarter.
_KEPT_SHARE: Final = 4
#: Percent of the time that programs wait for memory, from which on no more are admitted.
STALLED: Final = 10.0
#: Percent by which a limit differs from the one in force to be worth a change: while it keeps
#: somebody back, and while it does not matter to anybody.
_WORTH_IT: Final = 2
_WORTH_IT_IDLE: Final = 10


@unique
class Bound(StrEnum):
    """What the limit follows from."""

    #: What can be had now.
    AVAILABLE = "AVAILABLE"
    #: All that there is.
    TOTAL = "TOTAL"
    #: Programs wait for memory: no more than those that are alive.
    STALLED = "STALLED"
    #: Memory is full; one at a time is always admitted.
    LEAST = "LEAST"
    #: The largest number that a limit may be.
    MOST = "MOST"


@dataclass(frozen=True, slots=True, kw_only=True)
class Room:
    """A limit on alive jobs, and what it follows from. Sizes are bytes."""

    limit: int
    bound: Bound
    memory: Memory
    #: What is kept free.
    kept: int
    #: What one more controller takes.
    each: int
    #: Jobs that were alive at that look: what they take is not available any more.
    alive: int


def kept_bytes(total: int) -> int:
    """How much of ``total`` is kept free of controllers."""
    kept = min(_KEPT_MOST, max(_KEPT_LEAST, total // _KEPT_PART))
    return min(kept, total // _KEPT_SHARE)


def room_for(memory: Memory, each: int, alive: int) -> Room:
    """How many jobs may be alive, where ``alive`` are and one more takes ``each`` bytes.

    Those that are alive, and as many as what is available above what is kept has room for: fewer
    than are alive where that is being used up. Never more than all memory has room for. At least 1.
    """
    kept = kept_bytes(memory.total)
    more, bound = (memory.available - kept) // each, Bound.AVAILABLE
    if memory.stalled >= STALLED and more > 0:
        more, bound = 0, Bound.STALLED
    limit, most = alive + more, (memory.total - kept) // each
    if limit > most:
        limit, bound = most, Bound.TOTAL
    if limit > MOST_JOBS:
        limit, bound = MOST_JOBS, Bound.MOST
    if limit < 1:
        limit, bound = 1, Bound.LEAST
    return Room(limit=limit, bound=bound, memory=memory, kept=kept, each=each, alive=alive)


def is_worth_it(in_force: int, wanted: int, used: int) -> bool:
    """Whether a limit is changed to ``wanted``, so that it does not follow every breath of memory.

    At once where no more may start and the one in force would let some.
    """
    if wanted <= used < in_force:
        return True
    percent = _WORTH_IT if used >= in_force else _WORTH_IT_IDLE
    return abs(wanted - in_force) * 100 > percent * in_force
