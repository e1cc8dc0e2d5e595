"""Fixtures of the tests of whole processes: the same worlds as in the scenarios."""

from __future__ import annotations

import pytest

from jobsched.api import Scheduler
from tests.scenario.conftest import make_world, unwatched, world
from tests.world import InProcessStarter, World

__all__ = ["door", "make_world", "starter", "unwatched", "world"]


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
