"""FAILOVER: stay in the region, where the data is, before going elsewhere."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from jobsched.models import Placement
from jobsched.recovery.placing import same_place_first
from jobsched.recovery.row import RecoveryRow

#: Tries of a recovery that stay in the region.
TRIES_IN_REGION: Final = 3


@dataclass(frozen=True, slots=True)
class Failover:
    """Three tries in the region that the task left, then anywhere that the user allows."""

    name: str = "FAILOVER"
    recovers: bool = True

    def next_try(self, row: RecoveryRow, placements: Sequence[Placement]) -> tuple[Placement, ...]:
        """The region alone at first; all places from then on, or if the region has none left."""
        if row.cause is None or row.tries >= TRIES_IN_REGION:
            return tuple(placements)
        ordered = same_place_first(row, placements)
        return tuple(place for place in ordered if place.region == row.lost_region) or ordered
