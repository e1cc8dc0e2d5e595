"""Blue, cyan, magenta, green, yellow and red in every theme.

Owns which colour a name has: the theme's own where that is of this name and can be read, else a
plain one. Themes call their colours by use (``accent``), and two of one theme may look the same.
"""

from __future__ import annotations

import colorsys
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from textual.color import Color, ColorParseError

#: Contrast from which on text can be read with ease.
READABLE: Final = 4.5
#: Brightness from which on a background is a light one.
_LIGHT: Final = 0.5


@dataclass(frozen=True, slots=True)
class Hue:
    """A name for colours: its part of the circle in degrees, first to last, and plain ones."""

    first: int
    last: int
    #: The theme's variables that may have it, the best first.
    variables: tuple[str, ...]
    #: On a dark background, and on a light one.
    on_dark: str
    on_light: str

    def holds(self, colour: Color) -> bool:
        """Whether a colour is called so."""
        red, green, blue = colour.normalized
        degrees = colorsys.rgb_to_hls(red, green, blue)[0] * 360
        return (degrees - self.first) % 360 <= self.last - self.first


BLUE: Final = Hue(200, 250, ("text-primary", "primary"), "#6cb2f5", "#0b54a0")
CYAN: Final = Hue(165, 195, ("text-secondary", "secondary"), "#4fd0da", "#00626b")
MAGENTA: Final = Hue(280, 330, ("text-accent", "accent"), "#e28be8", "#8e2896")
GREEN: Final = Hue(65, 160, ("text-success", "success"), "#7bd88f", "#1b6b2d")
YELLOW: Final = Hue(20, 62, ("text-warning", "warning"), "#f2c14e", "#6f4e00")
RED: Final = Hue(335, 372, ("text-error", "error"), "#ff7b86", "#a81735")


def ink(hue: Hue, variables: Mapping[str, str]) -> Color:
    """The colour for text of that name on the theme's background."""
    back = background(variables)
    for name in hue.variables:
        found = colour(variables, name)
        if found is not None and hue.holds(found) and contrast(found, back) >= READABLE:
            return found
    return Color.parse(hue.on_light if back.brightness > _LIGHT else hue.on_dark)


def background(variables: Mapping[str, str]) -> Color:
    """What everything stands on."""
    return colour(variables, "background") or Color(18, 18, 18)


def foreground(variables: Mapping[str, str]) -> Color:
    """Text that means nothing in particular."""
    return colour(variables, "foreground") or Color(224, 224, 224)


def contrast(one: Color, other: Color) -> float:
    """How well one can be read on the other: 1 not at all, 21 black on white."""
    low, high = sorted((_luminance(one), _luminance(other)))
    return (high + 0.05) / (low + 0.05)


def _luminance(colour: Color) -> float:
    """As WCAG 2 has it."""
    parts = [
        part / 12.92 if part <= 0.03928 else ((part + 0.055) / 1.055) ** 2.4  # noqa: PLR2004 - of that norm
        for part in colour.normalized
    ]
    return 0.2126 * parts[0] + 0.7152 * parts[1] + 0.0722 * parts[2]


def colour(variables: Mapping[str, str], name: str) -> Color | None:
    """A variable as a colour; ``None`` where it is missing or depends on its surroundings."""
    try:
        return Color.parse(variables[name])
    except (KeyError, ColorParseError):
        return None
