"""A line of a log as it is shown: cleaned, coloured, cut, highlighted; dividers and status."""

from __future__ import annotations

import re
import unicodedata
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.cells import cell_len

from jobsched_tui.data.frame import Progress
from jobsched_tui.data.logs.file import Event
from jobsched_tui.data.logs.index import RawLine
from jobsched_tui.data.logs.lines import SHOWN, LogLine, clean, clean_bytes, shown
from jobsched_tui.data.logs.progress import progress_of
from jobsched_tui.data.logs.seeking import Direction
from jobsched_tui.data.logs.sgr import LogStyle, Styled
from jobsched_tui.data.logs.values import Counting, Jump, Row, Target, Update
from jobsched_tui.present import logpage, logstatus
from jobsched_tui.present.glyphs import ASCII
from jobsched_tui.present.loglines import Look, gutter_width, log_rows, log_width
from jobsched_tui.present.logpage import Contents
from jobsched_tui.present.logstatus import Facts, Writer
from jobsched_tui.present.spans import Tone, plain, width

# What is seen of a line.


@pytest.mark.parametrize(
    ("data", "text"),
    [
        (b'{"a": ["b"]} [red]x[/red]', '{"a": ["b"]} [red]x[/red]'),
        (b"\x00\x07\x7f", "␀␇␡"),
        (b"a\tb\tc", "a       b       c"),
        (b"\x1b]0;title\x07", "␛]0;title␇"),
        (b"\x1b[2J\x1b[H", "␛[2J␛[H"),
        (b"\x9b31m", "\N{REPLACEMENT CHARACTER}31m"),
        ("\u009b31m \u202e\u2066".encode(), "\\u009b31m \\u202e\\u2066"),
        (b"caf\xc3\xa9 \xff", "café \N{REPLACEMENT CHARACTER}"),
        (b"100%\r\n"[:-1], "100%"),
        (b"", ""),
    ],
)
def test_nothing_in_a_line_can_touch_the_terminal(data: bytes, text: str) -> None:
    """Controls, escapes and reordering become visible; brackets are just brackets."""
    assert clean_bytes(data).text == text


@given(st.binary(max_size=300))
def test_whatever_the_bytes_the_text_is_harmless(data: bytes) -> None:
    """No control, format, surrogate or unassigned character is ever left."""
    hidden = {"Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp"}
    assert not hidden & {unicodedata.category(one) for one in clean_bytes(data).text}


def test_a_progress_bar_is_its_last_state() -> None:
    """What carriage returns wrote over is counted and not shown."""
    line = clean_bytes(b"\r  0%|    |\r 50%|##  |\r100%|####|")
    assert (line.text, line.updates) == ("100%|####|", 3)


def test_a_long_line_is_cut_between_characters() -> None:
    """4 KiB are shown, the rest is counted; no character is cut in two."""
    line = clean_bytes(b"x" + "é".encode() * SHOWN)
    assert line.missing == 1 + 2 * SHOWN - 4095
    assert line.text == "x" + "é" * 2047


def test_a_line_read_at_both_ends_shows_its_last_rewrite() -> None:
    """A bar of many MiB on one line is its end; without a carriage return it is its beginning."""
    bar = RawLine(0, 0, 10**6, b"1%\r2%\r", b"98%\r99%")
    assert clean(bar) == LogLine((Styled("99%"),), 3, 0, in_part=True)
    text = RawLine(0, 0, 10**6, b"a" * 5000, b"z" * 5000)
    assert (clean(text).text, clean(text).missing) == ("a" * 4096, 10**6 - 4096)


@pytest.mark.parametrize(
    ("codes", "style"),
    [
        ("31", LogStyle(fore=1)),
        ("1;4;92", LogStyle(fore=10, bold=True, underline=True)),
        ("2;41", LogStyle(back=1, dim=True)),
        ("38;5;208", LogStyle(fore=208)),
        ("48;2;1;2;3", LogStyle(back=(1, 2, 3))),
        ("31;0", LogStyle()),
        ("", LogStyle()),
        ("1;22;31;39", LogStyle()),
        ("8;5;7", LogStyle()),
        ("38;5", LogStyle()),
        ("38;2;1;2;999", LogStyle()),
        ("99999999999999999999", LogStyle()),
    ],
)
def test_colours_on_the_list_are_kept(codes: str, style: LogStyle) -> None:
    """Colours, bold, dim and underline; hiding, blinking and nonsense do nothing."""
    assert clean_bytes(f"\x1b[{codes}mX".encode()).pieces == (Styled("X", style),)


