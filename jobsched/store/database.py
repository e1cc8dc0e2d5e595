"""One connection to one database: how it is made, opened, checked, read and written.

Owns pragmas, transactions, retries and the translation of driver errors into sentences. Knows no
table. Writers begin IMMEDIATE, readers plain; both hand out a :class:`Tx`, the only thing that runs
statements, so that a leaner way of running them can take its place.
"""

from __future__ import annotations

import os
import random
import sqlite3
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, Final, cast

from sqlalchemy import Connection, Executable, create_engine
from sqlalchemy.exc import DBAPIError
from sqlalchemy.pool import StaticPool

from jobsched.clock import SystemClock
from jobsched.errors import StoreError
from jobsched.store.migrations import APPLICATION_ID, VERSION, migrate

#: Seconds that SQLite waits by itself for another writer, and that we go on trying after that.
_BUSY_SECONDS: Final = 5.0
_RETRY_SECONDS: Final = 30.0
#: Bytes of write-ahead log after which whoever holds the scheduler lock folds it into the database.
_CHECKPOINT_BYTES: Final = 4 * 1024 * 1024

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

Row = Mapping[str, Any]


class Tx:
    """One open transaction. Ends with the block that gave it out."""

    __slots__ = ("_connection",)

    def __init__(self, connection: Connection) -> None:
        self._connection = connection

    def rows(self, statement: Executable, **values: object) -> Sequence[Row]:
        """All rows of a query, as mappings."""
        return cast("Sequence[Row]", self._connection.execute(statement, values).mappings().all())

    def row(self, statement: Executable, **values: object) -> Row | None:
        """The first row of a query, or ``None``."""
        return cast("Row | None", self._connection.execute(statement, values).mappings().first())

    def tuples(self, statement: Executable, **values: object) -> list[tuple[Any, ...]]:
        """All rows of a query as the driver gives them: for very many of them at once."""
        with self._connection.execute(statement, values) as result:
            return cast("list[tuple[Any, ...]]", result.cursor.fetchall())

    def change(self, statement: Executable, **values: object) -> int:
        """Run an UPDATE or DELETE; the number of rows that it matched."""
        return self._connection.execute(statement, values).rowcount

    def insert(self, statement: Executable, **values: object) -> int:
        """Run an INSERT of one row; its integer key."""
        return int(self._connection.execute(statement, values).lastrowid or 0)


class Database:
    """The database at ``path``. Made by the first write; a missing one reads as ``None``."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._guard = threading.RLock()
        self._connection: Connection | None = None
        self._file: tuple[int, int] | None = None
        self._pid = os.getpid()

    def exists(self) -> bool:
        """Whether there is a database yet."""
        return self._path.exists()

    def create(self, first_rows: Callable[[Tx], None]) -> None:
        """Make the database if there is none; schema and ``first_rows`` appear at once."""
        if self._path.exists():
            return
        fresh = self._path.with_name(f"{self._path.name}.{os.getpid()}.{random.getrandbits(32):x}")
        with self._explained():
            try:
                os.close(os.open(fresh, os.O_RDWR | os.O_CREAT | os.O_EXCL, 0o600))
                connection = _connect(fresh)
                connection.exec_driver_sql("BEGIN IMMEDIATE")
                migrate(connection, 0)
                first_rows(Tx(connection))
                connection.exec_driver_sql("COMMIT")
                connection.close()
                connection.engine.dispose()
                with suppress(FileExistsError):
                    os.link(fresh, self._path)
                _sync_directory(self._path.parent)
            except OSError as error:
                raise StoreError(f"cannot make {self._path}: {error.strerror}") from error
            finally:
                for suffix in ("", "-wal", "-shm", "-journal"):
                    fresh.with_name(fresh.name + suffix).unlink(missing_ok=True)

    @contextmanager
    def write(self) -> Iterator[Tx]:
        """A transaction that may write: commits when the block ends, undone if it raises."""
        with self._guard, self._explained():
            connection = self._open()
            _begin_immediate(connection)
            try:
                yield Tx(connection)
            except BaseException:
                with suppress(DBAPIError):  # a full disk has rolled back already
                    connection.exec_driver_sql("ROLLBACK")
                raise
            try:
                connection.exec_driver_sql("COMMIT")
            except BaseException:
                with suppress(DBAPIError):
                    connection.exec_driver_sql("ROLLBACK")
                raise

    @contextmanager
    def read(self) -> Iterator[Tx]:
        """A transaction that reads one moment's truth and never waits for a writer."""
        with self._guard, self._explained():
            connection = self._open()
            connection.exec_driver_sql("BEGIN")
            try:
                yield Tx(connection)
            finally:
                with suppress(DBAPIError):
                    connection.exec_driver_sql("ROLLBACK")

    def version(self) -> int:
        """A number that changes when another connection has committed (``PRAGMA data_version``)."""
        with self._guard, self._explained():
            return int(self._open().exec_driver_sql("PRAGMA data_version").scalar_one())

    def checkpoint(self) -> None:
        """Fold a long write-ahead log into the database. Only under the scheduler lock.

        SQLite before 3.51.3 can damage a database when two connections do this at once. Waits for
        nobody: whoever reads meanwhile (or was stopped while reading) would keep the lock's holder
        for seconds; what cannot be folded now will be another time.
        """
        wal = self._path.with_name(self._path.name + "-wal")
        with self._guard, self._explained():
            if wal.exists() and wal.stat().st_size > _CHECKPOINT_BYTES:
                connection = self._open()
                connection.exec_driver_sql("PRAGMA busy_timeout = 0")
                try:
                    connection.exec_driver_sql("PRAGMA wal_checkpoint(TRUNCATE)")
                finally:
                    patience = int(_BUSY_SECONDS * 1000)
                    connection.exec_driver_sql(f"PRAGMA busy_timeout = {patience}")

    def close(self) -> None:
        """Close the connection; the next use opens a new one."""
        with self._guard:
            if self._connection is not None:
                self._connection.close()
                self._connection.engine.dispose()
                self._connection = None

    def _open(self) -> Connection:
        if self._pid != os.getpid():
            raise StoreError("a database connection was carried across a fork; open a new one")
        if self._connection is None:
            self._connection, self._file = self._connect_checked()
        elif _identity(self._path) != self._file:
            raise StoreError(f"{self._path} was removed or replaced while in use; start again")
        return self._connection

    def _connect_checked(self) -> tuple[Connection, tuple[int, int] | None]:
        if not self._path.exists():
            raise StoreError(f"there is no database at {self._path}")
        if self._path.stat().st_size == 0:
            raise StoreError(f"{self._path} is empty: damaged; move it away or restore a copy")
        connection = _connect(self._path, lambda driver: _check(self._path, driver))
        if _schema_of(connection) < VERSION:
            _begin_immediate(connection)
            migrate(connection, _schema_of(connection))  # asked again: another may have done it
            connection.exec_driver_sql("COMMIT")
        return connection, _identity(self._path)

    @contextmanager
    def _explained(self) -> Iterator[None]:
        try:
            yield
        except DBAPIError as error:
            raise _explain(self._path, error.orig) from error
        except sqlite3.Error as error:
            raise _explain(self._path, error) from error


