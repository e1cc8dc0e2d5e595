"""Actions as values: which are possible, what they hit, doing them, undoing them, their twins."""

from __future__ import annotations

import shlex
from pathlib import Path

import pytest

from jobsched.api import Expected, Scheduler
from jobsched.cli.parser import build
from jobsched.context import Context
from jobsched_tui.data import actions
from jobsched_tui.data.actions import Kind, Plan, Planned, Setting, inverse, put_off
from jobsched_tui.data.applying import Failure, apply
from jobsched_tui.data.blast import blast
from jobsched_tui.data.frame import Gauge, JobLine, LimitsLine
from jobsched_tui.data.twins import twin
from jobsched_tui.present.actions import (
    blast_lines,
    change_lines,
    demand,
    job_lines,
    pending_line,
    question,
    refusal_lines,
    result_lines,
)
from jobsched_tui.present.spans import Line, Tone, plain
from tests.tui.acting import FULL, S, T, alive, row, shown, waiting_jobs
from tests.world import InProcessStarter


@pytest.fixture
def door(context: Context) -> Scheduler:
    """The door of an empty home in which no process is started."""
    context.starter = InProcessStarter()
    return Scheduler(context=context)


def told(lines: list[Line]) -> list[str]:
    """The lines' text."""
    return [plain(line) for line in lines]


def plan_of(planned: Planned) -> Plan:
    """The plan, which there must be."""
    assert planned.plan is not None, planned.refusals
    return planned.plan


# Planning.

DONE = row(7, S.DONE, T.FAILED, attempt=1)
CLEANING = row(8, S.ALIVE, T.SUCCEEDED, attempt=1)
CREATED = row(9, S.INACTIVE, submitted_at=None)


@pytest.mark.parametrize(
    ("planned", "why"),
    [
        (actions.plan_cancel([DONE]), "job 7 is DONE"),
        (
            actions.plan_cancel([CLEANING]),
            "job 8 has ended SUCCEEDED; what is left of it is being removed",
        ),
        (actions.plan_done([DONE]), "job 7 is DONE"),
        (actions.plan_requeue([DONE]), "job 7 is DONE"),
        (actions.plan_requeue([row(3)]), "job 3 was never started"),
        (
            actions.plan_rerun([CREATED]),
            "job 9 was never submitted: nothing is stored of it",
        ),
        (actions.plan_hold([DONE]), "job 7 is DONE"),
        (actions.plan_hold([row(3, held=True)]), "job 3 is held already"),
        (actions.plan_release([row(3)]), "job 3 is not held"),
        (actions.plan_priority([DONE], 5), "job 7 is DONE"),
        (actions.plan_priority([row(3, priority=5)], 5), "job 3 has priority 5 already"),
        (actions.plan_priority([row(3)], 1001), "a priority is -1000 to 1000, not 1001"),
        (actions.plan_limits(FULL, launch="3", alive="auto"), "the limits are so already"),
        (
            actions.plan_limits(FULL, launch="many"),
            "a limit is a number from 0 to 1000000 or auto, not 'many'",
        ),
        (
            actions.plan_limits(FULL, alive="1000001"),
            "a limit is a number from 0 to 1000000 or auto, not '1000001'",
        ),
        (actions.plan_resume(FULL), "starts are not paused"),
    ],
)  # fmt: skip
def test_impossible(planned: Planned, why: str) -> None:
    """What cannot be done is not planned, and it is said why."""
    assert planned.plan is None
    assert [refusal.why for refusal in planned.refusals] == [why]


def test_some_are_possible() -> None:
    """Of several jobs the possible ones are planned, each as it was shown."""
    planned = actions.plan_cancel([DONE, row(3), alive(4)], "enough")
    assert plan_of(planned).job_ids == (3, 4)
    assert [one.expect for one in plan_of(planned).targets] == [
        Expected(0, S.WAITING), Expected(1, S.ALIVE),
    ]  # fmt: skip
    assert plan_of(planned).reason == "enough"
    assert told(refusal_lines(planned.refusals)) == ["left out: job 7 is DONE"]


def test_what_is_cleaned_up_can_be_forced() -> None:
    """A job that has its outcome cannot be cancelled any more, but ended by force."""
    assert plan_of(actions.plan_done([CLEANING])).job_ids == (8,)


