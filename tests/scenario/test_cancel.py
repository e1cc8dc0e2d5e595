"""A cancel works in every state, without a slot and without a start."""

from __future__ import annotations

import signal
import sys
import textwrap
from pathlib import Path

import pytest

from jobsched import process
from jobsched.scheduler.ending import cancel, job_done
from jobsched.scheduler.operate import set_hold, set_limits
from jobsched.scheduler.submission import create_job
from jobsched.states import ScheduleState, TaskStatus
from tests.scenario.conftest import MakeWorld
from tests.world import World, is_held

S, T = ScheduleState, TaskStatus
FOREVER = "run: sleep 300\n"


def test_a_thousand_that_wait(world: World) -> None:
    """1,000 waiting jobs are DONE when the call returns, and no controller was ever started."""
    set_limits(world.context, launch=0)
    first = world.submit(FOREVER)
    jobs = [first, *(world.submit(FOREVER, name=f"j{number}") for number in range(30))]
    result = cancel(world.context, jobs)
    assert sorted(result.ended) == jobs
    rows = [world.job(job) for job in jobs]
    assert {(str(row.schedule_state), str(row.status), row.attempt) for row in rows} == {
        ("DONE", "CANCELLED", 0)
    }
    assert all(row.ended_at is not None for row in rows)
    assert not list((world.root / "attempts").glob("*.1.lock"))


def test_not_yet_submitted(world: World) -> None:
    """A job that was created but never submitted is DONE at once."""
    job = create_job(world.context, "early", ["t"])
    assert cancel(world.context, [job]).ended == [job]
    assert (str(world.job(job).status), world.job(job).is_done) == ("CANCELLED", True)


def test_unknown_and_finished(world: World) -> None:
    """Both are said, neither is changed."""
    job = create_job(world.context, "early", ["t"])
    cancel(world.context, [job])
    before = world.history(job)
    result = cancel(world.context, [job, 4711])
    assert (result.finished, result.missing, result.ended) == ([job], [4711], [])
    assert world.history(job) == before


def test_running(world: World, tmp_path: Path) -> None:
    """CANCELLING is committed when the call returns; CANCELLED comes when no process is left."""
    note = tmp_path / "pid"
    job = world.submit(f"run: |\n  echo $$ > {note}\n  sleep 300 & wait\n")
    world.until(lambda: note.exists() and note.read_text().strip(), "the task to run")
    world.until_status(job, T.RUNNING)
    cancel(world.context, [job], reason="no longer wanted")
    assert world.statuses(job) == ["CANCELLING"]
    row = world.until_done(job)
    assert (str(row.status), row.failure_reason) == ("CANCELLED", "no longer wanted")
    assert process.identify(int(note.read_text())) is None
    assert not list(world.home.clusters.glob("[0-9]*"))


def test_in_backoff(make_world: MakeWorld) -> None:
    """A job that waits long for its next try ends at once, not at its deadline."""
    world = make_world("[local.regions.full]\nclusters = 0\n[local.regions.busy]\nclusters = 1\n",
                       gap=300)  # fmt: skip
    blocker = world.submit(FOREVER, name="blocker")
    world.until_status(blocker, T.RUNNING)
    job = world.submit(FOREVER)
    world.until(lambda: world.tasks(job)[0].backoff_until, "backoff")
    cancel(world.context, [job])
    assert str(world.until_done(job, timeout=20).status) == "CANCELLED"


def test_while_waiting_for_a_slot(world: World) -> None:
    """In ALIVE_WAITING the wish is withdrawn and the job ended, though no slot is free."""
    job = world.submit("name: p\n---\nname: a\nrun: sleep 0.5\n---\nname: b\nrun: sleep 300\n")
    world.until_status(job, T.RUNNING)
    set_limits(world.context, launch=0)
    world.until_state(job, S.ALIVE_WAITING)
    cancel(world.context, [job])
    row = world.until_done(job, timeout=20)
    assert (str(row.status), world.statuses(job)) == ("CANCELLED", ["SUCCEEDED", "CANCELLED"])
    assert ("ALIVE_WAITING", "LAUNCHING") not in world.history(job)


def test_while_launching(world: World, tmp_path: Path) -> None:
    """During the copy of a workdir: nothing of the task ever runs, and nothing is left."""
    work, ran = tmp_path / "work", tmp_path / "ran"
    work.mkdir()
    for number in range(4000):
        (work / f"{number}").write_text("x")
    job = world.submit(f"workdir: {work}\nrun: touch {ran}\n")
    world.until(lambda: list(world.root.glob("clusters/*/workdir-0/1*")), "a copy under way")
    cancel(world.context, [job])
    assert str(world.until_done(job).status) == "CANCELLED"
    assert not ran.exists()
    assert not list(world.home.clusters.glob("[0-9]*"))


