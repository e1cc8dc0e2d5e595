"""From an empty file, or any older one, to the newest schema.

Owns ``user_version``. A new database gets the newest schema as the catalogue has it; an older one
is brought there by one numbered step a release of the schema, in the transaction of whoever opens
it. A step that has been released is never changed again. (Schema 1 is what the steps begin with.)
"""

from __future__ import annotations

import sqlite3
from typing import Final

from jobsched.store.sql import INDEXES, TABLES

#: The schema that this release reads and writes.
VERSION: Final = 2

#: Marks the file as ours ("jobs" in ASCII), so that another program's database is refused.
APPLICATION_ID: Final = 0x6A6F6273

#: History is a record: nothing may be edited in it. (Whole jobs may be pruned, with their rows.)
_APPEND_ONLY: Final = """
CREATE TRIGGER history_is_append_only BEFORE UPDATE ON history
BEGIN SELECT RAISE(ABORT, 'history rows are never changed'); END
"""

#: A pass asks for what it has room for, and the questions of every pass have indexes of their own.
_INDEXES_FOR_SCHEDULING: Final = """
DROP INDEX jobs_by_state;
CREATE INDEX jobs_by_state ON jobs (schedule_state, priority DESC, queue_seq);
CREATE INDEX jobs_waiting_again ON jobs (schedule_state, priority DESC, queue_seq)
WHERE schedule_state = 'WAITING' AND attempt > 0;
CREATE INDEX jobs_put_off ON jobs (schedule_state, not_before)
WHERE schedule_state = 'WAITING' AND not_before IS NOT NULL;
CREATE INDEX jobs_ending ON jobs (schedule_state, job_id)
WHERE schedule_state IN ('ALIVE', 'ALIVE_WAITING', 'LAUNCHING')
AND (cancel_at IS NOT NULL OR status IN ('CANCELLED', 'FAILED', 'FAILED_CONTROLLER',
'FAILED_NO_RESOURCE', 'FAILED_PRECHECKS', 'FAILED_SETUP', 'SUCCEEDED'));
DROP INDEX tasks_in_backoff;
CREATE INDEX tasks_in_backoff ON tasks (backoff_code, job_id) WHERE backoff_code IS NOT NULL
"""

#: To each schema but the first: what makes it of the one before.
_STEPS: Final = {2: _INDEXES_FOR_SCHEDULING}


def migrate(driver: sqlite3.Connection, found: int) -> None:
    """Bring a database of schema ``found`` to :data:`VERSION`, inside the caller's transaction.

    0: there is nothing in it yet.
    """
    if found == 0:
        for statement in (*TABLES.values(), *INDEXES, _APPEND_ONLY):
            driver.execute(statement)
        driver.execute(f"PRAGMA application_id = {APPLICATION_ID}")
    else:
        for version in range(found + 1, VERSION + 1):
            for statement in _STEPS[version].split(";"):
                driver.execute(statement)
    driver.execute(f"PRAGMA user_version = {VERSION}")
