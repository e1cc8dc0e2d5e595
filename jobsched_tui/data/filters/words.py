"""A filter cut into words: spaces, quotes, and where each character stood.

Owns quoting, in both directions. Knows no field.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from jobsched_tui.data.filters.query import FilterError

#: Characters of a filter at most.
MOST_TEXT: Final = 1_000
#: How a word begins that names a field: the field, and how it is compared. For a word's ``mask``.
HEAD: Final = re.compile(r"([A-Za-z_]+)(>=|<=|[:=~<>])")
#: What leaves out instead of keeping.
NOT: Final = ("-", "!")

_QUOTE: Final = '"'
_BETWEEN: Final = re.compile(r"[|,]")
_NEEDS_QUOTES: Final = re.compile(r'[\s"]')
_SHOWN: Final = 40


@dataclass(frozen=True, slots=True)
class Word:
    """One word, or a part of one."""

    #: The filter that it stands in.
    source: str
    #: Without quotes.
    text: str
    #: The same, with a quote instead of each character that stood in quotes: it means itself.
    mask: str
    #: Where each character stands in ``source``.
    places: tuple[int, ...]
    start: int
    end: int

    def part(self, first: int, last: int | None = None) -> Word:
        """The characters from ``first`` to before ``last``."""
        places = self.places[first:last]
        start = places[0] if places else self._after(first)
        end = places[-1] + 1 if places else start
        return Word(self.source, self.text[first:last], self.mask[first:last], places, start, end)

    def _after(self, first: int) -> int:
        return self.places[first - 1] + 1 if first else self.start

    def alternatives(self) -> Iterator[Word]:
        """Its parts between ``|`` and ``,``; one of them may be empty."""
        first = 0
        for match in _BETWEEN.finditer(self.mask):
            yield self.part(first, match.start())
            first = match.end()
        yield self.part(first) if first else self

    def error(self, message: str, suggestion: str = "", *, at: int | None = None) -> FilterError:
        """What to raise because of this word, or because of its character ``at``."""
        wrong = self if at is None or at >= len(self.places) else self.part(at, at + 1)
        return FilterError(self.source, wrong.start, wrong.end, message, suggestion)


def words(source: str) -> list[Word]:
    """The words of a filter. Raises ``FilterError``."""
    _check(source)
    found: list[Word] = []
    position = 0
    while position < len(source):
        if source[position].isspace():
            position += 1
        else:
            found.append(_word(source, position))
            position = found[-1].end
    return found


def _word(source: str, start: int) -> Word:
    places: list[int] = []
    mask: list[str] = []
    opened: int | None = None
    position = start
    while position < len(source) and (opened is not None or not source[position].isspace()):
        character = source[position]
        doubled = opened is not None and source.startswith(_QUOTE * 2, position)
        if character == _QUOTE and not doubled:
            opened = position if opened is None else None
        else:
            position += doubled
            places.append(position)
            mask.append(character if opened is None else _QUOTE)
        position += 1
    if opened is not None:
        raise FilterError(source, opened, len(source), "a quote is opened here and never closed")
    text = "".join(source[place] for place in places)
    return Word(source, text, "".join(mask), tuple(places), start, position)


def _check(source: str) -> None:
    if len(source) > MOST_TEXT:
        message = f"a filter has at most {MOST_TEXT} characters"
        raise FilterError(source, MOST_TEXT, len(source), message)
    try:
        source.encode()
    except UnicodeEncodeError as error:
        message = "half a character stands here"
        raise FilterError(source, error.start, error.end, message) from None


def in_quotes(value: str, *, alone: bool = False, splits: bool = True) -> str:
    """``value`` as it is written in a filter: in quotes where it would mean something else.

    ``alone``: it is a whole word. ``splits``: ``|`` and ``,`` in it would part it.
    """
    acts = alone and (value.startswith(NOT) or HEAD.match(value) is not None)
    parts = splits and _BETWEEN.search(value) is not None
    if value and not acts and not parts and not _NEEDS_QUOTES.search(value):
        return value
    return f"{_QUOTE}{value.replace(_QUOTE, _QUOTE * 2)}{_QUOTE}"


def shown(text: str) -> str:
    """What was typed, for a message: in quotes, escaped and cut short."""
    return repr(text if len(text) <= _SHOWN else text[: _SHOWN - 1] + "…")
