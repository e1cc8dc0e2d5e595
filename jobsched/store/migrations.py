"""From an empty file to the newest schema, one numbered step a release of the schema.

Owns ``user_version``. A step runs in the transaction of whoever opens the database; a step that has
been released is never changed again. Once there is a step 2, step 1 must no longer be made from
``schema`` but be frozen as text.
"""

from __future__ import annotations

from typing import Final

from sqlalchemy import Connection

from jobsched.store.schema import metadata

#: The schema that this release reads and writes.
VERSION: Final = 1

#: Marks the file as ours ("jobs" in ASCII), so that another program's database is refused.
APPLICATION_ID: Final = 0x6A6F6273

#: History is a record: nothing may be edited in it. (Whole jobs may be pruned, with their rows.)
_APPEND_ONLY: Final = """
CREATE TRIGGER history_is_append_only BEFORE UPDATE ON history
BEGIN SELECT RAISE(ABORT, 'history rows are never changed'); END
"""


def _create(connection: Connection) -> None:
    metadata.create_all(connection)
    connection.exec_driver_sql(_APPEND_ONLY)
    connection.exec_driver_sql(f"PRAGMA application_id = {APPLICATION_ID}")


_STEPS: Final = {1: _create}


def migrate(connection: Connection, found: int) -> None:
    """Bring a database of schema ``found`` to :data:`VERSION`, inside the caller's transaction."""
    for version in range(found + 1, VERSION + 1):
        _STEPS[version](connection)
        connection.exec_driver_sql(f"PRAGMA user_version = {version}")
