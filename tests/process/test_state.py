"""``jobsched.state`` as embedding programs use it, on the default home."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from jobsched import state
from jobsched.config import AttemptIdentity
from jobsched.context import default_context
from jobsched.errors import IllegalMove, InvalidInput, NoAttempt, NotFound, StaleAttempt
from jobsched.scheduler import job_done, submit_job
from jobsched.scheduler.operate import set_limits
from jobsched.states import ScheduleState, TaskStatus
from tests.world import InProcessStarter, World

S, T = ScheduleState, TaskStatus


@pytest.fixture
def default(world: World, monkeypatch: pytest.MonkeyPatch) -> Iterator[InProcessStarter]:
    """The world is the default home, and the test acts as the controller of each started job."""
    monkeypatch.setenv("JOBSCHED_HOME", str(world.root))
    starter = InProcessStarter()
    default_context().starter = world.context.starter = starter
    yield starter
    default_context().db.close()


def started(world: World) -> int:
    """A job that was started; this process is its controller from now on."""
    file = world.root.parent / "x.yaml"
    file.write_text("run: x\n---\nrun: y\n")
    job = state.create_job("x", ["first", "second"])
    assert state.get_job_schedule_state(job) is S.INACTIVE
    submit_job(job, file)
    default_context().identity = AttemptIdentity(job, 1)
    return job


def test_create(world: World, default: InProcessStarter) -> None:
    """INACTIVE with PENDING tasks of these names, and nothing that cannot be shown as a name."""
    job = state.create_job("name", ["a", "b"])
    assert (state.get_job_schedule_state(job), state.cancel_requested(job)) == ("INACTIVE", False)
    assert [(task.name, task.status) for task in world.tasks(job)] == [
        ("a", T.PENDING), ("b", T.PENDING),
    ]  # fmt: skip
    for name, tasks in (
        ("x\n", ["a"]),
        ("", ["a"]),
        ("x", []),
        ("x", ["\x1b[2J"]),
        ("x" * 1001, "a"),
    ):
        with pytest.raises(InvalidInput):
            state.create_job(name, tasks)
    assert default.claims == []


def test_statuses_by_name_and_member(world: World, default: InProcessStarter) -> None:
    """A controller moves its tasks along the table, to an outcome too; nothing else moves them."""
    job = started(world)
    assert [claim.job_id for claim in default.claims] == [job]
    state.set_task_status(job, 0, "STARTING")
    state.set_task_status(job, 0, T.RUNNING)
    with pytest.raises(IllegalMove, match="RUNNING"):
        state.set_task_status(job, 0, T.PENDING)
    with pytest.raises(ValueError, match="ALIVE"):
        state.set_task_status(job, 0, "ALIVE")
    state.set_task_status(job, 0, T.FAILED, "it was wrong")
    with pytest.raises(IllegalMove):
        state.set_task_status(job, 0, T.SUCCEEDED)
    state.set_task_status(job, 1, "CANCELLED", "not wanted")
    with pytest.raises(NotFound, match="2"):
        state.set_task_status(job, 2, T.STARTING)
    assert world.statuses(job) == ["FAILED", "CANCELLED"]
    assert (world.job(job).status, world.job(job).failure_reason) == (T.FAILED, "it was wrong")
    job_done(job)
    job_done(job, idempotent=True)
    assert state.get_job_schedule_state(job) is S.DONE


def test_only_the_controller(world: World, default: InProcessStarter) -> None:
    """Nobody else sets a status, nor one whom another attempt has replaced."""
    job = started(world)
    context = default_context()
    context.identity = None
    with pytest.raises(NoAttempt, match="only the controller"):
        state.set_task_status(job, 0, T.STARTING)
    context.identity = AttemptIdentity(job + 1, 1)
    with pytest.raises(NoAttempt):
        state.set_task_status(job, 0, T.STARTING)
    context.identity = AttemptIdentity(job, 7)
    with pytest.raises(StaleAttempt):
        state.set_task_status(job, 0, T.STARTING)
    assert world.statuses(job) == ["PENDING", "PENDING"]
    assert len(default.claims) == 1


def test_cancel_requested(world: World, default: InProcessStarter) -> None:
    """Told as soon as it is asked for; the tasks then only end."""
    from jobsched.scheduler.ending import cancel  # noqa: PLC0415 - named beside its use

    job = started(world)
    state.set_task_status(job, 0, T.STARTING)
    cancel(world.context, [job])
    assert state.cancel_requested(job)
    with pytest.raises(IllegalMove):
        state.set_task_status(job, 0, T.RUNNING)
    state.set_task_status(job, 0, T.CANCELLED)
    assert len(default.claims) == 1


@pytest.mark.parametrize("ask", [state.get_job_schedule_state, state.cancel_requested, job_done])
def test_no_such_job(world: World, default: InProcessStarter, ask: object) -> None:
    """Neither in a home that is there nor in one that is not."""
    assert callable(ask)
    with pytest.raises(NotFound, match="99"):
        ask(99)
    set_limits(world.context, paused=True)
    assert default.claims == []


@pytest.mark.parametrize("ask", [state.get_job_schedule_state, state.cancel_requested, job_done])
def test_no_home(world: World, monkeypatch: pytest.MonkeyPatch, ask: object) -> None:
    """A question makes no home."""
    nowhere = world.root.parent / "nowhere"
    monkeypatch.setenv("JOBSCHED_HOME", str(nowhere))
    assert callable(ask)
    with pytest.raises(NotFound, match="99"):
        ask(99)
    assert not nowhere.exists()
