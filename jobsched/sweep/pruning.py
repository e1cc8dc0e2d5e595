"""``prune``: forget finished jobs and delete the files that they left.

Rows go first, in short transactions; files follow, because a file without a row is only litter,
while a row without its files would be a lie.
"""

from __future__ import annotations

import sys
from contextlib import suppress
from pathlib import Path
from typing import Final

from jobsched import lock
from jobsched.context import Context
from jobsched.lock import Grip
from jobsched.store import pruning

#: Jobs forgotten while the lock is held once.
_BATCH: Final = 100


def prune(context: Context, *, older_than: float | None, keep: int | None) -> int:
    """Forget DONE jobs that ended ``older_than`` seconds ago, but the ``keep`` newest; how many."""
    before = context.clock.now() - (older_than or 0.0)
    total = 0
    while True:
        with context.locked() as held, context.db.write() as tx:
            newest = sys.maxsize if keep is None else pruning.newest_prunable(tx, keep)
            gone = pruning.prune_some(
                tx, held, before=before, newest=newest, most=_BATCH, by=context.by()
            )
        for job_id in gone:
            _delete_files(context, job_id)
        total += len(gone)
        if not gone:
            return total


def _delete_files(context: Context, job_id: int) -> None:
    root = context.home.root
    found: list[Path] = [context.home.controller_log(job_id), context.home.secrets_file(job_id)]
    found += (root / "logs" / "tasks").glob(f"{job_id}-*.log")
    found += (root / "logs" / "callbacks").glob(f"{job_id}-*.log")
    found += (root / "wake").glob(f"{job_id}.*.fifo")
    found += [
        path
        for path in (root / "attempts").glob(f"{job_id}.*.lock")
        if lock.probe(path) is Grip.FREE
    ]
    for path in found:
        with suppress(OSError):
            path.unlink(missing_ok=True)
