"""Keeping logs short while they are written and read."""

from __future__ import annotations

import errno
import fcntl
import logging
import os
from pathlib import Path

import pytest

from jobsched.clock import SystemClock
from jobsched.logfiles import holes
from jobsched.logfiles.cursor import Cursor
from jobsched.logfiles.trim import Trimmer, trim
from tests.process.log_jobs import MakeJob, append, drained

MIB = 1024 * 1024


@pytest.fixture
def can_punch(tmp_path: Path) -> None:
    """Skips where the file system of the tests has no holes."""
    path = tmp_path / "probe"
    path.write_bytes(b"x" * 65536)
    descriptor = os.open(path, os.O_RDWR)
    try:
        holes.punch(descriptor, 4096)
    except OSError as error:
        pytest.skip(f"no holes here: {error}")
    finally:
        os.close(descriptor)


def sync(path: Path) -> None:
    """Have the blocks of a file counted on every file system."""
    with path.open("rb") as file:
        os.fsync(file.fileno())


def numbered(count: int) -> bytes:
    """Lines that say their own offset."""
    return b"".join(b"%015d\n" % (16 * number) for number in range(count))


@pytest.mark.usefixtures("can_punch")
def test_trim_keeps_offsets(tmp_path: Path) -> None:
    """Blocks are freed, size and offsets stay, and one line says how much is gone."""
    path = tmp_path / "log"
    text = numbered(65536)
    path.write_bytes(text)
    sync(path)
    assert path.stat().st_blocks * 512 >= MIB
    assert trim(path, 256 * 1024)
    after = path.stat()
    assert after.st_size == MIB
    assert after.st_blocks * 512 <= 256 * 1024
    left = drained(Cursor(path))
    first, _, rest = left.partition(b"\n")
    dropped = MIB - len(rest)
    assert first.rstrip() == b"[jobsched: %d bytes dropped here]" % dropped
    assert rest == text[dropped:]
    assert rest.startswith(b"%015d\n" % dropped)
    assert not trim(path, 256 * 1024)


@pytest.mark.usefixtures("can_punch")
def test_trim_again(tmp_path: Path) -> None:
    """After many trims there is one marker, which counts all that is gone."""
    path = tmp_path / "log"
    text = b""
    for _ in range(8):
        more = b"".join(b"%015d\n" % (len(text) + 16 * number) for number in range(16384))
        append(path, more)
        text += more
        sync(path)
        trim(path, 256 * 1024)
    left = drained(Cursor(path))
    assert left.count(b"[jobsched: ") == 1
    first, _, rest = left.partition(b"\n")
    assert first.rstrip() == b"[jobsched: %d bytes dropped here]" % (len(text) - len(rest))
    assert text.endswith(rest)
    assert path.stat().st_blocks * 512 <= 256 * 1024


@pytest.mark.usefixtures("can_punch")
def test_trim_without_newlines(tmp_path: Path) -> None:
    """A log that is one endless line is cut in its middle."""
    path = tmp_path / "log"
    path.write_bytes(b"\rprogress" * 100_000)
    sync(path)
    assert trim(path, 128 * 1024)
    first, _, rest = drained(Cursor(path)).partition(b"\n")
    assert first == b"[jobsched: %d bytes dropped here]" % (900_000 - len(rest))
    assert (b"\rprogress" * 100_000).endswith(rest)


@pytest.mark.usefixtures("can_punch")
def test_trim_while_written_and_followed(make_job: MakeJob) -> None:
    """The writer appends as before; who was ahead of the cut gets each byte once and no marker."""
    job = make_job()
    reading = job.follow()
    text = numbered(32768)
    writer = os.open(job.log(), os.O_WRONLY | os.O_CREAT | os.O_APPEND)
    for begin in range(0, len(text), 65536):
        os.write(writer, text[begin : begin + 65536])
        reading.until_some(text[begin : begin + 65536][-16:])
        trim(job.log(), 128 * 1024)
    os.close(writer)
    assert job.log().stat().st_blocks * 512 <= 2 * 128 * 1024
    job.done()
    assert reading.end() == text


@pytest.mark.usefixtures("can_punch")
def test_trim_under_a_slow_reader(tmp_path: Path) -> None:
    """Who is behind the cut sees one marker and goes on after it; no zero is ever shown."""
    path = tmp_path / "log"
    text = numbered(65536)
    path.write_bytes(text)
    sync(path)
    cursor = Cursor(path)
    pieces = cursor.drain()
    first = next(pieces)
    assert trim(path, 256 * 1024)
    rest = b"".join(pieces)
    cursor.close()
    assert text.startswith(first)
    assert b"\0" not in rest
    assert rest.count(b"[jobsched: ") == 1
    assert text.endswith(rest.partition(b"\n")[2])


@pytest.mark.usefixtures("can_punch")
def test_trim_in_one_process_at_a_time(tmp_path: Path) -> None:
    """While somebody else trims a log, it is left alone."""
    path = tmp_path / "log"
    path.write_bytes(numbered(65536))
    sync(path)
    with path.open("rb") as other:
        fcntl.flock(other, fcntl.LOCK_EX)
        assert not trim(path, 256 * 1024)
    assert trim(path, 256 * 1024)


def test_trim_leaves_short_logs_alone(tmp_path: Path) -> None:
    """A log within its bounds, or missing, is not touched; a link is not followed."""
    path, link = tmp_path / "log", tmp_path / "link"
    path.write_bytes(numbered(4096))
    sync(path)
    before = path.stat()
    assert not trim(path, MIB)
    assert not trim(tmp_path / "missing", 1)
    assert path.stat().st_mtime_ns == before.st_mtime_ns
    path.write_bytes(numbered(65536))
    link.symlink_to(path)
    assert not trim(link, 4096)  # what a link itself takes is little
    assert path.read_bytes() == numbered(65536)


@pytest.mark.parametrize("number", [errno.ENOSPC, errno.EIO, errno.EACCES, errno.EOPNOTSUPP])
def test_trimmer_never_raises(
    tmp_path: Path, caplog: pytest.LogCaptureFixture, number: int
) -> None:
    """What cannot be trimmed is said once, whatever the error, and the others are trimmed."""
    bad, good = tmp_path / "bad", tmp_path / "good"
    trimmed = []

    def cut(path: Path, max_bytes: int) -> bool:
        if path == bad:
            raise OSError(number, os.strerror(number))
        trimmed.append((path, max_bytes))
        return True

    trimmer = Trimmer([bad, good], 7, SystemClock(), cut=cut)
    with caplog.at_level(logging.WARNING):
        trimmer.look_now()
        trimmer.look_now()
    assert trimmed == [(good, 7)] * 2
    said = [record.getMessage() for record in caplog.records]
    assert len(said) == 1
    assert said[0].startswith(f"{bad} cannot be kept short: ")


@pytest.mark.usefixtures("can_punch")
def test_trimmer_rests_between_looks(tmp_path: Path) -> None:
    """A look that is not due costs nothing and does nothing."""
    path = tmp_path / "log"
    trimmer = Trimmer([path], 64 * 1024, SystemClock(), every=3600)
    trimmer.look()
    path.write_bytes(numbered(65536))
    sync(path)
    trimmer.look()
    assert path.stat().st_blocks * 512 >= MIB
    trimmer.look_now()
    assert path.stat().st_blocks * 512 <= 64 * 1024
