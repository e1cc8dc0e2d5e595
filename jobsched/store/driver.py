"""SQLite's driver, set up: how a connection is opened, and what is wrong when one cannot be.

Owns pragmas, functions and the translation of the driver's errors into sentences. Knows no table.
"""

from __future__ import annotations

import re
import sqlite3
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Final

from jobsched.errors import StoreError
from jobsched.store.migrations import APPLICATION_ID, VERSION

#: Seconds that SQLite waits by itself where it has to, and that whoever wants to write tries.
BUSY_SECONDS: Final = 5.0
RETRY_SECONDS: Final = 30.0
#: Statements that a connection keeps prepared: more than there are in the catalogue.
_PREPARED: Final = 256
#: Bytes of a piece of memory that is taken and freed once; see :func:`_keep_freed_memory`.
_PIECE: Final = 512 * 1024

_MESSAGES: Final = {
    sqlite3.SQLITE_FULL: "the disk (or quota) is full; free some space and try again",
    sqlite3.SQLITE_READONLY: "it cannot be written (read-only file system, or not yours)",
    sqlite3.SQLITE_CANTOPEN: "it cannot be opened",
    sqlite3.SQLITE_NOTADB: "it is not a database; move it away or restore a copy",
    sqlite3.SQLITE_CORRUPT: "it is damaged; move it away or restore a copy",
    sqlite3.SQLITE_IOERR: "the disk gave an error",
    sqlite3.SQLITE_PERM: "access is denied",
    sqlite3.SQLITE_AUTH: "access is denied",
}

#: What may be over when it is tried again.
_PASSING: Final = frozenset({sqlite3.SQLITE_FULL, sqlite3.SQLITE_IOERR})


def connect(
    path: Path, check: Callable[[sqlite3.Connection], None] | None = None
) -> sqlite3.Connection:
    """A connection to the database at ``path``, which is there; ``check`` may refuse it first."""
    _keep_freed_memory()
    # mode=rw: a reader, too, must be able to finish what a killed writer left; never creates.
    driver = sqlite3.connect(
        f"file:{_quote(path)}?mode=rw",
        uri=True,
        timeout=BUSY_SECONDS,
        isolation_level=None,
        check_same_thread=False,
        cached_statements=_PREPARED,
    )
    try:
        if check is not None:
            check(driver)
        driver.execute("PRAGMA journal_mode = WAL")
        # A commit alone is not on disk: whoever needs that waits for it after the commit.
        driver.execute("PRAGMA synchronous = NORMAL")
        driver.execute("PRAGMA wal_autocheckpoint = 0")
        driver.execute("PRAGMA foreign_keys = ON")
    except BaseException:
        driver.close()
        raise
    _add_functions(driver)
    return driver


def in_memory() -> sqlite3.Connection:
    """A connection to an empty database that nobody else sees."""
    driver = sqlite3.connect(":memory:", isolation_level=None, check_same_thread=False)
    _add_functions(driver)
    return driver


def check(path: Path, driver: sqlite3.Connection) -> None:
    """Raise ``StoreError`` for a database that is not ours to open; it is left as it is."""
    (owner,) = driver.execute("PRAGMA application_id").fetchone()
    found = schema_of(driver)
    if owner != APPLICATION_ID:
        raise StoreError(f"{path} is another program's; give --home another directory")
    if found > VERSION:
        raise StoreError(
            f"{path} was written by a newer jobsched (schema {found}, this one knows {VERSION});"
            " upgrade jobsched"
        )
    if found < 1:
        raise StoreError(f"{path} has no schema {found}: damaged; move it away or restore a copy")


def schema_of(driver: sqlite3.Connection) -> int:
    """``user_version``."""
    return int(driver.execute("PRAGMA user_version").fetchone()[0])


def explain(path: Path, error: sqlite3.Error) -> StoreError:
    """What went wrong, in a sentence."""
    code = getattr(error, "sqlite_errorcode", None)
    if isinstance(error, sqlite3.IntegrityError | sqlite3.ProgrammingError) or code is None:
        return StoreError(f"{path}: {error}")
    if is_busy(error):
        return StoreError(
            f"{path}: another process has held the database for {RETRY_SECONDS:.0f} s;"
            " nothing was changed",
            passes=True,
        )
    why = _MESSAGES.get(code & 0xFF, str(error))
    return StoreError(f"{path}: {why}", passes=code & 0xFF in _PASSING)


def is_busy(error: sqlite3.Error) -> bool:
    """Whether somebody else holds what was asked for."""
    code = getattr(error, "sqlite_errorcode", 0) & 0xFF
    return code in (sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED)


@cache
def _keep_freed_memory() -> None:
    """Have the C library keep the little that SQLite frees, instead of returning it to the system.

    SQLite frees its pages, 86 KiB at first, whenever another process has written, and takes as many
    anew. The GNU C library returns so much at the end of its heap at once, and each page that is
    taken again costs a fault: a tenth of all that a short job costs. It learns from a larger piece
    that is freed to keep up to twice that (mallopt(3), M_MMAP_THRESHOLD); others do not mind.
    """
    bytes(_PIECE)


def _add_functions(driver: sqlite3.Connection) -> None:
    driver.create_function("regexp", 2, _regexp, deterministic=True)


def _regexp(pattern: str, value: str | None) -> bool | None:
    """``value REGEXP pattern``; what is not known does not match, nor not match."""
    return None if value is None else re.search(pattern, value) is not None


def _quote(path: Path) -> str:
    return str(path).replace("%", "%25").replace("?", "%3f").replace("#", "%23")
