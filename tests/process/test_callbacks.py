"""Event callbacks: told in order and at least once, whoever dies, and no longer than they may."""

from __future__ import annotations

import os
import resource
import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from jobsched import lock, process, wake
from jobsched.clock import SystemClock
from jobsched.context import Context, open_context
from jobsched.controller.callbacks import CallbackThread
from jobsched.controller.journal import Journal
from jobsched.errors import StaleAttempt, StoreError
from jobsched.scheduler.ending import cancel
from jobsched.scheduler.watcher import Watcher
from jobsched.states import TaskStatus
from jobsched.sweep.callbacks import Callbacks, callbacks_of
from jobsched.sweep.calling import end_call
from jobsched.sweep.settle import settle
from tests.process.calls import CLOCK, SECONDS, all_gone, end_all, lines
from tests.support import wait_until
from tests.world import InProcessStarter, World

T = TaskStatus


@pytest.fixture(autouse=True)
def _no_call_is_left(tmp_path: Path) -> Iterator[None]:
    """Whatever a test has its callbacks do, it ends with the test."""
    yield
    end_all(tmp_path)


class Ahead(SystemClock):
    """A clock that is some seconds ahead of the machine's."""

    def __init__(self, seconds: float) -> None:
        self._seconds = seconds

    def now(self) -> float:
        """Wall time, later."""
        return super().now() + self._seconds


# --- what is told ---------------------------------------------------------------------------------


def told_of(world: World, path: Path) -> tuple[Journal, Callbacks]:
    """A job of which this process is the controller, and its one callback."""
    job_id = world.submit(f"run: 'true'\nevent_callback: echo $JOB_STATUS >> {path}\n")
    (callbacks,) = callbacks_of(world.context, world.job(job_id))
    return Journal(world.context, job_id, 1), callbacks


@pytest.fixture
def acting(world: World, starter: InProcessStarter) -> Iterator[World]:
    """A world in which the test is every controller."""
    yield world
    for claim in list(starter.claims):
        cancel(world.context, [claim.job_id])
        starter.die(claim)
    world.sweep()


def change_schema(context: Context, statement: str) -> None:
    """Change the database past everything that is ours."""
    with closing(sqlite3.connect(context.home.database)) as raw, raw:
        raw.execute(statement)


BREAK = (
    "CREATE TRIGGER broken BEFORE UPDATE OF callback_seq ON tasks"
    " BEGIN SELECT RAISE(ABORT, 'no'); END"
)


def test_an_error_of_the_store_loses_and_repeats_nothing(acting: World, tmp_path: Path) -> None:
    """What was told but could not be stored is not told again, and what follows is told."""
    journal, callbacks = told_of(acting, tmp_path / "told")
    journal.move(0, T.STARTING)
    change_schema(acting.context, BREAK)
    for _ in range(2):
        with pytest.raises(StoreError):
            callbacks.catch_up()
    journal.move(0, T.RUNNING)
    change_schema(acting.context, "DROP TRIGGER broken")
    callbacks.catch_up()
    assert lines(tmp_path / "told") == ["STARTING", "STARTED"]


def test_who_was_replaced_tells_nothing(acting: World, tmp_path: Path) -> None:
    """Not even of what it knows not to be told yet."""
    journal, callbacks = told_of(acting, tmp_path / "told")
    journal.move(0, T.STARTING)
    change_schema(acting.context, "UPDATE jobs SET attempt = 2")
    with pytest.raises(StaleAttempt):
        callbacks.catch_up()
    assert lines(tmp_path / "told") == []
    change_schema(acting.context, "UPDATE jobs SET attempt = 1")


def test_being_told_needs_no_log(acting: World, tmp_path: Path) -> None:
    """A log that cannot be written, or that nobody reads, keeps no callback from being run."""
    journal, callbacks = told_of(acting, tmp_path / "told")
    path = acting.home.callback_log(journal.job_id, 0)
    path.symlink_to("/nowhere")
    journal.move(0, T.STARTING)
    callbacks.catch_up()
    path.unlink()
    os.mkfifo(path)
    journal.move(0, T.RUNNING)
    callbacks.catch_up()
    path.unlink()
    assert lines(tmp_path / "told") == ["STARTING", "STARTED"]


