"""Views of a home, and what stands on the screen."""

from __future__ import annotations

from dataclasses import replace

from sqlalchemy import update

from jobsched import lock, process
from jobsched.context import Context
from jobsched.store.catalogue.schema import attempts
from jobsched_tui.data import filters
from jobsched_tui.data.frame import Frame
from jobsched_tui.data.live import Live
from jobsched_tui.data.source import View


def view(text: str = "", **fields: object) -> View:
    """Ten rows of what a filter lets through."""
    return replace(View(query=filters.parse(text), height=10), **fields)  # type: ignore[arg-type]  # whatever the test is about


def ids(frame: Frame) -> list[int]:
    """The jobs on the screen."""
    return [line.job_id for line in frame.lines]


def shown(live: Live, text: str = "", **fields: object) -> list[int]:
    """The jobs that a filter shows."""
    return ids(live.frame(view(text, **fields)))


def acting(context: Context, job_id: int) -> int:
    """Hold the lock of the job's first attempt as its controller; the descriptor."""
    me = process.me()
    with context.db.write() as tx:
        tx.change(
            update(attempts).where(attempts.c.job_id == job_id),
            pid=me.pid, start_ticks=me.start_ticks, boot_id=me.boot_id, pid_ns=me.pid_ns,
        )  # fmt: skip
    fd = lock.try_lock(context.home.attempt_lock(job_id, 1))
    assert fd is not None
    return fd
