"""Launches that were cut by the death of their launcher, and what may be launched again."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from jobsched.backends.base import ClusterState
from jobsched.config import LocalConfig, RegionConfig
from jobsched.errors import BackendError, NoCapacity
from jobsched.home import Home
from tests.process.launching import launch
from tests.process.machines import Machine, a_task

CUT = "7-0-1"
SERVES_ONCE = "a name serves once"


@pytest.fixture
def machine(home: Home) -> Iterator[Machine]:
    """A machine with room for one cluster, whose tasks are ended after the test."""
    machine = Machine(home, LocalConfig(regions={"here": RegionConfig(clusters=1)}))
    yield machine
    machine.close()


@pytest.fixture
def work(tmp_path: Path) -> dict[str, object]:
    """A task with something to copy, which notes each of its runs."""
    folder = tmp_path / "work"
    folder.mkdir()
    (folder / "file").write_text("x")
    return {"run": f"cat file >> {tmp_path}/ran", "workdir": str(folder)}


def again(machine: Machine, work: dict[str, object], attempt: int = 2) -> None:
    """Launch the same cluster by another attempt, which has fenced it."""
    request = machine.request(a_task(**work), attempt=attempt, cluster=CUT)  # type: ignore[arg-type]
    machine.backend.adopt(CUT, attempt)
    machine.backend.launch(request, threading.Event())


@pytest.mark.parametrize("step", ["fenced", "begun", "locked", "prepared"])
def test_cut_before_anything_was_started(
    machine: Machine, work: dict[str, object], tmp_path: Path, step: str
) -> None:
    """A newer attempt launches it under the same name, in the room that it has held on to."""
    machine.backend.reserve([(CUT, a_task(), machine.backend.placements(a_task()))], job_id=7)
    launch(machine.home, work, step=step)
    assert machine.backend.adopt(CUT, 2).state is ClusterState.GONE
    with pytest.raises(NoCapacity):
        machine.launch(a_task("true"), cluster="8-0-1")
    again(machine, work)
    assert machine.until(CUT, ClusterState.ENDED).exit_code == 0
    assert (tmp_path / "ran").read_text() == "x"


@pytest.mark.parametrize("step", ["spawned", "ready", "started"])
def test_cut_after_a_runner_was_started(
    machine: Machine, work: dict[str, object], tmp_path: Path, step: str
) -> None:
    """Whether it ran is not known for good, so its name has served."""
    launch(machine.home, work, step=step)
    with pytest.raises(BackendError, match=SERVES_ONCE):
        again(machine, work)
    machine.backend.remove(CUT, grace=0.1)
    assert (tmp_path / "ran").exists() is (step == "started")


def test_the_same_attempt_launches_a_name_once(machine: Machine, work: dict[str, object]) -> None:
    """Nothing tells that its own launch, cut or not, is not under way."""
    launch(machine.home, work, step="prepared")
    with pytest.raises(BackendError, match=SERVES_ONCE):
        again(machine, work, attempt=1)


def test_a_name_that_was_stopped_has_served(machine: Machine, work: dict[str, object]) -> None:
    """Stopped is for ever, also where nothing had begun."""
    launch(machine.home, work, step="prepared")
    machine.backend.stop(CUT, grace=0.1)
    with pytest.raises(BackendError, match="was stopped"):
        again(machine, work)
