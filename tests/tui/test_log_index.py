"""Lines of a log by their number, and a session that reads them in steps."""

from __future__ import annotations

import os
import threading
import time
from pathlib import Path
from typing import Final

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from jobsched_tui.data.logs.file import Event, LogFile
from jobsched_tui.data.logs.index import LineIndex
from jobsched_tui.data.logs.session import Session
from jobsched_tui.data.logs.tally import BLOCK, Tally
from jobsched_tui.data.logs.values import Request, Update

MIB: Final = 1024 * 1024


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """Where the log is, or will be."""
    return tmp_path / "task.log"


def opened(path: Path) -> tuple[LogFile, LineIndex]:
    """A log, opened at its end."""
    file = LogFile(path)
    file.poll()
    index = LineIndex(file)
    index.open_at_end()
    return file, index


def counted(path: Path) -> LineIndex:
    """The same, counted to the end."""
    file, index = opened(path)
    finish(file, index)
    return index


def finish(file: LogFile, index: LineIndex) -> None:
    """Count all there is."""
    file.poll()
    while not index.is_complete or index.counted < file.size:
        index.grow(BLOCK)
        index.step(BLOCK)


def texts(index: LineIndex, first: int, count: int) -> list[bytes]:
    """Whole lines."""
    return [raw.head for raw in index.window(first, count)]


def finished(session: Session, request: Request) -> Update:
    """The answer when no work is left."""
    update = session.step(request)
    while update.more:
        update = session.step(request)
    return update


# The tally.


@given(st.lists(st.integers(0, 3), min_size=1, max_size=20))
def test_each_item_is_found_in_its_block(counts: list[int]) -> None:
    """The n-th item lies in the block that a plain walk over all items gives."""
    tally = Tally(5)
    for count in counts:
        tally.append(count)
    walked = [5 + at for at, count in enumerate(counts) for _ in range(count)]
    assert [tally.block_of(number) for number in range(tally.total)] == walked
    assert [tally.before(5 + at) for at in range(len(counts))] == [
        sum(counts[:at]) for at in range(len(counts))
    ]


def test_blocks_can_be_put_in_front_and_taken_away() -> None:
    """Prepending, forgetting and clearing keep the sums true and tell how much they are."""
    tally = Tally(3)
    tally.append(4)
    tally.grow_last(1)
    assert tally.prepend([1, 2]) == 3
    assert (tally.first, tally.end, tally.total, tally.before(3)) == (1, 4, 8, 3)
    assert tally.clear_until(2, 1) == 2
    assert list(tally) == [0, 1, 5]
    assert tally.next_with_any(1) == 2
    tally.forget_from(3)
    assert (tally.total, tally.next_with_any(3)) == (1, None)


# Lines.

_LINES = st.lists(st.binary(max_size=12).map(lambda line: line.replace(b"\n", b"")), max_size=30)


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=60)
@given(lines=_LINES, fill=st.integers(0, 3), ended=st.booleans(), first=st.integers(0, 40))
def test_every_line_is_found_by_its_number(
    path: Path, lines: list[bytes], fill: int, *, ended: bool, first: int
) -> None:
    """Lines are those that splitting the file gives, also across blocks and without an end."""
    wide = b"x" * (BLOCK - 20)
    lines = [b"first", *lines, *([wide] * fill), *lines]
    path.write_bytes(b"\n".join(lines) + (b"\n" if ended else b""))
    expected = lines if ended or lines[-1] else lines[:-1]
    index = counted(path)
    assert index.total == len(expected)
    short = [raw.head if not raw.tail else wide for raw in index.window(first, 12)]
    assert short == expected[first : first + 12]
    assert [raw.number for raw in index.window(first, 12)] == list(
        range(first, min(first + 12, len(expected)))
    )


def test_the_end_is_there_before_the_lines_are_counted(path: Path) -> None:
    """Lines at the end have numbers that become true when the shift is added."""
    path.write_bytes(b"".join(b"line %06d\n" % number for number in range(400_000)))
    file, index = opened(path)
    assert not index.is_complete
    last = list(index.window(index.total - 2, 2))
    assert [raw.head for raw in last] == [b"line 399998", b"line 399999"]
    shift = 0
    while not index.is_complete:
        shift += index.step(BLOCK)
    assert index.total == 400_000
    assert last[0].number + shift == 399_998
    assert texts(index, 123_460, 1) == [b"line 123460"]
    assert texts(index, 123_456, 2) == [b"line 123456", b"line 123457"]
    assert file.size == 400_000 * 12


def test_scrolling_back_before_all_is_counted_reads_one_more_block(path: Path) -> None:
    """The block before the first comes in front; its lines are the shift."""
    path.write_bytes(b"".join(b"line %06d\n" % number for number in range(400_000)))
    _, index = opened(path)
    before = texts(index, 1, 1)
    shift = index.extend_back()
    assert shift > 20_000
    assert texts(index, 1 + shift, 1) == before


def test_appended_bytes_continue_the_last_line(path: Path) -> None:
    """A line without a newline is one; what is appended to it belongs to it."""
    path.write_bytes(b"one\ntw")
    file, index = opened(path)
    assert texts(index, 0, 9) == [b"one", b"tw"]
    with path.open("ab") as log:
        log.write(b"o\nthree\n")
    assert file.poll() is Event.GROWN
    index.grow(MIB)
    assert texts(index, 0, 9) == [b"one", b"two", b"three"]


