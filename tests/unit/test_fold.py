"""The folds over the history: what breaks an invariant is found and named, what does not is not."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from jobsched.audit import Invariant, Violation, fold
from jobsched.states import ScheduleState, TaskStatus
from tests.unit.breaches import BREAKS
from tests.unit.histories import History

S, T = ScheduleState, TaskStatus


def broken(history: History) -> set[Invariant]:
    """The invariants that a history breaks."""
    return {violation.invariant for violation in fold(history.rows)}


def test_an_empty_history_is_clean() -> None:
    """Nothing has happened, and nothing is wrong."""
    assert fold([]) == []


def test_a_whole_life_is_clean() -> None:
    """Start, recovery, requeue, adoption, a second launch, a hold, outcome, DONE, prune."""
    history = History()
    job = history.running(2)
    history.status(job, T.RECOVERING)
    history.move(job, S.ALIVE_WAITING)
    history.action(job, "HOLD")
    history.move(job, S.WAITING, S.ALIVE, S.ALIVE_WAITING)
    history.action(job, "RELEASE")
    history.move(job, S.LAUNCHING, S.ALIVE)
    history.status(job, T.RUNNING, T.SUCCEEDED)
    history.status(job, T.STARTING, T.FAILED_NO_RESOURCE, task=1)
    history.done(job)
    assert fold(history.rows) == []
    history.prune(job)
    assert fold(history.rows) == []


def test_every_cancel_is_clean() -> None:
    """Before the submission, while waiting, and while running."""
    history = History()
    inactive, waiting, running = history.create(), history.create(), history.running(2)
    history.move(waiting, S.WAITING)
    for job in (inactive, waiting, running):
        history.cancel(job)
    history.done(inactive)
    history.done(waiting)
    history.status(running, T.CANCELLED)
    history.done(running)
    assert fold(history.rows) == []


def test_forced_ends_are_clean() -> None:
    """By force a job ends from anywhere, with another attempt, also after a cancel."""
    history = History()
    for cancel in (False, True):
        job = history.running()
        if cancel:
            history.cancel(job)
        history.done(job, forced=True)
    job = history.running()
    history.action(job, "CANCEL")  # and before the cancel came to the task
    history.done(job, forced=True)
    job = history.create()
    history.done(job, forced=True)
    assert fold(history.rows) == []


def test_a_lower_limit_excuses_what_runs() -> None:
    """What runs goes on when a limit is lowered; adoption may exceed the alive limit."""
    history = History(launch=2, alive=2)
    first, second = history.create(), history.create()
    for job in (first, second):
        history.move(job, S.WAITING, S.LAUNCHING)
    history.limit("LAUNCH", 1)
    history.limit("ALIVE", 0)
    history.move(first, S.WAITING, S.ALIVE)
    history.move(second, S.ALIVE, S.ALIVE_WAITING, S.LAUNCHING)
    assert fold(history.rows) == []


@pytest.mark.parametrize(
    ("invariant", "break_it"),
    [
        pytest.param(invariant, break_it, id=break_it.__name__)
        for invariant, those in BREAKS.items()
        for break_it in those
    ],
)
def test_what_breaks_an_invariant(
    invariant: Invariant, break_it: Callable[[History], None]
) -> None:
    """It is found, and named, and nothing else is said to be broken."""
    history = History()
    break_it(history)
    found = fold(history.rows)
    assert {violation.invariant for violation in found} == {invariant}, found


def test_it_says_where() -> None:
    """The sentence names job and row."""
    history = History(launch=None, alive=None)
    history.move(history.create(), S.ALIVE)
    assert fold(history.rows) == [
        Violation(
            Invariant.MOVES,
            "job 1: history row 3 moves it from INACTIVE to ALIVE, which is no legal move",
        )
    ]


def test_one_fault_is_said_once() -> None:
    """After a broken row the fold goes on from there."""
    history = History()
    job = history.running()
    history.rows = [row for row in history.rows if row.to_value != "LAUNCHING"]
    history.move(job, S.ALIVE_WAITING, S.LAUNCHING, S.ALIVE)
    history.status(job, T.SUCCEEDED)
    history.done(job)
    found = [one for one in fold(history.rows) if one.invariant is Invariant.MOVES]
    assert len(found) == 1
