"""Reading one log on, whatever happens to the file meanwhile."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from jobsched.logfiles.cursor import Cursor
from tests.process.log_jobs import append, drained


@pytest.fixture
def cursor(tmp_path: Path) -> Iterator[Cursor]:
    """A cursor on a log that is not there yet."""
    made = Cursor(tmp_path / "log")
    yield made
    made.close()


def test_cursor_each_byte_once(cursor: Cursor, tmp_path: Path) -> None:
    """A log is read as it grows, from before it exists."""
    path = tmp_path / "log"
    assert drained(cursor) == b""
    for number in range(100):
        append(path, b"%d\r" % number)
        assert drained(cursor) == b"%d\r" % number
        assert drained(cursor) == b""


@pytest.mark.parametrize("fresh", [b"new\n", b"newer\n", b"much longer than before\n"])
def test_cursor_truncation(cursor: Cursor, tmp_path: Path, fresh: bytes) -> None:
    """A log that is cut off and written anew is read anew, however long it has become."""
    path = tmp_path / "log"
    append(path, b"older\n")
    assert drained(cursor) == b"older\n"
    path.write_bytes(fresh)
    assert drained(cursor) == fresh


def test_cursor_truncation_seen(cursor: Cursor, tmp_path: Path) -> None:
    """Cut off, looked at, then written: the new is read from its beginning."""
    path = tmp_path / "log"
    append(path, b"same\n")
    assert drained(cursor) == b"same\n"
    os.truncate(path, 0)
    assert drained(cursor) == b""
    append(path, b"same\n")
    assert drained(cursor) == b"same\n"


def test_cursor_rotation(cursor: Cursor, tmp_path: Path) -> None:
    """A log moved away is read on, for its writer has it open; a new one in its place, too."""
    path = tmp_path / "log"
    writer = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_APPEND)
    os.write(writer, b"1\n")
    assert drained(cursor) == b"1\n"
    path.rename(tmp_path / "log.1")
    os.write(writer, b"2\n")
    assert drained(cursor) == b"2\n"
    append(path, b"4\n")
    os.write(writer, b"3\n")
    assert drained(cursor) == b"3\n4\n"
    os.write(writer, b"5\n")
    os.close(writer)
    assert drained(cursor) == b"5\n"


def test_cursor_replacement(cursor: Cursor, tmp_path: Path) -> None:
    """A log that another file is renamed over is read from its beginning."""
    path, other = tmp_path / "log", tmp_path / "other"
    append(path, b"old\n")
    assert drained(cursor) == b"old\n"
    append(other, b"old\nand new\n")
    other.rename(path)
    assert drained(cursor) == b"old\nand new\n"


def test_cursor_deletion(cursor: Cursor, tmp_path: Path) -> None:
    """A deleted log's writer is still heard; a log that comes back is read from its beginning."""
    path = tmp_path / "log"
    writer = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_APPEND)
    os.write(writer, b"1\n")
    assert drained(cursor) == b"1\n"
    path.unlink()
    os.write(writer, b"2\n")
    os.close(writer)
    assert drained(cursor) == b"2\n"
    append(path, b"1\n")
    assert drained(cursor) == b"1\n"


def test_cursor_many_rotations(cursor: Cursor, tmp_path: Path) -> None:
    """However often a log is replaced, few files are kept open."""
    path = tmp_path / "log"
    before = len(list(Path("/proc/self/fd").iterdir()))
    for number in range(50):
        path.unlink(missing_ok=True)
        append(path, b"%d\n" % number)
        assert drained(cursor) == b"%d\n" % number
    assert len(list(Path("/proc/self/fd").iterdir())) - before < 10


def test_cursor_strange_files(cursor: Cursor, tmp_path: Path) -> None:
    """A link, a directory or a pipe in a log's place is not read, and nobody waits for it."""
    path, secret = tmp_path / "log", tmp_path / "secret"
    secret.write_bytes(b"secret\n")
    path.symlink_to(secret)
    assert drained(cursor) == b""
    path.unlink()
    path.mkdir()
    assert drained(cursor) == b""
    path.rmdir()
    os.mkfifo(path)
    assert drained(cursor) == b""
    path.unlink()
    append(path, b"at last\n")
    assert drained(cursor) == b"at last\n"
