"""Who is to follow whom: jobs that may start only once others have succeeded.

Owns the questions about many jobs at once that a live console asks of ``dependencies``. Changes
nothing.
"""

from __future__ import annotations

from collections.abc import Collection

from jobsched.states import TaskStatus
from jobsched.store import sql
from jobsched.store.tx import Tx, in_chunks


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
        for some in in_chunks(ids):
            for leader, follower in tx.tuples(sql.FOLLOWERS, ids=some):
                found.setdefault(leader, []).append(follower)
                ahead.add(follower)
        ahead -= asked
    return found


def blocked(tx: Tx) -> dict[int, dict[int, TaskStatus | None]]:
    """Jobs that wait in vain: for which jobs that have ended otherwise, or (``None``) are gone."""
    found: dict[int, dict[int, TaskStatus | None]] = {}
    for follower, leader, status in tx.tuples(sql.BLOCKED):
        found.setdefault(follower, {})[leader] = None if status is None else TaskStatus(status)
    return found
