"""What can be asked of a home. Where there is none yet the answers are those of an empty one.

Owns the transaction of each question, so that one answer tells one moment. Makes nothing on disk.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Final

from jobsched.api import shapes
from jobsched.config import Provenance, provenance
from jobsched.context import Context
from jobsched.errors import NotFound
from jobsched.scheduler import facts
from jobsched.scheduler.reasons import Reason, reason_for
from jobsched.store import reads, views
from jobsched.store.limits import sum_in_words
from jobsched.store.rows import JobRow, Limits
from jobsched.store.tx import Tx
from jobsched.store.views import Filter

#: What sets the limits once there is a database.
_OF_LIMITS: Final = "jobsched limits"


@dataclass(frozen=True, slots=True, kw_only=True)
class Capacity:
    """What this machine has room for, and what that follows from. Sizes are bytes."""

    #: What ``auto`` means for each limit now.
    auto_launch: int
    auto_alive: int
    #: What one waiting or watching controller is reckoned to add.
    controller_bytes: int
    #: Memory that could be had without swapping; ``None``: cannot be told.
    available_bytes: int | None
    #: All memory that there is, or may be had here, and how much of it controllers leave free.
    total_bytes: int | None = None
    kept_bytes: int | None = None
    #: Percent of the last ten seconds in which some program waited for memory.
    stalled_percent: float = 0.0
    #: Controllers that ``controller_bytes`` was measured on (0: it is assumed), and when.
    measured_controllers: int = 0
    measured_at: float | None = None
    #: Where the automatic alive limit comes from, as a clause: that in force, if it is automatic.
    alive_sum: str = ""


def capacity(context: Context) -> Capacity:
    """What the automatic limits are reckoned from."""
    now, auto = limits(context), context.auto_limits()
    room = auto.room(now.alive_used)
    return Capacity(
        auto_launch=auto.launch,
        auto_alive=room.limit,
        controller_bytes=room.each,
        available_bytes=room.memory.available,
        total_bytes=room.memory.total,
        kept_bytes=room.kept,
        stalled_percent=room.memory.stalled,
        measured_controllers=auto.footprint.controllers,
        measured_at=auto.footprint.at,
        alive_sum=sum_in_words(now, auto) or auto.in_words(room.limit, now.alive_used),
    )


def queue(context: Context, wanted: Filter) -> list[dict[str, Any]]:
    """One page of jobs, newest first."""
    if not context.home.exists():
        return []
    with context.db.read() as tx:
        page = facts.gather(context, tx, views.page(tx, wanted), context.clock.now())
    return [shapes.job_object(context.home, one) for one in page]


def show(context: Context, job_id: int) -> dict[str, Any]:
    """One job with its history. Raises ``NotFound``."""
    require_home(context, job_id)
    with context.db.read() as tx:
        found = facts.gather_one(context, tx, _job(tx, job_id), context.clock.now())
        record = views.record_of(tx, job_id)
    return {
        **shapes.job_object(context.home, found),
        "history": shapes.move_objects(record),
        "actions": shapes.action_objects(record),
    }


def why(context: Context, job_id: int) -> Reason:
    """Why a job is where it is. Raises ``NotFound``."""
    require_home(context, job_id)
    with context.db.read() as tx:
        return reason_for(facts.gather_one(context, tx, _job(tx, job_id), context.clock.now()))


def limits(context: Context) -> Limits:
    """The limits in force, or those that would hold in a home that is not there yet."""
    if context.home.exists():
        with context.db.read() as tx:
            return reads.current_limits(tx)
    wanted, auto = context.config.limits, context.auto_limits()
    return Limits(
        launch=auto.launch if wanted.launch is None else wanted.launch,
        launch_auto=wanted.launch is None,
        alive=auto.room(used=0).limit if wanted.alive is None else wanted.alive,
        alive_auto=wanted.alive is None,
        paused=False,
    )


def settings(context: Context) -> list[Provenance]:
    """Every setting that is in force, and whence. Raises ``ConfigError``.

    The limits are those of the database as soon as there is one.
    """
    found = provenance(context.home)
    if not context.home.exists():
        return found
    now = limits(context)
    in_force: dict[str, int | str] = {
        "launch": "auto" if now.launch_auto else now.launch,
        "alive": "auto" if now.alive_auto else now.alive,
    }
    return [
        one._replace(value=in_force[one.key], whence=_OF_LIMITS) if one.section == "limits" else one
        for one in found
    ]


def unfinished(context: Context, name: str | None = None) -> list[int]:
    """Ids of jobs that are not DONE (of that name), oldest first."""
    if not context.home.exists():
        return []
    with context.db.read() as tx:
        return views.unfinished_ids(tx, name)


def clusters(context: Context) -> list[dict[str, Any]]:
    """All clusters that exist, oldest first."""
    if not context.home.clusters.exists():
        return []
    return [shapes.cluster_object(one) for one in context.backend().clusters()]


def require_home(context: Context, job_id: int) -> None:
    """Raise ``NotFound`` for a job of a home that is not there."""
    if not context.home.exists():
        raise NotFound("job", job_id)


def _job(tx: Tx, job_id: int) -> JobRow:
    job = reads.job(tx, job_id)
    if job is None:
        raise NotFound("job", job_id)
    return job
