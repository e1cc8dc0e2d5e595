"""NONE: a task whose cluster is lost has failed."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from jobsched.models import Placement
from jobsched.recovery.placing import same_place_first
from jobsched.recovery.row import RecoveryRow


@dataclass(frozen=True, slots=True)
class NoRecovery:
    """No recovery from preemptions; restarts after errors still happen."""

    name: str = "NONE"
    recovers: bool = False

    def next_try(self, row: RecoveryRow, placements: Sequence[Placement]) -> tuple[Placement, ...]:
        """All places, that of the run before first."""
        return same_place_first(row, placements)
