"""Who is to follow whom: jobs that may start only once others have succeeded.

Owns the questions about many jobs at once that a live console asks of ``dependencies``. Changes
nothing.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import Final

from sqlalchemy import BindParameter, bindparam, select

from jobsched.states import TERMINAL, ScheduleState, TaskStatus
from jobsched.store.database import Tx
from jobsched.store.schema import dependencies, jobs

#: Ids in one IN list: below SQLite's limit on variables.
_CHUNK: Final = 500
_IDS: Final[BindParameter[Sequence[int]]] = bindparam("ids", expanding=True)

_follower, _leader = jobs.alias("follower"), jobs.alias("leader")
_FOLLOWERS: Final = (
    select(dependencies.c.on_job_id, dependencies.c.job_id)
    .join(_follower, _follower.c.job_id == dependencies.c.job_id)
    .where(dependencies.c.on_job_id.in_(_IDS) & (dependencies.c.satisfied == 0))
    .where(_follower.c.schedule_state != ScheduleState.DONE)
    .order_by(dependencies.c.on_job_id, dependencies.c.job_id)
)
#: Ended, but not well.
_LOST: Final = tuple(sorted(TERMINAL - {TaskStatus.SUCCEEDED}))
#: From the few that wait, which an index finds, to whom each of them waits for.
_BLOCKED: Final = (
    select(dependencies.c.job_id, dependencies.c.on_job_id, _leader.c.status)
    .join(_follower, _follower.c.job_id == dependencies.c.job_id)
    .join(_leader, _leader.c.job_id == dependencies.c.on_job_id, isouter=True)
    .where(_follower.c.schedule_state == ScheduleState.WAITING)
    .where(dependencies.c.satisfied == 0)
    .where(_leader.c.job_id.is_(None) | _leader.c.status.in_(_LOST))
    .order_by(dependencies.c.job_id, dependencies.c.on_job_id)
)


def followers(tx: Tx, job_ids: Collection[int]) -> dict[int, list[int]]:
    """Who still waits for some jobs, and who for those, at any distance: by job.

    Jobs that nobody waits for are not in.
    """
    found: dict[int, list[int]] = {}
    asked: set[int] = set()
    ahead = set(job_ids)
    while ahead:
        asked |= ahead
        ids, ahead = sorted(ahead), set()
        for first in range(0, len(ids), _CHUNK):
            for leader, follower in tx.tuples(_FOLLOWERS, ids=ids[first : first + _CHUNK]):
                found.setdefault(leader, []).append(follower)
                ahead.add(follower)
        ahead -= asked
    return found


def blocked(tx: Tx) -> dict[int, dict[int, TaskStatus | None]]:
    """Jobs that wait in vain: for which jobs that have ended otherwise, or (``None``) are gone."""
    found: dict[int, dict[int, TaskStatus | None]] = {}
    for follower, leader, status in tx.tuples(_BLOCKED):
        found.setdefault(follower, {})[leader] = None if status is None else TaskStatus(status)
    return found
