"""The file behind a log view: what may happen to it, and its last line alone."""

from __future__ import annotations

import os
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Final

import pytest

from jobsched_tui.data.logs.file import Event, LogFile
from jobsched_tui.data.logs.session import Session
from jobsched_tui.data.logs.tail import TailLine, tail_line
from jobsched_tui.data.logs.values import Request

MIB: Final = 1024 * 1024


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """Where the log is, or will be."""
    return tmp_path / "task.log"


# What happens to the file.


def test_the_life_of_a_log_is_told(path: Path) -> None:
    """Absent, opened, grown, cut off, deleted, recreated, rotated: each is said once."""
    file = LogFile(path)
    assert [file.poll(), file.poll()] == [Event.ABSENT, None]
    path.write_bytes(b"one\n")
    assert [file.poll(), file.poll()] == [Event.OPENED, None]
    with path.open("ab") as log:
        log.write(b"two\n")
    assert [file.poll(), file.poll(), file.size] == [Event.GROWN, None, 8]
    os.truncate(path, 2)
    assert [file.poll(), file.poll()] == [Event.TRUNCATED, None]
    path.unlink()
    assert [file.poll(), file.poll(), file.read(0, 9)] == [Event.DELETED, None, b"on"]
    path.write_bytes(b"new\n")
    assert [file.poll(), file.read(0, 9)] == [Event.RECREATED, b"new\n"]
    path.rename(path.with_suffix(".1"))
    path.write_bytes(b"newer\n")
    assert [file.poll(), file.read(0, 9)] == [Event.ROTATED, b"newer\n"]


def test_the_same_size_with_other_content_is_a_new_log(path: Path) -> None:
    """A file that was cut off and written anew is known by its first bytes."""
    path.write_bytes(b"the first run\n")
    file = LogFile(path)
    file.poll()
    with path.open("wb") as log:
        log.write(b"another run, and longer\n")
    assert file.poll() is Event.TRUNCATED


def test_a_deleted_log_is_followed_while_its_writer_goes_on(path: Path) -> None:
    """What is appended to a file without a name is still seen."""
    with path.open("wb", buffering=0) as log:
        log.write(b"one\n")
        file = LogFile(path)
        file.poll()
        path.unlink()
        assert file.poll() is Event.DELETED
        log.write(b"two\n")
        assert (file.poll(), file.standing, file.size) == (Event.GROWN, Event.DELETED, 8)


def test_the_same_file_put_back_is_recreated(path: Path) -> None:
    """A log that was moved away and back is there again."""
    path.write_bytes(b"one\n")
    file = LogFile(path)
    file.poll()
    path.rename(path.with_suffix(".away"))
    assert file.poll() is Event.DELETED
    path.with_suffix(".away").rename(path)
    assert [file.poll(), file.poll(), file.standing] == [Event.RECREATED, None, Event.RECREATED]


@pytest.mark.parametrize("kind", ["fifo", "directory", "symlink"])
def test_what_is_no_file_is_not_opened(path: Path, kind: str) -> None:
    """A pipe, a directory or a link in the place of the log is said, and nothing hangs."""
    if kind == "fifo":
        os.mkfifo(path)
    elif kind == "directory":
        path.mkdir()
    else:
        path.symlink_to("/etc/hostname")
    file = LogFile(path)
    assert [file.poll(), file.poll(), file.readable] == [Event.IRREGULAR, None, False]


@pytest.mark.skipif(os.geteuid() == 0, reason="root may read everything")
def test_a_log_we_may_not_read_is_said_and_opened_once_we_may(path: Path) -> None:
    """No permission is a state, which ends."""
    path.write_bytes(b"secret\n")
    path.chmod(0)
    file = LogFile(path)
    assert [file.poll(), file.poll()] == [Event.DENIED, None]
    path.chmod(0o600)
    assert file.poll() is Event.OPENED


# The last line alone.


def log_with(path: Path, data: bytes) -> TailLine | None:
    """The last line of a log with these bytes, written at a known moment."""
    path.write_bytes(data)
    os.utime(path, (100, 100))
    return tail_line(path)


@pytest.fixture
def big(path: Path) -> Iterator[Path]:
    """A sparse log of 10 GiB."""
    with path.open("wb") as log:
        log.seek(10 * 1024 * MIB)
        log.write(b"\nlast words\n\n  \n")
    yield path
    path.unlink()


@pytest.mark.parametrize(
    ("data", "text"),
    [
        (b"one\ntwo\n", "two"),
        (b"one\ntwo\n\n  \n", "two"),
        (b"10%\r20%\r30%", "30%"),
        (b"\x1b[31mred\x1b[0m\n", "red"),
        (b"a\x1b]52;c;x\x07\n", "a␛]52;c;x␇"),
        (b"", ""),
    ],
)
def test_the_last_line_is_what_a_person_would_see(path: Path, data: bytes, text: str) -> None:
    """Not blank, after the last carriage return, without colours, harmless."""
    assert log_with(path, data) == TailLine(text, 100.0)


def test_there_is_no_last_line_of_what_is_not_there(tmp_path: Path) -> None:
    """A missing log and a directory have none."""
    assert [tail_line(tmp_path / "none"), tail_line(tmp_path)] == [None, None]


def test_a_huge_log_opens_at_its_end_at_once(big: Path) -> None:
    """10 GiB: the last lines are there within a tenth of a second of CPU."""
    began = time.process_time()
    update = Session(LogFile(big)).step(Request(count=40))
    took = time.process_time() - began
    assert [row.line.text for row in update.rows.values()][-4:] == ["", "last words", "", "  "]
    assert took < 0.1
    found = tail_line(big)
    assert found is not None
    assert found.text == "last words"
