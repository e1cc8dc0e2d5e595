"""What can be taken away of a job: complete, harmless, and kept where only its owner reads."""

from __future__ import annotations

import os
import stat
from pathlib import Path

from jobsched.api import Scheduler
from jobsched.context import Context
from jobsched.states import TaskStatus
from jobsched.testing import FakeClock
from jobsched_tui.data import reports
from jobsched_tui.data.live import Live
from tests.store.filling import end, waiting
from tests.tui.frames import job, running


def test_offers(tmp_path: Path) -> None:
    """What is known of a job can be copied; what is not is not offered."""
    found = reports.offers(running(7), tmp_path)
    assert (found["id"], found["pid"], found["home"]) == ("7", "88123", str(tmp_path))
    assert found["controller log"] == str(tmp_path / "logs" / "controller" / "7.log")
    bare = reports.offers(job(8, tasks=(), why="", name="a\x1b[31mb"), tmp_path)
    assert set(bare) == {"id", "name", "controller log", "home"}
    assert "\x1b" not in bare["name"]


def report(context: Context, printed: bytes | None) -> str:
    """The report of a job that failed."""
    job_id = waiting(context, "train")
    live = Live(Scheduler(context=context), FakeClock(wall=3000.0))
    log = context.home.task_log(job_id, 0)
    if printed is not None:
        log.write_bytes(printed)
    with context.db.write() as tx:
        from sqlalchemy import update  # noqa: PLC0415 -- for this alone

        from jobsched.store.catalogue.schema import tasks  # noqa: PLC0415 -- for this alone

        tx.change(update(tasks), started_at=1500.0)
    end(context, job_id, TaskStatus.FAILED)
    text = reports.failure(live.detail(job_id))
    live.close()
    return text


def test_failure(context: Context) -> None:
    """It tells the job, its tasks, its history and the end of its log."""
    text = report(context, b"".join(b"line %d\n" % n for n in range(300)))
    assert text.startswith("job 1 train\nstate DONE, status FAILED, attempt 0\nsource x.yaml\n")
    assert "\n  0 t: FAILED, exit code None" in text
    assert "\n  1970-01-01T00:16:40Z job: INACTIVE by test\n" in text
    assert "\n  1970-01-01T00:33:20Z task 0: PENDING -> FAILED by test" in text
    lines = text.splitlines()
    assert (lines[-1], lines[-200], len(lines) < 230) == ("  line 299", "  line 100", True)


def test_failure_is_harmless(context: Context) -> None:
    """Nothing in it moves a cursor, and of a progress bar there is the end alone."""
    text = report(context, b"1%\r50%\r100%\n\x1b]0;owned\x07\x1b[2Jend\n\xff\n")
    assert "100%" in text
    assert "50%" not in text
    assert all(char.isprintable() or char == "\n" for char in text)


def test_no_log(context: Context) -> None:
    """A log that is not there, or is none, is said to be; a pipe in its place is not waited for."""
    assert "cannot be read: No such file or directory" in report(context, None)
    log = context.home.task_log(2, 0)
    os.mkfifo(log)
    assert "cannot be read: it is no file" in report(context, None)
    log = context.home.task_log(3, 0)
    log.symlink_to("/etc/passwd")
    assert "root:" not in report(context, None)
    assert reports.failure(None) == ""


def test_keep(tmp_path: Path) -> None:
    """What was copied last lies in a file for its owner alone; never behind a link."""
    path = reports.keep(tmp_path, "secret\n")
    assert path is not None
    assert (path.read_text(), stat.S_IMODE(path.stat().st_mode)) == ("secret\n", 0o600)
    assert stat.S_IMODE(path.parent.stat().st_mode) == 0o700
    assert reports.keep(tmp_path, "later") == path
    assert path.read_text() == "later"
    aim = tmp_path / "aim"
    aim.write_text("mine")
    path.unlink()
    path.symlink_to(aim)
    assert reports.keep(tmp_path, "x") is None
    assert aim.read_text() == "mine"
    assert reports.keep(tmp_path / "none", "x") is None
