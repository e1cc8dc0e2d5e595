"""How many of something there are in each block of a file, and so where the n-th is.

Owns the arithmetic of a sparse index: two numbers for each block. Reads nothing.
"""

from __future__ import annotations

from array import array
from bisect import bisect_right
from collections.abc import Iterable, Iterator
from itertools import accumulate
from typing import Final

#: Bytes of a block. Blocks lie side by side from the file's first byte on.
BLOCK: Final = 256 * 1024


class Tally:
    """Counts of consecutive blocks, the first of which is number ``first``."""

    def __init__(self, first: int = 0) -> None:
        self.first = first
        self._counts = array("Q")
        #: What comes before each block, and behind the last one.
        self._sums = array("Q", [0])

    @property
    def end(self) -> int:
        """The number of the block behind the last."""
        return self.first + len(self._counts)

    @property
    def total(self) -> int:
        """Of all blocks together."""
        return self._sums[-1]

    def count(self, block: int) -> int:
        """Of this block."""
        return self._counts[block - self.first]

    def before(self, block: int) -> int:
        """Of all blocks before this one."""
        return self._sums[block - self.first]

    def block_of(self, number: int) -> int:
        """The block that has the ``number``-th, counted from 0; it must exist."""
        return self.first + bisect_right(self._sums, number) - 1

    def next_with_any(self, block: int) -> int | None:
        """The first block from this one on that has any."""
        below = self.before(block) if block < self.end else self.total
        return None if below == self.total else self.block_of(below)

    def append(self, count: int) -> None:
        """One more block."""
        self._counts.append(count)
        self._sums.append(self.total + count)

    def grow_last(self, count: int) -> None:
        """More in the last block."""
        self._counts[-1] += count
        self._sums[-1] += count

    def prepend(self, counts: Iterable[int]) -> int:
        """Blocks before the first one; how many that are together."""
        new = array("Q", counts)
        self.first -= len(new)
        self._replace(new + self._counts)
        return sum(new)

    def forget_from(self, block: int) -> None:
        """Drop this block and all behind it."""
        del self._counts[max(0, block - self.first) :]
        del self._sums[len(self._counts) + 1 :]

    def clear_until(self, block: int, left: int) -> int:
        """Nothing is left before ``block``, and ``left`` in it; how many are gone."""
        before = self.total
        counts = self._counts[:]
        for at in range(min(len(counts), block - self.first)):
            counts[at] = 0
        if self.first <= block < self.end:
            counts[block - self.first] = left
        self._replace(counts)
        return before - self.total

    def __iter__(self) -> Iterator[int]:
        return iter(self._counts)

    def _replace(self, counts: array[int]) -> None:
        self._counts = counts
        self._sums = array("Q", accumulate(counts, initial=0))
