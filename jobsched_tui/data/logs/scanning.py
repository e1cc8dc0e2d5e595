"""Looking for an expression in lines. Pure, and of no weight: another process may have to do it."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import TypeAlias

#: Where matches begin and end in a text.
Marks: TypeAlias = tuple[tuple[int, int], ...]


def lines_with(regex: re.Pattern[bytes], data: bytes) -> list[int]:
    """Which of several lines match, from 0."""
    return list(_lines_with(regex, data))


def marks_in(regex: re.Pattern[str], texts: Sequence[str]) -> list[Marks]:
    """Where in each of some texts there are matches; empty ones are none."""
    return [
        tuple(one.span() for one in regex.finditer(text) if one.end() > one.start())
        for text in texts
    ]


def _lines_with(regex: re.Pattern[bytes], data: bytes) -> Iterator[int]:
    number = at = counted = 0
    while at <= len(data) and (found := regex.search(data, at)):
        begin = data.rfind(b"\n", 0, found.start()) + 1
        end = data.find(b"\n", found.start())
        end = len(data) if end < 0 else end
        number += data.count(b"\n", counted, begin)
        counted = begin
        # A match may run over the end of its line: then the line alone decides.
        if found.end() <= end or regex.search(data, begin, end):
            yield number
        at = end + 1
