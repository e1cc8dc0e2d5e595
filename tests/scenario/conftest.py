"""Fixtures of the scenario tests."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Protocol

import pytest

from tests.world import World


class MakeWorld(Protocol):
    """Makes a world with settings of its own; it is closed after the test."""

    def __call__(self, extra: str = "", *, gap: float = 0.2, grace: float = 1.0) -> World:
        """A new world."""
        ...


@pytest.fixture
def make_world(tmp_path: Path) -> Iterator[MakeWorld]:
    """A maker of worlds."""
    made: list[World] = []

    def make(extra: str = "", *, gap: float = 0.2, grace: float = 1.0) -> World:
        made.append(World(tmp_path / f"home{len(made)}", extra, gap, grace))
        return made[-1]

    with ExitStack() as closing:  # each is closed, also where another fails
        yield make
        for world in made:
            closing.callback(world.close)


@pytest.fixture
def unwatched(make_world: MakeWorld) -> World:
    """A world in which nobody notices a controller's death unless the test has somebody tick."""
    return make_world("[controller]\nnursery = false\n")


@pytest.fixture
def world(make_world: MakeWorld) -> World:
    """A world with the usual settings."""
    return make_world()
