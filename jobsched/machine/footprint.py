"""What one controller takes: its proportional share of memory, measured on some that live.

Owns how that is measured, and what is assumed before. A page that several processes have is counted
for each in part, so that a controller which was forked counts by what it does not share. Chooses
no processes and keeps nothing.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

_MIB: Final = 1024 * 1024

#: Bytes, where none has been measured: a controller that is a Python process of its own takes 32
#: MiB, which is rounded up.
ASSUMED: Final = 40 * _MIB
#: Bounds of what is believed: less is a process that has not begun, more is one that is broken.
_LEAST: Final = _MIB
_MOST: Final = 1024 * _MIB
#: Controllers that are measured at a time; each costs half a millisecond.
SAMPLE: Final = 16

_PROC: Final = Path("/proc")


@dataclass(frozen=True, slots=True)
class Footprint:
    """What one more controller adds."""

    #: Bytes.
    each: int = ASSUMED
    #: How many it was measured on; 0: it is assumed.
    controllers: int = 0
    #: When it was measured, Unix seconds.
    at: float | None = None


def measure(pids: Sequence[int], now: float, *, proc: Path = _PROC) -> Footprint | None:
    """The median of some of them; ``None`` where none can be measured."""
    found = sorted(
        taken for pid in spread(pids) if (taken := proportional_bytes(pid, proc)) is not None
    )
    if not found:
        return None
    # The upper one of two in the middle: too much is the safe side.
    return Footprint(min(_MOST, max(_LEAST, found[len(found) // 2])), len(found), now)


def spread(pids: Sequence[int]) -> list[int]:
    """At most :data:`SAMPLE` of them, taken evenly from all."""
    if len(pids) <= SAMPLE:
        return list(pids)
    return [pids[number * len(pids) // SAMPLE] for number in range(SAMPLE)]


def proportional_bytes(pid: int, proc: Path = _PROC) -> int | None:
    """The proportional set size of a process; ``None`` if it is gone, or hidden from us.

    Where the kernel does not tell that: what it has alone, or else all that it has in memory.
    """
    rollup = proc / str(pid) / "smaps_rollup"
    try:
        lines = rollup.read_bytes().splitlines()
    except FileNotFoundError:
        return None if (proc / "self" / "smaps_rollup").exists() else _as_psutil_says(pid)
    except OSError:
        return None
    return next((int(line.split()[1]) * 1024 for line in lines if line.startswith(b"Pss:")), None)


def _as_psutil_says(pid: int) -> int | None:
    import psutil  # noqa: PLC0415 -- dear, and not needed where there is /proc

    try:
        process = psutil.Process(pid)
        try:
            return int(process.memory_full_info().uss)
        except psutil.AccessDenied:
            return int(process.memory_info().rss)
    except (psutil.Error, OSError):
        return None
