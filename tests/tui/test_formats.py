"""Values in words of a fixed width."""

from __future__ import annotations

from datetime import timedelta, timezone

import pytest
from hypothesis import given
from hypothesis import strategies as st

from jobsched_tui.present import formats
from jobsched_tui.present.glyphs import ASCII, UNICODE, Pen

BERLIN = timezone(timedelta(hours=2))


@pytest.mark.parametrize(
    ("seconds", "words"),
    [
        (None, "-"),
        (0, "0s"),
        (41.9, "41s"),
        (60, "1m00s"),
        (252, "4m12s"),
        (3599, "59m59s"),
        (7440, "2h04m"),
        (86_399, "23h59m"),
        (273_600, "3d04h"),
        (99 * 86_400 + 23 * 3600, "99d23h"),
        (412 * 86_400, "412d"),
        (-4, "0s"),
        (-6, "?"),
        (float("inf"), "?"),
        (float("nan"), "?"),
    ],
)
def test_ages(seconds: float | None, words: str) -> None:
    """Two units, ``-`` for nothing known, ``?`` for what lies in the future."""
    assert formats.age(seconds) == words


def test_how_long_ago_and_how_long_it_took() -> None:
    """What has ended has lasted until its end."""
    assert formats.since(1000.0, 1041.0) == "41s"
    assert formats.since(1100.0, 1041.0) == "?"
    assert formats.lasted(1000.0, None, 1041.0) == "41s"
    assert formats.lasted(1000.0, 1010.0, 1041.0) == "10s"
    assert formats.lasted(None, 1010.0, 1041.0) == "-"


@pytest.mark.parametrize(
    ("seconds", "words"),
    [(2880, "48m"), (2881, "48m01s"), (7200, "2h"), (20, "20s"), (100, "1m40s")],
)
def test_in_sentences_nothing_is_left_out(seconds: float, words: str) -> None:
    """A second unit is said only if it is something."""
    assert formats.brief(seconds) == words


@pytest.mark.parametrize(
    ("number", "words"),
    [
        (None, "-"),
        (0, "0B"),
        (999, "999B"),
        (1000, "1.0K"),
        (1024, "1.0K"),
        (64 << 20, "64M"),
        (120 << 20, "120M"),
        (5_500_000_000, "5.1G"),
        (10_200_547_328, "9.5G"),
        (1023 << 30, "1.0T"),
        (2**70, "1024E"),
    ],
)
def test_sizes(number: int | None, words: str) -> None:
    """Units of 1024, three digits."""
    assert formats.size(number) == words


@given(st.integers(0, 2**69))
def test_a_size_is_never_wider_than_its_column(number: int) -> None:
    """Four cells for anything a machine holds."""
    assert len(formats.size(number)) <= 4


@pytest.mark.parametrize(
    ("percent", "words"), [(None, "-"), (0.0, "0"), (0.4, "0"), (390.6, "391"), (-1.0, "0")]
)
def test_load(percent: float | None, words: str) -> None:
    """100 is one core."""
    assert formats.cpu(percent) == words


def test_counts_keep_all_digits_while_there_is_room() -> None:
    """Then they are rounded, never cut."""
    assert formats.count(10_412) == "10412"
    assert formats.count(10_412, 6) == " 10412"
    assert formats.count(10_412, 4) == " 10k"
    assert formats.count(1_249_000, 4) == "1.2M"
    assert formats.count(None, 4) == "   -"
    assert formats.plural(1, "job") == "1 job"
    assert formats.plural(2, "job") == "2 jobs"


@given(
    st.one_of(st.none(), st.floats(-10, 1e9)),
    st.integers(6, 12),
    st.one_of(st.none(), st.integers(0, 2**60)),
)
def test_asked_for_cells_it_takes_exactly_those(
    number: float | None, cells: int, size: int | None
) -> None:
    """Numbers never jump."""
    assert len(formats.age(number, cells)) == cells
    assert len(formats.since(number, 1e9, cells)) == cells
    assert len(formats.cpu(number, cells)) == cells
    assert len(formats.size(size, cells)) == cells
    assert len(formats.count(size, cells)) == cells


def test_times_of_day_are_those_of_the_zone() -> None:
    """A zone is handed in; what no calendar has is a question mark."""
    assert formats.clock(1_700_000_000.0, BERLIN) == "00:13:20"
    assert formats.clock(1_700_000_000.0, BERLIN, seconds=False) == "00:13"
    assert formats.moment(1_700_000_000.0, BERLIN) == "2023-11-15 00:13:20"
    assert formats.clock(None) == "-"
    assert formats.clock(1e30, BERLIN) == "?"
    assert formats.clock(float("nan"), BERLIN) == "?"


@pytest.mark.parametrize(
    ("part", "pen", "drawn"),
    [
        (0.0, UNICODE, "        "),
        (0.8125, UNICODE, "██████▌ "),
        (0.01, UNICODE, "        "),
        (1.0, UNICODE, "████████"),
        (7.0, UNICODE, "████████"),
        (-1.0, UNICODE, "        "),
        (0.8125, ASCII, "######.."),
        (0.0, ASCII, "........"),
        (1.0, ASCII, "########"),
    ],
)
def test_bars(part: float, pen: Pen, drawn: str) -> None:
    """Eighths of a cell in Unicode, whole cells in ASCII; full only when it is."""
    assert formats.bar(part, 8, pen) == drawn


@pytest.mark.parametrize(
    ("part", "words"), [(0, "0%"), (0.4578, "46%"), (0.999, "99%"), (1, "100%"), (3, "100%")]
)
def test_percents(part: float, words: str) -> None:
    """100% is said only of what is whole."""
    assert formats.percent(part) == words


@pytest.mark.parametrize(
    ("values", "cells", "top", "drawn"),
    [
        ([], 4, None, ""),
        ([0, 0, 0], 4, None, "▁▁▁"),
        ([0, 4, 8], 4, None, "▁▅█"),
        ([0, 1, 100], 4, None, "▁▂█"),
        ([0, 4, 8], 4, 16, "▁▃▅"),
        ([1, 8, 0, 0], 2, None, "█▁"),
        ([1, 2, 3], 0, None, ""),
    ],
)
def test_sparklines(values: list[float], cells: int, top: float | None, drawn: str) -> None:
    """Only nothing is lowest; where values share a cell, the most of them counts."""
    assert formats.sparkline(values, cells, top=top) == drawn


def test_sparklines_in_ascii() -> None:
    """The same heights in letters."""
    assert formats.sparkline([0, 4, 8], 4, ASCII) == "_=#"


@given(st.lists(st.floats(0, 1e6), max_size=50), st.integers(0, 20))
def test_a_sparkline_has_a_cell_for_each_value_while_there_is_room(
    values: list[float], cells: int
) -> None:
    """And every value lies in exactly one of its cells."""
    shares = formats.shares(len(values), cells)
    assert len(formats.sparkline(values, cells)) == min(len(values), cells) == len(shares)
    if cells:
        assert [at for first, last in shares for at in range(first, last)] == [*range(len(values))]
