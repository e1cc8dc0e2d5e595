"""The lines between two layers of a graph: which column each turns in, and the cells they pass.

Owns the routing. Sources with the same targets share their lines: whatever is joined belongs
together, all of it. Where other lines only lead into the same target, an arrow shows which way; a
line that passes another one is a bridge over it. Rows are doubled: tasks stand on even ones, an odd
one is made only where two lines have to swap places.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import reduce
from operator import or_
from typing import Final, NamedTuple

from jobsched_tui.present.glyphs import Pen

UP, DOWN, LEFT, RIGHT = 1, 2, 4, 8
#: A line comes in from above, from below, and goes on with the one that it meets.
FROM_ABOVE, FROM_BELOW = 16, 32
_VERTICAL, _HORIZONTAL = UP | DOWN, LEFT | RIGHT

_CHARACTERS: Final = {
    UP: "│", DOWN: "│", _VERTICAL: "│", LEFT: "─", RIGHT: "─", _HORIZONTAL: "─",
    UP | LEFT: "┘", UP | RIGHT: "└", DOWN | LEFT: "┐", DOWN | RIGHT: "┌",
    _VERTICAL | LEFT: "┤", _VERTICAL | RIGHT: "├", _HORIZONTAL | UP: "┴", _HORIZONTAL | DOWN: "┬",
    _VERTICAL | _HORIZONTAL: "┼",
}  # fmt: skip


class Cell(NamedTuple):
    """One character of the channel."""

    row: int
    x: int


@dataclass(frozen=True, slots=True)
class Channel:
    """The lines between two layers: the directions in which they leave each cell."""

    width: int
    cells: Mapping[Cell, int]


@dataclass(frozen=True, slots=True)
class _Net:
    """Lines from some sources to the same targets, on doubled rows.

    ``rows``: those on which it comes into its column, its sources' or one half a row lower.
    """

    sources: frozenset[int]
    targets: frozenset[int]
    rows: frozenset[int]

    @property
    def is_straight(self) -> bool:
        """Whether it needs no column to turn in."""
        return self.targets == self.rows and len(self.rows) == 1

    @property
    def order(self) -> tuple[int, int]:
        """What branches most comes first; of lines that go down the lowest, going up the highest.

        So lines of one direction do not cross each other.
        """
        source = min(self.sources)
        return -len(self.targets), -source if max(self.targets) > source else source


class _Turn(NamedTuple):
    """One column of the channel, in which a net runs from its rows to others."""

    sources: frozenset[int]
    rows: frozenset[int]
    to: frozenset[int]


def route(pieces: Mapping[int, Iterable[int]]) -> Channel:
    """The channel for lines from rows on the left to rows on the right (rows not yet doubled)."""
    nets = _nets(pieces)
    turns = _turns([net for net in nets if not net.is_straight])
    width = max(3, 2 * len(turns) + 1) if nets else 2
    drawn: dict[Cell, dict[int, int]] = {}
    for net in nets:
        for source in net.sources:
            for cell, mask in _path(source, net.targets, turns, width):
                masks = drawn.setdefault(cell, {})
                key = min(net.sources)
                masks[key] = masks.get(key, 0) | mask
    return Channel(width, {cell: _joined([*masks.values()]) for cell, masks in drawn.items()})


def odd_rows(channel: Channel) -> set[int]:
    """The rows between tasks that it needs."""
    return {cell.row for cell, mask in channel.cells.items() if cell.row % 2 and mask & _HORIZONTAL}


def character(mask: int, pen: Pen) -> str:
    """How a cell looks that lines leave in these directions."""
    if mask in (FROM_ABOVE, FROM_BELOW):
        return pen.down if mask == FROM_ABOVE else pen.up
    if not pen.is_ascii:
        return _CHARACTERS[mask]
    return "|" if not mask & _HORIZONTAL else "-" if not mask & _VERTICAL else "+"


def _nets(pieces: Mapping[int, Iterable[int]]) -> list[_Net]:
    sources: dict[frozenset[int], set[int]] = {}
    for source, targets in sorted(pieces.items()):
        sources.setdefault(frozenset(2 * target for target in targets), set()).add(2 * source)
    return [_Net(frozenset(rows), to, frozenset(rows)) for to, rows in sources.items() if to]


def _turns(nets: Sequence[_Net]) -> list[_Turn]:
    """The columns, left to right.

    A net turns before any other comes to its row, else the two would seem to be one. Where each
    of some waits for another, one leaves its rows early and goes on half a row lower.
    """
    turns: list[_Turn] = []
    waiting = sorted(nets, key=lambda net: net.order)
    while waiting:
        net = next((one for one in waiting if not _must_wait(one, waiting)), None)
        if net is not None:
            turns.append(_Turn(net.sources, net.rows, net.targets))
        else:
            net = waiting[0]
            lower = max(net.rows) + 1
            turns.append(_Turn(net.sources, net.rows, frozenset({lower})))
            waiting.append(_Net(net.sources, net.targets, frozenset({lower})))
        waiting.remove(net)
    return turns


def _must_wait(net: _Net, others: Iterable[_Net]) -> bool:
    return any(other.sources != net.sources and other.rows & net.targets for other in others)


def _path(
    source: int, targets: Iterable[int], turns: Sequence[_Turn], width: int
) -> Iterator[tuple[Cell, int]]:
    """The cells from one source to its targets, each with the directions in which it is left."""
    row, start = source, 0
    for index, turn in enumerate(turns):
        if source in turn.sources:
            x = 2 * index + 1
            yield from _across(row, start, x, is_end=False)
            yield from _down(x, turn)
            row, start = min(turn.to), x
    for target in targets:
        yield from _across(target, start, width - 1, is_end=True)


def _across(row: int, first: int, last: int, *, is_end: bool) -> Iterator[tuple[Cell, int]]:
    """A horizontal line from the left edge, or the middle of a cell, to one or the other."""
    for x in range(first, last + 1):
        mask = (LEFT if x > first or first == 0 else 0) | (RIGHT if x < last or is_end else 0)
        yield Cell(row, x), mask


def _down(x: int, turn: _Turn) -> Iterator[tuple[Cell, int]]:
    """The vertical line of a turn, and where it leads to, whence it comes."""
    rows = turn.rows | turn.to
    first, last = min(rows), max(rows)
    for row in range(first, last + 1):
        yield Cell(row, x), (UP if row > first else 0) | (DOWN if row < last else 0)
    for row in turn.to - turn.rows:
        yield Cell(row, x), FROM_ABOVE if min(turn.rows) < row else FROM_BELOW


def _joined(masks: Collection[int]) -> int:
    """What is drawn of all that passes a cell; of a bridge, the line on top."""
    vertical = [mask for mask in masks if mask & _VERTICAL]
    if len(masks) > len(vertical) > 0:
        (turning,) = vertical  # every net has columns of its own
        return turning & (FROM_ABOVE | FROM_BELOW) or turning
    return reduce(or_, masks) & (_VERTICAL | _HORIZONTAL)
