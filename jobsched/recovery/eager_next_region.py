"""EAGER_NEXT_REGION: a region that has just taken a cluster away is the last to be asked again."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from jobsched.models import Placement
from jobsched.recovery.placing import lost_region_last, same_place_first
from jobsched.recovery.row import Cause, RecoveryRow


@dataclass(frozen=True, slots=True)
class EagerNextRegion:
    """After a preemption other regions first, the lost one last; after an error the same place."""

    name: str = "EAGER_NEXT_REGION"
    recovers: bool = True

    def next_try(self, row: RecoveryRow, placements: Sequence[Placement]) -> tuple[Placement, ...]:
        """All places; no region is left out, so a task bound to one region is never blocked."""
        if row.cause is Cause.PREEMPTED:
            return lost_region_last(row, placements)
        return same_place_first(row, placements)
