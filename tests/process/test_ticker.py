"""Standing for the tick, holding the office, leaving it; and ends that keep no other waiting."""

from __future__ import annotations

import os
import subprocess
import sys
import textwrap
import threading
from pathlib import Path

from jobsched import lock
from jobsched.api import Scheduler
from jobsched.context import Context
from jobsched.errors import BackendError
from jobsched.lock import Grip
from jobsched.scheduler.ending import cancel
from jobsched.scheduler.ticker import Ticker
from jobsched.store import moves
from jobsched.testing import FakeBackend
from tests.support import measured, wait_until
from tests.world import InProcessStarter, World

SECONDS = 10


def descriptors() -> int:
    """How many this process has open."""
    return len(list(Path("/dev/fd").iterdir()))


def ticks(context: Context) -> bool:
    """Whether somebody ticks."""
    return lock.probe(context.home.tick_lock) is Grip.HELD


def test_those_who_are_not_elected_leave_nothing(context: Context) -> None:
    """However many stood and withdrew while another had the office."""
    deputy = lock.try_lock(context.home.deputy_lock)
    assert deputy is not None
    alone = descriptors()
    Ticker(context).start().stop()
    wait_until(lambda: descriptors() == alone + 1, SECONDS, "its thread to open the lock")
    before = descriptors(), threading.active_count()
    for _ in range(20):
        Ticker(context).start().stop()
    assert (descriptors(), threading.active_count()) == before
    os.close(deputy)
    wait_until(
        lambda: lock.probe(context.home.deputy_lock) is Grip.FREE, SECONDS,
        "the thread that waited for nobody to let go",
    )  # fmt: skip
    assert not ticks(context)


def test_one_that_stands_later_is_elected(context: Context) -> None:
    """A thread that waits on behalf of one who has withdrawn serves the next."""
    deputy = lock.try_lock(context.home.deputy_lock)
    assert deputy is not None
    Ticker(context).start().stop()
    later = Ticker(context).start()
    os.close(deputy)
    wait_until(lambda: ticks(context), SECONDS, "the second to tick")
    later.stop()
    assert not ticks(context)


def test_several_of_one_process_follow_each_other(context: Context) -> None:
    """One ticks; when it stops, one of the others does."""
    tickers = [Ticker(context).start() for _ in range(4)]
    for ticker in tickers:
        wait_until(lambda: ticks(context), SECONDS, "one of them to tick")
        ticker.stop()
        ticker.stop()
    assert not ticks(context)


def test_an_office_that_cannot_be_had_ends_nobody(context: Context) -> None:
    """Whatever lies where its lock should: the deputy ticks all the same, and has it once it can.

    And ``stop`` ends it then, as ever.
    """
    path = context.home.tick_lock
    path.mkdir()
    os.utime(path, (1, 1))
    ticker = Ticker(context).start()
    wait_until(lambda: path.stat().st_mtime != 1, SECONDS, "a tick in nobody's stead")
    path.rmdir()
    wait_until(lambda: ticks(context), SECONDS, "it to have the office")
    ticker.stop()
    assert not ticks(context)


def test_a_shortage_of_descriptors_ends_nobody(tmp_path: Path) -> None:
    """Its thread is there when the shortage is over."""
    code = """
        import os, resource, sys, time
        from pathlib import Path
        from jobsched import Scheduler, lock
        from jobsched.scheduler.ticker import Ticker
        from tests.support import wait_until

        context = Scheduler(sys.argv[1]).context
        context.ensure_home()
        held = lock.try_lock(context.home.tick_lock)
        resource.setrlimit(resource.RLIMIT_NOFILE, (64, 64))
        ticker = Ticker(context).start()
        wait_until(
            lambda: lock.probe(context.home.deputy_lock) is lock.Grip.HELD, 10, "the deputy"
        )
        taken = []
        try:
            while True:
                taken.append(os.open(os.devnull, os.O_RDONLY))
        except OSError:
            pass
        time.sleep(5)
        for one in taken:
            os.close(one)
        assert lock.probe(context.home.deputy_lock) is lock.Grip.HELD
        os.close(held)
        wait_until(lambda: lock.probe(context.home.tick_lock) is lock.Grip.HELD, 10, "the office")
        ticker.stop()
        assert lock.probe(context.home.tick_lock) is lock.Grip.FREE
    """
    subprocess.run(
        [sys.executable, "-c", textwrap.dedent(code), str(tmp_path / "home")], check=True,
        env=measured(
            {"PATH": os.environ["PATH"], "HOME": str(tmp_path), "PYTHONPATH": str(Path.cwd())}
        ),
    )  # fmt: skip


def test_stop_writes_into_nobodys_file(context: Context, tmp_path: Path) -> None:
    """A ticker whose thread has left has closed its pipe: what has that number now is another's."""
    ticker = Ticker(context).start()
    wait_until(lambda: ticks(context), SECONDS, "it to tick")
    ticker._leave()  # as the thread does, whatever ends it
    files = [(tmp_path / str(number)).open("wb", buffering=0) for number in range(8)]
    ticker.stop()
    for file in files:
        assert os.fstat(file.fileno()).st_size == 0
        file.close()
    wait_until(lambda: not ticks(context), SECONDS, "its thread to see that it is to stop")


class Hanging(FakeBackend):
    """Its clusters will not go away, and say so once they may."""

    def __init__(self) -> None:
        super().__init__()
        self.tried: list[str] = []
        self.may_fail = threading.Event()
        self.is_mended = False

    def remove(self, cluster: str, *, grace: float) -> None:
        """Hang, then fail."""
        self.tried.append(cluster)
        if not self.is_mended:
            self.may_fail.wait(SECONDS)
            raise BackendError(f"{cluster} is killed, but not gone")
        super().remove(cluster, grace=grace)


def test_ends_that_fail_keep_no_other_from_being_tried(
    world: World, door: Scheduler, starter: InProcessStarter
) -> None:
    """Sixteen are tried at a time, and fail again and again: each of the others gets its turn."""
    door.set_limits(launch=99, alive=99)
    jobs = [world.submit("run: sleep 60\n") for _ in range(40)]
    backend = world.context._backend = Hanging()
    with world.context.db.write() as tx:
        for job in jobs:
            moves.set_task(
                tx, job, 0, cluster=f"{job}-0-1", region="R1", candidate=0, torn_down=0
            )  # fmt: skip
    for claim in list(starter.claims):
        starter.die(claim)
    cancel(world.context, jobs)
    ticker = Ticker(world.context)
    for tried in (16, 32, 48):
        backend.may_fail.clear()
        ticker.tick()
        wait_until(lambda: len(backend.tried) == tried, SECONDS, f"{tried} tries")  # noqa: B023 -- called at once
        backend.may_fail.set()
        wait_until(lambda: not is_ending_any(ticker), SECONDS, "them to fail")
    # Of sixteen that are tried together, any may be the first.
    assert set(backend.tried) == {f"{job}-0-1" for job in jobs}
    backend.is_mended = True

    def all_done() -> bool:
        ticker.tick()
        return all(world.job(job).is_done for job in jobs)

    wait_until(all_done, SECONDS, "them to be ended")
    wait_until(lambda: not is_ending_any(ticker), SECONDS, "its threads to be gone")
    ticker._leave()


def is_ending_any(ticker: Ticker) -> bool:
    """Whether one of its threads is at the end of a job."""
    return any(thread.is_alive() for thread in ticker._endings.values())