def test_what_cannot_be_run_now_is_told_later(acting: World, tmp_path: Path) -> None:
    """A process that is short of descriptors has not told; a folder that is gone is made again."""
    journal, callbacks = told_of(acting, tmp_path / "told")
    journal.move(0, T.STARTING)
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    spare = os.open(os.devnull, os.O_RDONLY)
    os.close(spare)
    for room in range(5):
        resource.setrlimit(resource.RLIMIT_NOFILE, (spare + room, hard))
        try:
            with pytest.raises(StoreError, match="Too many open files") as caught:
                callbacks.catch_up()
        finally:
            resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))
        assert caught.value.passes
    assert lines(tmp_path / "told") == []
    (acting.home.root / "jobs").rmdir()
    callbacks.catch_up()
    assert lines(tmp_path / "told") == ["STARTING"]


class Trouble:
    """Something to tell, with which this and that goes wrong first."""

    def __init__(self, *errors: Exception) -> None:
        self._errors = list(errors)
        self.told = 0

    def catch_up(self) -> None:
        """Fail, or tell."""
        if self._errors:
            raise self._errors.pop(0)
        self.told += 1


@pytest.mark.parametrize(
    "errors",
    [
        [StoreError("the disk is full", passes=True)] * 7,
        [StoreError("it is damaged"), ZeroDivisionError()],
        [OSError(5, "Input/output error"), StoreError("full", passes=True), MemoryError()],
    ],
)
def test_no_error_ends_the_telling(errors: list[Exception]) -> None:
    """However often the store fails, and whatever else does: it is told, and so is what follows."""
    trouble, other = Trouble(*errors), Trouble()
    thread = CallbackThread([trouble, other], Hurried())
    wait_until(lambda: trouble.told == other.told == 1, SECONDS, "both to be told at the start")
    thread.tell()
    wait_until(lambda: trouble.told == other.told == 2, SECONDS, "the next news to be told")
    thread.finish()
    assert (trouble.told, other.told) == (3, 3)


class Hurried(SystemClock):
    """A clock that sleeps a hundredth of what it is asked to."""

    def sleep(self, seconds: float) -> None:
        """Not long."""
        super().sleep(seconds / 100)


def test_what_cannot_be_told_keeps_no_job_from_its_end() -> None:
    """An error that stays is given up at the end, and not before."""
    hopeless, other = Trouble(*[ValueError()] * 1000), Trouble()
    thread = CallbackThread([hopeless, other], Hurried())
    wait_until(lambda: other.told == 1, SECONDS, "the other one to be told")
    thread.finish()
    assert (hopeless.told, other.told) == (0, 2)


# --- whole jobs -----------------------------------------------------------------------------------


def hanging(told: Path, go: Path) -> str:
    """A job, and its callback, that both hang until there is a file ``go``."""
    return (
        f"run: until [ -e {go} ]; do sleep 0.05; done\n"
        f"event_callback: echo $$ $JOB_STATUS >> {told}; [ -e {go} ] || sleep 300\n"
    )


def let_go(world: World, job_id: int, go: Path) -> None:
    """Nothing hangs any more."""
    go.touch()
    end_call(world.home.callback_file(job_id, 0), CLOCK)


def test_the_next_controller_ends_what_the_last_one_left(world: World, tmp_path: Path) -> None:
    """And tells it again at once: a call whose end its controller did not see does not count."""
    told, go = tmp_path / "told", tmp_path / "go"
    job = world.submit(hanging(told, go))
    world.until(lambda: lines(told), "the callback to run")
    world.tick()
    world.kill_controller(job)
    world.until(lambda: len(lines(told)) == 2, "the callback to be run again")
    assert all_gone([int(lines(told)[0].split()[0])])
    let_go(world, job, go)
    world.until_done(job)
    events = [line.split()[1] for line in lines(told)]
    assert events[:2] == ["STARTING", "STARTING"]
    # In order and at least once: what else was on its way when it was killed may come twice, too.
    assert list(dict.fromkeys(events)) == ["STARTING", "STARTED", "SUCCEEDED"]
    assert events == sorted(events, key=["STARTING", "STARTED", "SUCCEEDED"].index)
    assert list((world.home.root / "jobs").iterdir()) == []


