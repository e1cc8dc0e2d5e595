"""From tones to what a terminal gets."""

from __future__ import annotations

import colorsys
import itertools

import pytest
from rich.color import ColorType
from rich.style import Style
from textual.color import Color
from textual.theme import BUILTIN_THEMES

from jobsched_tui.present.glyphs import ASCII
from jobsched_tui.present.spans import Span, Tone
from jobsched_tui.widgets import hues
from jobsched_tui.widgets.painting import Palette, palette, strip

BASE = Style(color="white", bgcolor="black")


def themed(name: str) -> Palette:
    """The palette of a theme."""
    theme = BUILTIN_THEMES[name]
    return palette(theme.to_color_system().generate(), ansi=theme.ansi, colour=True)


def ink_of(style: Style) -> Color:
    """The colour of its text."""
    assert style.color is not None
    return Color.from_rich_color(style.color)


def degrees(style: Style) -> float:
    """Where its text stands on the circle of colours."""
    red, green, blue = ink_of(style).normalized
    return colorsys.rgb_to_hls(red, green, blue)[0] * 360


@pytest.mark.parametrize("name", sorted(BUILTIN_THEMES))
def test_every_tone_has_a_style_in_every_theme(name: str) -> None:
    """Nothing falls through, and a failure never looks like a success."""
    tones = themed(name).tones
    assert set(tones) == set(Tone)
    assert len({tones[tone] for tone in (Tone.GOOD, Tone.BAD, Tone.MUTED, Tone.PLAIN)}) == 4
    assert tones[Tone.ALARM].reverse or tones[Tone.ALARM].bgcolor


@pytest.mark.parametrize("name", [one for one in sorted(BUILTIN_THEMES) if "ansi" not in one])
def test_each_tone_of_a_state_has_its_own_colour_in_every_theme(name: str) -> None:
    """Blue, cyan, magenta, green, yellow and red, whatever a theme calls its accent."""
    tones = themed(name).tones
    named = {
        Tone.QUEUED: (200, 250), Tone.LAUNCHING: (165, 195), Tone.AGAIN: (280, 330),
        Tone.GOOD: (65, 160), Tone.WARN: (20, 62), Tone.BAD: (335, 372),
    }  # fmt: skip
    for tone, (first, last) in named.items():
        assert (degrees(tones[tone]) - first) % 360 <= last - first, tone


@pytest.mark.parametrize("name", [one for one in sorted(BUILTIN_THEMES) if "ansi" not in one])
def test_what_means_something_can_be_read_in_every_theme(name: str) -> None:
    """A contrast of at least 4.5 to the background, and an alarm to its own."""
    back = hues.background(BUILTIN_THEMES[name].to_color_system().generate())
    tones = themed(name).tones
    for tone in (Tone.QUEUED, Tone.LAUNCHING, Tone.AGAIN, Tone.GOOD, Tone.WARN, Tone.BAD, Tone.KEY):
        assert hues.contrast(ink_of(tones[tone]), back) >= 4.5, tone
    alarm = tones[Tone.ALARM]
    assert alarm.bgcolor is not None
    red = Color.from_rich_color(alarm.bgcolor)
    assert hues.contrast(ink_of(alarm), red) >= 4.5
    assert hues.RED.holds(red)


def test_what_waits_again_is_not_what_warns() -> None:
    """In the usual theme accent and warning are one orange; the table asks for magenta."""
    tones = themed("textual-dark").tones
    assert tones[Tone.AGAIN].color != tones[Tone.WARN].color


def test_contrast_is_that_of_the_norm() -> None:
    """21 between black and white, 1 with itself, the same both ways."""
    black, white = Color(0, 0, 0), Color(255, 255, 255)
    assert hues.contrast(black, white) == hues.contrast(white, black) == pytest.approx(21)
    assert hues.contrast(white, white) == 1
    assert hues.contrast(Color(119, 119, 119), white) == pytest.approx(4.48, abs=0.01)


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


def test_bars_are_not_underlined() -> None:
    """A line under words says something; under a bar it looks like a part of it."""
    colours = palette({}, ansi=False, colour=False)
    shown = strip([Span("███", Tone.WARN), Span(" late ", Tone.WARN)], 9, colours, Style())
    assert [part.text for part in shown if part.style and part.style.underline] == ["late"]


def test_nothing_is_faint_where_it_is_reversed() -> None:
    """Under a reversed cursor what is muted can still be read."""
    colours = palette({}, ansi=True, colour=True)
    (piece,) = strip([Span("done", Tone.MUTED)], 4, colours, colours.cursor)
    assert piece.style is not None
    assert (piece.style.reverse, piece.style.dim) == (True, False)


def test_an_alarm_stands_out_under_the_cursor() -> None:
    """What is reversed elsewhere is not where everything else is."""
    colours = palette({}, ansi=False, colour=False)
    alarm, rest = strip([Span("DEAD", Tone.ALARM), Span(" job")], 8, colours, colours.cursor)
    assert alarm.style is not None
    assert rest.style is not None
    assert (alarm.style.reverse, rest.style.reverse) == (False, True)


def test_a_line_made_for_a_wider_place_is_cut_in_signs_that_may_be_written() -> None:
    """Between a change of the size and the next look at it, lines are still those of before."""
    colours = palette({}, ansi=False, colour=False, pen=ASCII)
    drawn = strip([Span("-" * 20)], 8, colours, BASE).text
    assert drawn == "-------~"
    assert strip([Span("caf\u00e9 \u5e83")], 8, colours, BASE).text == "caf? ?? "
