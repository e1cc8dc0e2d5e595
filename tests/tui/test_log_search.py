"""Searching a log: counts, positions, the next match and the next error, filtered views."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Final

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from jobsched_tui.data.logs.file import Event, LogFile
from jobsched_tui.data.logs.index import LineIndex
from jobsched_tui.data.logs.matching import Matcher
from jobsched_tui.data.logs.patterns import ERROR, compile_pattern
from jobsched_tui.data.logs.search import MatchIndex
from jobsched_tui.data.logs.seeking import MISSED, Direction, Walk
from jobsched_tui.data.logs.session import Session
from jobsched_tui.data.logs.tally import BLOCK
from jobsched_tui.data.logs.values import Counting, Jump, Landing, Request, Target, Update
from jobsched_tui.data.logs.wishes import Wishes

ON, BACK = Direction.ON, Direction.BACK
#: A line that fills most of a block.
WIDE: Final = b"w" * (BLOCK - 30)
#: For all searches: its process is started once.
MATCHER: Final = Matcher()


@pytest.fixture(scope="module", autouse=True)
def _stopped() -> Iterator[None]:
    """It ends with these tests."""
    yield
    MATCHER.stop()


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """Where the log is."""
    return tmp_path / "task.log"


def counted(path: Path) -> tuple[LogFile, LineIndex]:
    """A log whose lines are all counted."""
    file = LogFile(path)
    file.poll()
    index = LineIndex(file)
    index.open_at_end()
    while not index.is_complete:
        index.step(BLOCK)
    return file, index


def searched(path: Path, pattern: str) -> MatchIndex:
    """All matches of a pattern in it."""
    matches = MatchIndex(*counted(path), compile_pattern(pattern), MATCHER)
    while not matches.is_done:
        matches.step(BLOCK)
    return matches


def finished(session: Session, request: Request) -> Update:
    """The answer when no work is left."""
    update = session.step(request)
    while update.more:
        update = session.step(request)
    return update


# Patterns.


@pytest.mark.parametrize(
    ("typed", "text", "found"),
    [
        ("oom", "OOM killed", True),
        ("OOM", "oom killed", False),
        (r"\Som", "ROOM", True),
        ("a.c", "abc", True),
        ("a[b", "xa[b", True),
        ("*", "2 * 3", True),
        ("[[", "a[[b", True),
        ("é", "CAFÉ", True),
        ("", "anything", True),
        ("^b$", "a\nb\nc", True),
    ],
)
def test_what_is_typed_is_understood(typed: str, text: str, *, found: bool) -> None:
    """An expression if it is one, else just these characters; capitals make it mind case."""
    pattern = compile_pattern(typed)
    assert (pattern.text_regex.search(text) is not None) is found


def test_a_literal_is_taken_as_it_is() -> None:
    """Where it is asked for, nothing in it has a meaning."""
    pattern = compile_pattern("a.c", literal=True)
    assert [bool(pattern.regex.search(data)) for data in (b"a.c", b"abc")] == [True, False]


@given(st.text(max_size=12))
def test_whatever_is_typed_compiles(typed: str) -> None:
    """And where needles are known, every match has one of them."""
    pattern = compile_pattern(typed)
    if pattern.regex.search(typed.encode("utf-8", "surrogateescape")):
        assert pattern.may_be_in(typed.encode("utf-8", "surrogateescape"))


@pytest.mark.parametrize(
    ("line", "is_error"),
    [
        (b"12:00 ERROR x", True),
        (b"Traceback (most recent call last):", True),
        (b"MemoryError", True),
        (b"java.lang.IllegalStateException: x", True),
        (b"gcc: fatal error: no input files", True),
        (b"FATAL", True),
        (b"0 errors, 0 warnings", False),
        (b"TERRORIST", False),
        (b"exceptional", False),
        (b"step 3/9", False),
    ],
)
def test_errors_are_known_by_their_words(line: bytes, *, is_error: bool) -> None:
    """Those of loggers, of Python, of compilers; not each mention."""
    assert (ERROR.regex.search(line) is not None) is is_error
    assert ERROR.may_be_in(line) or not is_error


# Counting.

_LINES = st.lists(st.sampled_from([b"", b"a", b"b", b"ab", b"ba", b"x\rb", b"b\rx"]), max_size=30)
_PATTERNS = st.sampled_from(["a", "b", "^$", "x*", r"a\s+b", "a[^x]b", "^b", "b$", "."])


def expected(lines: list[bytes], pattern: str) -> list[int]:
    """Which lines match, looked at one by one."""
    seen = [line.rsplit(b"\r", 1)[-1] for line in lines]
    return [at for at, line in enumerate(seen) if re.search(pattern.encode(), line)]


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=60)
@given(lines=_LINES, more=_LINES, wide=st.integers(0, 2), pattern=_PATTERNS, ended=st.booleans())
def test_the_lines_that_match_are_those_of_a_plain_search(
    path: Path, lines: list[bytes], more: list[bytes], wide: int, pattern: str, *, ended: bool
) -> None:
    """Line by line, never across lines, wherever blocks end, and by what is seen."""
    lines = [b"z", *lines, *([WIDE] * wide), *more]
    path.write_bytes(b"\n".join(lines) + (b"\n" if ended else b""))
    lines = lines if ended or lines[-1] else lines[:-1]
    matches = searched(path, pattern)
    wanted = expected(lines, pattern)
    assert list(matches.lines(0, 99)) == wanted
    assert matches.count == len(wanted)
    assert [matches.rank(at) for at in range(len(lines))] == [
        sum(number < at for number in wanted) for at in range(len(lines))
    ]


def test_a_search_takes_many_steps_and_tells_how_far_it_is(path: Path) -> None:
    """Counts grow block by block over the whole file, not over its end."""
    path.write_bytes(b"".join(b"line %06d\n" % number for number in range(400_000)))
    matches = MatchIndex(*counted(path), compile_pattern("00000$"), MATCHER)
    matches.step(BLOCK)
    assert (matches.count, matches.is_done) == (1, False)
    assert 0 < matches.part < 0.1
    while not matches.is_done:
        matches.step(BLOCK)
    assert list(matches.lines(1, 9)) == [100_000, 200_000, 300_000]
    assert matches.part == 1.0


def test_what_is_appended_is_searched_too(path: Path) -> None:
    """Also where it ends a line that had begun before."""
    path.write_bytes(b"hit\nhi")
    file, index = counted(path)
    matches = MatchIndex(file, index, compile_pattern("hit"), MATCHER)
    matches.step(BLOCK)
    assert (matches.count, matches.is_done) == (1, True)
    with path.open("ab") as log:
        log.write(b"t\nnone\nhit\n")
    file.poll()
    index.grow(BLOCK)
    assert not matches.is_done
    matches.step(BLOCK)
    assert list(matches.lines(0, 9)) == [0, 1, 3]


def test_colours_do_not_hide_a_match(path: Path) -> None:
    """An expression over a change of colour is found, and colour codes are no text."""
    path.write_bytes(b"out \x1b[31mof\x1b[0m memory\nout of 31m\n")
    assert list(searched(path, "out of").lines(0, 9)) == [0, 1]
    assert list(searched(path, "31m").lines(0, 9)) == [1]


# Seeking.


def walked(path: Path, line: int, direction: Direction, pattern: str = "hit") -> object:
    """Where a walk ends, one block at a step."""
    file, index = counted(path)
    matches = MatchIndex(file, index, compile_pattern(pattern), MATCHER)
    walk = Walk(index, matches, line, direction)
    found = walk.step(1)
    while found is None:
        found = walk.step(1)
    return found


def test_the_next_match_is_found_either_way(path: Path) -> None:
    """Over many blocks, and not beyond the ends."""
    path.write_bytes(b"\n".join([b"hit", WIDE, WIDE, b"hit", WIDE, WIDE, b"hit", b""]))
    assert walked(path, 0, ON) == 3
    assert walked(path, 3, ON) == 6
    assert walked(path, 6, ON) == MISSED
    assert walked(path, -1, ON) == 0
    assert walked(path, 7, BACK) == 6
    assert walked(path, 3, BACK) == 0
    assert walked(path, 0, BACK) == MISSED


def test_a_jump_waits_until_lines_have_numbers(path: Path) -> None:
    """The error before the end is found from there, across all steps, with its true row."""
    lines = [b"line %06d" % number for number in range(900_000)]
    lines[1234] = lines[500_000] = b"ValueError: x"
    path.write_bytes(b"\n".join(lines) + b"\n")
    session, wishes = Session(LogFile(path)), Wishes()
    update = session.step(wishes.request(None, 10))
    assert not update.numbered
    wishes.take(update)
    wishes.leap(Target.ERROR, BACK, update.total)
    ended = None
    while ended is None:
        ended = wishes.take(session.step(wishes.request(None, 10)))
    assert ended[1] == Landing(1, Target.ERROR, 500_000)
    assert wishes.current == 500_000


def test_what_is_remembered_by_row_moves_with_the_rows() -> None:
    """A jump on its way, the place jumped to last and the count of new lines stay true."""
    wishes = Wishes()
    wishes.current, wishes.left_at = 5, 7
    wishes.leap(Target.ERROR, BACK, 10)
    assert wishes.take(Update(standing=Event.OPENED, shift=100)) is None
    assert wishes.jump == Jump(1, Target.ERROR, 110, BACK)
    assert (wishes.current, wishes.left_at) == (105, 107)
    wishes.take(Update(standing=Event.OPENED, fresh=True))
    assert wishes.left_at == 107
    assert wishes.current is None


def test_lines_of_another_content_are_all_new() -> None:
    """After a rotation the count of new lines begins at nothing."""
    wishes = Wishes()
    wishes.left_at = 7
    wishes.take(Update(standing=Event.ROTATED, event=Event.ROTATED, fresh=True))
    assert wishes.left_at == 0


def test_a_landing_on_a_match_knows_which_one_it_is(path: Path) -> None:
    """From 1, of all that there are."""
    path.write_bytes(b"hit\nno\nhit\nno\nhit\n")
    request = Request(None, 9, compile_pattern("hit"), None, Jump(1, Target.MATCH, 0))
    session = Session(LogFile(path))
    update = session.step(request)
    while update.landing is None:
        update = session.step(request)
    assert update.landing == Landing(1, Target.MATCH, 2, 2)
    assert finished(session, request).search == Counting(3, 1.0)


# Filtered views.


def test_a_filtered_view_is_of_the_whole_file(path: Path) -> None:
    """Rows are the lines that match, with their own numbers, however far from the end."""
    lines = [b"line %06d" % number for number in range(600_000)]
    path.write_bytes(b"\n".join(lines) + b"\n")
    session = Session(LogFile(path))
    update = finished(session, Request(None, 3, keep=compile_pattern("00000$")))
    assert (update.total, update.keep) == (6, Counting(6, 1.0))
    assert [(at, row.number, row.line.text) for at, row in update.rows.items()] == [
        (3, 300_000, "line 300000"),
        (4, 400_000, "line 400000"),
        (5, 500_000, "line 500000"),
    ]
    update = finished(session, Request(0, 1, keep=compile_pattern("00000$")))
    assert [row.number for row in update.rows.values()] == [0]
    assert finished(session, Request(None, 3)).total == 600_000


def test_a_jump_in_a_filtered_view_lands_on_what_is_shown(path: Path) -> None:
    """The next match among the lines that are kept, by its row there."""
    path.write_bytes(b"a hit\nb hit\na\na hit\n")
    jump = Jump(1, Target.MATCH, 0)
    request = Request(None, 9, compile_pattern("hit"), compile_pattern("^a"), jump)
    session = Session(LogFile(path))
    update = session.step(request)
    while update.landing is None:
        update = session.step(request)
    assert update.landing.row == 2


def test_a_jump_without_a_search_finds_nothing(path: Path) -> None:
    """It ends at once."""
    path.write_bytes(b"one\n")
    session = Session(LogFile(path))
    request = Request(None, 9, jump=Jump(4, Target.MATCH, 0))
    session.step(request)
    assert session.step(request).landing == Landing(4, Target.MATCH)
