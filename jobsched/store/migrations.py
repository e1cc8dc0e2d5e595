"""From an empty file to the newest schema, one numbered step a release of the schema.

Owns ``user_version``. A step runs in the transaction of whoever opens the database; a step that has
been released is never changed again. Once there is a step 2, step 1 must no longer be made from the
catalogue but be frozen as it is.
"""

from __future__ import annotations

import sqlite3
from typing import Final

from jobsched.store.sql import INDEXES, TABLES

#: The schema that this release reads and writes.
VERSION: Final = 1

#: Marks the file as ours ("jobs" in ASCII), so that another program's database is refused.
APPLICATION_ID: Final = 0x6A6F6273

#: History is a record: nothing may be edited in it. (Whole jobs may be pruned, with their rows.)
_APPEND_ONLY: Final = """
CREATE TRIGGER history_is_append_only BEFORE UPDATE ON history
BEGIN SELECT RAISE(ABORT, 'history rows are never changed'); END
"""


def _create(driver: sqlite3.Connection) -> None:
    for statement in (*TABLES.values(), *INDEXES, _APPEND_ONLY):
        driver.execute(statement)
    driver.execute(f"PRAGMA application_id = {APPLICATION_ID}")


_STEPS: Final = {1: _create}


def migrate(driver: sqlite3.Connection, found: int) -> None:
    """Bring a database of schema ``found`` to :data:`VERSION`, inside the caller's transaction."""
    for version in range(found + 1, VERSION + 1):
        _STEPS[version](driver)
        driver.execute(f"PRAGMA user_version = {version}")
