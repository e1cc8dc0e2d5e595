"""Fixtures of the tests of whole processes: the same worlds as in the scenarios."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from jobsched.api import Scheduler, Watch
from jobsched.context import Context
from jobsched.home import Home
from jobsched.models import DagSpec
from tests.process.log_jobs import Job, MakeJob, chain
from tests.process.machines import Machine
from tests.scenario.conftest import make_world, unwatched, world
from tests.world import InProcessStarter, World

__all__ = [
    "door", "machine", "machines", "make_job", "make_world", "starter", "unwatched", "watch",
    "world",
]  # fmt: skip


@pytest.fixture
def door(world: World) -> Scheduler:
    """The door of a world."""
    return Scheduler(context=world.context)


@pytest.fixture
def starter(world: World) -> InProcessStarter:
    """Asked for by a test that acts as every controller: no process is started."""
    starter = InProcessStarter()
    world.context.starter = starter
    return starter


@pytest.fixture
def machine(home: Home) -> Iterator[Machine]:
    """A machine; what its tasks left running is ended after the test, whatever happened."""
    machine = Machine(home)
    yield machine
    machine.close()


@pytest.fixture
def machines() -> Iterator[list[Machine]]:
    """Machines that a test has made; what they run is ended after it."""
    made: list[Machine] = []
    yield made
    for machine in made:
        machine.close()


@pytest.fixture
def make_job(context: Context) -> Iterator[MakeJob]:
    """Makes jobs whose controller the test is."""
    made: list[Job] = []

    def make(spec: DagSpec | None = None, *, submitted: bool = True) -> Job:
        made.append(Job(context, spec or chain(1), submitted))
        return made[-1]

    yield make
    for job in made:
        job.leave()


@pytest.fixture
def watch(context: Context) -> Iterator[Watch]:
    """A watch over a home that is there, and empty."""
    watch = Scheduler(context=context).watch()
    yield watch
    watch.close()
