"""The machine, and the frames of a home of which nothing else is known.

Owns what a console shows while there is no database, or none that could be read yet.
"""

from __future__ import annotations

import os
import socket
from collections.abc import Mapping
from typing import Final

import psutil

from jobsched.api import Counts, Limits
from jobsched_tui.data.frame import Frame, Gauge, Health, Host, LimitsLine, Link
from jobsched_tui.data.gauges import line_of

#: Bytes: memory is told in such steps, so that nothing is drawn anew because a page was touched.
_STEP: Final = 256 * 1024 * 1024
_TABS: Final = ("all", "active", "waiting", "failed", "done")


def host() -> Host:
    """The machine now."""
    memory = psutil.virtual_memory()
    return Host(
        name=socket.gethostname(),
        cpus=os.cpu_count() or 1,
        load=round(os.getloadavg()[0], 1),
        memory_used=(memory.total - memory.available) // _STEP * _STEP,
        memory_total=memory.total,
    )


def tabs(counts: Counts) -> Mapping[str, int]:
    """How many jobs each tab has."""
    return {name: getattr(counts, name) for name in _TABS}


def missing(home: str, limits: Limits, now: float, *, user: str, read_only: bool) -> Frame:
    """There is no database yet. ``limits``: those that would hold."""
    return Frame(
        home=home,
        health=Health(link=Link.MISSING, at=now),
        now=now,
        limits=line_of(limits, Counts(), ((), ()), (), now),
        host=host(),
        read_only=read_only,
        user=user,
    )


def unread(home: str, now: float, *, user: str, read_only: bool) -> Frame:
    """Nothing could be read so far."""
    nothing = Gauge(limit=0, used=0)
    return Frame(
        home=home,
        health=Health(at=now),
        now=now,
        limits=LimitsLine(launch=nothing, alive=nothing, known=False),
        host=host(),
        read_only=read_only,
        user=user,
    )
