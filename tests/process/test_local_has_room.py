"""Whether the local backend has room: asked by many who wait, and as true as a reservation."""

from __future__ import annotations

import os
import tempfile
from pathlib import Path

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from jobsched.config import RegionConfig
from jobsched.errors import NoCapacity
from jobsched.home import Home
from jobsched.models import Resources, TaskSpec
from tests.process.machines import Machine, a_task, machine_with

REGIONS = {"x": RegionConfig(cpus=3, clusters=2), "y": RegionConfig(cpus=1)}

asks = st.builds(
    lambda cpus, region: a_task(candidates=(Resources(cpus=cpus, region=region),)),
    st.sampled_from([0.5, 1.0]), st.sampled_from([None, "x", "y"]),
)  # fmt: skip


def fits(machine: Machine, tasks: list[TaskSpec], job_id: int) -> bool:
    """Whether a reservation for all of them is made; it is kept if so."""
    wants = [
        (f"{job_id}-{number}-1", task, machine.backend.placements(task))
        for number, task in enumerate(tasks)
    ]
    try:
        machine.backend.reserve(wants, job_id=job_id)
    except NoCapacity:
        return False
    return True


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(st.lists(st.lists(asks, min_size=1, max_size=3), max_size=5))
def test_it_agrees_with_a_reservation(groups: list[list[TaskSpec]]) -> None:
    """Of each group in turn: "there is room" if, and only if, all of it then gets some."""
    with tempfile.TemporaryDirectory() as folder:
        home = Home(Path(folder) / "home")
        home.create()
        machine = machine_with(home, REGIONS)
        for job_id, tasks in enumerate(groups, 1):
            wants = [(task, machine.backend.placements(task)) for task in tasks]
            said = machine.backend.has_room(wants)
            assert said == machine.backend.has_room(wants), "to ask takes nothing"
            assert said == fits(machine, tasks, job_id)


def test_room_comes_back_with_a_removal(home: Home) -> None:
    """Full, then not any more; and nothing was made by asking."""
    machine = machine_with(home, {"x": RegionConfig(clusters=1)})
    want = [(a_task(), machine.backend.placements(a_task()))]
    assert fits(machine, [a_task()], 1)
    assert not machine.backend.has_room(want)
    machine.backend.remove("1-0-1", grace=0.1)
    before = sorted(os.listdir(home.clusters))  # noqa: PTH208 -- names alone
    assert machine.backend.has_room(want)
    assert sorted(os.listdir(home.clusters)) == before  # noqa: PTH208 -- names alone


def test_without_declared_regions_there_is_always_room(home: Home) -> None:
    """Where nothing is limited nobody has to wait."""
    machine = machine_with(home)
    assert machine.backend.has_room([(a_task(), machine.backend.placements(a_task()))])
