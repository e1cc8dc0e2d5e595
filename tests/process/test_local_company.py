"""Tasks that start what is not their own: ending them hits no controller and no other task."""

from __future__ import annotations

import sys
import textwrap
import time
from pathlib import Path

import pytest

from jobsched import process
from jobsched.scheduler.ending import cancel
from jobsched.states import ScheduleState, TaskStatus
from tests.process.machines import Machine, a_task
from tests.support import wait_until
from tests.world import World


def noting(heard: Path, ready: Path) -> str:
    """A shell's text that goes on, and notes if it is told to end."""
    return f"trap 'echo x >> {heard}' TERM; touch {ready}; while :; do sleep 0.05; done"


@pytest.mark.parametrize("how", ["stop", "preempt"])
def test_what_made_itself_independent(machine: Machine, tmp_path: Path, how: str) -> None:
    """A descendant in a session of its own that let go of the lock gets no signal."""
    heard, ready = tmp_path / "heard", tmp_path / "ready"
    text = noting(heard, ready)
    cluster = machine.launch(a_task(f'setsid bash -c "{text}" 3>&- & sleep 60'))
    wait_until(ready.exists, 10, "the descendant")
    if how == "stop":
        machine.backend.stop(cluster, grace=0.3)
    else:
        machine.backend.preempt(cluster)
    assert len(machine.left()) in {1, 2}, "bash, and most often its sleep"
    assert not heard.exists()


@pytest.mark.parametrize("lock", ["attempts/9.1.lock", "clusters/.kept/8-0-1/lock"])
@pytest.mark.parametrize("how", ["stop", "preempt"])
def test_whoever_holds_the_lock_of_another(
    machine: Machine, tmp_path: Path, lock: str, how: str
) -> None:
    """A controller or another cluster's process is not ended, though it inherited this lock."""
    path, heard, ready = machine.home.root / lock, tmp_path / "heard", tmp_path / "ready"
    path.parent.mkdir(parents=True, exist_ok=True)
    code = textwrap.dedent(f"""
        import fcntl, os, pathlib, signal, time
        signal.signal(signal.SIGTERM, lambda *_: pathlib.Path("{heard}").touch())
        held = open("{path}", "w")
        fcntl.flock(held, fcntl.LOCK_EX)
        pathlib.Path("{ready}").write_text(str(os.getpid()))
        while True:
            time.sleep(0.05)
    """)
    program = tmp_path / "program.py"
    program.write_text(code)
    cluster = machine.launch(a_task(f"setsid {sys.executable} {program} & sleep 60"))
    wait_until(lambda: ready.exists() and ready.read_text(), 10, "the stranger")
    began = time.monotonic()
    if how == "stop":
        machine.backend.stop(cluster, grace=0.3)
    else:
        machine.backend.preempt(cluster)
    assert time.monotonic() - began < 8
    assert machine.left() == [int(ready.read_text())]
    assert not heard.exists()


def test_a_task_that_submits_a_job(world: World, tmp_path: Path) -> None:
    """Cancelled while it waits for that, it ends alone: the other's controller and task go on."""
    inner = tmp_path / "inner.yaml"
    inner.write_text("name: inner\nrun: sleep 600\n")
    command = f"{sys.executable} -m jobsched --home {world.root} submit --wait {inner}"
    outer = world.submit(f"run: {command}\n", name="outer")
    world.until_status(outer, TaskStatus.RUNNING)
    world.until((world.home.clusters / "2-0-1").exists, "the inner job's cluster")
    world.until_status(2, TaskStatus.RUNNING)
    controller = process.identify(world.controller(2))
    assert controller is not None
    backend = world.context.backend()
    world.until(
        lambda: [len(info.pids) for info in backend.clusters() if info.name == "2-0-1"] == [3],
        "runner, bash and the program of the inner job",
    )
    pids = {info.name: info.pids for info in backend.clusters()}
    cancel(world.context, [outer])
    world.until_done(outer)
    assert process.is_same(controller) is True
    assert world.attempt(2).attempt == 1
    assert world.job(2).schedule_state is ScheduleState.ALIVE
    assert world.statuses(2) == ["RUNNING"]
    assert [info.pids for info in world.context.backend().clusters()] == [pids["2-0-1"]]
