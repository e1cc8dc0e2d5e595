"""Which actions are possible, and why the others are not."""

from __future__ import annotations

import pytest

from jobsched.api import Expected
from jobsched_tui.data import actions
from jobsched_tui.data.actions import Planned, inverse, put_off
from jobsched_tui.present.actions import (
    pending_line,
    refusal_lines,
)
from jobsched_tui.present.spans import plain
from tests.tui.acting import (
    CLEANING,
    DONE,
    FULL,
    S,
    alive,
    plan_of,
    row,
    told,
)

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
