"""Which logs a job has, and reading their ends."""

from __future__ import annotations

import os
import resource
from pathlib import Path

import pytest

from jobsched import logs
from jobsched.context import Context, open_context
from jobsched.errors import InvalidInput, NotFound
from jobsched.logfiles.cursor import last_lines
from jobsched.logfiles.sources import all_paths
from tests.process.log_jobs import MakeJob, chain, group


def ends(path: Path, count: int, block: int = 7) -> tuple[bytes, int]:
    """The last lines of a file, read in small blocks, and how many they are said to be."""
    descriptor = os.open(path, os.O_RDONLY)
    try:
        begin, found = last_lines(descriptor, count, block=block)
        return os.pread(descriptor, 10_000_000, begin), found
    finally:
        os.close(descriptor)


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


def test_all_paths(context: Context) -> None:
    """A job's logs are its controller's, each node's, and each callback's."""
    names = [path.name for path in all_paths(context.home, 5, group([2, 1]))]
    assert names == ["5.log", "5-0.log", "5-0-1.log", "5-1.log", "5-0.log", "5-1.log"]
