"""The command line that does what an action does."""

from __future__ import annotations

import shlex
from pathlib import Path

import pytest

from jobsched.cli.parser import build
from jobsched_tui.data import actions
from jobsched_tui.data.actions import Planned
from jobsched_tui.data.twins import twin
from tests.tui.acting import (
    FULL,
    alive,
    plan_of,
    row,
)


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
