"""Memory as it is now: what there is, what can be had, and whether programs wait for it.

Owns the look, at the machine and at the control group, whichever is tighter. Keeps nothing.
"""

from __future__ import annotations

import os
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Final

from jobsched.machine import groups

_PROC: Final = Path("/proc")
_GROUPS: Final = Path("/sys/fs/cgroup")


@dataclass(frozen=True, slots=True, kw_only=True)
class Memory:
    """One look. Sizes are bytes."""

    #: What there is, or may be had here.
    total: int
    #: What can be had without swapping.
    available: int
    #: Percent of the last ten seconds in which some program waited for memory.
    stalled: float = 0.0


def look(pid: int | None = None, *, proc: Path = _PROC, mount: Path = _GROUPS) -> Memory:
    """Look now, as process ``pid`` sees it (by default the calling one): groups have bounds.

    ``proc``, ``mount``: where the kernel tells of processes and of control groups.
    """
    seen = _machine(proc)
    process = proc / ("self" if pid is None else str(pid))
    for group in groups.of(process, mount, below=seen.total):
        seen = _within(seen, group)
    return seen


def _within(seen: Memory, group: groups.Group) -> Memory:
    return replace(
        seen,
        total=min(seen.total, group.bound),
        available=min(seen.available, max(0, group.bound - group.used)),
        stalled=max(seen.stalled, _stalled(group.pressure)),
    )


def _machine(proc: Path) -> Memory:
    told = _meminfo(proc / "meminfo")
    if "MemTotal" not in told or "MemAvailable" not in told:
        return _without_proc()
    return Memory(
        total=told["MemTotal"],
        available=told["MemAvailable"],
        stalled=_stalled(proc / "pressure" / "memory"),
    )


def _meminfo(path: Path) -> dict[str, int]:
    """Bytes by name; empty where there is no such file."""
    lines = (line.split() for line in groups.text_of(path).splitlines())
    return {
        words[0].removesuffix(":"): int(words[1]) * 1024
        for words in lines
        if len(words) > 1 and words[1].isdecimal()
    }


def _stalled(path: Path) -> float:
    """``some avg10`` of a pressure file; 0 where the kernel keeps none."""
    for line in groups.text_of(path).splitlines():
        kind, _, values = line.partition(" ")
        if kind == "some":
            told = dict(value.partition("=")[::2] for value in values.split())
            try:
                return float(told["avg10"])
            except (KeyError, ValueError):
                break
    return 0.0


def _without_proc() -> Memory:
    import psutil  # noqa: PLC0415 -- dear, and not needed where there is /proc

    try:
        told = psutil.virtual_memory()
        return Memory(total=int(told.total), available=int(told.available))
    except (psutil.Error, OSError):
        total = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
        return Memory(total=total, available=total // 2)  # nobody tells; not all of it is free
