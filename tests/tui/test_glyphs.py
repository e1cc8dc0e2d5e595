"""Signs, letters and tones."""

from __future__ import annotations

from dataclasses import fields

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.cells import cell_len

from jobsched.states import FAILURES, ScheduleState, TaskStatus
from jobsched_tui.data.frame import Trouble
from jobsched_tui.present import glyphs
from jobsched_tui.present.glyphs import ASCII, UNICODE, Mark, ascii_line, pen_for
from jobsched_tui.present.spans import Span, Tone, plain, span, width

ALL = [*glyphs.STATES.values(), *glyphs.STATUSES.values(), *glyphs.TROUBLES.values()]


def test_every_state_status_and_trouble_has_a_mark() -> None:
    """The tables are exhaustive."""
    assert set(glyphs.STATES) == set(ScheduleState)
    assert set(glyphs.STATUSES) == set(TaskStatus)
    assert set(glyphs.TROUBLES) == set(Trouble)


@pytest.mark.parametrize(
    ("value", "glyph", "letter", "tone"),
    [
        (ScheduleState.INACTIVE, "○", "-", Tone.MUTED),
        (ScheduleState.WAITING, "◔", "w", Tone.QUEUED),
        (ScheduleState.LAUNCHING, "▲", "L", Tone.LAUNCHING),
        (ScheduleState.ALIVE_WAITING, "◐", "a", Tone.AGAIN),
        (ScheduleState.ALIVE, "●", "A", Tone.GOOD),
        (ScheduleState.DONE, "■", "D", Tone.MUTED),
    ],
)
def test_states_look_as_designed(value: ScheduleState, glyph: str, letter: str, tone: Tone) -> None:
    """The signs an operator learns, and the word beside them."""
    assert glyphs.state(value) == Mark(glyph, letter, tone, value.value, glyphs.state(value).short)


def test_red_is_for_what_a_person_must_see() -> None:
    """Only failures and troubles have the tones that mean: act."""
    red = {status for status in TaskStatus if glyphs.status(status).tone is Tone.BAD}
    assert red == FAILURES
    assert all(glyphs.trouble(one).tone is Tone.ALARM for one in Trouble)
    assert glyphs.trouble(Trouble.DEAD).label() == "✗ DEAD"
    assert glyphs.trouble(Trouble.DEAD).label(ASCII) == "! DEAD"


@pytest.mark.parametrize("mark", ALL, ids=lambda mark: mark.word)
def test_a_mark_is_one_cell_and_a_word(mark: Mark) -> None:
    """No sign changes a width, no letter needs more than ASCII, no short word its column."""
    assert cell_len(mark.glyph) == 1
    assert len(mark.letter) == 1
    assert mark.letter.isascii()
    assert 0 < len(mark.short) <= glyphs.SHORT
    assert mark.word.isascii()


@pytest.mark.parametrize("table", [glyphs.STATES, glyphs.STATUSES])
def test_without_colour_and_unicode_values_still_differ(
    table: dict[ScheduleState, Mark] | dict[TaskStatus, Mark],
) -> None:
    """Words tell all values apart, short ones too."""
    assert len({mark.word for mark in table.values()}) == len(table)
    assert len({mark.short for mark in table.values()}) == len(table)


def test_the_ascii_pen_draws_ascii_alone() -> None:
    """Each piece has a twin of the same kind: one cell, or as many heights."""
    for piece in fields(ASCII):
        drawn, twin = getattr(UNICODE, piece.name), getattr(ASCII, piece.name)
        if isinstance(twin, str) and piece.name != "parts":
            assert twin.isascii()
            assert len(twin) == len(drawn)
    assert pen_for(is_ascii=True) is ASCII
    assert pen_for(is_ascii=False) is UNICODE


def test_other_letters_become_question_marks_of_the_same_width() -> None:
    """A line in ASCII keeps its columns."""
    line = [Span("café 日本…", Tone.STRONG), Span("ok")]
    assert ascii_line(line) == [Span("caf? ????~", Tone.STRONG), Span("ok")]


@given(st.text())
def test_any_text_becomes_ascii_in_as_many_cells(text: str) -> None:
    """Whatever a name holds."""
    line = [span(text)]
    drawn = ascii_line(line)
    assert plain(drawn).isascii()
    assert width(drawn) == width(line)
