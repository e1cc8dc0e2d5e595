"""Scroll bars for terminals that know no blocks, or no colours.

Owns what Textual draws them with, for the whole process: it has one console.
"""

from __future__ import annotations

from typing import Any, Final

from rich.segment import Segment, Segments
from rich.style import Style
from textual.scrollbar import ScrollBar, ScrollBarRender

_THUMB: Final = "#"
_TRACK: Final = "|"
_UPRIGHT: Final = Style(reverse=False)


class PlainBars(ScrollBarRender):
    """The part in sight is told from the rest by its character."""

    @classmethod
    def render_bar(cls, *given: Any, **named: Any) -> Segments:
        """As Textual lays it out, in other characters."""
        made = super().render_bar(*given, **named)
        return Segments([_plain(one) for one in made.segments], new_lines=made.new_lines)


def draw_scroll_bars(*, plain: bool) -> None:
    """Draw all scroll bars in this way."""
    ScrollBar.renderer = PlainBars if plain else ScrollBarRender


def _plain(segment: Segment) -> Segment:
    style = segment.style or Style()
    if not style.meta or segment.text == "\n":
        return segment
    is_thumb = bool(style.reverse) or not segment.text.isspace()
    return Segment((_THUMB if is_thumb else _TRACK) * len(segment.text), style + _UPRIGHT)
