"""Fixtures of the console's tests: a home, and one in which a job runs."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from jobsched.api import Scheduler
from tests.support import wait_until


@pytest.fixture(name="home")
def _home(tmp_path: Path) -> Path:
    return tmp_path / "home"


@pytest.fixture
def unwatched(home: Path) -> None:
    """Nobody notices a controller's death there but a process that ticks."""
    home.mkdir(mode=0o700)
    (home / "config.toml").write_text("[controller]\nnursery = false\n")


@pytest.fixture(name="running")
def _running(home: Path) -> Iterator[Scheduler]:
    """A home in which one job runs, with its controller."""
    door = Scheduler(home, actor="alice via jobsched")
    file = home.parent / "long.yaml"
    file.write_text("name: long\nrun: |\n  echo begun\n  exec sleep 600\n")
    (made,) = door.submit([file])
    wait_until(lambda: door.show(made.job_id)["status"] == "RUNNING", 20, "the job to run")
    yield door
    if door.show(made.job_id)["schedule_state"] != "DONE":
        door.done(made.job_id)
    door.sweep()
