"""Actions on real homes: doing and undoing them, and what fails."""

from __future__ import annotations

from pathlib import Path

import pytest

from jobsched.api import Expected, Scheduler
from jobsched.context import Context
from jobsched_tui.data import actions
from jobsched_tui.data.actions import Kind, Setting, inverse
from jobsched_tui.data.applying import Failure, apply
from jobsched_tui.data.frame import Gauge, JobLine, LimitsLine
from jobsched_tui.present.actions import (
    result_lines,
)
from tests.tui.acting import (
    FULL,
    S,
    T,
    plan_of,
    row,
    shown,
    told,
    waiting_jobs,
)
from tests.world import InProcessStarter


@pytest.fixture
def door(context: Context) -> Scheduler:
    """The door of an empty home in which no process is started."""
    context.starter = InProcessStarter()
    return Scheduler(context=context)


def test_apply_hold_then_undo(door: Scheduler, tmp_path: Path) -> None:
    """A hold is done with its reason, and its inverse brings the jobs back."""
    ids = waiting_jobs(door, tmp_path / "f.yaml", 2)
    plan = plan_of(actions.plan_hold(list(shown(door).values()), "disk full"))
    result = apply(door, plan)
    assert result.is_whole
    assert sorted(result.done) == ids
    assert door.show(ids[0])["actions"][-1]["reason"] == "disk full"
    back = inverse(plan, result.done)
    assert back is not None
    assert apply(door, back).is_whole
    assert not any(line.held for line in shown(door).values())


def test_apply_priority_then_undo(door: Scheduler, tmp_path: Path) -> None:
    """Each job gets back the priority that it had, however it stands by then."""
    first, second = waiting_jobs(door, tmp_path / "f.yaml", 2)
    door.set_priority(second, 3)
    plan = plan_of(actions.plan_priority(list(shown(door).values()), 9))
    assert apply(door, plan).is_whole
    back = inverse(plan)
    assert back is not None
    door.set_limits(paused=False)
    assert apply(door, back).is_whole
    now = shown(door)
    assert (now[first].priority, now[second].priority) == (0, 3)


def test_partial_failure(door: Scheduler, tmp_path: Path) -> None:
    """A job that has moved on keeps no other back, and is what remains to be looked at."""
    first, second, third = waiting_jobs(door, tmp_path / "f.yaml", 3)
    seen = shown(door)
    door.cancel([second])
    plan = plan_of(actions.plan_hold([seen[first], seen[second], seen[third]]))
    result = apply(door, plan)
    assert (result.done, result.remaining) == ((first, third), (second,))
    why = (
        f"job {second} was WAITING at attempt 0 when it was looked at and is DONE at attempt 0"
        " now; nothing was done to it"
    )
    assert result.failures == (Failure(second, why),)
    assert told(result_lines(plan, result)) == ["hold 3 jobs: 2 of 3; 1 refused", why]


def test_cancel_in_batches(door: Scheduler, tmp_path: Path) -> None:
    """A hundred at a time are cancelled; in between it can be stopped, and what is left is told."""
    ids = waiting_jobs(door, tmp_path / "f.yaml", 230)
    plan = plan_of(actions.plan_cancel([shown(door)[ids[0]]] + [row(n) for n in ids[1:]], "enough"))
    behind: list[tuple[int, int]] = []
    result = apply(
        door, plan,
        progress=lambda at, of: behind.append((at, of)),
        cancelled=lambda: len(behind) == 2,
    )  # fmt: skip
    assert behind == [(100, 230), (200, 230)]
    assert (result.done, result.left) == (tuple(ids[:200]), tuple(ids[200:]))
    assert door.unfinished_ids() == ids[200:]
    assert door.show(ids[0])["failure_reason"] == "enough"
    assert told(result_lines(plan, result)) == ["cancel 230 jobs: 200 of 230; 30 not tried"]


def test_cancel_tells_each_failure(door: Scheduler, tmp_path: Path) -> None:
    """Of those that were not cancelled it is said why; who ends along is noted."""
    first, second = waiting_jobs(door, tmp_path / "f.yaml", 2)
    (follower,) = door.submit([tmp_path / "f.yaml"], after=[first])
    stale = row(second, S.ALIVE, T.RUNNING, attempt=2)
    result = apply(door, plan_of(actions.plan_cancel([row(first), stale, row(99)])))
    assert result.done == (first,)
    assert [failure.job_id for failure in result.failures] == [second, 99]
    assert result.failures[1].why == "job 99 not found"
    assert result.notes == (f"job {follower.job_id} ended too: it was to follow one of them",)


def test_done_and_rerun(door: Scheduler, tmp_path: Path) -> None:
    """Force ends a job with the reason; a rerun of it makes a new one and names it."""
    (job,) = waiting_jobs(door, tmp_path / "f.yaml", 1)
    assert apply(door, plan_of(actions.plan_done([shown(door)[job]], "stuck"))).done == (job,)
    assert door.show(job)["actions"][-1]["reason"] == "stuck"
    plan = plan_of(actions.plan_rerun([shown(door)[job]]))
    result = apply(door, plan)
    assert result.made == (job + 1,)
    assert told(result_lines(plan, result)) == [f"done: rerun {job}: job {job + 1}"]


def test_limits_then_undo(door: Scheduler) -> None:
    """Limits are set and brought back, ``auto`` too; what was not set is left alone."""
    door.set_limits(launch=3)
    now = LimitsLine(launch=Gauge(limit=3, used=0), alive=Gauge(limit=9, used=0, auto=True))
    plan = plan_of(actions.plan_limits(now, launch="5", alive="7"))
    assert apply(door, plan).is_whole
    assert (door.limits().launch, door.limits().alive) == (5, 7)
    back = inverse(plan)
    assert back is not None
    assert apply(door, back).is_whole
    assert (door.limits().launch, door.limits().alive_auto, door.limits().paused) == (
        3, True, False,
    )  # fmt: skip


def test_pause_and_back(door: Scheduler) -> None:
    """The inverse of a pause is a resume."""
    plan = plan_of(actions.plan_pause(FULL))
    apply(door, plan)
    assert door.limits().paused
    back = inverse(plan)
    assert back is not None
    assert (back.kind, back.setting) == (Kind.RESUME, Setting(paused=False))
    apply(door, back)
    assert not door.limits().paused


def test_sweep(door: Scheduler) -> None:
    """A sweep that finds nothing says nothing."""
    result = apply(door, plan_of(actions.plan_sweep()))
    assert (result.is_whole, result.notes) == (True, ())


def test_a_home_that_cannot_be_used(door: Scheduler, tmp_path: Path) -> None:
    """Where nothing can be written, the rest is not tried, and it is said why."""
    ids = waiting_jobs(door, tmp_path / "f.yaml", 3)
    lines = list(shown(door).values())
    door.context.lock_timeout = 0.05
    with Scheduler(door.context.home.root).context.locked():
        result = apply(door, plan_of(actions.plan_hold(lines)))
    assert (result.done, sorted(result.left)) == ((), ids)
    assert result.error is not None
    assert "nothing was changed" in result.error


def test_lines_of_a_real_home(door: Scheduler, tmp_path: Path) -> None:
    """A row that the console reads gives the expectation that the library checks."""
    (job,) = waiting_jobs(door, tmp_path / "f.yaml", 1)
    door.set_limits(paused=False)
    line: JobLine = shown(door)[job]
    assert actions.target(line).expect == Expected(1, S.LAUNCHING)
