"""Somebody who writes all the time: ``python -m tests.tui.fuzz HOME SECONDS``."""

from __future__ import annotations

import random
import sys
import time
from collections.abc import Callable
from pathlib import Path

from sqlalchemy import select

from jobsched.api import Scheduler
from jobsched.context import open_context
from jobsched.scheduler import operate
from jobsched.states import ScheduleState, TaskStatus
from jobsched.store import changes, moves
from jobsched.store.catalogue.schema import jobs
from tests.store.filling import asks_again, by, end, launching, waiting
from tests.world import InProcessStarter

ENDS = (TaskStatus.SUCCEEDED, TaskStatus.FAILED, TaskStatus.CANCELLED)


class Writer:
    """Commits random changes."""

    def __init__(self, root: Path) -> None:
        self._random = random.Random(7)  # noqa: S311 -- no secret
        self._context = open_context(root, actor="fuzz")
        self._context.starter = InProcessStarter()
        self._door = Scheduler(context=self._context)
        self._deeds: list[tuple[Callable[[], object], int]] = [
            (lambda: waiting(self._context, self._name(), now=time.time()), 30),
            (lambda: launching(self._context, self._name()), 8),
            (lambda: asks_again(self._context, self._name()), 8),
            (self._end, 25),
            (self._cancel, 8),
            (self._prioritise, 10),
            (self._hold, 6),
            (self._limit, 3),
            (lambda: self._door.prune(older_than=None, keep=20), 1),
            (self._many, 1),
        ]

    def run(self, seconds: float) -> None:
        """Write for so long, and print the newest row and the time of each commit."""
        until = time.monotonic() + seconds
        deeds, weights = zip(*self._deeds, strict=True)
        # Nobody is there to be started.
        operate.set_limits(self._context, launch=0, alive=0, paused=True, reason=None)
        while time.monotonic() < until:
            (deed,) = self._random.choices(deeds, weights)
            deed()
            with self._context.db.read() as tx:
                sys.stdout.write(f"{changes.latest(tx)} {time.monotonic()}\n")
            time.sleep(self._random.choice((0.0, 0.002, 0.02, 0.1)))
        self._context.db.close()

    def _name(self) -> str:
        return "".join(self._random.choices("abc", k=3))

    def _one(self, *states: ScheduleState) -> int | None:
        with self._context.db.read() as tx:
            found = tx.tuples(select(jobs.c.job_id).where(jobs.c.schedule_state.in_(states)))
        return self._random.choice(found)[0] if found else None

    def _end(self) -> None:
        job_id = self._one(*(set(ScheduleState) - {ScheduleState.DONE, ScheduleState.INACTIVE}))
        if job_id is not None:
            end(self._context, job_id, self._random.choice(ENDS), now=time.time())

    def _cancel(self) -> None:
        job_id = self._one(ScheduleState.WAITING)
        if job_id is not None:
            self._door.cancel([job_id])

    def _prioritise(self) -> None:
        job_id = self._one(ScheduleState.WAITING, ScheduleState.ALIVE_WAITING)
        if job_id is not None:
            self._door.set_priority(job_id, self._random.randint(-5, 5))

    def _hold(self) -> None:
        job_id = self._one(ScheduleState.WAITING)
        if job_id is not None:
            (self._door.hold if self._random.random() < 0.7 else self._door.release)(job_id)

    def _limit(self) -> None:
        self._door.set_limits(launch=self._random.randint(0, 9))

    def _many(self) -> None:
        """More rows of the history than are read at once."""
        with self._context.db.write() as tx:
            for n in range(6_000):
                moves.record(tx, by(), "STATUS", job_id=n % 50 + 1, task_id=0, to_value="PENDING")


if __name__ == "__main__":
    Writer(Path(sys.argv[1])).run(float(sys.argv[2]))
