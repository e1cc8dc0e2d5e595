"""What an audit has nothing to say against, and that it neither changes nor holds up anything."""

from __future__ import annotations

import stat
import time
from pathlib import Path

from jobsched import audit
from jobsched.context import Context, open_context
from jobsched.scheduler.ending import cancel, job_done
from jobsched.scheduler.operate import set_hold, set_limits
from jobsched.scheduler.submission import Submission, load, submit_new
from jobsched.states import TaskStatus
from jobsched.store import moves, reads
from jobsched.sweep.pruning import prune
from tests.process.log_jobs import Job, MakeJob, group

T = TaskStatus


def test_a_missing_home(tmp_path: Path) -> None:
    """Nothing is wrong with what is not there, and it is not made."""
    report = audit.check(open_context(tmp_path / "nowhere"))
    assert (report.violations, report.rows) == ((), 0)
    assert not (tmp_path / "nowhere").exists()


def test_a_lived_in_home(context: Context, make_job: MakeJob, tmp_path: Path) -> None:
    """Jobs in every state, limits changed, holds, cancels, forced ends, prunes: all clean."""
    dag = tmp_path / "dag.yaml"
    dag.write_text("run: 'true'\n")
    make_job(submitted=False)
    running = make_job(group([1, 2]))
    running.status(0, T.STARTING, T.RUNNING, T.RECOVERING)
    for _ in range(2):
        make_job().done()
    forced = make_job()
    set_limits(context, launch=0, alive=5)
    held, waiting, gone = submit_new(
        context,
        [Submission(loaded=load(dag), source="dag", hold=hold) for hold in (True, False, False)],
    )
    set_limits(context, paused=True, launch="auto")
    set_hold(context, held, held=False)
    set_hold(context, waiting, held=True)
    cancel(context, [gone])
    job_done(context, forced.job_id)
    forced.leave()
    assert audit.check(context).violations == ()
    assert prune(context, older_than=None, keep=1) == 3
    report = audit.check(context)
    assert report.violations == ()
    assert report.rows > 30


def test_it_changes_nothing(context: Context, done: Job) -> None:
    """No file is written, made or removed, and no row changed."""
    del done

    def files() -> dict[Path, tuple[int, int, int]]:
        found = {path: path.lstat() for path in context.home.root.rglob("*")}
        return {
            path: (one.st_size, one.st_mtime_ns, stat.S_IMODE(one.st_mode))
            for path, one in found.items()
            if path.suffix != ".db-shm" and not path.name.endswith("-shm")
        }

    context.home.root.chmod(0o755)
    before = files()
    assert audit.check(context).violations
    assert files() == before
    assert stat.S_IMODE(context.home.root.stat().st_mode) == 0o755


def test_others_go_on_meanwhile(context: Context, done: Job) -> None:
    """An audit holds up no writer, and a checkpoint under the lock waits for no reader."""
    other = open_context(context.home.root)
    with context.db.read() as tx:
        assert reads.job(tx, done.job_id) is not None
        with other.db.write() as writing:
            moves.set_job(writing, done.job_id, failure_reason="x" * 40 * 1024 * 1024)
        began = time.monotonic()
        other.db.checkpoint()
        assert time.monotonic() - began < 2
    other.db.checkpoint()
    wal = context.home.database.with_name("jobsched.db-wal")
    assert wal.stat().st_size == 0
    other.db.close()
