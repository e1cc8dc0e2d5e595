"""Secrets reach the tasks that name them, and no other job, whoever was killed in between."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from jobsched.api import Scheduler
from jobsched.environment import task_environment
from jobsched.errors import InvalidInput
from jobsched.models import DagSpec, TaskSpec
from jobsched.states import TaskStatus
from tests.support import measured
from tests.world import World

ASKS = "name: asks\nsecrets: {TOKEN: null}\nrun: x\n"
TELLS = 'run: echo "[$TOKEN][$OTHER]"\n'
#: Submits, and is killed when the secrets are written and nothing is committed yet.
KILLED = """
import os, signal, sys
from pathlib import Path
from jobsched import Scheduler
from jobsched.scheduler import submission

write = submission.write_secrets

def write_and_die(*arguments):
    write(*arguments)
    os.kill(os.getpid(), signal.SIGKILL)

submission.write_secrets = write_and_die
Scheduler(sys.argv[1]).submit([Path(sys.argv[2])], secrets={"TOKEN": "hunter2"})
"""


@pytest.fixture
def stale(world: World, tmp_path: Path) -> Path:
    """The secrets of a job that never came to be: those of the number that the next one gets."""
    file = tmp_path / "asks.yaml"
    file.write_text(ASKS)
    child = subprocess.run(
        [sys.executable, "-c", KILLED, str(world.home.root), str(file)], check=False,
        env=measured({"PATH": "/usr/bin:/bin", "HOME": str(tmp_path)}),
    )  # fmt: skip
    assert child.returncode == -signal.SIGKILL
    path = world.home.secrets_file(1)
    assert "hunter2" in path.read_text()
    return path


def test_what_a_killed_submission_left_is_nobodys(
    world: World, door: Scheduler, stale: Path
) -> None:
    """The next job, which has no secrets, gets none; the file is gone before it is there."""
    door.set_limits(paused=True)
    job = world.submit(TELLS)
    assert job == 1
    assert not stale.exists()
    door.set_limits(paused=False)
    world.until_done(job)
    assert door.tail(job) == b"[][]\n"


def test_nor_of_a_job_that_never_starts(
    world: World, door: Scheduler, stale: Path, tmp_path: Path
) -> None:
    """One that is cancelled at once has no secrets to run again with, neither others' nor its own.

    The number of the stale file is that of a job which follows one that has failed.
    """
    failed = world.submit("run: exit 3\n")
    world.until_done(failed)
    stale = world.home.secrets_file(2)
    stale.write_text(json.dumps({"0": {"TOKEN": "hunter2"}}))
    (late,) = door.submit([tmp_path / "asks.yaml"], secrets={"TOKEN": "mine"}, after=[failed])
    assert late.job_id == 2
    assert world.statuses(late.job_id) == [TaskStatus.CANCELLED]
    assert not stale.exists()
    with pytest.raises(InvalidInput, match="TOKEN"):
        door.rerun(late.job_id)


def test_a_task_gets_only_what_it_names(world: World, door: Scheduler, tmp_path: Path) -> None:
    """Whatever the file of its job holds by the time its controller reads it."""
    door.set_limits(paused=True)
    file = tmp_path / "asks.yaml"
    file.write_text("secrets: {TOKEN: null}\n" + TELLS)
    (made,) = door.submit([file], secrets={"TOKEN": "mine"})
    path = world.home.secrets_file(made.job_id)
    path.write_text(json.dumps({"0": {"TOKEN": "mine", "OTHER": "hunter2", "PATH": "/none"}}))
    door.set_limits(paused=False)
    world.until_done(made.job_id)
    assert door.tail(made.job_id) == b"[mine][]\n"


def test_names_decide_what_of_the_values_is_told() -> None:
    """Values of other names are left out; a name without a value is not set."""
    task = TaskSpec(task_id=0, name="t", envs={"A": "env"}, secrets=("S", "GONE"))
    spec = DagSpec(name="t", tasks=(task,))
    told = task_environment(spec, task, 1, 0.0, {"S": "s", "A": "hidden", "B": "b"})
    assert {name: told.get(name) for name in ("A", "S", "B", "GONE")} == {
        "A": "env", "S": "s", "B": None, "GONE": None,
    }  # fmt: skip