def test_a_line_longer_than_many_blocks_is_read_at_both_ends(path: Path) -> None:
    """Of a line of 4 MiB a few KiB are read; its size is told, and the next one is found."""
    path.write_bytes(b"a\n" + b"b" * (4 * MIB) + b"END\nc\n")
    index = counted(path)
    long = next(index.window(1, 1))
    assert (long.size, long.head[:1], long.tail[-3:]) == (4 * MIB + 3, b"b", b"END")
    assert len(long.head) + len(long.tail) <= 64 * 1024
    assert texts(index, 2, 1) == [b"c"]


def test_a_hole_at_the_beginning_is_no_line(path: Path) -> None:
    """Lines begin where the hole ends; the zeros before are told apart by offset."""
    with path.open("wb") as log:
        log.seek(3 * BLOCK + 4096)
        log.write(b"[dropped]\nnext\n")
    file, index = opened(path)
    finish(file, index)
    assert (file.begin, index.total) == (3 * BLOCK + 4096, 2)
    assert texts(index, 0, 2) == [b"[dropped]", b"next"]


def test_zeros_between_a_hole_and_the_text_are_skipped_too(path: Path) -> None:
    """A writer that does not append leaves zeros up to where it writes on."""
    with path.open("wb") as log:
        log.seek(10 * MIB + 17)
        log.write(b"text\n")
    assert texts(counted(path), 0, 5) == [b"text"]


def test_a_trim_takes_lines_away_and_says_how_many(path: Path) -> None:
    """After the beginning became a hole, the same lines have numbers smaller by the shift."""
    path.write_bytes(b"".join(b"line %06d\n" % number for number in range(100_000)))
    file, index = opened(path)
    finish(file, index)
    cut = 2 * BLOCK + 8192
    assert texts(index, 50_000, 1) == [b"line 050000"]
    punch(path, cut)
    assert file.poll() is Event.TRIMMED
    shift = index.drop()
    assert shift == -(cut // 12)
    assert file.begin == cut
    assert texts(index, 60_000 - cut // 12, 1) == [b"line 060000"]
    assert texts(index, 90_000 - cut // 12, 1) == [b"line 090000"]
    assert index.total == 100_000 - cut // 12


def punch(path: Path, length: int) -> None:
    """Make the beginning a hole, or skip where the file system cannot."""
    from jobsched.logfiles import holes  # noqa: PLC0415 -- the writer's side, for this one test

    descriptor = os.open(path, os.O_RDWR)
    try:
        holes.punch(descriptor, length)
    except OSError:
        pytest.skip("no holes can be punched here")
    finally:
        os.close(descriptor)


# The session: all of it in steps.


def test_the_last_lines_come_with_the_first_step(path: Path) -> None:
    """A step gives what is wanted; numbers follow when the file has been counted."""
    path.write_bytes(b"".join(b"line %06d\n" % number for number in range(800_000)))
    session = Session(LogFile(path))
    update = session.step(Request(count=3))
    assert [row.line.text for row in update.rows.values()] == [
        "line 799997",
        "line 799998",
        "line 799999",
    ]
    assert {row.number for row in update.rows.values()} == {None}
    assert (update.fresh, update.numbered, update.more) == (True, False, True)
    update = finished(session, Request(count=1))
    assert [(at, row.number) for at, row in update.rows.items()] == [(799_999, 799_999)]
    session.close()


def test_the_answer_stays_the_same_while_nothing_changes(path: Path) -> None:
    """So that a look every second costs one call of the system."""
    path.write_bytes(b"one\n")
    session = Session(LogFile(path))
    finished(session, Request(count=9))
    answer = session.step(Request(count=9))
    assert session.step(Request(count=9)) is answer
    assert (answer.event, answer.fresh, answer.total) == (None, False, 1)
    with path.open("ab") as log:
        log.write(b"two\n")
    assert session.step(Request(count=9)).total == 2


def test_a_missing_log_is_an_answer(path: Path) -> None:
    """Nothing there: no rows, no error, and no work left."""
    update = Session(LogFile(path)).step(Request(count=9))
    assert (update.standing, update.total, update.more) == (Event.ABSENT, 0, False)


def test_a_closed_session_opens_nothing(path: Path) -> None:
    """A step that comes late does not take hold of the file again."""
    path.write_bytes(b"one\n")
    file = LogFile(path)
    session = Session(file)
    session.close()
    assert (session.step(Request(count=1)).total, file.readable) == (0, False)


def test_a_log_cut_off_and_rewritten_all_the_time_never_breaks_a_step(path: Path) -> None:
    """Copy-and-truncate at any moment gives lines that were written, or none."""
    path.write_bytes(b"")
    stop = threading.Event()

    def write() -> None:
        number = 0
        while not stop.is_set():
            with path.open("ab") as log:
                log.write(b"".join(b"row %d\n" % at for at in range(number, number + 5000)))
            number += 5000
            if number % 20_000 == 0:
                os.truncate(path, 0)

    writer = threading.Thread(target=write)
    writer.start()
    try:
        session = Session(LogFile(path))
        seen: set[str] = set()
        deadline = time.monotonic() + 1.5
        while time.monotonic() < deadline:
            update = session.step(Request(count=40))
            seen.update(row.line.text[:3] for row in update.rows.values())
    finally:
        stop.set()
        writer.join()
    assert "row" in seen
    path.write_bytes(b"the end\n")
    update = finished(session, Request(count=2))
    assert [row.line.text for row in update.rows.values()] == ["the end"]
