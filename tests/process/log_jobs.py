"""Jobs whose rows and logs a test writes by hand: no controller and no task runs."""

from __future__ import annotations

import os
import threading
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from jobsched import lock
from jobsched.context import Context
from jobsched.logfiles.cursor import Cursor
from jobsched.logfiles.follower import Follower, stream
from jobsched.models import DagSpec, TaskSpec
from jobsched.states import ScheduleState, TaskStatus
from jobsched.store import moves, reads, submissions
from tests.support import wait_until


def chain(count: int) -> DagSpec:
    """Tasks that follow one another."""
    tasks = [
        TaskSpec(task_id=number, name=f"t{number}", run="true", depends_on=(number - 1,)[:number])
        for number in range(count)
    ]
    return DagSpec(name="chain", tasks=tuple(tasks))


def group(nodes: Sequence[int]) -> DagSpec:
    """Tasks that run at the same time, each with so many nodes."""
    tasks = [
        TaskSpec(task_id=number, name=f"t{number}", run="true", num_nodes=count)
        for number, count in enumerate(nodes)
    ]
    return DagSpec(name="group", tasks=tuple(tasks), is_group=True)


@dataclass
class Job:
    """One job, ALIVE; the test acts as its controller and as its tasks."""

    context: Context
    spec: DagSpec
    submitted: bool = True
    job_id: int = 0
    _lock: int | None = None

    def __post_init__(self) -> None:
        self.context.ensure_home()
        names = [task.name for task in self.spec.tasks]
        with self.context.locked(), self.context.db.write() as tx:
            self.job_id = moves.create(tx, self.spec.name, names, self.context.by())
        if self.submitted:
            self.submit()

    def submit(self) -> None:
        """Store the DAG, and let an attempt begin."""
        context, job_id = self.context, self.job_id
        self._lock = lock.try_lock(context.home.attempt_lock(job_id, 1))
        assert self._lock is not None
        with context.locked() as held, context.db.write() as tx:
            submissions.snapshot(tx, job_id, yaml="", dag=self.spec.to_json(), env="{}", source="")
            job = reads.job(tx, job_id)
            assert job is not None
            submissions.enter_queue(tx, held, job, context.by())
            moves.add_attempt(tx, job_id, 1, kind="DEFAULT", now=1.0, boot_id="before")
        self.schedule(ScheduleState.LAUNCHING, attempt=1)
        self.schedule(ScheduleState.ALIVE)

    def state(self) -> ScheduleState:
        """Where it is now."""
        with self.context.db.read() as tx:
            job = reads.job(tx, self.job_id)
        assert job is not None
        return job.schedule_state

    def schedule(self, to: ScheduleState, **columns: object) -> None:
        """Move the job."""
        with self.context.locked() as held, self.context.db.write() as tx:
            job = reads.job(tx, self.job_id)
            assert job is not None
            moves.schedule(tx, held, job, to, self.context.by(), **columns)

    def status(self, task_id: int, *statuses: TaskStatus) -> None:
        """Move a task."""
        with self.context.db.write() as tx:
            for to in statuses:
                task = reads.task(tx, self.job_id, task_id)
                assert task is not None
                moves.status(tx, task, to, self.context.by())

    def done(self) -> None:
        """End the job."""
        with self.context.locked() as held, self.context.db.write() as tx:
            job = reads.job(tx, self.job_id)
            assert job is not None
            moves.done(tx, held, job, self.context.by(), to=TaskStatus.SUCCEEDED)

    def leave(self) -> None:
        """The controller ends."""
        if self._lock is not None:
            os.close(self._lock)
            self._lock = None

    def log(self, task_id: int = 0, node: int = 0) -> Path:
        """The log of a task."""
        return self.context.home.task_log(self.job_id, task_id, node)

    def write(self, data: bytes, task_id: int = 0, node: int = 0) -> None:
        """Append to the log of a task, as its runner does."""
        append(self.log(task_id, node), data)

    def follow(
        self, task: int | str | None = None, *, controller: bool = False, lines: int | None = None
    ) -> Reading:
        """Follow in a thread; without ticking."""
        follower = Follower(self.context, self.job_id, task, controller=controller, lines=lines)
        return Reading(stream(follower, self.context.clock))


@dataclass
class Reading:
    """What a follower has given so far; it reads in a thread of its own."""

    pieces: Iterator[bytes]
    got: bytearray = field(default_factory=bytearray)
    failure: BaseException | None = None

    def __post_init__(self) -> None:
        self._thread = threading.Thread(target=self._read, daemon=True)
        self._thread.start()

    def until(self, expected: bytes) -> None:
        """Wait until exactly that has come."""
        wait_until(lambda: bytes(self.got) == expected, 10, f"{expected!r}, not {self.got!r}")

    def until_some(self, expected: bytes) -> None:
        """Wait until that is among what has come."""
        wait_until(lambda: expected in self.got, 10, f"{expected!r}")

    def end(self) -> bytes:
        """Wait until it ends by itself; everything that came."""
        self._thread.join(10)
        assert not self._thread.is_alive(), f"it goes on after {bytes(self.got[-200:])!r}"
        assert self.failure is None, self.failure
        return bytes(self.got)

    def _read(self) -> None:
        try:
            for piece in self.pieces:
                self.got += piece
        except BaseException as error:  # noqa: BLE001 -- end() tells the test
            self.failure = error


def append(path: Path, data: bytes) -> None:
    """Append to a file in one write."""
    descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
    try:
        os.write(descriptor, data)
    finally:
        os.close(descriptor)


def drained(cursor: Cursor) -> bytes:
    """What the cursor gives now."""
    return b"".join(cursor.drain())


#: Makes a job; without a DAG it has one task.
MakeJob = Callable[..., Job]
