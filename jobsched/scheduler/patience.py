"""Going on when the store cannot be written for a while: a full disk, a lock that somebody holds.

Owns how long a controller tries again: for ever, because its tasks run on meanwhile, and ending
would lose the one who watches them.
"""

from __future__ import annotations

import logging
from collections.abc import Callable
from typing import Final, TypeVar

from jobsched.clock import Clock
from jobsched.errors import LockTimeout, StoreError

log = logging.getLogger(__name__)
T = TypeVar("T")

#: Seconds before the second try, and between later ones at most.
_FIRST: Final = 0.2
_LONGEST: Final = 5.0


def patiently(clock: Clock, action: Callable[[], T]) -> T:
    """What ``action`` returns, tried until the store lets it; what it raises otherwise passes."""
    pause = _FIRST
    while True:
        try:
            return action()
        except (StoreError, LockTimeout) as error:
            if isinstance(error, StoreError) and not error.passes:
                raise
            log.warning("%s; trying again in %.1f s", error, pause)
        clock.sleep(pause)
        pause = min(2 * pause, _LONGEST)
