"""Which line is where: two numbers for each 256 KiB, grown from both ends of the file.

Owns the numbering. A long log is shown from its end at once: the blocks at the end are counted
first, those before them later, and until the two meet all numbers are too small by the same amount.
Whatever changes that constant is returned as a *shift*: to be added to every number given before.
A line begins after a newline; a carriage return ends none.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from jobsched_tui.data.logs.file import LogFile
from jobsched_tui.data.logs.tally import BLOCK, Tally

#: Lines that the end of a log is opened with, at least, unless they take more blocks than this.
_FIRST_LINES: Final = 500
_FIRST_BLOCKS: Final = 4
#: A line up to this many bytes is read whole, a longer one in part.
_WHOLE: Final = 64 * 1024
#: No block is kept.
_NOTHING: Final = (-1, 0, b"")
#: No line was found.
_NOWHERE: Final = (-1, 0, 0)


@dataclass(frozen=True, slots=True)
class RawLine:
    """A line as it is in the file, without its newline."""

    number: int
    begin: int
    size: int
    #: The whole of it; of a very long one the beginning.
    head: bytes
    #: Of a very long one the end, else nothing.
    tail: bytes = b""


class LineIndex:
    """Finds lines of a file by number, which runs from 0."""

    def __init__(self, file: LogFile) -> None:
        self._file = file
        #: Offset up to which lines are counted.
        self.counted = 0
        self._lines = Tally()
        self._head = Tally()
        self._ends_open = False
        self._cached = _NOTHING
        #: A line that was found: its block, the how-manieth newline of it is before it, and where.
        self._found = _NOWHERE

    @property
    def total(self) -> int:
        """How many lines there are, as far as counted: one that has no newline yet is one."""
        return self._lines.total + self._ends_open

    @property
    def is_complete(self) -> bool:
        """Whether numbers are those of the file."""
        return self._lines.first == 0

    @property
    def part(self) -> float:
        """How much of the file is counted, 0 to 1."""
        size = self._file.size - self._file.begin
        uncounted = self._file.size - self.counted
        if not self.is_complete:
            uncounted += self._lines.first * BLOCK - max(self._head.end * BLOCK, self._file.begin)
        return 1.0 if size <= 0 else min(1.0, max(0.0, 1 - uncounted / size))

    @property
    def end(self) -> int:
        """The number of the block behind the last."""
        return self._lines.end

    def before(self, block: int) -> int:
        """How many newlines there are before a block."""
        return self._lines.before(min(block, self._lines.end))

    def open_at_end(self) -> None:
        """Begin anew, with the lines at the end of the file."""
        self._head, self._ends_open = Tally(), False
        self._cached, self._found = _NOTHING, _NOWHERE
        first = self._file.begin // BLOCK
        block = max(first, (self._file.size - 1) // BLOCK)
        self._lines = Tally(block)
        self.counted = max(self._file.begin, block * BLOCK)
        self.grow(self._file.size)
        while self.total < _FIRST_LINES and self.end - self._lines.first < _FIRST_BLOCKS:
            if not self.extend_back():
                break
        self._settle()

    def grow(self, budget: int) -> int:
        """Count what has been appended, at most ``budget`` bytes; how many that were."""
        begin = self.counted
        while self.counted < self._file.size and self.counted - begin < budget:
            block = self.counted // BLOCK
            data = self._read_until(block, self.counted)
            if not data:
                self._file.ends_at(self.counted)
                break
            if block >= self._lines.end:
                self._lines.append(0)
            self._lines.grow_last(data.count(b"\n"))
            self.counted += len(data)
            self._ends_open = not data.endswith(b"\n")
        return self.counted - begin

    def step(self, budget: int) -> int:
        """Count on from the beginning, at most ``budget`` bytes; the shift."""
        read = 0
        while self._head.end < self._lines.first and read < budget:
            block = self._head.end
            begin = self._file.next_data(max(block * BLOCK, self._file.begin))
            data = self._read_until(block, begin) if begin < (block + 1) * BLOCK else b""
            self._head.append(data.count(b"\n"))
            read += len(data)
        return self._settle()

    def extend_back(self) -> int:
        """Put the block before the first one in front of it; the shift (0: there is none)."""
        block = self._lines.first - 1
        if block < self._head.end or block < self._file.begin // BLOCK:
            return 0
        data = self._read_until(block, max(block * BLOCK, self._file.begin))
        return self._lines.prepend([data.count(b"\n")])

    def drop(self) -> int | None:
        """Take note that the beginning was dropped; the shift, which is negative.

        ``None``: all that was counted is gone; begin anew.
        """
        begin = self._file.begin
        if begin > self.counted:
            return None
        self._cached, self._found = _NOTHING, _NOWHERE
        block = begin // BLOCK
        left = self._block(block).count(b"\n")
        self._head.clear_until(block, left)
        return -self._lines.clear_until(block, left)

    def window(self, first: int, count: int) -> Iterator[RawLine]:
        """So many lines from number ``first`` on, or as many as there are."""
        number, stop = max(0, first), min(first + count, self.total)
        begin = self._begin_of(number) if number < stop else 0
        while number < stop:
            end = self._end_of(begin)
            yield self._raw(number, begin, end)
            number, begin = number + 1, end + 1

    def block_at(self, number: int) -> int:
        """The block in which a line begins."""
        return self._begin_of(number) // BLOCK

    def _settle(self) -> int:
        """Once both halves meet they are one; the shift."""
        blank = self._file.begin // BLOCK
        if self._head.end < blank:  # nothing but a hole
            for _ in range(blank - self._head.end):
                self._head.append(0)
        if self._lines.first == 0 or self._head.end < self._lines.first:
            return 0
        return self._lines.prepend(self._head)

    def _begin_of(self, number: int) -> int:
        """Where a line begins: behind the newline before it."""
        if number == 0 or self._lines.total == 0:
            return max(self._file.begin, self._lines.first * BLOCK)
        block = self._lines.block_of(number - 1)
        data, base = self._block(block), self._base(block)
        wanted, passed, at = number - self._lines.before(block), 0, -1
        if self._found[0] == block and self._found[1] <= wanted:
            _, passed, at = self._found  # not far: the lines of a page are asked for in order
        for _ in range(wanted - passed):
            at = data.find(b"\n", at + 1)
        self._found = (block, wanted, at)
        return base + at + 1

    def _end_of(self, begin: int) -> int:
        """Where the line that begins there ends: at its newline, or where the file does."""
        block: int | None = begin // BLOCK
        at = -1
        if block is not None and block < self.end:
            at = self._block(block).find(b"\n", begin - self._base(block))
            if at < 0:
                block = self._lines.next_with_any(block + 1)
                at = -1 if block is None else self._block(block).find(b"\n")
        return self.counted if block is None or at < 0 else self._base(block) + at

    def _raw(self, number: int, begin: int, end: int) -> RawLine:
        size = end - begin
        if size <= _WHOLE:
            return RawLine(number, begin, size, self._slice(begin, end))
        head = self._file.read(begin, _WHOLE // 2)
        return RawLine(number, begin, size, head, self._file.read(end - _WHOLE // 2, _WHOLE // 2))

    def _slice(self, begin: int, end: int) -> bytes:
        block = begin // BLOCK
        at = begin - self._base(block)
        data = self._block(block)
        if at + end - begin <= len(data):
            return data[at : at + end - begin]
        return self._file.read(begin, end - begin)

    def _base(self, block: int) -> int:
        """Where the bytes of :meth:`_block` begin."""
        return max(block * BLOCK, self._file.begin)

    def _block(self, block: int) -> bytes:
        """The counted bytes of a block; the last one asked for is kept."""
        base = self._base(block)
        length = min(self.counted, (block + 1) * BLOCK) - base
        if self._cached[:2] != (base, length):
            self._cached = (base, length, self._file.read(base, max(0, length)))
        return self._cached[2]

    def _read_until(self, block: int, begin: int) -> bytes:
        """The bytes of a block from ``begin`` on, no further than the file was when looked at."""
        stop = min((block + 1) * BLOCK, self._file.size)
        return self._file.read(begin, max(0, stop - begin))
