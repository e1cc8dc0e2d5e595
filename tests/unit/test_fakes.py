"""The fakes that tests are given; that they keep the contract is in ``contract/``."""

from __future__ import annotations

import threading
from dataclasses import replace

import pytest

from jobsched import testing
from jobsched.backends.base import ClusterState, LaunchRequest
from jobsched.errors import BackendError, NoCapacity
from jobsched.models import Placement, TaskSpec
from jobsched.testing import FakeBackend


def test_the_fake_follows_its_script() -> None:
    """Errors, states and hidden looks come in the order that was asked for, and are recorded."""
    place, other = Placement(region="X"), Placement(region="X", candidate=1)
    fake = FakeBackend(place, other)
    fake.will(place, NoCapacity(["full"]), testing.UNKNOWN)
    task = TaskSpec(task_id=0, name="t")
    request = LaunchRequest(cluster="1-0-1", job_id=1, attempt=1, task=task, placement=place)
    with pytest.raises(NoCapacity, match="full"):
        fake.launch(request, threading.Event())
    fake.launch(request, threading.Event())
    assert fake.probe("1-0-1") == testing.UNKNOWN
    fake.see("1-0-1", testing.UP)
    fake.hide("1-0-1", 2)
    states = [fake.probe("1-0-1").state for _ in range(3)]
    assert states == [ClusterState.UNKNOWN, ClusterState.UNKNOWN, ClusterState.UP]
    fake.launch(replace(request, cluster="1-0-2", placement=other), threading.Event())
    assert fake.attempted == [place, place, other]
    fake.stuck.append(BackendError("it would not end"))
    with pytest.raises(BackendError, match="would not end"):
        fake.stop("1-0-1", grace=1)
    assert fake.probe("1-0-1").state is ClusterState.UP
    fake.remove("1-0-1", grace=1)
    assert (fake.stops, fake.removes) == (["1-0-1"], ["1-0-1"])


def test_the_fake_clock() -> None:
    """Time passes by sleeping alone; a step of the wall clock does not move the other."""
    clock = testing.FakeClock(wall=100)
    clock.sleep(2.5)
    clock.sleep(-1)
    clock.wall -= 50
    assert (clock.now(), clock.monotonic()) == (52.5, 2.5)
