"""What a submission waits for, and what it does not: disk, lock, a pass with nothing to do."""

from __future__ import annotations

import errno
import os
import resource
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from jobsched import lock
from jobsched.context import open_context
from jobsched.errors import LockTimeout, StoreError
from jobsched.lock import Grip
from jobsched.scheduler.ending import cancel
from jobsched.scheduler.operate import set_hold, set_limits
from jobsched.scheduler.outlook import is_quiet
from jobsched.scheduler.passes import run_pass
from jobsched.scheduler.submission import create_job
from jobsched.states import ScheduleState
from jobsched.store import limits, moves, reads, sql
from jobsched.store.moves import By
from tests.world import InProcessStarter, World

ONE = "run: 'true'\n"


@pytest.fixture
def starter(world: World) -> InProcessStarter:
    """The world's starter, which starts no process."""
    starter = InProcessStarter()
    world.context.starter = starter
    return starter


class Disk:
    """Sees what is synced of a home's log, and how things stand at that moment."""

    def __init__(self, world: World, monkeypatch: pytest.MonkeyPatch) -> None:
        self._world, self._sync = world, os.fdatasync
        #: Whether the lock was free, and the newest job that others could see, at each sync.
        self.seen: list[tuple[bool, int]] = []
        self.is_broken = False
        monkeypatch.setattr(os, "fdatasync", self)

    def __call__(self, descriptor: int) -> None:
        """Sync, in place of the system's call."""
        name = Path(f"/proc/self/fd/{descriptor}").readlink().name
        if name == "jobsched.db-wal":
            is_free = lock.probe(self._world.home.scheduler_lock) is Grip.FREE
            self.seen.append((is_free, newest(self._world)))
            if self.is_broken:
                raise OSError(errno.EIO, os.strerror(errno.EIO))
        self._sync(descriptor)


def newest(world: World) -> int:
    """The highest id, as another process sees it."""
    other = open_context(world.root)
    with other.db.read() as tx:
        found = [job_id for job_id in range(1, 9) if reads.job(tx, job_id) is not None]
    other.db.close()
    return max(found, default=0)


@pytest.fixture
def disk(world: World, starter: InProcessStarter, monkeypatch: pytest.MonkeyPatch) -> Disk:
    """The disk below a home that is there and full."""
    del starter
    set_limits(world.context, launch=0)
    return Disk(world, monkeypatch)


def test_a_submission_is_on_disk_when_it_is_told_of_and_holds_up_nobody(
    world: World, disk: Disk
) -> None:
    """It is committed, then the lock is let go, then the disk is waited for, once."""
    job_id = world.submit(ONE)
    assert disk.seen == [(True, job_id)]
    assert create_job(world.context, "another", ["t"]) == job_id + 1
    assert disk.seen[1:] == [(True, job_id + 1)]


def test_what_writes_nothing_waits_for_no_disk(world: World, disk: Disk) -> None:
    """Nor does what is told to nobody."""
    world.submit(ONE)
    disk.seen.clear()
    run_pass(world.context, thorough=True)
    with world.context.db.write() as tx:
        assert reads.job(tx, 1) is not None
    with world.context.db.write(durable=False) as tx:
        moves.set_job(tx, 1, priority=3)
    assert disk.seen == []
    with world.context.db.write() as tx:
        moves.set_job(tx, 1, priority=4)
    assert len(disk.seen) == 1


def test_a_disk_that_gives_an_error_is_told_of(world: World, disk: Disk) -> None:
    """The job is there, but nobody is told that it is there to stay."""
    disk.is_broken = True
    with pytest.raises(StoreError, match="the disk gave an error"):
        world.submit(ONE)
    assert newest(world) == 1
    assert lock.probe(world.home.scheduler_lock) is Grip.FREE
    disk.is_broken = False
    disk.seen.clear()
    for _ in range(2):  # whoever tries again finds it written, and waits for the disk once more
        with world.context.db.write() as tx:
            assert reads.job(tx, 1) is not None
    assert len(disk.seen) == 1


def test_nothing_is_started_for_a_submission_that_may_not_be_on_disk(
    world: World, disk: Disk, starter: InProcessStarter
) -> None:
    """Whoever claims a job that another has just submitted waits for the disk before the start."""
    syncs_before_start: list[int] = []

    class Seeing(InProcessStarter):
        def start(self, *args: object) -> int:
            syncs_before_start.append(len(disk.seen))
            return starter.start(*args)  # type: ignore[arg-type] # handed on as they came

    world.submit(ONE)
    with world.context.locked() as held, world.context.db.write(durable=False) as tx:
        for name in (limits.LAUNCH, limits.ALIVE):
            limits.put(tx, held, name, 1, By("test", 1.0), auto=False)
    disk.seen.clear()
    other = open_context(world.root)
    other.starter = Seeing()
    run_pass(other)
    other.db.close()
    assert syncs_before_start == [1]
    assert disk.seen == [(True, 1)]


@contextmanager
def locked_by_another(world: World) -> Iterator[None]:
    """Another thread holds the scheduler lock."""
    is_held, may_go = threading.Event(), threading.Event()

    def keep() -> None:
        with lock.hold(world.home.scheduler_lock):
            is_held.set()
            may_go.wait(30)

    keeper = threading.Thread(target=keep)
    keeper.start()
    is_held.wait(30)
    try:
        yield
    finally:
        may_go.set()
        keeper.join()


