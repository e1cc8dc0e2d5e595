"""The automatic alive limit in words, whatever bounds it."""

from __future__ import annotations

import pytest

from jobsched.machine.footprint import Footprint
from jobsched.machine.memory import Memory
from jobsched.machine.room import room_for
from jobsched.machine.wording import in_words

MIB = 1024**2
GIB = 1024**3
NOW = 1_000_000.0
MEASURED = Footprint(5 * MIB, 16, NOW - 150)


@pytest.mark.parametrize(
    ("memory", "alive", "said"),
    [
        (Memory(total=24 * GIB, available=12 * GIB), 0,
         "1,966 = (12.0 GiB available - 2.4 GiB kept) / 5.0 MiB"),
        (Memory(total=24 * GIB, available=12 * GIB), 10,
         "1,976 = 10 alive + (12.0 GiB available - 2.4 GiB kept) / 5.0 MiB"),
        (Memory(total=24 * GIB, available=2 * GIB), 400,
         "318 = 400 alive - (2.4 GiB kept - 2.0 GiB available) / 5.0 MiB"),
        (Memory(total=24 * GIB, available=23 * GIB), 2000,
         "4,423 = (24.0 GiB in all - 2.4 GiB kept) / 5.0 MiB"),
        (Memory(total=24 * GIB, available=12 * GIB, stalled=31.4), 70,
         "70 = 70 alive and no more, as programs wait for memory 31 % of the time"),
        (Memory(total=512 * MIB, available=10 * MIB), 3,
         "1 = the least there is, with 10.0 MiB available, 128.0 MiB kept and 5.0 MiB for each"),
        (Memory(total=6000 * GIB, available=5990 * GIB), 0,
         "1,000,000 = the most there may be, with 5990.0 GiB available and 5.0 MiB for each"),
    ],
)  # fmt: skip
def test_sums(memory: Memory, alive: int, said: str) -> None:
    """The number, what it is the sum of, and what one was measured on."""
    room = room_for(memory, MEASURED.each, alive)
    words = in_words(room.limit, alive, room, MEASURED, NOW)
    assert words == f"{said}, measured on 16 controllers 2 min ago"


@pytest.mark.parametrize(
    ("footprint", "said"),
    [
        (Footprint(), "assumed until controllers are measured"),
        (Footprint(5 * MIB, 1, NOW), "measured on 1 controller 0 s ago"),
        (Footprint(5 * MIB, 2, NOW + 9), "measured on 2 controllers 0 s ago"),
        (Footprint(5 * MIB, 2, NOW - 59), "measured on 2 controllers 59 s ago"),
        (Footprint(5 * MIB, 2, NOW - 7200), "measured on 2 controllers 2 h ago"),
        (Footprint(5 * MIB, 2, NOW - 200_000), "measured on 2 controllers 2 d ago"),
    ],
)
def test_whence(footprint: Footprint, said: str) -> None:
    """How many, and how long ago; or that it is assumed."""
    room = room_for(Memory(total=24 * GIB, available=12 * GIB), footprint.each, 0)
    assert in_words(room.limit, 0, room, footprint, NOW).endswith(f" MiB, {said}")


@pytest.mark.parametrize(
    ("in_force", "begins", "ends"),
    [
        (1990, "1,990; memory now gives 1,966 = (", "; too near to be changed for it"),
        (600, "600; memory now gives 1,966 = (", "; the next pass takes that"),
    ],
)
def test_another_limit_is_in_force(in_force: int, begins: str, ends: str) -> None:
    """What memory gives now is told beside it, and what becomes of that."""
    room = room_for(Memory(total=24 * GIB, available=12 * GIB), MEASURED.each, 0)
    words = in_words(in_force, 0, room, MEASURED, NOW)
    assert words.startswith(begins)
    assert words.endswith(ends)