def test_rerun_expects_nothing() -> None:
    """Nothing is done to a job that is submitted once more, so it may stand as it likes."""
    assert plan_of(actions.plan_rerun([DONE])).targets[0].expect is None


# What is hit.

FOLLOWERS = {4: [20, 21], 20: [22], 8: [30, 4]}


def test_blast_of_a_cancel() -> None:
    """Controllers, running tasks, everybody who follows at any distance, and slots are counted."""
    lines = [row(3), alive(4), alive(5, state=S.LAUNCHING, alive=None), alive(6)]
    plan = plan_of(actions.plan_cancel(lines[:3]))
    hit = blast(plan, lines, FOLLOWERS)
    assert [job.job_id for job in hit.jobs] == [3, 4, 5]
    assert [(one.job_id, one.pid, one.alive) for one in hit.controllers] == [
        (4, 88004, True), (5, 88005, None),
    ]  # fmt: skip
    assert hit.running == ((4, "train"), (5, "train"))
    assert (hit.doomed, hit.freed, hit.orphans) == ((20, 21, 22), (), ())
    assert (hit.launch_slots, hit.alive_slots) == (1, 2)
    assert told(blast_lines(plan, hit, now=1041.0)) == [
        "controller 88004 of job 4 is ALIVE and using 391% CPU, its log was written 41s ago",
        "whether the controller of job 5 lives cannot be told",
        "2 tasks run and are stopped: train (job 4), train (job 5)",
        "3 jobs follow and end CANCELLED: 20, 21, 22",
        "releases 1 launch slot and 2 alive slots",
    ]


def test_blast_of_force() -> None:
    """Who follows a job that succeeded is freed by its end; its cluster is left to the sweep."""
    plan = plan_of(actions.plan_done([CLEANING, alive(4)]))
    hit = blast(plan, [CLEANING, alive(4)], FOLLOWERS)
    assert (hit.doomed, hit.freed, hit.orphans) == ((20, 21, 22), (30,), ("4-1",))
    lines = blast_lines(plan, hit, now=1990.0)
    assert plain(lines[0]) == (
        "! controller 88004 of job 4 is ALIVE and using 391% CPU, its log was written 16m30s ago:"
        " force-done fences and stops it, its cluster is left to the sweep"
    )
    assert {piece.tone for piece in lines[0]} == {Tone.BAD}


def test_a_hold_stops_nothing() -> None:
    """What runs of a held job goes on, and no slot is released."""
    plan = plan_of(actions.plan_hold([alive(4)]))
    hit = blast(plan, [alive(4)], FOLLOWERS)
    assert (hit.controllers, hit.doomed, hit.alive_slots) == ((), (), 0)
    assert told(blast_lines(plan, hit, now=0.0)) == ["1 task runs, and goes on: train (job 4)"]


def test_what_has_to_be_typed() -> None:
    """Only force asks for a word; for a reason too where a process lives, and offers a cancel."""
    one, two = [alive(4)], [row(3), row(5)]
    forced, several = plan_of(actions.plan_done(one)), plan_of(actions.plan_done(two))
    asked = demand(forced, blast(forced, one))
    assert (asked.word, asked.reason, asked.cancel_first) == ("done", True, True)
    assert not asked.is_met("done", " ")
    assert not asked.is_met("Done", "why")
    assert asked.is_met(" done ", "why")
    asked = demand(several, blast(several, two))
    assert (asked.word, asked.reason, asked.cancel_first) == ("2", False, False)
    cancel = plan_of(actions.plan_cancel(one))
    assert demand(cancel, blast(cancel, one)).is_met("", "")


def test_only_the_first_are_listed() -> None:
    """Ten jobs are named, the others counted; a name can do nothing to the terminal."""
    lines = told(job_lines([row(n, name="a\x1b[2J") for n in range(95, 108)]))
    assert lines[0] == " 95  a␛[2J  WAITING PENDING"
    assert (len(lines), lines[-1]) == (11, "and 3 more")


