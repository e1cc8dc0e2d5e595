"""The audit: whether the invariants hold, now and at every moment of the history.

``limits`` and ``job`` are pure folds over history rows, ``fold`` puts them together; ``rows``
compares the tables with them, ``living`` the process table and the locks, ``files`` the files.
Nothing here writes, in the database or anywhere else.
"""

from __future__ import annotations

from collections.abc import Iterator

from jobsched.audit.files import check_modes, check_secrets
from jobsched.audit.findings import Invariant, Report, Violation
from jobsched.audit.fold import fold
from jobsched.audit.living import check_attempts, check_copies, check_progress
from jobsched.audit.rows import check_database, check_limits, check_page
from jobsched.context import Context
from jobsched.store import record
from jobsched.store.database import Database
from jobsched.store.tx import Tx

__all__ = ["Invariant", "Report", "Violation", "check", "fold"]


def check(context: Context) -> Report:
    """Verify every invariant; what is broken, and how many history rows were read.

    One moment's truth: the tables and the history are read in one transaction. May take up to 5 s
    more where something looks wrong that may still come right. Raises ``StoreError`` where the
    database cannot be read at all.
    """
    if not context.db.exists():
        return Report((), 0)
    # A connection of its own: other threads of this process go on reading and writing meanwhile.
    database = Database(context.home.database)
    try:
        with database.read() as tx:
            rows, stored = record.count(tx), list(_stored(context, tx))
        return Report((*stored, *_seen(context, database)), rows)
    finally:
        database.close()


def _stored(context: Context, tx: Tx) -> Iterator[Violation]:
    now = context.clock.now()
    yield from check_database(tx)
    yield from check_limits(tx)
    for page in record.pages(tx):
        yield from check_page(page)
        yield from check_attempts(context, page.attempts, now)


def _seen(context: Context, database: Database) -> Iterator[Violation]:
    now = context.clock.now()
    yield from check_copies(context)
    yield from check_secrets(context, database, now)
    yield from check_modes(context.home)
    yield from check_progress(context, database)