def test_a_style_holds_until_it_is_changed() -> None:
    """Pieces carry the style in force at their place."""
    assert clean_bytes(b"a\x1b[31mb\x1b[1mc\x1b[0md").pieces == (
        Styled("a"),
        Styled("b", LogStyle(fore=1)),
        Styled("c", LogStyle(fore=1, bold=True)),
        Styled("d"),
    )


@given(st.lists(st.text("ab\r\x1b[31m ", max_size=12), max_size=8))
def test_many_lines_are_reduced_as_each_one_is(lines: list[str]) -> None:
    """What a search looks at is what is shown, line by line, and no line is lost."""
    data = [line.encode() for line in lines]
    alone = [shown(line) for line in data]
    assert shown(b"\n".join(data)) == b"\n".join(alone)
    seen = [clean_bytes(line).text for line in data]
    assert [line.decode().replace("\x1b", "␛") for line in alone] == seen


# Progress.


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("step 4120/9000 loss 0.3", Progress(done=4120, total=9000, text="step 4120/9000")),
        ("Epoch 5 of 100", Progress(done=5, total=100, text="Epoch 5 of 100")),
        ("Epoch [5/100]", Progress(done=5, total=100, text="Epoch [5/100")),
        (" 46%|####      |", Progress(done=46, total=100, text="46%")),
        ("x: 46%|##| 4.6k/10.0k [0", Progress(done=4600, total=10000, text="4.6k/10.0k")),
        ("  12/50 [00:38<00:00]", Progress(done=12, total=50, text="12/50")),
        ("step 1/10 step 2/10", Progress(done=2, total=10, text="step 2/10")),
        ("took 3/4 of it", None),
        ("2024/12/01 started", None),
        ("step 9/0", None),
        ("step 11/10", None),
        ("disk 46% full", None),
        ("999%|x|", None),
        ("", None),
    ],
)
def test_progress_is_read_only_where_it_is_meant(text: str, expected: Progress | None) -> None:
    """Steps, epochs and bars count; dates, fractions and nonsense do not."""
    assert progress_of(text) == expected


# Rows on the screen.


def row(text: str, number: int | None = 0) -> Row:
    """A line with this text."""
    return Row(number, clean_bytes(text.encode()))


def drawn(text: str, look: Look, number: int | None = 0) -> list[str]:
    """Its rows, as text."""
    return [plain(spans) for spans in log_rows(row(text, number), look)]


def test_a_line_is_moved_sideways_by_cells() -> None:
    """Half of a wide character becomes a blank; the number stays where it is."""
    look = Look(width=8, numbers=True, digits=3, offset=1)
    assert drawn("日本語x", look, 41) == [" 42  本 "]
    assert drawn("abcdefgh", look, None) == ["    bcde"]
    assert gutter_width(look) == 4


def test_a_line_wraps_at_the_width() -> None:
    """Rows after the first are indented as far as numbers reach; no cell is exceeded."""
    look = Look(width=7, wrap=True, numbers=True, digits=1)
    assert drawn("abcdefg", look) == ["1 abcde", "  fg"]
    assert drawn("ab日本語", Look(width=5, wrap=True)) == ["ab日", "本語"]
    assert drawn("", look) == ["1 "]


def test_a_wrapped_line_takes_no_more_than_the_page() -> None:
    """Whatever its length."""
    assert len(drawn("x" * 4000, Look(width=10, wrap=True, most=12))) == 12


@given(
    text=st.text(max_size=60),
    cells=st.integers(1, 20),
    offset=st.integers(0, 30),
    wrap=st.booleans(),
)
def test_no_row_is_wider_than_the_view(text: str, cells: int, offset: int, *, wrap: bool) -> None:
    """Any text, at any width and place."""
    look = Look(width=cells, wrap=wrap, offset=offset)
    assert all(width(spans) <= cells for spans in log_rows(row(text), look))


