"""What a pass is begun with and comes to: somebody's change, and what was decided upon it.

Owns these two records, and that what was decided can be dropped as a whole. Decides nothing and
touches no row.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import dataclass, field

from jobsched.lock import Held
from jobsched.nursery.handing import Claim
from jobsched.store.rows import JobRow
from jobsched.store.tx import Tx


def _nothing(*_: object) -> None:
    """What a pass changes first that follows upon nothing, and what there is to take back then."""


@dataclass
class Change:
    """What somebody changes first in the transaction of a pass: one turn with the lock, not two."""

    make: Callable[[Tx, Held], None] = _nothing
    #: Whether it is to survive a power cut before anything follows from it.
    durable: bool = False
    #: Takes back what lies beside the database, where the change could not be committed; called
    #: before anybody else has the lock.
    undo: Callable[[], None] = _nothing
    #: Whether it is committed, and as durable as was asked for: what goes wrong from then on undoes
    #: nothing of it.
    is_kept: bool = False


@dataclass
class Outcome:
    """What a pass has decided."""

    claims: list[Claim] = field(default_factory=list)
    resumed: list[JobRow] = field(default_factory=list)
    to_settle: list[int] = field(default_factory=list)
    #: Jobs that were next but cannot be claimed now: others may have what was meant for them.
    put_off: list[int] = field(default_factory=list)
    #: Whether there may be more to claim than one transaction takes.
    is_cut: bool = False
    #: Whether a job is claimed whose submission may not be on disk yet.
    is_fresh: bool = False
    #: Why nothing was decided, though the change was made.
    failure: Exception | None = None
    #: What is to be waited for before anything is started.
    _waits: list[Callable[[], object]] = field(default_factory=list)

    def afterwards(self, action: Callable[[], object]) -> None:
        """Have ``action`` done by :meth:`wait`, when nobody waits for us any more."""
        self._waits.append(action)

    def wait(self, otherwise: Callable[[], object]) -> None:
        """Wait for what there is; for a fresh job at least for ``otherwise``."""
        for action in self._waits or ([otherwise] if self.is_fresh else []):
            action()

    def drop(self) -> None:
        """Let go of the locks of what was claimed."""
        for claim in self.claims:
            os.close(claim.lock_fd)
        self.claims.clear()
        self.resumed.clear()
