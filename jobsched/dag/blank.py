"""The text of a file without its secrets, everything else byte for byte."""

from __future__ import annotations

from collections.abc import Iterable

from jobsched.dag.report import Place


def blank(text: str, places: Iterable[Place]) -> str:
    """``text`` with ``null`` in each of ``places``; a block's final line ends stay."""
    for place in sorted(places, reverse=True, key=lambda place: place.start):
        value = text[place.start : place.end]
        line_ends = value[len(value.rstrip()) :]
        text = f"{text[: place.start]}null{line_ends}{text[place.end :]}"
    return text
