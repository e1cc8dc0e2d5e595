"""Reading the ends of logs, following them through whatever happens to them, keeping them short."""

from __future__ import annotations

import errno
import fcntl
import logging
import os
import resource
import threading
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from jobsched import logs
from jobsched.clock import SystemClock
from jobsched.context import Context, open_context
from jobsched.errors import InvalidInput, NotFound
from jobsched.logfiles import holes
from jobsched.logfiles.cursor import Cursor, last_lines
from jobsched.logfiles.follower import Follower
from jobsched.logfiles.sources import all_paths
from jobsched.logfiles.trim import Trimmer, trim
from jobsched.models import DagSpec
from jobsched.states import ScheduleState, TaskStatus
from tests.process.log_jobs import Job, append, chain, group
from tests.support import wait_until

S, T = ScheduleState, TaskStatus
MIB = 1024 * 1024

MakeJob = Callable[..., Job]


@pytest.fixture
def context(tmp_path: Path) -> Iterator[Context]:
    """A context in an empty home."""
    made = open_context(tmp_path / "home", actor="test")
    made.ensure_home()
    yield made
    made.db.close()


@pytest.fixture
def make_job(context: Context) -> Iterator[MakeJob]:
    """Makes jobs whose controller the test is."""
    made: list[Job] = []

    def make(spec: DagSpec | None = None, *, submitted: bool = True) -> Job:
        made.append(Job(context, spec or chain(1), submitted))
        return made[-1]

    yield make
    for job in made:
        job.leave()


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


def ends(path: Path, count: int, block: int = 7) -> tuple[bytes, int]:
    """The last lines of a file, read in small blocks, and how many they are said to be."""
    descriptor = os.open(path, os.O_RDONLY)
    try:
        begin, found = last_lines(descriptor, count, block=block)
        return os.pread(descriptor, 10 * MIB, begin), found
    finally:
        os.close(descriptor)


# The last lines.


@pytest.mark.parametrize(
    "text", [b"", b"\n", b"a", b"a\n", b"\n\n", b"one\ntwo\r\nthree", b"\xff\xfe\n\x80x\rbar\n"]
)
@pytest.mark.parametrize("count", [1, 2, 3, 9])
def test_last_lines(tmp_path: Path, text: bytes, count: int) -> None:
    """The last lines are those of the bytes, whatever they are and wherever a block ends."""
    path = tmp_path / "log"
    path.write_bytes(text)
    lines = text.split(b"\n")
    expected = [line + b"\n" for line in lines[:-1]] + ([lines[-1]] if lines[-1] else [])
    expected = expected[-count:]
    for block in (1, 2, 3, 64):
        assert ends(path, count, block) == (b"".join(expected), len(expected))


def test_last_lines_none_asked(tmp_path: Path) -> None:
    """Asking for no lines gives none."""
    path = tmp_path / "log"
    path.write_bytes(b"a\nb\n")
    assert ends(path, 0) == (b"", 0)


def test_tail_of_a_sparse_file(make_job: MakeJob, context: Context) -> None:
    """The end of 100 GiB with a hole comes at once, and the hole is no line and no byte."""
    job = make_job()
    job.write(b"first\n")
    os.truncate(job.log(), 100 << 30)
    job.write(b"x\nlast\n")
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    assert logs.tail_in(context, job.job_id, lines=1) == b"last\n"
    assert b"".join(logs.read_in(context, job.job_id)).replace(b"\0", b"") == b"first\nx\nlast\n"
    after = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    assert after - before < 20 * 1024, "it must not be read into memory"


def test_tail_of_a_long_line(make_job: MakeJob, context: Context) -> None:
    """A line of 300,000 bytes stays whole."""
    job = make_job()
    line = b"y" * 300_000 + b"\n"
    job.write(b"before\n" + line + b"after\n")
    assert logs.tail_in(context, job.job_id, lines=2) == line + b"after\n"


def test_tail_over_a_chain(make_job: MakeJob, context: Context) -> None:
    """The last lines of a chain are those of the whole of what it printed."""
    job = make_job(chain(3))
    job.write(b"a\nb\n", 0)
    job.write(b"c\nd\n", 1)
    assert logs.tail_in(context, job.job_id, lines=3) == b"b\nc\nd\n"
    assert logs.tail_in(context, job.job_id) == b"a\nb\nc\nd\n"


