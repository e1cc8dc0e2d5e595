"""How values look: spans and moments of time, sizes, loads, counts, bars. Pure text.

Each takes ``cells``: 0 for as long as it needs, else exactly so many, right-aligned, so that no
number makes its neighbours jump. What is not known is ``-``; what cannot be is ``?``.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime, tzinfo
from itertools import pairwise
from typing import Final

from jobsched_tui.present.glyphs import UNICODE, Pen
from jobsched_tui.present.spans import fit

NOTHING: Final = "-"
IMPOSSIBLE: Final = "?"

_MINUTE: Final = 60
_HOUR: Final = 3600
_DAY: Final = 86_400
#: From here on hours say nothing any more.
_MANY_DAYS: Final = 100
#: A moment may lie so many seconds in the future: clocks of writer and reader are read in turn.
_SKEW: Final = 5.0

_SIZE_UNITS: Final = "BKMGTPE"
_COUNT_UNITS: Final = ("", "k", "M", "G", "T")
_KIBI: Final = 1024
_THREE_DIGITS: Final = 1000
_ONE_DIGIT: Final = 10


def age(seconds: float | None, cells: int = 0) -> str:
    """How long something takes or is ago: ``41s``, ``4m12s``, ``2h04m``, ``3d04h``, ``412d``."""
    return _placed(_age(seconds), cells)


def since(at: float | None, now: float, cells: int = 0) -> str:
    """How long ago a moment was; ``?`` if it is still to come."""
    return age(None if at is None else now - at, cells)


def lasted(started: float | None, ended: float | None, now: float, cells: int = 0) -> str:
    """How long something has gone on, or went on."""
    return age(None if started is None else (now if ended is None else ended) - started, cells)


def brief(seconds: float | None) -> str:
    """For sentences: as :func:`age` without a second unit that is nothing, ``48m``."""
    words = age(seconds)
    for nothing in ("00s", "00m", "00h"):
        words = words.removesuffix(nothing)
    return words


def _age(seconds: float | None) -> str:
    if seconds is None:
        return NOTHING
    if not -_SKEW <= seconds < float("inf"):
        return IMPOSSIBLE
    whole = max(0, int(seconds))
    if whole < _MINUTE:
        return f"{whole}s"
    if whole < _HOUR:
        return f"{whole // _MINUTE}m{whole % _MINUTE:02}s"
    if whole < _DAY:
        return f"{whole // _HOUR}h{whole % _HOUR // _MINUTE:02}m"
    days = whole // _DAY
    return f"{days}d" if days >= _MANY_DAYS else f"{days}d{whole % _DAY // _HOUR:02}h"


def size(count: int | None, cells: int = 0) -> str:
    """Bytes in at most four cells: ``512B``, ``64M``, ``5.1G``; units of 1024."""
    return _placed(NOTHING if count is None else _scaled(count, _KIBI, _SIZE_UNITS), cells)


def cpu(percent: float | None, cells: int = 0) -> str:
    """Load in percent of one core: ``391`` is nearly four cores."""
    return _placed(NOTHING if percent is None else f"{max(0.0, percent):.0f}", cells)


def count(number: int | None, cells: int = 0) -> str:
    """How many: all digits, or ``104k`` where they do not fit."""
    if number is None:
        return _placed(NOTHING, cells)
    digits = str(number)
    if cells and len(digits) > cells:
        digits = _scaled(number, _THREE_DIGITS, _COUNT_UNITS)
    return _placed(digits, cells)


def plural(number: int, word: str) -> str:
    """``1 job``, ``2 jobs``."""
    return f"{number} {word}" if number == 1 else f"{number} {word}s"


def percent(part: float, cells: int = 0) -> str:
    """A part of one as ``46%``; 100% only when it is whole."""
    hundredths = 100 if part >= 1 else min(99, round(max(0.0, part) * 100))
    return _placed(f"{hundredths}%", cells)


def _scaled(number: float, step: int, units: Sequence[str]) -> str:
    """Three digits at most, and the unit."""
    value, unit = float(max(0, number)), 0
    while unit < len(units) - 1 and (value >= step or round(value) >= _THREE_DIGITS):
        value, unit = value / step, unit + 1
    if unit and round(value, 1) < _ONE_DIGIT:
        return f"{value:.1f}{units[unit]}"
    return f"{value:.0f}{units[unit]}"


def clock(at: float | None, zone: tzinfo | None = None, *, seconds: bool = True) -> str:
    """A time of day, ``12:34:56``, in ``zone``; ``None``: where the machine is."""
    return _moment(at, zone, "%H:%M:%S" if seconds else "%H:%M")


def moment(at: float | None, zone: tzinfo | None = None) -> str:
    """Day and time of day, to the second."""
    return _moment(at, zone, "%Y-%m-%d %H:%M:%S")


def _moment(at: float | None, zone: tzinfo | None, form: str) -> str:
    if at is None:
        return NOTHING
    try:
        return datetime.fromtimestamp(at, UTC).astimezone(zone).strftime(form)
    except (OverflowError, ValueError, OSError):
        return IMPOSSIBLE


def bar(part: float, cells: int, pen: Pen = UNICODE) -> str:
    """A part of one as a bar of exactly so many cells: ``██████▌``, in ASCII ``######.``."""
    steps = len(pen.parts) + 1
    filled = int(min(1.0, max(0.0, part)) * cells * steps + 1e-9)
    whole, rest = divmod(filled, steps)
    shown = pen.full * whole + (pen.parts[rest - 1] if rest else "")
    return shown + pen.empty * (cells - len(shown))


def sparkline(
    values: Sequence[float],
    cells: int,
    pen: Pen = UNICODE,
    *,
    top: float | None = None,
) -> str:
    """The newest values as heights, at most so many cells; more values share cells by their most.

    ``top``: the value of full height; the largest shown if not given. Only nothing is lowest.
    """
    shown = [max(values[first:last]) for first, last in shares(len(values), cells)]
    highest = max([1e-9, *shown] if top is None else [1e-9, top])
    heights = pen.heights
    return "".join(heights[_height(value / highest, len(heights))] for value in shown)


def shares(length: int, cells: int) -> list[tuple[int, int]]:
    """Which slice of so many values each cell stands for: even parts, oldest first."""
    used = min(length, cells)
    edges = [length * cell // used for cell in range(used + 1)] if used > 0 else []
    return list(pairwise(edges))


def _height(part: float, heights: int) -> int:
    if part <= 0:
        return 0
    return min(heights - 1, max(1, round(part * (heights - 1))))


def _placed(text: str, cells: int) -> str:
    return fit(text, cells, right=True) if cells else text
