"""The last line of a job's log: of which log, and that it is read only when it has changed."""

from __future__ import annotations

import os
from pathlib import Path

from jobsched.states import TaskStatus
from jobsched_tui.data.frame import TaskLine
from jobsched_tui.data.tails import Tails, newest
from tests.tui.frames import job


def task(task_id: int, status: TaskStatus, path: Path, started_at: float | None = None) -> TaskLine:
    """One task with a log."""
    return TaskLine(
        task_id=task_id, name="t", status=status, started_at=started_at, log_path=str(path)
    )


def test_last_line(tmp_path: Path) -> None:
    """The row gets the last line, when it was written, and what it says of progress."""
    path = tmp_path / "log"
    path.write_text("begin\nstep 3/12 loss 0.1\n")
    os.utime(path, (500.0, 500.0))
    line = Tails().complete(job(1, tasks=(task(0, TaskStatus.RUNNING, path),)))
    assert (line.last_line, line.log_at) == ("step 3/12 loss 0.1", 500.0)
    assert line.progress is not None
    assert (line.progress.done, line.progress.total) == (3, 12)


def test_read_only_when_changed(tmp_path: Path) -> None:
    """The same log is not read again; one that was written, or replaced, is."""
    path = tmp_path / "log"
    path.write_text("one\n")
    os.utime(path, (500.0, 500.0))
    tails, bare = Tails(), job(1, tasks=(task(0, TaskStatus.RUNNING, path),))
    shown = tails.complete(bare)
    assert tails.complete(shown) is shown
    with path.open("r+") as file:
        file.write("two")
    os.utime(path, (500.0, 500.0))
    assert tails.complete(bare).last_line == "one"  # nothing told that it is another
    with path.open("a") as file:
        file.write("three\n")
    assert tails.complete(shown).last_line == "three"
    path.unlink()
    assert tails.complete(bare) == bare
    path.write_text("four\n")
    assert tails.complete(bare).last_line == "four"


def test_no_log(tmp_path: Path) -> None:
    """A job that has not begun, or has no log yet, is shown as it is."""
    begun = job(1, tasks=(task(0, TaskStatus.RUNNING, tmp_path / "none"),))
    waits = job(2, tasks=(task(0, TaskStatus.PENDING, tmp_path / "none"),))
    for line in (begun, waits, job(3, tasks=())):
        assert Tails().complete(line) is line


def test_newest(tmp_path: Path) -> None:
    """A task that runs comes first, else the one that began last."""
    ended = task(0, TaskStatus.SUCCEEDED, tmp_path, 5.0)
    failed = task(1, TaskStatus.FAILED, tmp_path, 9.0)
    runs = task(2, TaskStatus.RUNNING, tmp_path, 7.0)
    pending = task(3, TaskStatus.PENDING, tmp_path)
    assert newest(job(1, tasks=(ended, failed, runs, pending))) == runs
    assert newest(job(1, tasks=(failed, ended, pending))) == failed
    assert newest(job(1, tasks=(pending,))) is None
