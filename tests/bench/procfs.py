"""What Linux tells of processes: who lives below us, what they cost, what they occupy.

Owns the reading of /proc. Of CPU time there are two sources: the clock of a process, to the
nanosecond and with threads that have ended, and what it has collected of its children, to the tick.
"""

from __future__ import annotations

import os
import time
from collections.abc import Iterable
from pathlib import Path
from typing import Final, NamedTuple

_PROC: Final = Path("/proc")
_TICKS: Final = os.sysconf("SC_CLK_TCK")
#: Of the fields after the name in /proc/PID/stat.
_STATE, _PARENT, _USER, _SYSTEM, _CHILDREN_USER, _CHILDREN_SYSTEM = 0, 1, 11, 12, 13, 14
#: Of the numbers of /proc/stat: all that is busy are the first eight but idle, iowait and steal.
_COUNTED, _IDLE, _IOWAIT, _STEAL = 8, 3, 4, 7
_ZOMBIE: Final = "Z"
_KIB: Final = 1024
_CPUCLOCK_SCHED: Final = 2


class Process(NamedTuple):
    """A line of /proc/PID/stat."""

    pid: int
    name: str
    state: str
    parent: int
    #: Seconds of CPU time, in whole ticks: its own, and of the children that it has collected.
    own: float
    children: float

    @property
    def has_ended(self) -> bool:
        """Whether only its parent has yet to hear of it."""
        return self.state == _ZOMBIE


def parse_stat(line: str) -> Process:
    """One line of /proc/PID/stat; the name may hold anything, brackets too."""
    first, last = line.index("("), line.rindex(")")
    rest = line[last + 1 :].split()
    ticks = [int(rest[place]) for place in (_USER, _SYSTEM, _CHILDREN_USER, _CHILDREN_SYSTEM)]
    return Process(
        int(line[:first]),
        line[first + 1 : last],
        rest[_STATE],
        int(rest[_PARENT]),
        (ticks[0] + ticks[1]) / _TICKS,
        (ticks[2] + ticks[3]) / _TICKS,
    )


def parse_smaps(text: str) -> dict[str, int]:
    """The sums in /proc/PID/smaps_rollup, in bytes, by their names."""
    found = {}
    for line in text.splitlines():
        words = line.split()
        if len(words) == 3 and words[2] == "kB":
            found[words[0].rstrip(":")] = int(words[1]) * _KIB
    return found


def parse_busy(line: str) -> float:
    """Seconds of CPU time that all processes together have used, from the head of /proc/stat."""
    ticks = [int(word) for word in line.split()[1:]][:_COUNTED]
    return (sum(ticks) - ticks[_IDLE] - ticks[_IOWAIT] - ticks[_STEAL]) / _TICKS


def busy_seconds() -> float:
    """The same, now."""
    with (_PROC / "stat").open(encoding="ascii") as file:
        return parse_busy(file.readline())


def descendants(root: int | None = None) -> list[Process]:
    """All that ``root`` (this process) has started, and they in turn, those that have ended too."""
    below: dict[int, list[Process]] = {}
    for name in os.listdir(_PROC):  # noqa: PTH208 - thousands of names, and no Path of any
        if name.isdecimal() and (found := _process(name)) is not None:
            below.setdefault(found.parent, []).append(found)
    reached: list[Process] = []
    ahead = [os.getpid() if root is None else root]
    while ahead:
        children = below.get(ahead.pop(), [])
        reached += children
        ahead += [child.pid for child in children]
    return reached


def living(root: int | None = None) -> list[Process]:
    """Those that have not ended."""
    return [one for one in descendants(root) if not one.has_ended]


def _process(name: str) -> Process | None:
    try:
        with open(f"/proc/{name}/stat", encoding="utf-8", errors="replace") as file:  # noqa: PTH123
            return parse_stat(file.read())
    except OSError:  # it has gone meanwhile
        return None


def cpu_seconds(found: Process) -> float:
    """CPU time of a process and of the children that it has collected."""
    try:
        own = time.clock_gettime(~found.pid << 3 | _CPUCLOCK_SCHED)
    except OSError:
        own = found.own
    return own + found.children


def command_line(pid: int) -> str:
    """Its arguments, blanks between them; empty once it has gone."""
    try:
        return (_PROC / str(pid) / "cmdline").read_bytes().replace(b"\0", b" ").decode().strip()
    except OSError:
        return ""


def proportional_bytes(pids: Iterable[int]) -> int:
    """Proportional set sizes of processes, in sum; of those that have gone nothing."""
    return sum(_proportional(pid) for pid in pids)


def _proportional(pid: int) -> int:
    try:
        return parse_smaps((_PROC / str(pid) / "smaps_rollup").read_text("ascii")).get("Pss", 0)
    except OSError:
        return 0


def available_bytes() -> int:
    """Memory that could be had without swapping."""
    for line in (_PROC / "meminfo").read_text("ascii").splitlines():
        if line.startswith("MemAvailable:"):
            return int(line.split()[1]) * _KIB
    return 0