@pytest.mark.parametrize(
    ("planned", "asked"),
    [
        (actions.plan_cancel([row(3), row(4)]), "Cancel 2 jobs?"),
        (actions.plan_done([row(3)]), "End job 3 by force, without cleanup?"),
        (actions.plan_sweep(), "Take back what the dead left, and remove orphan clusters?"),
        (actions.plan_pause(FULL), "Pause starts of new jobs?"),
    ],
)
def test_question(planned: Planned, asked: str) -> None:
    """The question names one job by its number, and counts several."""
    assert question(plan_of(planned)) == asked


def test_changes_are_told() -> None:
    """From what to what: limits that are set, priorities by job."""
    limits = plan_of(actions.plan_limits(FULL, launch="6", alive="12", paused=True))
    assert told(change_lines(limits)) == [
        "launch 3 -> 6", "alive auto -> 12", "starts paused no -> yes",
    ]  # fmt: skip
    priority = plan_of(actions.plan_priority([row(3, priority=2)], -5))
    assert told(change_lines(priority)) == ["3  job-3  priority 2 -> -5"]


# The command line.


def twins() -> list[tuple[Planned, str]]:
    """Plans, and what would be typed for them."""
    two = [row(3, held=False), row(4)]
    started = [alive(3), alive(4)]
    quoted = "it's; $(rm)"
    return [
        (actions.plan_cancel([row(3)]), "jobsched cancel 3"),
        (actions.plan_cancel(two), "jobsched cancel 3 4 -y"),
        (
            actions.plan_done(two, quoted),
            "jobsched done 3 4 --reason 'it'\"'\"'s; $(rm)' -y",
        ),
        (actions.plan_requeue(started), "jobsched requeue 3; jobsched requeue 4"),
        (
            actions.plan_rerun(two[:1], {"TOKEN": "v4lue"}),
            "jobsched rerun 3 --secret TOKEN",
        ),
        (actions.plan_hold(two), "jobsched hold 3 4"),
        (actions.plan_release([row(3, held=True)]), "jobsched release 3"),
        (actions.plan_priority(two, -7), "jobsched priority 3 -7; jobsched priority 4 -7"),
        (
            actions.plan_limits(FULL, launch="6", alive="9", paused=True),
            "jobsched limits --launch 6 --alive 9 --pause",
        ),
        (actions.plan_pause(FULL), "jobsched limits --pause"),
        (actions.plan_sweep(), "jobsched sweep"),
    ]  # fmt: skip


@pytest.mark.parametrize(("planned", "command"), twins())
def test_twin(planned: Planned, command: str) -> None:
    """The twin is what would be typed, in words that the command line takes; no secret is in it."""
    assert twin(plan_of(planned)) == command
    parser = build()
    for one in command.split("; jobsched "):
        parser.parse_args(shlex.split(one.removeprefix("jobsched ")))


def test_twin_names_the_home() -> None:
    """Where the home is not the default one, the twin says which."""
    assert twin(plan_of(actions.plan_sweep()), Path("/a b")) == "jobsched --home '/a b' sweep"


# Doing.


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


@pytest.mark.parametrize(
    "planned",
    [
        actions.plan_cancel([row(3)]),
        actions.plan_done([row(3)]),
        actions.plan_requeue([alive(3)]),
        actions.plan_rerun([row(3)]),
        actions.plan_release([row(3, held=True)]),
        actions.plan_sweep(),
    ],
)
def test_no_undo(planned: Planned) -> None:
    """Nothing is offered where it would not be the truth."""
    assert inverse(plan_of(planned)) is None


def test_grace() -> None:
    """An action is held for a moment and says how long; without grace it is due at once."""
    plan = plan_of(actions.plan_done([row(1039)]))
    pending = put_off(plan, 100.0)
    assert [pending.is_due(at) for at in (100.0, 104.9, 105.0)] == [False, False, True]
    assert plain(pending_line(pending, 101.2)) == "force-done 1039 in 4s  U:undo"
    assert plain(pending_line(pending, 104.9)) == "force-done 1039 in 1s  U:undo"
    assert put_off(plan, 100.0, grace=0).is_due(100.0)


def test_lines_of_a_real_home(door: Scheduler, tmp_path: Path) -> None:
    """A row that the console reads gives the expectation that the library checks."""
    (job,) = waiting_jobs(door, tmp_path / "f.yaml", 1)
    door.set_limits(paused=False)
    line: JobLine = shown(door)[job]
    assert actions.target(line).expect == Expected(1, S.LAUNCHING)