def test_a_time_can_be_left_out() -> None:
    """Then the line begins with its text."""
    text = "2024-05-01 12:00:00.123 INFO go"
    assert drawn(text, Look(width=40, timestamps=False)) == ["INFO go"]
    assert drawn(text, Look(width=40)) == [text]


def test_time_level_and_match_stand_out() -> None:
    """Muted, toned by its word, and a match above all; the text stays the same."""
    found = replace(row("12:00:00 ERROR out of \x1b[32mmemory"), marks=((15, 18),))
    spans = log_rows(found, Look(width=60))[0]
    assert [(piece.text, piece.tone) for piece in spans] == [
        ("12:00:00 ", Tone.MUTED),
        ("ERROR", Tone.BAD),
        (" ", Tone.PLAIN),
        ("out", Tone.MATCH),
        (" of ", Tone.PLAIN),
        ("memory", Tone.PLAIN),
    ]
    assert spans[-1].style == LogStyle(fore=2)


def test_only_ascii_is_drawn_where_nothing_else_may_be() -> None:
    """In as many cells, wrapped or not; what is marked stays marked."""
    found = replace(row("→ 広い é\u0301 \x00 fin"), marks=((2, 4),))
    look = Look(width=40, is_ascii=True)
    spans = log_rows(found, look)[0]
    assert "".join(piece.text for piece in spans) == "> ???? ? ? fin"
    assert [piece.text for piece in spans if piece.tone is Tone.MATCH] == ["????"]
    narrow = log_rows(found, Look(width=5, wrap=True, is_ascii=True))
    assert ["".join(piece.text for piece in spans) for spans in narrow] == [
        "> ???",
        "? ? ?",
        " fin",
    ]
    long = log_rows(row("\u00e4" * 5000), replace(look, width=5000))[0]
    assert "".join(piece.text for piece in long) == "?" * 2048 + "~ +5904 bytes"


@pytest.mark.parametrize(
    ("text", "tone"),
    [
        ("WARNING x", Tone.WARN),
        ("DEBUG x", Tone.MUTED),
        ("MemoryError", Tone.BAD),
        ("error: x", Tone.BAD),
        ("no errors here", Tone.PLAIN),
        ("TERROR", Tone.PLAIN),
    ],
)
def test_levels_are_known_by_words(text: str, tone: Tone) -> None:
    """Whole words, near the beginning."""
    assert log_rows(row(text), Look(width=60))[0][0].tone is tone


def test_what_was_left_out_is_said() -> None:
    """Bytes that are not shown and updates that were written over."""
    line = Row(0, LogLine((Styled("100%"),), updates=811, missing=5))
    assert plain(log_rows(line, Look(width=60))[0]) == "100%… +5 bytes  (811 updates collapsed)"
    line = Row(0, LogLine((Styled("9%"),), updates=811, in_part=True))
    assert plain(log_rows(line, Look(width=60))[0]) == "9%  (811 or more updates collapsed)"
    assert log_width(line.line) == 35


# The page.


def test_places_are_dividers_above_rows_and_dividers_below() -> None:
    """Each place is one of them; what has not arrived is nothing."""
    one = row("one")
    contents = Contents(("top",), 2, ("end",), {0: one})
    assert [contents.at(place) for place in range(-1, 5)] == [None, "top", one, None, "end", None]
    assert (contents.size, contents.row_of(1), contents.place_of(0)) == (4, 0, 1)


def test_the_last_page_is_as_full_as_it_can_be() -> None:
    """All from its top on fits; a line taller than the page stands there alone."""
    contents = Contents(total=10)
    assert logpage.last_top(contents, 4, lambda _: 1) == 6
    assert logpage.last_top(contents, 4, lambda place: 3 if place == 8 else 1) == 8
    assert logpage.last_top(contents, 4, lambda _: 9) == 9
    assert logpage.last_top(Contents(), 4, lambda _: 1) == 0


def test_a_place_in_sight_is_not_scrolled_to() -> None:
    """One out of sight is shown with some lines before it; a page around is had ready."""
    assert [logpage.scrolled_to(place, 10, 9) for place in (10, 18, 19, 1)] == [10, 10, 16, 0]
    assert logpage.wanted(Contents(("head",), 99), 10, 9) == (0, 27)
    assert logpage.wanted(Contents((), 99), 2, 9) == (-7, 27)


