"""What locks and processes must not say, and how long each may take to come right."""

from __future__ import annotations

import fcntl
import os
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from jobsched import lock
from jobsched.audit import Invariant
from jobsched.backends.local.folder import Facts, Folder
from jobsched.context import Context
from jobsched.scheduler.operate import set_limits
from jobsched.scheduler.submission import Submission, load, submit_new
from jobsched.states import TaskStatus
from jobsched.store import reads
from tests.process.log_jobs import Job, MakeJob, group
from tests.store.audit.tampering import QuickClock, broken, change, said

T = TaskStatus


def test_an_ended_attempt_that_lives(context: Context, done: Job) -> None:
    """An attempt has five seconds to be gone after its end; then whoever holds on is named."""
    held = lock.try_lock(context.home.attempt_lock(done.job_id, 1))
    assert held is not None
    try:
        assert broken(context) == {Invariant.LIVENESS}
        assert f"PID {os.getpid()} still holds its lock" in said(context)
        change(context, "UPDATE attempts SET ended_at = ?", time.time() - 2)
        assert broken(context) == set()
    finally:
        os.close(held)


def test_a_living_attempt(context: Context, make_job: MakeJob) -> None:
    """The controller of an alive job is where it should be."""
    make_job()
    assert broken(context) == set()


def cluster(context: Context, name: str, job_id: int, task_id: int = 0) -> Folder:
    """A cluster as it is on disk."""
    folder = Folder(context.home.clusters / name)
    folder.make()
    folder.lock.touch(0o600)
    folder.record(0).touch(0o600)
    folder.write_facts(
        Facts(
            job_id=job_id, task_id=task_id, attempt=1, region="here", candidate=0, num_nodes=1,
            created_at=1.0, boot_id="x",
        )
    )  # fmt: skip
    return folder


def test_two_copies_of_a_task(context: Context, make_job: MakeJob) -> None:
    """Two clusters of one task on which processes live are one too many."""
    job = make_job(group([1, 1]))
    folders = [
        cluster(context, "a", job.job_id), cluster(context, "b", job.job_id),
        cluster(context, "c", job.job_id, 1),
    ]  # fmt: skip
    with folders[0].lock.open() as first, folders[2].lock.open() as other:
        fcntl.flock(first, fcntl.LOCK_EX)
        fcntl.flock(other, fcntl.LOCK_EX)
        assert broken(context) == set()
        with folders[1].lock.open() as second:
            fcntl.flock(second, fcntl.LOCK_EX)
            assert broken(context) == {Invariant.COPIES}
            assert "task 0 runs more than once, on a and b" in said(context)


@pytest.fixture
def ticking(context: Context) -> Iterator[None]:
    """Somebody holds the tick lock, and does nothing."""
    held = lock.try_lock(context.home.tick_lock)
    assert held is not None
    yield
    os.close(held)


@pytest.mark.usefixtures("ticking")
def test_waiting_beside_free_capacity(context: Context, tmp_path: Path) -> None:
    """Where somebody ticks, what could be started is started within five seconds."""
    dag = tmp_path / "dag.yaml"
    dag.write_text("run: 'true'\n")
    set_limits(context, paused=True)
    submit_new(context, [Submission(loaded=load(dag), source="dag")])
    assert broken(context) == set()
    change(context, "UPDATE limits SET value = 0 WHERE name = 'PAUSED'")
    change(
        context,
        "INSERT INTO history (at, kind, subject, from_value, to_value, actor)"
        " VALUES (1, 'LIMIT', 'PAUSED', '1', '0', 'test')",
    )
    assert broken(context) == {Invariant.PROGRESS}
    assert "job 1 has waited beside free capacity for 5 s or more" in said(context)


@pytest.mark.usefixtures("ticking")
def test_a_slot_that_a_dead_controller_holds(context: Context, make_job: MakeJob) -> None:
    """Where somebody ticks, a dead controller's job is taken back within five seconds."""
    job = make_job()
    assert broken(context) == set()
    job.leave()
    assert broken(context) == {Invariant.PROGRESS}
    assert "job 1 has been ALIVE with a dead controller (attempt 1)" in said(context)
    job.status(0, T.CANCELLING)  # being ended, which needs none
    change(context, "UPDATE jobs SET cancel_at = 1")
    change(
        context,
        "INSERT INTO history (at, kind, job_id, subject, attempt, actor)"
        " VALUES (1, 'ACTION', 1, 'CANCEL', 1, 'test')",
    )
    assert broken(context) == set()


@pytest.mark.usefixtures("ticking")
def test_what_comes_right_is_no_violation(context: Context, make_job: MakeJob) -> None:
    """What is taken back while the audit looks again is fine."""
    job = make_job()
    job.leave()

    class Sweeping(QuickClock):
        def sleep(self, seconds: float) -> None:
            super().sleep(seconds)
            if self.slept > 3 and reads_state(context, job.job_id) == "ALIVE":
                job.done()

    context.clock = Sweeping()
    assert broken(context) == set()
    assert reads_state(context, job.job_id) == "DONE"


@pytest.mark.usefixtures("ticking")
def test_each_is_allowed_five_seconds(context: Context, make_job: MakeJob) -> None:
    """What went wrong only while the audit looked again is not yet a violation."""
    early, late = make_job(), make_job()
    early.leave()

    class Sweeping(QuickClock):
        def sleep(self, seconds: float) -> None:
            super().sleep(seconds)
            if self.slept > 3 and reads_state(context, early.job_id) == "ALIVE":
                late.leave()
                early.done()

    context.clock = Sweeping()
    assert broken(context) == set()
    assert broken(context) == {Invariant.PROGRESS}
    assert "job 2 has been ALIVE with a dead controller" in said(context)


def reads_state(context: Context, job_id: int) -> str:
    """Where a job is."""
    with context.db.read() as tx:
        job = reads.job(tx, job_id)
    assert job is not None
    return job.schedule_state


def test_a_dead_controller_where_nobody_ticks(context: Context, make_job: MakeJob) -> None:
    """Where nobody lives who could take it back, the next command will."""
    make_job().leave()
    assert broken(context) == set()