def test_a_job_is_ended_but_for_its_callbacks(
    acting: World, starter: InProcessStarter, tmp_path: Path
) -> None:
    """By one who has no time to tell; it is DONE, and not before, when somebody has told all."""
    journal, _ = told_of(acting, tmp_path / "told")
    job = journal.job_id
    journal.move(0, T.STARTING)
    cancel(acting.context, [job])
    starter.die(starter.claims[0])
    assert not settle(acting.context, job, telling=False)
    assert (acting.statuses(job), lines(tmp_path / "told")) == (["CANCELLED"], [])
    assert not acting.job(job).is_done
    assert settle(acting.context, job)
    assert lines(tmp_path / "told") == ["STARTING", "CANCELLING", "CANCELLED"]
    assert acting.job(job).is_done


def test_a_job_with_nothing_to_tell_is_ended_by_anybody(
    acting: World, starter: InProcessStarter, tmp_path: Path
) -> None:
    """That it has a callback alone keeps nobody from ending it."""
    journal, callbacks = told_of(acting, tmp_path / "told")
    journal.move(0, T.STARTING)
    journal.move(0, T.FAILED_PRECHECKS)
    callbacks.catch_up()
    starter.die(starter.claims[0])
    assert settle(acting.context, journal.job_id, telling=False)
    assert lines(tmp_path / "told") == ["STARTING", "FAILED"]


def test_nobody_waits_for_the_callbacks_of_others(world: World, tmp_path: Path) -> None:
    """Of a job that no controller ends any more: they are told beside all that is commanded."""
    told, go = tmp_path / "told", tmp_path / "go"
    job = world.submit(hanging(told, go))
    world.until_status(job, T.RUNNING)
    world.context.starter = None
    began = CLOCK.monotonic()
    cancel(world.context, [job])
    world.kill_controller(job)
    later = world.submit("run: 'true'\n", name="later")
    cancel(world.context, [job])
    assert CLOCK.monotonic() - began < SECONDS
    assert str(world.until_done(later).status) == "SUCCEEDED"
    assert not world.job(job).is_done, "its callbacks have not been told"
    let_go(world, job, go)
    world.until_done(job)
    statuses = [line.split()[1] for line in lines(told)]
    assert sorted(set(statuses), key=statuses.index) == [
        "STARTING", "STARTED", "CANCELLING", "CANCELLED",
    ]  # fmt: skip


def until_only_telling(world: World, job_id: int) -> None:
    """Wait until nothing of a cancelled job is left but its callbacks."""
    world.until(
        lambda: all(
            task.status is T.CANCELLED and not task.has_cluster for task in world.tasks(job_id)
        ),
        f"job {job_id} to be torn down",
    )


@pytest.mark.parametrize(("ahead", "lives"), [(100.0, True), (1000.0, False)])
def test_a_controller_that_only_tells_is_given_its_time(
    world: World, tmp_path: Path, ahead: float, *, lives: bool
) -> None:
    """Sixty seconds for each change that is told, beyond what ending the job may take."""
    job = world.submit(hanging(tmp_path / "told", tmp_path / "go"))
    world.until_status(job, T.RUNNING)
    pid = world.controller(job)
    cancel(world.context, [job])
    until_only_telling(world, job)
    later = open_context(world.root)
    later.clock = Ahead(ahead)
    Watcher(later).press_cancels()
    later.db.close()
    assert (process.identify(pid) is not None) == lives
    let_go(world, job, tmp_path / "go")


def test_one_that_is_dead_is_news_once(world: World, tmp_path: Path) -> None:
    """While its job is ended, which may take long, whoever ticks sleeps between its sweeps."""
    job = world.submit(f"run: sleep 300 # {tmp_path}\n")
    world.until_status(job, T.RUNNING)
    watcher = Watcher(world.context)
    world.controller(job)
    watcher.refresh()
    assert len(watcher.descriptors()) == 1
    guard = lock.try_lock(world.home.settle_lock(job))
    assert guard is not None, "somebody ends the job from now on"
    cancel(world.context, [job])
    world.kill_controller(job)
    assert wake.wait(watcher.descriptors(), SECONDS), "it is dead"
    watcher.refresh()
    assert len(watcher.descriptors()) == 1, "it may have died after the pass before"
    watcher.refresh()
    assert watcher.descriptors() == []
    os.close(guard)
    world.sweep()
    world.until_done(job)