# Dividers and status.


def test_dividers_say_what_happened() -> None:
    """Above what is new, what was dropped; below what is deleted."""
    update = Update(standing=Event.DELETED, total=3, dropped=3 * 2**20)
    assert logstatus.heads(update, Event.ROTATED) == [
        "rotated, reopened: another file has this path now",
        "… oldest 3.0M dropped",
    ]
    assert logstatus.feet(update) == ["deleted: what was open is still shown; watching the path"]
    line = logstatus.divider("truncated", 20, ASCII)
    assert plain(line) == "-- truncated -------"


def status(update: Update | None, **facts: object) -> str:
    """The status line, 100 cells wide."""
    line = logstatus.status_line(Facts(path="/h/a.log", update=update, **facts), 100)  # type: ignore[arg-type] # keywords of Facts
    assert width(line) == 100
    return re.sub("─{2,}", "─", plain(line))


def test_an_empty_view_always_says_why() -> None:
    """Each state of the file has its words."""
    assert status(None) == "opening ─ follow ●"
    assert status(Update(standing=Event.ABSENT)).startswith("not created yet (watching /h/a.log) ─")
    assert status(Update(standing=Event.DENIED)).startswith("no permission to read /h/a.log ─")
    assert status(Update(standing=Event.DELETED)).startswith("a.log deleted ─")
    assert status(Update(standing=Event.IRREGULAR)).startswith("/h/a.log is not a regular file ─")
    failed = Update(standing=Event.FAILED, cause="Stale file handle")
    assert status(failed).startswith("cannot read /h/a.log: Stale file handle ─")
    empty = Update(standing=Event.OPENED)
    assert status(empty).startswith("a.log ─ empty ─")
    assert status(empty, writer=Writer(88123, 12)).startswith("a.log ─ empty, pid 88123 alive 12s")
    assert status(empty, writer=Writer(7)).startswith("a.log ─ empty, pid 7 not running")


def test_the_status_tells_what_is_there_and_what_is_not_as_usual() -> None:
    """Amount, search with position, filter, polling, binary, lines that came."""
    there = Update(standing=Event.OPENED, total=48211, size=12_688_000)
    assert status(there) == "a.log ─ 48211 lines 12M ─ follow ●"
    assert status(there, follow=False, new_lines=12).endswith("─ 12 new lines ↓ (G follows)")
    assert "─ binary? showing escaped ─" in status(there, binary=True)
    polling = status(there, polling=1.0)
    assert "─ on a filesystem without events: polling 1s ─" in polling
    found = Update(standing=Event.OPENED, total=9, size=99, search=Counting(17, 0.34))
    assert "3/17 matches (34% searched) of oom" in status(found, position=3, search="oom")
    kept = Update(standing=Event.OPENED, total=1, size=99, keep=Counting(1, 1.0))
    assert "only 1 line with a[b]" in status(kept, keep="a[b]")
    counting = Update(standing=Event.OPENED, size=2**30, numbered=False, indexed=0.5)
    assert "counting lines 50% of 1.0G" in status(counting)


def test_a_hostile_path_is_harmless_in_the_status() -> None:
    """Escapes in a path become visible."""
    update = Update(standing=Event.ABSENT)
    line = logstatus.status_line(Facts(path="/h/\x1b[31m.log", update=update), 60)
    assert "\x1b" not in plain(line)


def test_the_status_fits_any_width() -> None:
    """Down to one cell, in ASCII too."""
    there = Update(standing=Event.OPENED, total=48211, size=12_688_000)
    for cells in range(1, 60):
        line = logstatus.status_line(Facts(path="/h/a.log", update=there), cells, ASCII)
        assert cell_len(plain(line)) <= cells
        assert plain(line).isascii()


def test_a_jump_that_found_nothing_says_so() -> None:
    """Which way, and what was looked for."""
    assert logstatus.missed(Jump(1, Target.ERROR)) == "no more errors below"
    assert logstatus.missed(Jump(1, Target.MATCH, 0, Direction.BACK)) == "no more matches above"
    assert logstatus.missed(Jump(1, Target.TIME)) == "no line tells when it was written"
