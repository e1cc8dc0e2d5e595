"""Control groups: how much memory a container may have, and how much of it is taken.

Owns how the kernel tells of it, in its second form and in its first. Judges nothing.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Final


@dataclass(frozen=True, slots=True)
class _Form:
    """Names of the files of a group."""

    bounds: tuple[str, ...]
    used: str
    #: In ``memory.stat``: pages of files that nobody has used lately, which are given up first.
    idle: str


_SECOND: Final = _Form(("memory.max", "memory.high"), "memory.current", "inactive_file")
_FIRST: Final = _Form(("memory.limit_in_bytes",), "memory.usage_in_bytes", "total_inactive_file")


@dataclass(frozen=True, slots=True)
class Group:
    """One group that has a bound. Sizes are bytes."""

    bound: int
    #: What its processes cannot do without.
    used: int
    #: Its pressure file; may be missing.
    pressure: Path


def of(process: Path, mount: Path, *, below: int) -> Iterator[Group]:
    """Every group with a bound below that many bytes that a process is in, from its own upwards.

    ``process``: its directory in ``/proc``. ``mount``: where groups are, ``/sys/fs/cgroup``.
    """
    for line in text_of(process / "cgroup").splitlines():
        number, _, rest = line.partition(":")
        kinds, _, path = rest.partition(":")
        if number == "0" and not kinds:
            yield from _bounded(mount, path, _SECOND, below)
        elif "memory" in kinds.split(","):
            yield from _bounded(mount / "memory", path, _FIRST, below)


def text_of(path: Path) -> str:
    """What the kernel says in a file of its own; empty where it cannot be read."""
    try:
        return path.read_text(encoding="ascii", errors="replace")
    except OSError:
        return ""


def _bounded(top: Path, path: str, form: _Form, below: int) -> Iterator[Group]:
    for folder in _upwards(top, path):
        numbers = (_number(folder / name) for name in form.bounds)
        bound = min((one for one in numbers if one is not None), default=below)
        if bound < below:
            yield Group(bound, _used(folder, form), folder / "memory.pressure")


def _upwards(top: Path, path: str) -> Iterator[Path]:
    """The group and those above it, as far as they can be seen from here.

    In a container the path may be that of the host, which is not there; then ``top`` is the
    container's own.
    """
    names = [name for name in path.split("/") if name]
    if ".." not in names:
        for count in range(len(names), 0, -1):
            yield top.joinpath(*names[:count])
    yield top


def _used(folder: Path, form: _Form) -> int:
    idle = 0
    for line in text_of(folder / "memory.stat").splitlines():
        name, _, value = line.partition(" ")
        if name == form.idle and value.isdecimal():
            idle = int(value)
    return max(0, (_number(folder / form.used) or 0) - idle)


def _number(path: Path) -> int | None:
    """``None`` for ``max``, and where there is no such file."""
    told = text_of(path).strip()
    return int(told) if told.isdecimal() else None
