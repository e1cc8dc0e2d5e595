"""How long to wait between two tries. Pure."""

from __future__ import annotations

import random
from typing import Final

from jobsched.config import RecoveryConfig

#: Each pause is so many times as long as the one before, up to the maximum.
GROWTH: Final = 1.6
#: Then up to this share is added or taken off, so that jobs that failed together part ways.
JITTER: Final = 0.4


def pause(tries: int, settings: RecoveryConfig) -> float:
    """Seconds to wait after that many failed tries (1, 2, ...), before jitter."""
    seconds, longest = settings.retry_gap_seconds, settings.retry_gap_max_seconds
    for _ in range(1, tries):
        if seconds <= 0 or seconds >= longest:
            break
        seconds *= GROWTH
    return min(seconds, longest)


def jittered(seconds: float, rng: random.Random) -> float:
    """``seconds``, up to :data:`JITTER` more or less. Not to be grown further."""
    return seconds * rng.uniform(1 - JITTER, 1 + JITTER)


def longest_pause(settings: RecoveryConfig) -> float:
    """No pause is longer, whatever the clock says."""
    return settings.retry_gap_max_seconds * (1 + JITTER)
