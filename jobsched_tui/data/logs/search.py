"""Which lines match a pattern: how many in each block, counted bit by bit over the whole file.

Owns the search through a block and the numbering of matches. Memory is two numbers for each block:
where the n-th match is gets looked up by searching its block again. A line belongs to the block in
which it begins; of a line only what is seen of it is searched, and of a very long one no more than
64 KiB into the next block.
"""

from __future__ import annotations

from bisect import bisect_left
from collections import OrderedDict
from collections.abc import Iterator
from typing import Final

from jobsched_tui.data.elsewhere.asking import Unanswered
from jobsched_tui.data.logs.file import LogFile
from jobsched_tui.data.logs.index import LineIndex
from jobsched_tui.data.logs.lines import shown
from jobsched_tui.data.logs.matching import Matcher
from jobsched_tui.data.logs.patterns import Pattern
from jobsched_tui.data.logs.tally import BLOCK, Tally

#: Bytes behind a block that are read for its last line.
_OVERLAP: Final = 64 * 1024
#: Blocks of which the matching lines are kept.
_KEPT: Final = 8


class MatchIndex:
    """The lines of a file that match, numbered from 0. Needs a complete line index."""

    def __init__(self, file: LogFile, index: LineIndex, pattern: Pattern, matcher: Matcher) -> None:
        self.pattern = pattern
        #: Why it was given up: from then on nothing is looked for; empty: it was not.
        self.failure = ""
        self._file, self._index, self._matcher = file, index, matcher
        self._tally = Tally()
        #: Up to which offset the file was counted when the last block was.
        self._searched = 0
        self._kept: OrderedDict[tuple[int, int], list[int]] = OrderedDict()

    @property
    def count(self) -> int:
        """Matching lines so far."""
        return self._tally.total

    @property
    def is_done(self) -> bool:
        """Whether all lines there are have been searched, or will never be."""
        if self.failure:
            return True
        return self._tally.end >= self._index.end and self._searched == self._index.counted

    @property
    def part(self) -> float:
        """How much of the file has been searched, 0 to 1."""
        return 1.0 if self.is_done else self._tally.end / max(1, self._index.end)

    def step(self, budget: int) -> None:
        """Search on, about ``budget`` bytes."""
        if self._searched != self._index.counted:
            # The last line known may have grown; it began in one of the last two blocks.
            self._tally.forget_from(max(0, self._searched // BLOCK - 1))
            self._searched = self._index.counted
        stop = min(self._index.end, self._tally.end + max(1, budget // BLOCK))
        for block in range(self._tally.end, stop):
            found = self.hits(block)
            if self.failure:
                return
            self._tally.append(len(found))

    def hits(self, block: int) -> list[int]:
        """The numbers of the matching lines that begin in a block."""
        key = (block, min(self._index.counted, (block + 1) * BLOCK + _OVERLAP))
        if key not in self._kept:
            self._kept[key] = self._search(block)
            if len(self._kept) > _KEPT:
                self._kept.popitem(last=False)
        self._kept.move_to_end(key)
        return self._kept[key]

    def may_have(self, block: int) -> bool:
        """Whether a block has any, as far as is known."""
        return not self.failure and (block >= self._tally.end or self._tally.count(block) > 0)

    def lines(self, first: int, count: int) -> Iterator[int]:
        """The numbers of so many matching lines, from the ``first``-th on."""
        stop = min(first + count, self.count)
        while first < stop:
            block = self._tally.block_of(first)
            at = first - self._tally.before(block)
            found = self.hits(block)[at : at + stop - first]
            if not found:
                return  # the file changed under our hands
            yield from found
            first += len(found)

    def rank(self, line: int) -> int:
        """How many matching lines there are before a line, as far as searched."""
        block = self._index.block_at(line)
        if block >= self._tally.end:
            return self.count
        return self._tally.before(block) + bisect_left(self.hits(block), line)

    def _search(self, block: int) -> list[int]:
        number, data = self._lines_of(block)
        if data is None or self.failure:
            return []
        try:
            return [number + at for at in self._matcher.lines(self.pattern, data)]
        except Unanswered as error:
            self.failure = str(error)
            return []

    def _lines_of(self, block: int) -> tuple[int, bytes | None]:
        """What is seen of the lines that begin in a block, and the number of the first of them."""
        number = self._index.before(block)
        base = max(block * BLOCK, self._file.begin)
        size = min((block + 1) * BLOCK, self._index.counted) - base
        if size <= 0:
            return number, None
        data = self._file.read(base, min(size + _OVERLAP, self._index.counted - base))
        begin = 0
        if base > self._file.begin and self._file.read(base - 1, 1) != b"\n":
            begin, number = data.find(b"\n", 0, size) + 1, number + 1
        end = data.find(b"\n", size - 1)
        end = len(data) if end < 0 else end
        nothing = begin > end or (begin == 0 and number > self._index.before(block))
        return number, None if nothing else shown(data[begin:end])
