"""Tones become colours here, and nowhere else; lines become strips.

Owns the one table from a tone to a style, for each of three kinds of terminal: a theme's own
colours, the 16 colours of the terminal, and none at all (bold, dim, reverse and underline alone).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

from rich.segment import Segment
from rich.style import Style
from textual.app import App
from textual.color import Color, ColorParseError
from textual.strip import Strip

from jobsched_tui.present.spans import Line, Tone, clip_line
from jobsched_tui.present.spans import width as width_of


@dataclass(frozen=True, slots=True)
class Palette:
    """A style for each tone, and one for the row under the cursor."""

    tones: Mapping[Tone, Style]
    cursor: Style


#: What a tone adds beside its colour; alone it must still tell apart what must not be mixed up.
_WEIGHT: Final = {
    Tone.STRONG: Style(bold=True),
    Tone.LAUNCHING: Style(bold=True),
    Tone.BAD: Style(bold=True),
    Tone.ALARM: Style(bold=True, reverse=True),
    Tone.TITLE: Style(bold=True),
}
#: The same where there is no colour.
_NO_COLOUR: Final = _WEIGHT | {
    Tone.MUTED: Style(dim=True),
    Tone.WARN: Style(underline=True),
    Tone.KEY: Style(underline=True),
    Tone.MATCH: Style(reverse=True),
}
#: With the 16 colours of the terminal.
_ANSI: Final = {
    Tone.MUTED: Style(dim=True),
    Tone.QUEUED: Style(color="blue"),
    Tone.LAUNCHING: Style(color="cyan"),
    Tone.AGAIN: Style(color="magenta"),
    Tone.GOOD: Style(color="green"),
    Tone.WARN: Style(color="yellow"),
    Tone.BAD: Style(color="red"),
    Tone.ALARM: Style(color="red"),
    Tone.KEY: Style(color="yellow", underline=True),
    Tone.MATCH: Style(reverse=True),
}
#: The variables of a theme, the first that it has: those for text can be read on its background.
_THEMED: Final = {
    Tone.QUEUED: ("text-primary", "primary"),
    Tone.LAUNCHING: ("text-secondary", "secondary"),
    Tone.AGAIN: ("text-accent", "accent"),
    Tone.GOOD: ("text-success", "success"),
    Tone.WARN: ("text-warning", "warning"),
    Tone.BAD: ("text-error", "error"),
    Tone.ALARM: ("text-error", "error"),
    Tone.KEY: ("text-accent", "accent"),
    Tone.TITLE: ("foreground",),
}
#: How far what is muted, and the row under the cursor, lean to the other side.
_MUTED: Final = 0.42
_CURSOR: Final = 0.18


def palette(variables: Mapping[str, str], *, ansi: bool, colour: bool) -> Palette:
    """The styles for a theme's ``variables``; ``ansi``: 16 colours; not ``colour``: none."""
    if not colour:
        return Palette(_weighted(_NO_COLOUR), Style(reverse=True))
    if ansi:
        return Palette(_weighted(_ANSI), Style(reverse=True))
    front = _colour(variables, "foreground") or Color(224, 224, 224)
    back = _colour(variables, "background") or Color(18, 18, 18)
    tones = {tone: _foreground(variables, *names) for tone, names in _THEMED.items()}
    tones[Tone.MUTED] = Style(color=front.blend(back, _MUTED).rich_color)
    tones[Tone.KEY] += Style(underline=True)
    tones[Tone.MATCH] = Style(reverse=True)
    cursor = Style(bgcolor=back.blend(front, _CURSOR).rich_color)
    return Palette(_weighted(tones), cursor)


def palette_of(app: App[Any]) -> Palette:
    """The styles for what an application is drawn with now."""
    return palette(app.get_css_variables(), ansi=app.native_ansi_color, colour=not app.no_color)


def strip(line: Line, width: int, colours: Palette, base: Style) -> Strip:
    """The line in exactly ``width`` cells, its tones upon ``base``, which also fills it up.

    Neighbours that look alike become one segment: each costs some 40 bytes on its way.
    """
    shown = clip_line(line, width)
    pieces = [
        inked for piece in shown for inked in _inked(piece.text, base + colours.tones[piece.tone])
    ]
    pieces.append((" " * (width - width_of(shown)), base))
    merged: list[tuple[str, Style]] = []
    for text, style in pieces:
        last = merged[-1] if merged else ("", style)
        if not text or (merged and (style == last[1] or _is_blank(text, style, last[1]))):
            merged[-1:] = [(last[0] + text, last[1])]
        elif merged and _is_blank(last[0], last[1], style):
            merged[-1] = (last[0] + text, style)
        else:
            merged.append((text, style))
    return Strip([Segment(text, style) for text, style in merged], width)


def _inked(text: str, style: Style) -> list[tuple[str, Style]]:
    """A piece without a line under the blanks at its ends: only words are underlined."""
    words = text.strip(" ")
    if not style.underline or len(words) == len(text):
        return [(text, style)]
    bare = style + Style(underline=False)
    before = len(text) - len(text.lstrip(" ")) if words else len(text)
    after = len(text) - before - len(words)
    return [(" " * before, bare), (words, style), (" " * after, bare)]


def _is_blank(text: str, style: Style, other: Style) -> bool:
    """Whether blanks look the same in the other style: ink alone makes no difference to them."""
    return text.isspace() and not any(
        one.reverse or one.underline or one.bgcolor != style.bgcolor for one in (style, other)
    )


def _weighted(tones: Mapping[Tone, Style]) -> Mapping[Tone, Style]:
    nothing = Style()
    return {tone: tones.get(tone, nothing) + _WEIGHT.get(tone, nothing) for tone in Tone}


def _foreground(variables: Mapping[str, str], *names: str) -> Style:
    for name in names:
        colour = _colour(variables, name)
        if colour is not None:
            return Style(color=colour.rich_color)
    return Style()


def _colour(variables: Mapping[str, str], name: str) -> Color | None:
    """A variable as a colour; ``None`` where it is missing or depends on its surroundings."""
    try:
        return Color.parse(variables[name])
    except (KeyError, ColorParseError):
        return None
