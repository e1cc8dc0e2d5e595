"""What the machine has: CPUs, memory, and the limits that follow from them.

Owns the arithmetic of ``auto``. Looks at the machine, not at the calling process (its affinity or
nice level), so that everyone who asks gets the same answer.
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import Final

#: Bytes that one waiting or watching controller is reckoned to add to the machine. Measured: a
#: proportional set size of 32 MiB each with 8 of them watching (Linux, Python 3.11); rounded up.
CONTROLLER_BYTES: Final = 40 * 1024 * 1024

#: Launches that run at the same time, for each CPU.
LAUNCHES_PER_CPU: Final = 4


def cpus() -> int:
    """Number of CPUs that the machine has; at least 1."""
    return os.cpu_count() or 1


def memory_bytes() -> int:
    """Physical memory in bytes, or the control group's bound where that is lower."""
    total = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    try:
        bound = Path("/sys/fs/cgroup/memory.max").read_text(encoding="ascii").strip()
    except (OSError, UnicodeDecodeError):
        return total
    return min(total, int(bound)) if bound.isdecimal() else total


def available_bytes() -> int | None:
    """Memory that could be had without swapping, in bytes; ``None`` where that cannot be told."""
    try:
        lines = Path("/proc/meminfo").read_text(encoding="ascii").splitlines()
    except (OSError, UnicodeDecodeError):
        return None
    for line in lines:
        if line.startswith("MemAvailable:"):
            return int(line.split()[1]) * 1024
    return None


def auto_launch_limit() -> int:
    """L when nobody has set it."""
    return LAUNCHES_PER_CPU * cpus()


def auto_alive_limit() -> int:
    """J when nobody has set it; at least 1."""
    return max(1, memory_bytes() // CONTROLLER_BYTES)
