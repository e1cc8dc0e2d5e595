"""The next line that matches, or that was written at a time: looked for a few blocks at a step.

Owns the walk from a line on, in either direction. It ends at the file's end: nothing wraps around.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import IntEnum, unique
from typing import Final

from jobsched_tui.data.logs.index import LineIndex
from jobsched_tui.data.logs.search import MatchIndex


@unique
class Direction(IntEnum):
    """Which way to look."""

    BACK = -1
    ON = 1


@dataclass(frozen=True, slots=True)
class Missed:
    """There is none that way."""


MISSED: Final = Missed()


class Walk:
    """From a line to the next one that matches and is among those shown."""

    def __init__(
        self,
        index: LineIndex,
        matches: MatchIndex,
        line: int,
        direction: Direction,
        *,
        among: MatchIndex | None = None,
    ) -> None:
        self._index, self._matches, self._among = index, matches, among
        self._line, self._direction = line, direction
        self._block: int | None = None

    def step(self, blocks: int) -> int | Missed | None:
        """Look into so many blocks at most; the line, or ``None``: not yet."""
        if self._block is None:
            known = 0 <= self._line < self._index.total
            edge = 0 if self._line < 0 else self._index.end - 1
            self._block = self._index.block_at(self._line) if known else edge
        while blocks > 0:
            if not 0 <= self._block < self._index.end:
                return MISSED
            if self._matches.may_have(self._block):
                blocks -= 1
                if (found := self._within(self._block)) is not None:
                    return found
            self._block += self._direction
        return None

    def _within(self, block: int) -> int | None:
        hits = self._matches.hits(block)
        if self._among is not None:
            kept = set(self._among.hits(block))
            hits = [line for line in hits if line in kept]
        if self._direction is Direction.ON:
            return next((line for line in hits if line > self._line), None)
        return next((line for line in reversed(hits) if line < self._line), None)
