"""From tones to what a terminal gets."""

from __future__ import annotations

import itertools

import pytest
from rich.color import ColorType
from rich.style import Style
from textual.theme import BUILTIN_THEMES

from jobsched_tui.present.spans import Span, Tone
from jobsched_tui.widgets.painting import Palette, palette, strip

BASE = Style(color="white", bgcolor="black")


def themed(name: str) -> Palette:
    """The palette of a theme."""
    theme = BUILTIN_THEMES[name]
    return palette(theme.to_color_system().generate(), ansi=theme.ansi, colour=True)


@pytest.mark.parametrize("name", sorted(BUILTIN_THEMES))
def test_every_tone_has_a_style_in_every_theme(name: str) -> None:
    """Nothing falls through, and a failure never looks like a success."""
    tones = themed(name).tones
    assert set(tones) == set(Tone)
    assert len({tones[tone] for tone in (Tone.GOOD, Tone.BAD, Tone.MUTED, Tone.PLAIN)}) == 4
    assert tones[Tone.ALARM].reverse


@pytest.mark.parametrize("name", ["ansi-dark", "ansi-light"])
def test_with_sixteen_colours_there_are_no_others(name: str) -> None:
    """The terminal's own colours alone."""
    for style in [*themed(name).tones.values(), themed(name).cursor]:
        for colour in (style.color, style.bgcolor):
            assert colour is None or colour.type is ColorType.STANDARD


def test_without_colour_weight_tells_apart_what_must_not_be_mixed_up() -> None:
    """Bold, dim, reverse and underline alone."""
    found = palette({}, ansi=False, colour=False)
    for style in [*found.tones.values(), found.cursor]:
        assert style.color is None
        assert style.bgcolor is None
    distinct = (Tone.PLAIN, Tone.BAD, Tone.ALARM, Tone.WARN, Tone.MUTED, Tone.MATCH)
    for one, other in itertools.combinations(distinct, 2):
        assert found.tones[one] != found.tones[other]


def test_a_strip_is_as_wide_as_asked() -> None:
    """Filled up on the base, or cut."""
    colours = themed("textual-dark")
    line = [Span("one", Tone.GOOD), Span("two", Tone.BAD)]
    assert strip(line, 8, colours, BASE).text == "onetwo  "
    assert strip(line, 5, colours, BASE).text == "onet…"
    assert strip([], 3, colours, BASE).text == "   "
    assert strip(line, 8, colours, BASE).cell_length == 8


def test_neighbours_that_look_alike_are_one_segment() -> None:
    """Blanks join what stands beside them, unless they would show."""
    colours = themed("textual-dark")
    good = BASE + colours.tones[Tone.GOOD]
    shown = strip(
        [Span("  "), Span("a", Tone.GOOD), Span(" "), Span("b", Tone.GOOD)], 6, colours, BASE
    )
    assert [(part.text, part.style) for part in shown] == [("  a b ", good)]
    alarm = strip([Span("a", Tone.ALARM), Span(" "), Span("b")], 4, colours, BASE)
    assert [part.text for part in alarm] == ["a", " b "]
    key = strip([Span(" "), Span("k", Tone.KEY), Span(" ")], 3, colours, BASE)
    assert [part.text for part in key] == [" ", "k", " "]