def test_tail_of_a_group(make_job: MakeJob, context: Context) -> None:
    """Of tasks that run side by side each gives its last lines, under its name."""
    job = make_job(group([1, 2]))
    job.write(b"a\nb\n", 0)
    job.write(b"c\nd", 1)
    job.write(b"e\n", 1, 1)
    assert logs.tail_in(context, job.job_id, lines=1) == (
        b"==> task 0 (t0) <==\nb\n==> task 1 (t1), node 0 <==\nd\n==> task 1 (t1), node 1 <==\ne\n"
    )
    assert logs.tail_in(context, job.job_id, task=0, lines=1) == b"b\n"


def test_tail_waits_for_nothing(make_job: MakeJob, context: Context) -> None:
    """Before there is anything to read, and in every state, an empty answer comes at once."""
    assert logs.tail_in(context, make_job(submitted=False).job_id) == b""
    assert logs.tail_in(context, make_job().job_id) == b""
    assert logs.tail_in(context, make_job().job_id, controller=True) == b""


def test_tail_by_task(make_job: MakeJob, context: Context) -> None:
    """A task is named by number, by a number as text, or by name."""
    job = make_job(chain(2))
    job.write(b"zero\n", 0)
    job.write(b"one\n", 1)
    for task in (1, "1", "t1"):
        assert logs.tail_in(context, job.job_id, task=task) == b"one\n"


def test_not_found(make_job: MakeJob, context: Context, tmp_path: Path) -> None:
    """An unknown job, task or home is an error at the call, not at the first byte."""
    job = make_job()
    nowhere = open_context(tmp_path / "nowhere")
    for act in (
        lambda: logs.follow_in(context, 99),
        lambda: logs.tail_in(context, 99),
        lambda: logs.follow_in(context, job.job_id, task="t7"),
        lambda: logs.follow_in(context, job.job_id, task=7),
        lambda: logs.follow_in(nowhere, 1),
    ):
        with pytest.raises(NotFound):
            act()
    with pytest.raises(InvalidInput):
        logs.follow_in(context, job.job_id, task=0, controller=True)
    assert not (tmp_path / "nowhere").exists()


# Following.


def test_follow_a_done_job(make_job: MakeJob, context: Context) -> None:
    """Following a job that is DONE prints everything and ends."""
    job = make_job(chain(2))
    job.write(b"a\n\xff\xfe\n", 0)
    job.write(b"no newline", 1)
    job.done()
    assert b"".join(logs.follow_in(context, job.job_id)) == b"a\n\xff\xfe\nno newline"


def test_module_functions(
    make_job: MakeJob, context: Context, monkeypatch: pytest.MonkeyPatch
) -> None:
    """``logs.follow`` and ``logs.tail`` read the default home."""
    job = make_job()
    job.write(b"a\nb\n")
    job.done()
    monkeypatch.setenv("JOBSCHED_HOME", str(context.home.root))
    assert list(logs.follow(job.job_id)) == [b"a\nb\n"]
    assert logs.tail(job.job_id, lines=1) == b"b\n"
    assert logs.tail(job.job_id, None, True, 1) == b""
    with pytest.raises(NotFound):
        logs.follow(99)


def test_progress_bars_are_seen(make_job: MakeJob) -> None:
    """What ends in a carriage return is passed on before any newline comes."""
    job = make_job()
    reading = job.follow()
    shown = b""
    for percent in range(0, 50, 10):
        frame = b"\r%3d%%" % percent
        job.write(frame)
        shown += frame
        reading.until(shown)
    job.write(b"\n")
    job.done()
    assert reading.end() == shown + b"\n"


def test_long_line_and_any_bytes(make_job: MakeJob) -> None:
    """A long line and bytes that are no text pass unchanged."""
    job = make_job()
    reading = job.follow()
    data = b"z" * 300_000 + b"\n" + bytes(range(256)) * 10
    job.write(data)
    reading.until(data)
    job.done()
    assert reading.end() == data


def test_follow_from_before_the_submission(make_job: MakeJob) -> None:
    """Who follows a job that is not even submitted gets all of it."""
    job = make_job(submitted=False)
    reading = job.follow()
    job.submit()
    job.write(b"hello\n")
    reading.until(b"hello\n")
    job.done()
    assert reading.end() == b"hello\n"


