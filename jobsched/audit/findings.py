"""What an audit says: which invariant is broken, and by what.

Owns the names of the invariants. Finds nothing by itself.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum, unique


@unique
class Invariant(StrEnum):
    """What must always hold."""

    #: Every move is legal, and begins where the one before it ended.
    MOVES = "MOVES"
    #: No move into LAUNCHING above the limits in force, no first start while paused.
    LIMITS = "LIMITS"
    #: One start for one WAITING.
    CLAIMS = "CLAIMS"
    #: Attempts rise by one, and only by a start or a forced ``done``; every write is the newest's.
    ATTEMPTS = "ATTEMPTS"
    #: Outcomes are final and written before DONE, which comes once; cleanup comes between.
    OUTCOMES = "OUTCOMES"
    #: Nothing of a cancelled job is launched; what had begun is CANCELLING before it is CANCELLED.
    CANCELS = "CANCELS"
    #: Nothing of a held job is launched.
    HOLDS = "HOLDS"
    #: Pruned jobs leave nothing, and their ids are not used again.
    PRUNING = "PRUNING"
    #: The tables say what the history says.
    RECORD = "RECORD"
    #: The database is sound.
    DATABASE = "DATABASE"
    #: Attempts that have ended are gone.
    LIVENESS = "LIVENESS"
    #: One copy of a task at a time.
    COPIES = "COPIES"
    #: What the dead held is free again, and nothing waits beside free capacity.
    PROGRESS = "PROGRESS"
    #: Secrets are kept for unfinished jobs alone, and for their owner alone.
    SECRETS = "SECRETS"
    #: Nobody else may read or write in the home.
    MODES = "MODES"


@dataclass(frozen=True, slots=True)
class Violation:
    """One place where an invariant does not hold; ``text`` is a sentence that says where."""

    invariant: Invariant
    text: str

    def __str__(self) -> str:
        return f"{self.invariant}: {self.text}"


@dataclass(frozen=True, slots=True)
class Report:
    """What an audit found."""

    violations: tuple[Violation, ...]
    #: History rows that were read.
    rows: int
