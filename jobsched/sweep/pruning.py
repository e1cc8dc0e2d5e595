"""``prune``: forget finished jobs and delete the files that they left.

Rows go first, in short transactions; files follow, because a file without a row is only litter,
while a row without its files would be a lie.
"""

from __future__ import annotations

import sys
from typing import Final

from jobsched.context import Context
from jobsched.store import pruning
from jobsched.sweep.litter import remove_files_of_pruned

#: Jobs forgotten while the lock is held once.
_BATCH: Final = 100


def prune(context: Context, *, older_than: float | None, keep: int | None) -> int:
    """Forget DONE jobs that ended ``older_than`` seconds ago, but the ``keep`` newest; how many.

    ``None``: however short that is ago; none is kept.
    """
    before = context.clock.now() - (older_than or 0.0)
    with context.db.read() as tx:
        newest = sys.maxsize if keep is None else pruning.newest_prunable(tx, keep)
    last = total = 0
    while True:
        with context.locked() as held, context.db.write() as tx:
            gone = pruning.prune_some(
                tx, held, after=last, newest=newest, before=before, most=_BATCH, by=context.by()
            )
        if not gone:
            break
        last, total = gone[-1], total + len(gone)
    remove_files_of_pruned(context)
    return total