def test_follow_across_tasks_and_restarts(make_job: MakeJob) -> None:
    """Two tasks, two restarts: each line once and in order, whatever is written early."""
    job = make_job(chain(2))
    reading = job.follow()
    expected = b""
    for run in range(3):
        line = b"task 0, run %d\n" % run
        job.write(line, 0)
        expected += line
        before = T.STARTING if run == 0 else T.RECOVERING
        job.status(0, before, T.RUNNING)
    reading.until(expected)
    job.write(b"task 1\n", 1)  # seen only once the first has ended and said its last
    job.write(b"last of task 0\n", 0)
    job.status(0, T.SUCCEEDED)
    expected += b"last of task 0\ntask 1\n"
    reading.until(expected)
    job.write(b"end\n", 1)
    job.status(1, T.STARTING, T.RUNNING, T.SUCCEEDED)
    job.done()
    assert reading.end() == expected + b"end\n"


def test_follow_a_group(make_job: MakeJob) -> None:
    """Logs that are written at the same time take turns, and each turn says whose it is."""
    job = make_job(group([1, 1]))
    reading = job.follow()
    first = b"==> task 0 (t0) <==\na"
    job.write(b"a", 0)
    reading.until(first)
    second = b"\n==> task 1 (t1) <==\nb\n"
    job.write(b"b\n", 1)
    reading.until(first + second)
    job.write(b"c\n", 1)
    reading.until(first + second + b"c\n")
    job.done()
    assert reading.end() == first + second + b"c\n"


def test_follow_the_last_lines(make_job: MakeJob) -> None:
    """Following may begin some lines before the end."""
    job = make_job(chain(2))
    job.write(b"1\n2\n", 0)
    job.write(b"3\n", 1)
    job.status(0, T.STARTING, T.RUNNING, T.SUCCEEDED)
    reading = job.follow(lines=2)
    reading.until(b"2\n3\n")
    job.write(b"4\n", 1)
    job.done()
    assert reading.end() == b"2\n3\n4\n"


def test_two_followers(make_job: MakeJob) -> None:
    """Two who follow at once get the same."""
    job = make_job()
    job.write(b"early\n")
    readings = [job.follow(), job.follow()]
    job.write(b"late\n")
    for reading in readings:
        reading.until(b"early\nlate\n")
    job.done()
    assert [reading.end() for reading in readings] == [b"early\nlate\n"] * 2


def test_follow_the_controller(make_job: MakeJob, context: Context) -> None:
    """A controller's log is followed to its last words, which come after DONE."""
    job = make_job()
    path = context.home.controller_log(job.job_id)
    append(path, b"begin\n")
    reading = job.follow(controller=True)
    reading.until(b"begin\n")
    job.done()
    append(path, b"job is DONE\n")
    reading.until(b"begin\njob is DONE\n")
    job.leave()
    assert reading.end() == b"begin\njob is DONE\n"


def test_follow_ticks(make_job: MakeJob, context: Context) -> None:
    """Whoever follows takes back what a dead controller left."""
    job = make_job()
    context.home.config_file.write_text('[controller]\non_reboot = "hold"\n')
    following = open_context(context.home.root)
    job.leave()
    pieces = logs.follow_in(following, job.job_id)
    waiting = threading.Thread(target=lambda: list(pieces), daemon=True)
    waiting.start()
    wait_until(lambda: job.state() is S.WAITING, 10, "the job to be requeued")
    job.done()
    waiting.join(10)
    assert not waiting.is_alive()
    following.db.close()


def is_open(path: Path) -> bool:
    """Whether this process has the file open."""
    return any(one.samefile(path) for one in Path("/dev/fd").iterdir() if one.exists())


def test_follow_gives_everything_back(make_job: MakeJob, context: Context) -> None:
    """A follower that is left early keeps no log open."""
    job = make_job()
    job.write(b"a\n")
    with Follower(context, job.job_id) as follower:
        assert [chunk.data for chunk in follower.step()] == [b"a\n"]
        assert not follower.ended
        assert is_open(job.log())
    assert not is_open(job.log())


# What may happen to a log meanwhile.


def drained(cursor: Cursor) -> bytes:
    """What the cursor gives now."""
    return b"".join(cursor.drain())


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


# Keeping them short.


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


def test_all_paths(context: Context) -> None:
    """A job's logs are its controller's, each node's, and each callback's."""
    names = [path.name for path in all_paths(context.home, 5, group([2, 1]))]
    assert names == ["5.log", "5-0.log", "5-0-1.log", "5-1.log", "5-0.log", "5-1.log"]
