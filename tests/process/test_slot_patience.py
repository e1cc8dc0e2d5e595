"""The launch slot while somebody holds the scheduler lock for longer than anybody should."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Any

import pytest

from jobsched import lock, wake
from jobsched.context import Context, open_context
from jobsched.errors import Cancelled
from jobsched.scheduler.operate import set_limits
from jobsched.scheduler.slot import scheduled_launch, withdraw
from jobsched.states import ScheduleState
from jobsched.store import moves
from tests.support import wait_until
from tests.world import InProcessStarter, World

S = ScheduleState
#: Seconds after which a controller finds that it does not get the lock, and for which it is held.
TIMEOUT, HELD = 0.1, 1.0


@pytest.fixture
def controller(world: World, starter: InProcessStarter) -> Context:
    """The controller of job 1, which is ALIVE, without a slot to be had."""
    world.submit("run: 'true'\n")
    told = {"HOME": str(world.root), "JOB_ID": "1", "ATTEMPT": "1"}
    environ = {f"JOBSCHED_{name}": value for name, value in told.items()}
    context = open_context(world.root, environ=environ)
    context.starter, context.lock_timeout = starter, TIMEOUT
    with scheduled_launch(context, 1):
        pass
    set_limits(world.context, launch=0)
    return context


class Caller(threading.Thread):
    """Calls something as a controller does; ``result`` is what came of it."""

    result: Any = None

    def __init__(self, action: Callable[[], object]) -> None:
        super().__init__(daemon=True)
        self._action = action
        self.start()

    def run(self) -> None:
        """Call it once."""
        try:
            self.result = self._action() or "done"
        except Exception as error:  # noqa: BLE001 -- whatever it is, the test judges it
            self.result = error

    def came_to(self) -> Any:
        """Wait for the end."""
        self.join(15)
        return self.result


def launch(context: Context) -> str:
    """A launch in the slot."""
    with scheduled_launch(context, 1):
        return "launched"


def hold_the_lock(world: World, while_held: Callable[[], object] = lambda: None) -> None:
    """Keep everybody from the scheduler lock for longer than they wait for it.

    The controller that waits for a slot is told to look meanwhile.
    """
    fifo = world.home.wake_fifo(1, 1)
    wait_until(lambda: wake.notify(fifo), 20, "it to listen")  # until then it may want the lock
    with lock.hold(world.home.scheduler_lock):
        while_held()
        assert wake.notify(fifo)
        world.context.clock.sleep(HELD)


def test_the_wait_for_a_grant_outlasts_it(world: World, controller: Context) -> None:
    """However often the waiting controller looks in vain, it gets its slot afterwards."""
    caller = Caller(lambda: launch(controller))
    world.until_state(1, S.ALIVE_WAITING)
    hold_the_lock(world)
    world.context.clock.sleep(HELD)
    assert caller.is_alive(), caller.result
    set_limits(world.context, launch=1)
    assert caller.came_to() == "launched"
    wait_until(lambda: world.job(1).schedule_state is S.ALIVE, 20, "the slot to be free")


def test_a_cancel_that_is_seen_meanwhile(world: World, controller: Context) -> None:
    """The wish cannot be withdrawn yet; it is Cancelled when it was."""
    caller = Caller(lambda: launch(controller))
    world.until_state(1, S.ALIVE_WAITING)

    def ask_for_a_cancel() -> None:
        with world.context.db.write() as tx:
            by = world.context.by("test")
            moves.set_job(tx, 1, cancel_at=by.now, cancel_reason=by.reason)
            moves.record(tx, by, "ACTION", job_id=1, subject="CANCEL", attempt=1)

    hold_the_lock(world, ask_for_a_cancel)
    assert isinstance(caller.came_to(), Cancelled)
    assert world.job(1).schedule_state is S.ALIVE


def test_a_slot_that_is_given_back_meanwhile(world: World, controller: Context) -> None:
    """By a controller that finds nothing to launch."""
    caller = Caller(lambda: launch(controller))
    world.until_state(1, S.ALIVE_WAITING)
    with lock.hold(world.home.scheduler_lock):
        other = Caller(lambda: withdraw(controller, 1, 1))
        world.context.clock.sleep(HELD)
    assert other.came_to() == "done"
    wait_until(lambda: world.job(1).schedule_state is S.ALIVE, 20, "the wish to be withdrawn")
    del caller


def test_it_is_known_how_long_the_last_turn_took_to_come(world: World, controller: Context) -> None:
    """The nursery goes by that; what was before does not count."""
    controller.lock_timeout = 30.0
    with lock.hold(world.home.scheduler_lock):
        caller = Caller(lambda: withdraw(controller, 1, 1))
        world.context.clock.sleep(HELD)
    assert caller.came_to() == "done"
    assert HELD / 2 < controller.waited < 30.0
    with controller.locked():
        assert controller.waited < HELD / 2
