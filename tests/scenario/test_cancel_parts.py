"""What a cancel says and leaves to others: a stop that cannot be sent, callbacks, followers."""

from __future__ import annotations

import os
import threading
from pathlib import Path

import pytest

from jobsched import lock
from jobsched.backends.local import fence
from jobsched.backends.local.folder import Folder
from jobsched.context import Context, open_context
from jobsched.errors import Fenced
from jobsched.models import LaunchRequest, Placement, TaskSpec
from jobsched.scheduler.ending import cancel, job_done
from jobsched.scheduler.operate import set_limits
from jobsched.scheduler.submission import Submission, load, stored_env, submit_new
from jobsched.scheduler.ticker import sweep
from jobsched.scheduler.watcher import Watcher
from jobsched.states import TaskStatus
from jobsched.store import moves, reads
from jobsched.sweep.settle import settle
from tests.scenario.conftest import MakeWorld
from tests.scenario.starting import Program
from tests.world import InProcessStarter, World

T = TaskStatus

#: Notes that it can be asked to stop, and that it was.
COMMAND = """[controller]
command = ["sh", "-c", "trap 'echo asked >> asked; exit 1' TERM; echo > ready-$JOBSCHED_JOB_ID;\
 while :; do sleep 0.05; done", "controller"]
"""


def test_a_stop_that_was_not_sent_is_not_noted(make_world: MakeWorld, tmp_path: Path) -> None:
    """A controller of the user's that is only being started gets its SIGTERM once it is there."""
    world = make_world(COMMAND, grace=0.1)
    attendant = lock.try_lock(world.home.attendant_lock)  # nobody but this test ticks
    assert attendant is not None
    program = Program(world, tmp_path, "run: 'true'\n")
    cancel(world.context, [2])
    assert world.attempt(2).stop_sent_at is None
    Watcher(world.context).press_cancels()
    assert world.attempt(2).stop_sent_at is None
    assert program.go_on() == (0, "unharmed\n")
    world.until((world.root / "ready-2").exists, "its controller")
    Watcher(world.context).press_cancels()
    assert world.attempt(2).stop_sent_at is not None
    world.until((world.root / "asked").exists, "SIGTERM, not SIGKILL")
    os.close(attendant)
    world.tick()
    assert str(world.until_done(2).status) == "CANCELLED"
    (world.root / "asked").unlink()


TWO = """name: two
---
name: told
event_callback: echo $JOBSCHED_STATUS >> {told}
run: 'true'
---
name: silent
run: 'true'
"""


@pytest.fixture
def starter(world: World) -> InProcessStarter:
    """This test is every controller."""
    world.context.starter = InProcessStarter()
    return world.context.starter


def move(context: Context, job: int, task_id: int, *statuses: TaskStatus) -> None:
    """Move a task as its controller would."""
    for status in statuses:
        with context.db.write() as tx:
            task = reads.task(tx, job, task_id)
            assert task is not None
            moves.status(tx, task, status, context.by())


def test_callbacks_are_told_of_a_cancel_after_a_death(
    world: World, starter: InProcessStarter, tmp_path: Path
) -> None:
    """Nothing of the job lives, but it is DONE only when its callback was told."""
    told = tmp_path / "told"
    job = world.submit(TWO.format(told=told))
    move(world.context, job, 0, T.STARTING)
    starter.die(starter.claims[0])
    result = cancel(world.context, [job])
    assert (result.ended, result.stopping) == ([], [job])
    assert not world.job(job).is_done
    assert settle(world.context, job)
    assert told.read_text().split() == ["STARTING", "CANCELLING", "CANCELLED"]
    assert str(world.job(job).status) == "CANCELLED"


def test_where_all_was_told_the_end_comes_at_once(
    world: World, starter: InProcessStarter, tmp_path: Path
) -> None:
    """Of a job whose callbacks know all, and of one that has none."""
    jobs = [world.submit(TWO.format(told=tmp_path / "told")), world.submit("run: 'true'\n")]
    move(world.context, jobs[0], 0, T.STARTING, T.RUNNING, T.SUCCEEDED)
    with world.context.db.write() as tx:
        last = reads.changes_of_task(tx, jobs[0], 0, 0)[-1].seq
        moves.set_task(tx, jobs[0], 0, callback_seq=last)
    for claim in list(starter.claims):
        starter.die(claim)
    assert cancel(world.context, jobs).ended == jobs


def test_a_follower_that_ended_along_had_not_finished_before(world: World) -> None:
    """Whatever the order in which they are named, and however often."""
    set_limits(world.context, paused=True)
    first = world.submit("run: 'true'\n")
    path = world.root.parent / "job.yaml"
    loaded, env = load(path, name="second"), stored_env(world.context)
    follower = Submission(loaded=loaded, source=str(path), env=env, after=(first,))
    (second,) = submit_new(world.context, [follower])
    result = cancel(world.context, [first, second, first])
    assert (result.ended, result.finished) == ([first, second], [])
    assert cancel(world.context, [second]).finished == [second]


def test_an_attempt_that_cannot_be_ended_launches_nothing_after_done(
    world: World, starter: InProcessStarter
) -> None:
    """Its clusters are fenced, for as long as it lives: also where it had made none yet."""
    job = world.submit("run: 'true'\n")
    move(world.context, job, 0, T.STARTING)
    with world.context.db.write() as tx:
        moves.set_task(tx, job, 0, cluster="1-0-1", torn_down=0, launches=1, region="here")
    operator = open_context(world.root)
    operator.starter = starter
    job_done(operator, job)  # this very process holds the lock of the attempt
    assert world.job(job).is_done
    sweep(operator)
    request = LaunchRequest(
        cluster="1-0-1", job_id=job, attempt=1, task=TaskSpec(task_id=0, name="t", run="true"),
        placement=Placement(region="here"), log_paths=(world.home.task_log(job, 0),),
        base_env={"PATH": os.environ["PATH"]},
    )  # fmt: skip
    backend = world.context.backend()
    with pytest.raises(Fenced):
        backend.launch(request, threading.Event())
    starter.die(starter.claims[0])
    folder = Folder(world.home.clusters / "1-0-1")
    assert fence.read(folder).attempt == 2
    sweep(operator)
    assert not folder.fence.exists()
