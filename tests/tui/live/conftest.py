"""Fixtures of the tests of live frames."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from jobsched.api import Scheduler
from jobsched.context import Context
from jobsched.testing import FakeClock
from jobsched_tui.data.live import Live
from tests.world import InProcessStarter


@pytest.fixture
def clock() -> FakeClock:
    """Later than anything that was written."""
    return FakeClock(wall=3000.0)


@pytest.fixture
def live(context: Context, clock: FakeClock) -> Iterator[Live]:
    """Frames of the home of ``context``."""
    context.clock, context.starter = clock, InProcessStarter()
    live = Live(Scheduler(context=context), clock, user="alice", seen_seq=1)
    yield live
    live.close()
