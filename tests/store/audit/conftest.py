"""Fixtures of the audit's tests: a home in which nothing starts, and jobs in it."""

from __future__ import annotations

import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from jobsched.context import Context, open_context
from jobsched.states import TaskStatus
from tests.process.conftest import make_job
from tests.process.log_jobs import Job, MakeJob, chain
from tests.store.audit.tampering import QuickClock, change
from tests.world import InProcessStarter

__all__ = ["context", "done", "make_job"]

T = TaskStatus


@pytest.fixture
def context(tmp_path: Path) -> Iterator[Context]:
    """An empty home, in which passes start no process."""
    made = open_context(tmp_path / "home", actor="test")
    made.ensure_home()
    made.starter = InProcessStarter()
    made.clock = QuickClock()
    yield made
    made.db.close()


@pytest.fixture
def done(make_job: MakeJob) -> Job:
    """A job that was run and is DONE since ten seconds."""
    job = make_job(chain(2))
    job.status(0, T.STARTING, T.RUNNING, T.SUCCEEDED)
    job.status(1, T.STARTING, T.RUNNING, T.SUCCEEDED)
    job.done()
    job.leave()
    before = time.time() - 10
    change(job.context, "UPDATE jobs SET ended_at = ?", before)
    change(job.context, "UPDATE attempts SET ended_at = ?", before)
    return job
