"""All measurements, in the order of the table, and all curves."""

from __future__ import annotations

from typing import Final

from tests.bench.growth import controllers, jobs
from tests.bench.measures import (
    commands,
    contention,
    deaths,
    end_to_end,
    memory,
    starting,
    submitting,
    waiting,
    waking,
)
from tests.bench.table import Curve, Measure

MEASURES: Final[tuple[Measure, ...]] = (
    *end_to_end.MEASURES,
    *memory.MEASURES,
    *waiting.MEASURES,
    *submitting.MEASURES,
    *starting.MEASURES,
    *contention.MEASURES,
    *waking.MEASURES,
    *deaths.MEASURES,
    *commands.MEASURES,
)
CURVES: Final[tuple[Curve, ...]] = (*jobs.CURVES, *controllers.CURVES)

#: The measurement and number of ours that stands beside those of other queues.
BESIDE_PEERS: Final = "disk.rate"
