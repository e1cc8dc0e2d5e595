"""Following the logs of a job to its end, whatever it does meanwhile."""

from __future__ import annotations

import threading
from pathlib import Path

import pytest

from jobsched import logs
from jobsched.context import Context, open_context
from jobsched.errors import NotFound
from jobsched.logfiles.follower import Follower
from jobsched.states import ScheduleState, TaskStatus
from tests.process.log_jobs import MakeJob, append, chain, group
from tests.support import wait_until

S, T = ScheduleState, TaskStatus


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
