"""How jobs were at any row of the history."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import pytest

from jobsched.api import Counts, Scheduler, Watch
from jobsched.context import Context
from jobsched.errors import NotFound
from jobsched.states import ScheduleState, TaskStatus
from jobsched.store import moves, reads
from jobsched.store.moves import By
from jobsched.testing import FakeClock
from tests.process.stories import Story, act, kept, move, picture
from tests.store.filling import asks_again, by, done, end, waiting
from tests.world import InProcessStarter

S, T = ScheduleState, TaskStatus


@pytest.mark.parametrize("seed", range(3))
def test_past_is_what_was_seen(context: Context, tmp_path: Path, seed: int) -> None:
    """Whatever happens: as of each row, the past shows what the present showed at that row."""
    clock = FakeClock(wall=context.clock.now())
    context.clock, context.starter = clock, InProcessStarter()
    dag = tmp_path / "dag.yaml"
    dag.write_text("name: a\nresources: {priority: 2}\nrun: x\n---\nname: b\nrun: y\n")
    story, watch = Story(context, dag, seed), Scheduler(context=context).watch()
    story.door.set_limits(launch=2, alive=4)
    seen: dict[int, list[Any]] = {}
    for _ in range(20):
        for _ in range(3):
            clock.sleep(7.0)
            story.step()
        seq = watch.latest()
        seen[seq] = picture(watch, watch.changes(seq - 1)[0].at)
    for seq, shown in seen.items():
        past = watch.past(seq)
        assert picture(past, 0.0) == shown
        past.close()
    states = {row["schedule_state"] for shown in seen.values() for row, _ in shown[0]}
    assert states >= {"INACTIVE", "LAUNCHING", "DONE"}  # or there was little to get wrong
    watch.close()
    for claim in context.starter.claims:
        os.close(claim.lock_fd)


def test_past_of_a_hard_life(context: Context, watch: Watch) -> None:
    """A start is the first one, a failure outweighs a cancel, and a forced end starts nothing."""
    hard, forced = waiting(context, tasks=["a", "b", "c"]), waiting(context)
    move(context, hard, S.LAUNCHING, 1005.0, 1)
    with context.db.write() as tx:
        moves.set_task(tx, hard, 2, counts=0)
    life = (
        (2, T.FAILED_CONTROLLER, 1006.0, "auxiliary"),
        (0, T.STARTING, 1006.0, None), (0, T.RUNNING, 1010.0, "here"),
        (0, T.RECOVERING, 1020.0, "lost"), (0, T.RUNNING, 1030.0, "there"),
        (1, T.CANCELLED, 1035.0, "stopped"), (0, T.FAILED, 1040.0, "exit code 1"),
    )  # fmt: skip
    for task_id, to, now, reason in life:
        with context.db.write() as tx:
            mover = By("test", now, 1, reason)
            moves.status(tx, reads.tasks_of(tx, hard)[task_id], to, mover)
    with context.locked() as held, context.db.write() as tx:
        moves.done(tx, held, moves.owned(tx, forced, by(1050.0)), by(1050.0), attempt=1)
    found = watch.past(watch.latest()).rows([hard, forced])
    assert (found[hard]["status"], found[hard]["failure_reason"]) == ("FAILED", "exit code 1")
    assert [task["started_at"] for task in found[hard]["tasks"]] == [1010.0, None, None]
    assert [task["ended_at"] for task in found[hard]["tasks"]] == [1040.0, 1035.0, 1006.0]
    assert (found[forced]["started_at"], found[forced]["attempt"]) == (None, 1)
    assert kept(found) == kept(watch.rows([hard, forced]))


def test_past_of_one_job(context: Context, watch: Watch) -> None:
    """What it was, with its history so far; later rows are not in, and nothing is made up."""
    job_id = waiting(context, "one", now=1000.0)
    then = watch.latest()
    act(context, "CANCEL", job_id, 1500.0)
    end(context, job_id, T.FAILED, now=2000.0)
    shown = watch.past(then).show(job_id)
    assert (shown["schedule_state"], shown["status"], shown["ended_at"]) == (
        "WAITING", "PENDING", None,
    )  # fmt: skip
    assert (shown["cancel_requested"], shown["failure_reason"]) == (False, None)
    assert [one["to"] for one in shown["history"]] == ["INACTIVE", "PENDING", "WAITING"]
    assert shown["actions"] == []
    assert (shown["source"], shown["yaml"], shown["dag"].name) == ("x.yaml", "", "one")
    unknown = ("controller_pid", "controller_alive", "recovery_count", "waiting_text")
    assert [shown[key] for key in unknown] == [None] * 4
    assert shown["tasks"][0]["exit_code"] is None
    assert watch.past(then - 1).show(job_id)["dag"] is None
    with pytest.raises(NotFound):
        watch.past(then - 3).show(job_id)


def test_past_has_the_same_keys(context: Context, watch: Watch) -> None:
    """A row of the past can be drawn like one of the present."""
    job_id = waiting(context)
    past = watch.past(watch.latest())
    now, then = watch.show(job_id), past.show(job_id)
    assert set(then) == set(now)
    assert list(then["tasks"][0]) == list(now["tasks"][0])
    assert list(past.rows([job_id])[job_id]) == list(watch.rows([job_id])[job_id])


def test_past_of_pruned_jobs(context: Context, watch: Watch) -> None:
    """They are gone from the past, too; what is left of it is as it was."""
    asks_again(context)
    done(context, now=1.0)
    then = watch.latest()
    waiting(context)
    assert watch.past(then).counts() == Counts(all=2, active=1, done=1)
    assert Scheduler(context=context).prune(older_than=None, keep=None) == 1
    past = watch.past(then)
    assert past.counts() == Counts(all=1, active=1)
    assert list(past.rows([1, 2, 3])) == [1]
    assert watch.past(0).counts() == Counts()


def test_priority_that_no_row_tells(context: Context, watch: Watch) -> None:
    """The one of the submission is what the first change changed, or what it still is."""
    first, second = waiting(context, priority=5), waiting(context, priority=6)
    then = watch.latest()
    with context.db.write() as tx:
        moves.record(
            tx, By("test", 1.0), "ACTION", job_id=first, subject="PRIORITY", from_value="5",
            to_value="-1",
        )  # fmt: skip
        moves.set_job(tx, first, priority=-1)
    found = watch.past(then).rows([first, second])
    assert {job_id: row["priority"] for job_id, row in found.items()} == {first: 5, second: 6}
    assert watch.past(watch.latest()).rows([first])[first]["priority"] == -1
