"""What an action hits, and what is asked and told before it is done."""

from __future__ import annotations

import pytest

from jobsched_tui.data import actions
from jobsched_tui.data.actions import Planned
from jobsched_tui.data.blast import blast
from jobsched_tui.present.actions import (
    blast_lines,
    change_lines,
    demand,
    job_lines,
    question,
)
from jobsched_tui.present.spans import Tone, plain
from tests.tui.acting import (
    CLEANING,
    FULL,
    S,
    alive,
    plan_of,
    row,
    told,
)

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