def _explain(path: Path, error: BaseException | None) -> StoreError | sqlite3.Error:
    code = getattr(error, "sqlite_errorcode", None)
    if isinstance(error, sqlite3.IntegrityError | sqlite3.ProgrammingError) or code is None:
        return StoreError(f"{path}: {error}")
    if code & 0xFF in (sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED):
        return StoreError(
            f"{path}: another process has held the database for {_RETRY_SECONDS:.0f} s;"
            " nothing was changed",
            passes=True,
        )
    why = _MESSAGES.get(code & 0xFF, str(error))
    return StoreError(f"{path}: {why}", passes=code & 0xFF in _PASSING)


def _check(path: Path, driver: sqlite3.Connection) -> None:
    """Raise ``StoreError`` for a database that is not ours to open; it is left as it is."""
    (owner,) = driver.execute("PRAGMA application_id").fetchone()
    (found,) = driver.execute("PRAGMA user_version").fetchone()
    if owner != APPLICATION_ID:
        raise StoreError(f"{path} is another program's; give --home another directory")
    if found > VERSION:
        raise StoreError(
            f"{path} was written by a newer jobsched (schema {found}, this one knows {VERSION});"
            " upgrade jobsched"
        )
    if found < 1:
        raise StoreError(f"{path} has no schema {found}: damaged; move it away or restore a copy")


def _connect(path: Path, check: Callable[[sqlite3.Connection], None] | None = None) -> Connection:
    def connect() -> sqlite3.Connection:
        # mode=rw: a reader, too, must be able to finish what a killed writer left; never creates.
        uri = f"file:{_quote(path)}?mode=rw"
        driver = sqlite3.connect(
            uri, uri=True, timeout=_BUSY_SECONDS, isolation_level=None, check_same_thread=False
        )
        if check is not None:
            try:
                check(driver)
            except BaseException:
                driver.close()
                raise
        driver.execute("PRAGMA journal_mode = WAL")
        driver.execute("PRAGMA synchronous = FULL")
        driver.execute("PRAGMA wal_autocheckpoint = 0")
        driver.execute("PRAGMA foreign_keys = ON")
        return driver

    engine = create_engine("sqlite://", creator=connect, poolclass=StaticPool)
    return engine.connect().execution_options(isolation_level="AUTOCOMMIT")


def _schema_of(connection: Connection) -> int:
    return int(connection.exec_driver_sql("PRAGMA user_version").scalar_one())


def _quote(path: Path) -> str:
    return str(path).replace("%", "%25").replace("?", "%3f").replace("#", "%23")


def _begin_immediate(connection: Connection) -> None:
    clock = SystemClock()
    deadline = clock.monotonic() + _RETRY_SECONDS
    while True:
        try:
            connection.exec_driver_sql("BEGIN IMMEDIATE")
        except DBAPIError as error:
            code = getattr(error.orig, "sqlite_errorcode", 0) & 0xFF
            if code != sqlite3.SQLITE_BUSY or clock.monotonic() > deadline:
                raise
            clock.sleep(random.uniform(0.001, 0.05))  # noqa: S311 -- jitter, not a secret
        else:
            return


def _identity(path: Path) -> tuple[int, int] | None:
    try:
        found = path.stat()
    except OSError:
        return None
    return found.st_dev, found.st_ino


def _sync_directory(path: Path) -> None:
    fd = os.open(path, os.O_RDONLY | os.O_DIRECTORY)
    try:
        os.fsync(fd)
    finally:
        os.close(fd)
