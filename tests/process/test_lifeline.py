"""A controller's links to its nursery: what it says, and when."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import suppress

import pytest

from jobsched import wake
from jobsched.clock import SystemClock
from jobsched.controller.ear import Ear
from jobsched.controller.lifeline import Lifeline, Links
from jobsched.logfiles.trim import Trimmer
from jobsched.wake import Inbox
from tests.world import World


@pytest.fixture
def ends() -> Iterator[tuple[int, int, int, int]]:
    """Two pipes: the lifeline, and the one on which is told who has begun."""
    opened = (*os.pipe(), *os.pipe())
    yield opened
    for descriptor in opened:
        with suppress(OSError):
            os.close(descriptor)


def test_who_waits_says_once_that_it_has_begun(
    world: World, ends: tuple[int, int, int, int]
) -> None:
    """Before its first wait, however short that is, and never again."""
    lifeline, _, told, tell = ends
    inbox = Inbox(world.home.wake_fifo(1, 1))
    clock = SystemClock()
    ear = Ear(
        inbox, Lifeline(Links(lifeline, tell), world.context), Trimmer([], 1, clock), clock,
        rest=lambda *_: None, patience=60.0,
    )  # fmt: skip
    assert not wake.wait([told], 0.0)
    ear.wait(0.0)
    ear.wait(0.0)
    inbox.close()
    assert int.from_bytes(os.read(told, 64)) == os.getpid()
