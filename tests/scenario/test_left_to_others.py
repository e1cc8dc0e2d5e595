"""Jobs that are ended by somebody else than their controller: stopped ones, dead ones; and when."""

from __future__ import annotations

import os
import signal
import time
from pathlib import Path

from sqlalchemy import bindparam, select

from jobsched import process
from jobsched.api import looking
from jobsched.scheduler.ending import cancel
from jobsched.scheduler.operate import requeue
from jobsched.states import TaskStatus
from jobsched.store.catalogue.schema import history
from tests.scenario.conftest import MakeWorld
from tests.support import wait_until
from tests.world import World, is_held

T = TaskStatus
_MOVES = (
    select(history.c.to_value, history.c.at)
    .where((history.c.job_id == bindparam("job_id")) & (history.c.kind == "STATUS"))
    .order_by(history.c.seq)
)
#: Notes its PID, and hears of nothing.
DEAF = "run: |\n  trap '' TERM\n  echo $$ > {note}\n  while :; do sleep 0.05; done\n"


def running(world: World, note: Path) -> int:
    """A job whose task runs and will not hear of an end."""
    job = world.submit(DEAF.format(note=note))
    world.until(lambda: note.exists() and note.read_text().strip(), "the task to run")
    world.until_status(job, T.RUNNING)
    return job


def forsaken(world: World, note: Path) -> int:
    """The same, its controller dead."""
    job = running(world, note)
    world.kill_controller(job)
    world.until(lambda: not is_held(world.home, job, 1), "the controller to be gone")
    return job


def moves_of(world: World, job_id: int) -> dict[str, float]:
    """When its task came to each status, by the history."""
    with world.context.db.read() as tx:
        rows = tx.rows(_MOVES, job_id=job_id)
    return {row["to_value"]: row["at"] for row in rows}


def test_a_cancel_waits_for_nobody(make_world: MakeWorld, tmp_path: Path) -> None:
    """No controller, nobody who ticks, a deaf task: the command returns, and the job ends."""
    world = make_world(grace=6)
    job = forsaken(world, tmp_path / "pid")
    began = time.monotonic()
    cancel(world.context, [job])
    assert time.monotonic() - began < 5
    assert world.statuses(job) == ["CANCELLING"]
    assert str(world.until_done(job).status) == "CANCELLED"


def test_cancelled_is_stamped_when_it_is_so(make_world: MakeWorld, tmp_path: Path) -> None:
    """A row that says CANCELLED is not older than the end of the last process."""
    world, note = make_world(grace=2), tmp_path / "pid"
    job = forsaken(world, note)
    asked = time.time()
    cancel(world.context, [job])
    pid = int(note.read_text())
    wait_until(lambda: process.identify(pid) is None, 15, "the task's end")
    gone = time.time()
    row = world.until_done(job)
    ended_at = world.tasks(job)[0].ended_at
    assert ended_at is not None
    assert asked + 2 <= ended_at
    assert abs(gone - ended_at) < 3
    assert moves_of(world, job)["CANCELLED"] == ended_at <= (row.ended_at or 0)


def test_a_requeue_of_a_cancelled_job_waits_for_nobody(
    make_world: MakeWorld, tmp_path: Path
) -> None:
    """It ends the controller; the task's end is left to others."""
    world = make_world(grace=6)
    job = running(world, tmp_path / "pid")
    cancel(world.context, [job])
    began = time.monotonic()
    requeue(world.context, job)
    assert time.monotonic() - began < 5
    row = world.until_done(job)
    assert (str(row.status), row.attempt) == ("CANCELLED", 1)


def test_a_stopped_controller_does_not_hold_up_a_cancel(make_world: MakeWorld) -> None:
    """It cannot hear of it, so it is ended within seconds, however long the grace is."""
    world = make_world(grace=30)
    job = world.submit("run: sleep 300\n")
    world.until_status(job, T.RUNNING)
    pid = world.stop_controller(job)
    cancel(world.context, [job])
    said = looking.why(world.context, job).text
    assert f"its controller (PID {pid}) is stopped" in said
    row = world.until_done(job, timeout=20)
    assert (str(row.status), row.attempt) == ("CANCELLED", 1)
    assert process.identify(pid) is None


def test_a_controller_that_goes_on_in_time_ends_its_job_itself(make_world: MakeWorld) -> None:
    """One that was stopped for a moment is not ended for it."""
    world = make_world(grace=30)
    job = world.submit("run: sleep 300\n")
    world.until_status(job, T.RUNNING)
    pid = world.stop_controller(job)
    cancel(world.context, [job])
    os.kill(pid, signal.SIGCONT)
    world.until_done(job, timeout=20)
    log = world.home.controller_log(job)
    world.until(lambda: "is DONE" in log.read_text(), "the controller to say that it did it")


def test_why_of_a_stopped_controller(world: World) -> None:
    """Of a job that runs on without its controller's care: the PID, and what to do."""
    job = world.submit("run: sleep 300\n")
    world.until_status(job, T.RUNNING)
    pid = world.stop_controller(job)
    reason = looking.why(world.context, job)
    assert reason.code == "RUNNING"
    assert f"its controller (PID {pid}) is stopped" in reason.text
    assert f"`jobsched requeue {job}`" in reason.text
    os.kill(pid, signal.SIGCONT)
    assert "is stopped" not in looking.why(world.context, job).text


def test_a_task_that_is_cancelled_may_save_its_work(make_world: MakeWorld, tmp_path: Path) -> None:
    """What the task starts when it is asked to end gets to its end, whoever ended the job."""
    world, ready = make_world(grace=15), tmp_path / "ready"
    run = (
        f"run: |\n  trap 'sleep 1; echo saved $?; exit' TERM\n  touch {ready}\n"
        "  while :; do sleep 0.05; done\n"
    )
    for how in ("cancel", "max_duration"):
        job = world.submit(run + ("max_duration: 1s\n" if how == "max_duration" else ""))
        world.until(ready.exists, "the task to run")
        ready.unlink()
        if how == "cancel":
            world.until_status(job, T.RUNNING)
            cancel(world.context, [job])
        world.until_done(job)
        assert "saved 0" in world.home.task_log(job, 0).read_text(), how
