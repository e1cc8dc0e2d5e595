"""Two holds on one job: an operator's and a reboot's, each undone by what undoes it."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from jobsched import audit
from jobsched.context import Context, open_context
from jobsched.scheduler.operate import requeue, set_hold
from jobsched.scheduler.passes import run_pass
from jobsched.scheduler.submission import create_job, submit_job
from jobsched.states import ScheduleState
from jobsched.store import views
from jobsched.store.rows import HELD, HELD_BY_REBOOT
from tests.store.filling import launching, row
from tests.world import InProcessStarter


@pytest.fixture
def context(tmp_path: Path) -> Iterator[Context]:
    """A home where whatever a reboot ended is held; no controller is ever started."""
    home = tmp_path / "home"
    home.mkdir(mode=0o700)
    (home / "config.toml").write_text('[controller]\non_reboot = "hold"\n')
    context = open_context(home)
    context.ensure_home()
    context.starter = InProcessStarter()
    yield context
    context.db.close()


def before_a_reboot(context: Context, *, held: bool) -> int:
    """A job whose controller an earlier boot had, ``held`` by an operator or not."""
    job_id = launching(context)  # its attempt names another boot
    if held:
        set_hold(context, job_id, held=True)
    run_pass(context)
    return job_id


@pytest.mark.parametrize("held", [False, True])
def test_a_requeue_undoes_the_reboots_hold_alone(context: Context, held: bool) -> None:
    """What an operator holds stays held, whatever else held it meanwhile."""
    job_id = before_a_reboot(context, held=held)
    assert row(context, job_id).hold == (HELD | HELD_BY_REBOOT if held else HELD_BY_REBOOT)
    assert row(context, job_id).schedule_state is ScheduleState.WAITING
    requeue(context, job_id)
    after = row(context, job_id)
    assert after.hold == (HELD if held else 0)
    assert after.schedule_state is ScheduleState.ALIVE, "adoption is no launch"
    assert [one.text for one in audit.check(context).violations if one.invariant == "HOLDS"] == []


def test_a_release_undoes_both(context: Context) -> None:
    """Whoever lets a job go on means all that holds it."""
    job_id = before_a_reboot(context, held=True)
    set_hold(context, job_id, held=False)
    assert row(context, job_id).hold == 0
    assert row(context, job_id).schedule_state is ScheduleState.ALIVE


def test_an_operator_may_hold_what_a_reboot_held(context: Context) -> None:
    """Both holds then, and the history says so."""
    job_id = before_a_reboot(context, held=False)
    set_hold(context, job_id, held=True)
    assert row(context, job_id).hold == HELD | HELD_BY_REBOOT
    requeue(context, job_id)
    assert row(context, job_id).hold == HELD


def test_a_hold_before_submission_is_kept(context: Context, tmp_path: Path) -> None:
    """Submitting lets no job go that somebody holds, and says nothing twice."""
    file = tmp_path / "job.yaml"
    file.write_text("run: echo\n")
    held, free = (create_job(context, "job", ["t"]) for _ in range(2))
    set_hold(context, held, held=True)
    for job_id in (held, free):
        submit_job(context, job_id, file)
    assert [row(context, job_id).hold for job_id in (held, free)] == [HELD, 0]
    assert audit.check(context).violations == ()
    with context.db.read() as tx:
        actions = [one.subject for one in views.record_of(tx, held) if one.kind == "ACTION"]
    assert actions == ["HOLD"]