def test_a_pass_with_nothing_to_do_waits_for_no_lock(
    world: World, starter: InProcessStarter
) -> None:
    """Whoever holds it: others wait, jobs live, but nothing can move."""
    set_limits(world.context, launch=1, alive=5)
    for _ in range(3):
        world.submit(ONE)
    assert [claim.job_id for claim in starter.claims] == [1]
    world.context.lock_timeout = 0.2
    with locked_by_another(world):
        assert run_pass(world.context, thorough=True) == []
        with pytest.raises(LockTimeout):
            set_limits(world.context, launch=2)


def dies(world: World, starter: InProcessStarter) -> None:
    """The controller of job 1 dies."""
    del world
    starter.die(starter.claims[0])
    starter.reap()


def is_requeued(world: World, starter: InProcessStarter) -> None:
    """Job 1 waits for its next controller."""
    starter.die(starter.claims[0])
    with world.context.locked() as held, world.context.db.write() as tx:
        job = reads.job(tx, 1)
        assert job is not None
        moves.first_call(tx, 1, 1, 1.0, None)
        moves.set_attempt(tx, 1, 1, ended_at=1.0)
        moves.schedule(tx, held, job, ScheduleState.WAITING, By("test", 1.0))


def is_requeued_and_cancelled(world: World, starter: InProcessStarter) -> None:
    """Job 1 waits, and is to be ended by whoever comes by."""
    is_requeued(world, starter)
    with world.context.db.write() as tx:
        moves.set_job(tx, 1, cancel_at=1.0)
        moves.record(tx, By("test", 1.0), "ACTION", job_id=1, subject="CANCEL", attempt=1)


def asks_again(world: World, starter: InProcessStarter) -> None:
    """Job 1 gives its slot back and wants it again."""
    del starter
    with world.context.locked() as held, world.context.db.write() as tx:
        for to in (ScheduleState.ALIVE, ScheduleState.ALIVE_WAITING):
            job = reads.job(tx, 1)
            assert job is not None
            moves.schedule(tx, held, job, to, By("test", 1.0))


def frees_its_slot(world: World, starter: InProcessStarter) -> None:
    """Job 1 gives its slot back, which job 2 may have."""
    del starter
    with world.context.locked() as held, world.context.db.write() as tx:
        job = reads.job(tx, 1)
        assert job is not None
        moves.schedule(tx, held, job, ScheduleState.ALIVE, By("test", 1.0))


def is_automatic(world: World, starter: InProcessStarter) -> None:
    """A limit is to follow the machine, and does not yet."""
    del starter
    with world.context.db.write() as tx:
        tx.change(sql.SET_LIMIT, which="ALIVE", value=5, auto=1)


def log_is_long(world: World, starter: InProcessStarter) -> None:
    """Much was written since the log was folded into the database."""
    del starter
    while not world.context.db.needs_checkpoint():
        with world.context.db.write(durable=False) as tx:
            moves.set_job(tx, 2, failure_reason=os.urandom(200_000).hex())


@pytest.mark.parametrize(
    "change",
    [
        dies, is_requeued, is_requeued_and_cancelled, asks_again, frees_its_slot, is_automatic,
        log_is_long,
    ],
)  # fmt: skip
def test_a_pass_with_something_to_do_does_it(
    world: World, starter: InProcessStarter, change: Callable[[World, InProcessStarter], None]
) -> None:
    """Each of the things that a pass is for is seen without the lock, and then done."""
    set_limits(world.context, launch=1, alive=5)
    for _ in range(2):
        world.submit(ONE)
    assert is_quiet(world.context, None)
    change(world, starter)
    assert not is_quiet(world.context, None)
    run_pass(world.context, settling=True, thorough=True)
    assert is_quiet(world.context, None)


def test_held_and_cancelled_jobs_are_nothing_to_do(world: World, starter: InProcessStarter) -> None:
    """Room beside them is no reason to take the lock."""
    set_limits(world.context, launch=0, alive=5)
    for _ in range(2):
        world.submit(ONE)
    set_hold(world.context, 1, held=True, reason=None)
    cancel(world.context, [2], None)
    set_limits(world.context, launch=4)
    assert is_quiet(world.context, None)
    assert starter.claims == []
    set_hold(world.context, 1, held=False, reason=None)
    assert [claim.job_id for claim in starter.claims] == [1]


def test_whoever_is_short_of_descriptors_writes_nothing(world: World, disk: Disk) -> None:
    """What is needed to wait for the disk is had before the commit, not missed after it."""
    del disk
    world.context.db.close()
    with world.context.db.read() as tx:  # a connection without it
        assert reads.job(tx, 1) is None
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    spare = os.open(os.devnull, os.O_RDONLY)
    os.close(spare)
    resource.setrlimit(resource.RLIMIT_NOFILE, (spare, hard))
    try:
        with (
            pytest.raises(StoreError, match="Too many open files") as caught,
            world.context.db.write() as tx,
        ):
            moves.create(tx, "job", ["t"], By("test", 1.0))
    finally:
        resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))
    assert caught.value.passes
    assert newest(world) == 0