def test_held(world: World) -> None:
    """A hold does not hold a cancel."""
    set_limits(world.context, launch=0)
    job = world.submit(FOREVER)
    set_hold(world.context, job, held=True)
    assert cancel(world.context, [job]).ended == [job]


def test_dead_controller_with_a_cluster(unwatched: World, tmp_path: Path) -> None:
    """Where no controller lives, whoever comes by ends the task; none is started for it."""
    world = unwatched
    note = tmp_path / "pid"
    job = world.submit(f"run: |\n  echo $$ > {note}\n  sleep 300\n")
    world.until(lambda: note.exists() and note.read_text().strip(), "the task to run")
    world.until_status(job, T.RUNNING)
    world.kill_controller(job)
    world.until(lambda: not is_held(world.home, job, 1), "the controller to be gone")
    cancel(world.context, [job])
    row = world.until_done(job)
    assert (str(row.status), row.attempt) == ("CANCELLED", 1)
    assert process.identify(int(note.read_text())) is None


def test_forced_done_of_a_live_job(world: World, tmp_path: Path) -> None:
    """One transaction: DONE, fenced; then the controller ends; a sweep takes the rest."""
    note = tmp_path / "pid"
    job = world.submit(f"run: |\n  echo $$ > {note}\n  sleep 300\n")
    world.until(lambda: note.exists() and note.read_text().strip(), "the task to run")
    world.until_status(job, T.RUNNING)
    controller = world.controller(job)
    job_done(world.context, job, reason="stuck for hours")
    row = world.job(job)
    assert (str(row.schedule_state), str(row.status), row.attempt) == ("DONE", "CANCELLED", 2)
    assert row.failure_reason == "stuck for hours"
    world.until(lambda: process.identify(controller) is None, "the controller to end")
    assert process.identify(int(note.read_text())) is not None
    from jobsched.scheduler.ticker import sweep  # noqa: PLC0415 - named beside its use

    removed = sweep(world.context)
    assert [(one.job_id, one.error) for one in removed] == [(job, None)]
    assert process.identify(int(note.read_text())) is None


CONTROLLER = """
import sys, time
from jobsched import scheduler, state
job_id = int(sys.argv[sys.argv.index("--job-id") + 1])
open({log!r}, "a").write(open(sys.argv[1]).read())
with scheduler.scheduled_launch(job_id):
    state.set_task_status(job_id, 0, "STARTING")
    state.set_task_status(job_id, 0, "RUNNING")
{body}
state.set_task_status(job_id, 0, "SUCCEEDED")
scheduler.job_done(job_id)
"""


def own_controller(make_world: MakeWorld, tmp_path: Path, body: str, grace: float = 1.0) -> World:
    """A world whose jobs are driven by a controller of the user's own."""
    program = tmp_path / "controller.py"
    program.write_text(CONTROLLER.format(log=str(tmp_path / "dag"), body=textwrap.dedent(body)))
    command = f'[controller]\ncommand = ["{sys.executable}", "-u", "{program}"]\n'
    return make_world(command, grace=grace)


def test_own_controller(make_world: MakeWorld, tmp_path: Path) -> None:
    """A controller of the user's own works by the same functions, and gets the DAG as a file."""
    world = own_controller(make_world, tmp_path, "time.sleep(0.1)")
    job = world.submit("secrets: {K: hidden}\nrun: echo\n")
    row = world.until_done(job)
    assert (str(row.status), row.attempt) == ("SUCCEEDED", 1)
    assert "hidden" not in (tmp_path / "dag").read_text()
    assert "run: echo" in (tmp_path / "dag").read_text()


@pytest.mark.parametrize("manners", ["", "import signal; signal.signal(signal.SIGTERM, print)"])
def test_own_controller_cancelled(make_world: MakeWorld, tmp_path: Path, manners: str) -> None:
    """It gets SIGTERM, after the grace SIGKILL, and its job is ended CANCELLED for it."""
    world = own_controller(make_world, tmp_path, f"{manners}\nwhile True: time.sleep(0.1)")
    job = world.submit("run: echo\n")
    world.until_status(job, T.RUNNING)
    cancel(world.context, [job])
    assert str(world.until_done(job).status) == "CANCELLED"
    assert world.job(job).attempt == 1


def test_own_controller_dies(make_world: MakeWorld, tmp_path: Path) -> None:
    """The attendant that was left behind starts the next one, with no other process alive."""
    world = own_controller(
        make_world, tmp_path,
        f"""
        import os, pathlib
        once = pathlib.Path({str(tmp_path / "once")!r})
        if not once.exists():
            once.touch(); os.kill(os.getpid(), {int(signal.SIGKILL)})
        """,
    )  # fmt: skip
    job = world.submit("run: echo\n")
    world.until(lambda: world.job(job).attempt == 2, "the second attempt", timeout=20)
