"""What the machine has, CPUs and memory, and the limits that follow from that.

Owns what ``auto`` means. Looks at the machine, not at the calling process (its affinity or nice
level). ``memory`` looks, ``groups`` knows what a container may have, ``footprint`` measures what a
controller takes, ``room`` is the arithmetic, ``wording`` tells it, ``remembered`` keeps what the
one who ticks has seen, so that everybody reckons from the same. Writes no limit.
"""

from __future__ import annotations

import os
from typing import Final

#: Launches that run at the same time, for each CPU.
LAUNCHES_PER_CPU: Final = 4


def cpus() -> int:
    """Number of CPUs that the machine has; at least 1."""
    return os.cpu_count() or 1


def auto_launch_limit(cpus: int) -> int:
    """L when nobody has set it, on a machine with so many CPUs."""
    return LAUNCHES_PER_CPU * cpus
