"""Looks at memory: how often, which one counts, and what a pass makes of it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from jobsched.api import Scheduler
from jobsched.context import Context
from jobsched.machine import remembered
from jobsched.machine.footprint import ASSUMED, Footprint
from jobsched.machine.memory import Memory
from jobsched.machine.remembered import Remembered
from jobsched.scheduler.operate import set_limits
from jobsched.scheduler.passes import run_pass
from jobsched.scheduler.surveyor import Surveyor
from jobsched.store import changes, limits, reads
from jobsched.store.rows import HistoryRow, Limits
from jobsched.testing import FakeClock
from tests.world import InProcessStarter

GIB = 1024**3
MIB = 1024**2
MEASURED = Footprint(5 * MIB, 16, 999_000.0)


class Ground:
    """A home whose machine has as much memory as a test says."""

    def __init__(self, context: Context) -> None:
        self.clock = FakeClock()
        context.clock, context.starter = self.clock, InProcessStarter()
        self.context = context
        self.memory = Memory(total=24 * GIB, available=18 * GIB)
        self.looks = 0
        self.surveyor = Surveyor(context, look=self._look)
        with context.locked() as held, context.db.write() as tx:  # whatever machine this is
            limits.put(tx, held, limits.ALIVE, 5, context.by(), auto=True)

    def _look(self, pid: int | None) -> Memory:
        assert pid is None, "no controller lives"
        self.looks += 1
        return self.memory

    def has(self, gib: float, stalled: float = 0.0) -> None:
        """So much is available from now on."""
        self.memory = Memory(total=24 * GIB, available=int(gib * GIB), stalled=stalled)

    def after(self, seconds: float) -> Remembered:
        """Look some seconds later; what is remembered then."""
        self.clock.sleep(seconds)
        self.surveyor.look()
        seen = remembered.load(self.context.home.memory_file)
        assert seen is not None
        return seen

    def limits(self) -> Limits:
        """The limits after a pass."""
        run_pass(self.context)
        with self.context.db.read() as tx:
            return reads.current_limits(tx)

    def changes(self) -> list[HistoryRow]:
        """Changes of the alive limit by passes."""
        with self.context.db.read() as tx:
            rows = changes.limit_changes(tx, 0.0)
        return [row for row in rows if row.subject == "ALIVE" and row.actor == "scheduler"]


@pytest.fixture
def ground(context: Context) -> Ground:
    """A home on a machine of 24 GiB, of which 18 are available."""
    return Ground(context)


def test_looks_are_seldom(ground: Ground) -> None:
    """However often somebody ticks."""
    for _ in range(100):
        ground.after(0.5)
    assert ground.looks == 10


def test_the_tightest_of_the_last_minute_counts(ground: Ground) -> None:
    """Less is followed at once, more only when it has lasted."""
    assert ground.after(0).memory.available == 18 * GIB
    ground.has(4)
    assert ground.after(5).memory.available == 4 * GIB
    ground.has(20)
    seen = ground.after(30)
    assert (seen.memory.available, seen.at) == (4 * GIB, ground.clock.now())
    assert ground.after(31).memory.available == 20 * GIB


def test_a_pass_takes_what_was_seen(ground: Ground) -> None:
    """Under the lock, as a row of the history that tells the sum."""
    ground.after(0)
    found = ground.limits()
    assert (found.alive_auto, found.alive) == (True, 399)
    assert found.alive == int((18 - 2.4) * GIB) // ASSUMED
    assert ground.changes()[-1].reason == (
        "automatic: 399 = (18.0 GiB available - 2.4 GiB kept) / 40.0 MiB,"
        " assumed until controllers are measured"
    )


def test_small_changes_are_not_followed(ground: Ground) -> None:
    """Memory breathes; the history does not tell of it."""
    ground.after(0)
    ground.limits()
    before = ground.changes()
    for gib in (17.5, 18.5, 17.2, 18.0):
        ground.has(gib)
        ground.after(61)
        assert ground.limits().alive == 399
    assert ground.changes() == before


def test_pressure_admits_fewer_and_lets_go_again(ground: Ground) -> None:
    """Down to one, never to none; up again once memory has been there for a while."""
    ground.after(0)
    ground.limits()
    for gib, stalled, limit in ((9.0, 0.0, 168), (1.0, 0.0, 1)):
        ground.has(gib, stalled)
        ground.after(5)
        assert ground.limits().alive == limit
    ground.has(18)
    ground.after(5)
    assert ground.limits().alive == 1
    ground.has(18, stalled=50.0)
    ground.after(61)
    assert ground.limits().alive == 1
    ground.has(18)
    ground.after(61)
    assert ground.limits().alive == 399


def test_a_measure_outlives_whoever_made_it(ground: Ground) -> None:
    """The next who ticks goes on with it until it can measure anew."""
    seen = ground.after(0)
    path = ground.context.home.memory_file
    remembered.save(path, replace(seen, footprint=MEASURED))
    ground.surveyor = Surveyor(ground.context, look=ground._look)
    assert ground.after(5).footprint == MEASURED
    assert ground.limits().alive == 3194


def test_a_limit_set_by_hand_stays(ground: Ground) -> None:
    """Whatever becomes of memory; ``auto`` is what memory gives at that moment."""
    set_limits(ground.context, alive=77)
    ground.has(1)
    ground.after(0)
    assert ground.limits().alive == 77
    assert ground.changes() == []
    set_limits(ground.context, alive="auto")
    assert ground.limits().alive == 1


def _folder_in_the_way(path: Path) -> None:
    path.mkdir()
    (path / "x").touch()


def _scraps(path: Path) -> None:
    path.write_bytes(b"\xff{")


@pytest.mark.parametrize("spoil", [_folder_in_the_way, _scraps])
def test_a_spoilt_file_stops_nobody(ground: Ground, spoil: Callable[[Path], None]) -> None:
    """A pass looks itself where nothing is remembered; whoever ticks goes on."""
    spoil(ground.context.home.memory_file)
    assert ground.limits().alive >= 1
    ground.surveyor.look()
    assert ground.limits().alive >= 1


def test_why_tells_the_sum(ground: Ground, tmp_path: Path) -> None:
    """To whom the limit keeps back, while it is automatic."""
    ground.has(1)
    ground.after(0)
    path = tmp_path / "two.yaml"
    path.write_text("run: 'true'\n")
    door = Scheduler(context=ground.context)
    _, second = [door.submit([path])[0].job_id for _ in range(2)]
    assert door.why(second).text == (
        f"job {second} waits: 1 of 1 jobs that may be alive are; the limit is automatic:"
        " 1 = the least there is, with 1.0 GiB available, 2.4 GiB kept and 40.0 MiB for each,"
        " assumed until controllers are measured; it is next in line"
    )
    door.set_limits(alive=1)
    assert door.why(second).text == (
        f"job {second} waits: 1 of 1 jobs that may be alive are; it is next in line"
    )
