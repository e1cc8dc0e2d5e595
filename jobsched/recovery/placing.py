"""Orders of placements that strategies choose from.

Pure; each returns a permutation, stable beyond what its name says.
"""

from __future__ import annotations

from collections.abc import Sequence

from jobsched.models import Placement
from jobsched.recovery.row import RecoveryRow


def same_place_first(row: RecoveryRow, placements: Sequence[Placement]) -> tuple[Placement, ...]:
    """The place that the task left, then the rest of its region, then the others."""
    return tuple(
        sorted(placements, key=lambda place: (place.region != row.lost_region, place != row.lost))
    )


def lost_region_last(row: RecoveryRow, placements: Sequence[Placement]) -> tuple[Placement, ...]:
    """Other regions than the one that the task left, then that one."""
    return tuple(sorted(placements, key=lambda place: place.region == row.lost_region))
