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
from textual.color import Color
from textual.strip import Strip

from jobsched_tui.present.glyphs import UNICODE, Pen, ascii_line
from jobsched_tui.present.spans import Line, Tone, clip_line
from jobsched_tui.present.spans import width as width_of
from jobsched_tui.widgets import hues


@dataclass(frozen=True, slots=True)
class Palette:
    """A style for each tone, and one for the row under the cursor; and what may be written."""

    tones: Mapping[Tone, Style]
    cursor: Style
    pen: Pen = UNICODE


#: What a tone adds beside its colour; alone it must still tell apart what must not be mixed up.
_WEIGHT: Final = {
    Tone.STRONG: Style(bold=True),
    Tone.LAUNCHING: Style(bold=True),
    Tone.BAD: Style(bold=True),
    Tone.ALARM: Style(bold=True),
    Tone.TITLE: Style(bold=True),
}
#: The same where there is no colour.
_NO_COLOUR: Final = _WEIGHT | {
    Tone.MUTED: Style(dim=True),
    Tone.WARN: Style(underline=True),
    Tone.ALARM: Style(bold=True, reverse=True),
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
    Tone.ALARM: Style(color="red", reverse=True),
    Tone.KEY: Style(color="yellow", underline=True),
    Tone.MATCH: Style(reverse=True),
}
#: The same with a theme's own colours.
_THEMED: Final = {
    Tone.QUEUED: hues.BLUE,
    Tone.LAUNCHING: hues.CYAN,
    Tone.AGAIN: hues.MAGENTA,
    Tone.GOOD: hues.GREEN,
    Tone.WARN: hues.YELLOW,
    Tone.BAD: hues.RED,
    Tone.KEY: hues.YELLOW,
}
_NOTHING: Final = Style()
#: How far the row under the cursor leans to the other side.
_CURSOR: Final = 0.16
#: How far what is muted does: the first with which it can still be read, else the last.
_MUTED: Final = (0.33, 0.25, 0.16, 0.08)
_ON_ALARM: Final = (Color(255, 255, 255), Color(0, 0, 0))


def palette(
    variables: Mapping[str, str], *, ansi: bool, colour: bool, pen: Pen = UNICODE
) -> Palette:
    """The styles for a theme's ``variables``; ``ansi``: 16 colours; not ``colour``: none."""
    if not colour:
        return Palette(_weighted(_NO_COLOUR), Style(reverse=True), pen)
    if ansi:
        return Palette(_weighted(_ANSI), Style(reverse=True), pen)
    front, back = hues.foreground(variables), hues.background(variables)
    tones = {
        tone: Style(color=hues.ink(hue, variables).rich_color) for tone, hue in _THEMED.items()
    }
    tones[Tone.MUTED] = Style(color=_muted(front, back).rich_color)
    tones[Tone.ALARM] = _alarm(variables)
    tones[Tone.KEY] += Style(underline=True)
    tones[Tone.TITLE] = Style(color=front.rich_color)
    tones[Tone.MATCH] = Style(reverse=True)
    cursor = Style(bgcolor=back.blend(front, _CURSOR).rich_color)
    return Palette(_weighted(tones), cursor, pen)


def _muted(front: Color, back: Color) -> Color:
    blends = [front.blend(back, part) for part in _MUTED]
    return next((one for one in blends if hues.contrast(one, back) >= hues.READABLE), blends[-1])


def _alarm(variables: Mapping[str, str]) -> Style:
    """On red, in black or white: one of both can always be read."""
    red = hues.colour(variables, "error")
    red = red if red is not None and hues.RED.holds(red) else hues.ink(hues.RED, variables)
    front = max(_ON_ALARM, key=lambda one: hues.contrast(one, red))
    return Style(color=front.rich_color, bgcolor=red.rich_color)


def palette_of(app: App[Any]) -> Palette:
    """The styles for what an application is drawn with now; its ``pen`` is the console's."""
    return palette(
        app.get_css_variables(),
        ansi=app.native_ansi_color,
        colour=not app.no_color,
        pen=getattr(app, "pen", UNICODE),
    )


def strip(line: Line, width: int, colours: Palette, base: Style) -> Strip:
    """The line in exactly ``width`` cells, its tones upon ``base``, which also fills it up.

    Neighbours that look alike become one segment: each costs some 40 bytes on its way. A line
    that was made for a wider place is cut here, in signs that may be written.
    """
    shown: Line = clip_line(line, width)
    if colours.pen.is_ascii:
        shown = ascii_line(shown)
    pieces = [
        inked
        for piece in shown
        for inked in _inked(piece.text, _on(base, colours.tones[piece.tone]))
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


def _on(base: Style, tone: Style) -> Style:
    """A tone on a base; on one that is reversed nothing is faint, and what is reversed is not."""
    if not base.reverse:
        return base + tone
    return base + tone + Style(dim=False, reverse=not tone.reverse)


def _inked(text: str, style: Style) -> list[tuple[str, Style]]:
    """A piece with a line under its words alone: not under the blanks around, nor under bars."""
    words = text.strip(" ")
    if not style.underline:
        return [(text, style)]
    bare = style + Style(underline=False)
    if len(words) > 1 and not any(one.isalnum() for one in words):
        return [(text, bare)]
    if len(words) == len(text):
        return [(text, style)]
    before = len(text) - len(text.lstrip(" ")) if words else len(text)
    after = len(text) - before - len(words)
    return [(" " * before, bare), (words, style), (" " * after, bare)]


def _is_blank(text: str, style: Style, other: Style) -> bool:
    """Whether blanks look the same in the other style: ink alone makes no difference to them."""
    return text.isspace() and not any(
        one.reverse or one.underline or one.bgcolor != style.bgcolor for one in (style, other)
    )


def _weighted(tones: Mapping[Tone, Style]) -> Mapping[Tone, Style]:
    return {tone: tones.get(tone, _NOTHING) + _WEIGHT.get(tone, _NOTHING) for tone in Tone}
