"""What ``auto`` means at a moment, from what is remembered or, where that is old, from a new look.

Owns which of the two. Writes nothing: the limits in force are written by ``store.limits``.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property
from pathlib import Path
from typing import Final, Generic, Self, TypeVar

from jobsched import machine
from jobsched.machine import memory, remembered, wording
from jobsched.machine.footprint import Footprint
from jobsched.machine.memory import Memory
from jobsched.machine.room import Room, room_for

T = TypeVar("T")

#: Seconds for which a look counts that somebody else has taken. Whoever ticks looks more often; so
#: a pass finds it done, and everybody reckons from the same.
_FRESH: Final = 60.0
#: Seconds for which a process's own look counts.
_GLANCE: Final = 5.0


class Glance(Generic[T]):
    """A process's own look at something, anew only every few seconds: it may make many passes."""

    def __init__(self, look: Callable[[], T], monotonic: Callable[[], float]) -> None:
        self._look, self._monotonic = look, monotonic
        self._seen: tuple[float, T] | None = None

    def __call__(self) -> T:
        """How it is now, or was a moment ago."""
        now = self._monotonic()
        if self._seen is None or now - self._seen[0] >= _GLANCE:
            self._seen = now, self._look()
        return self._seen[1]


class Auto:
    """The automatic limits. Nothing is read until it is asked for, and then once."""

    def __init__(
        self, path: Path, now: float, look: Callable[[], Memory] = memory.look,
        cpus: Callable[[], int] = machine.cpus,
    ) -> None:  # fmt: skip
        """``path``: where it is remembered what was seen; ``now``: Unix seconds."""
        self._path, self._now, self._look, self._cpus = path, now, look, cpus

    def look(self) -> Self:
        """Read now what would be read when it is asked for, which may be where others wait."""
        _ = self.launch, self._sight
        return self

    @cached_property
    def launch(self) -> int:
        """The launch limit."""
        return machine.auto_launch_limit(self._cpus())

    @property
    def footprint(self) -> Footprint:
        """What one controller takes."""
        return Footprint() if self._remembered is None else self._remembered.footprint

    def room(self, used: int) -> Room:
        """What the alive limit comes to, ``used`` of it being used now."""
        memory_then, alive = self._sight
        return room_for(memory_then, self.footprint.each, used if alive is None else alive)

    def in_words(self, in_force: int, used: int) -> str:
        """Where an alive limit ``in_force`` comes from; one clause."""
        return wording.in_words(in_force, used, self.room(used), self.footprint, self._now)

    @cached_property
    def _remembered(self) -> remembered.Remembered | None:
        return remembered.load(self._path)

    @cached_property
    def _sight(self) -> tuple[Memory, int | None]:
        """A look at memory, and how many jobs were alive then; ``None``: as many as are now."""
        seen = self._remembered
        if seen is None or abs(self._now - seen.at) > _FRESH:
            return self._look(), None
        return seen.memory, seen.alive
