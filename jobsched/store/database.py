"""One connection to one database: how it is made, opened, read and written.

Owns transactions, retries and the life of the connection. Knows no table. Writers begin IMMEDIATE,
readers plain; both hand out a ``Tx``.
"""

from __future__ import annotations

import os
import random
import sqlite3
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from functools import partial
from pathlib import Path
from typing import Final, Protocol

from jobsched.clock import SystemClock
from jobsched.errors import StoreError
from jobsched.store import driver as drivers
from jobsched.store import wal
from jobsched.store.migrations import VERSION, migrate
from jobsched.store.tx import Tx

#: Bytes of a write-ahead log that is cut when it is folded: more than it is meant to have.
_CUT_BYTES: Final = 32 * 1024 * 1024


#: Seconds between two tries to write, at first and at most.
_FIRST_PAUSE, _LONGEST_PAUSE = 0.0002, 0.004


class Later(Protocol):
    """Whatever does something at a better moment."""

    def afterwards(self, action: Callable[[], object], /) -> None:
        """Have ``action`` done then."""
        ...


class Database:
    """The database at ``path``. Made by the first write; a missing one reads as ``None``."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._wal = path.with_name(f"{path.name}-wal")
        self._guard = threading.RLock()
        self._driver: sqlite3.Connection | None = None
        self._file: tuple[int, int] | None = None
        self._log: wal.Log | None = None
        self._pid = os.getpid()
        #: Whether the disk gave an error where something durable was committed: whoever tries
        #: again may find it written already, and has to wait for the disk all the same.
        self._owes_sync = False
        #: The round of the log that was folded last: it is begun anew by the next who writes.
        self._folded: bytes | None = None

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
                driver = drivers.connect(fresh)
                driver.execute("BEGIN IMMEDIATE")
                migrate(driver, 0)
                first_rows(Tx(driver))
                driver.execute("COMMIT")
                driver.close()
                with suppress(FileExistsError):
                    os.link(fresh, self._path)
                _sync_directory(self._path.parent)
            except OSError as error:
                raise StoreError(f"cannot make {self._path}: {error.strerror}") from error
            finally:
                for suffix in ("", "-wal", "-shm", "-journal"):
                    fresh.with_name(fresh.name + suffix).unlink(missing_ok=True)

    @contextmanager
    def write(self, *, durable: bool = True, after: Later | None = None) -> Iterator[Tx]:
        """A transaction that may write: commits when the block ends, undone if it raises.

        ``durable``: whether it is to survive a power cut before this returns. One that is not is
        there after any death of a process, and after a power cut unless it was among the last;
        whatever is durable makes those before it so. ``after``: what has it made so later, when no
        lock is held any more: to wait for a disk is no reason to hold one.
        """
        try:
            with self._guard:
                driver = self._open()
                _begin_immediate(driver)
                before = driver.total_changes
                try:
                    yield Tx(driver)
                    if durable:
                        self._prepare_sync()
                    driver.execute("COMMIT")
                except BaseException:
                    _roll_back(driver)
                    raise
                wrote = driver.total_changes != before
        except sqlite3.Error as error:
            raise drivers.explain(self._path, error) from error
        if not durable or not (wrote or self._owes_sync):
            return
        if after is None:
            self.sync()
        else:
            after.afterwards(self.sync)

    def sync(self) -> None:
        """Wait until all that is committed would survive a power cut.

        SQLite could do so itself, but holds up every other writer meanwhile. Several who wait here
        at once wait for one write of the disk.
        """
        self._owes_sync = False
        try:
            self._opened_log().sync()
        except OSError as error:
            self._owes_sync = True
            raise StoreError(
                f"{self._path}: the disk gave an error ({error.strerror}): what was just written is"
                " there now, but may not be after a power cut",
                passes=True,
            ) from error

    def _prepare_sync(self) -> None:
        """Have what a sync takes before anything is committed that waits for it."""
        try:
            self._opened_log()
        except OSError as error:
            raise StoreError(
                f"{self._wal}: {error.strerror}; nothing was changed", passes=True
            ) from error
        wal.reserve(self._wal)

    def _opened_log(self) -> wal.Log:
        """For as long as the connection is open. Raises ``OSError``."""
        log = self._log
        if log is None:
            log = self._log = wal.Log(self._wal)
        return log

    @contextmanager
    def read(self) -> Iterator[Tx]:
        """A transaction that reads one moment's truth and never waits for a writer."""
        try:  # explained here, and in ``write``: a block of its own is a tenth of a short one
            with self._guard:
                driver = self._open()
                driver.execute("BEGIN")
                try:
                    yield Tx(driver)
                finally:
                    _roll_back(driver)
        except sqlite3.Error as error:
            raise drivers.explain(self._path, error) from error

    def version(self) -> int:
        """A number that changes when another connection has committed (``PRAGMA data_version``)."""
        with self._guard, self._explained():
            return int(self._open().execute("PRAGMA data_version").fetchone()[0])

    def generation(self) -> tuple[int, int]:
        """What changes with every commit, whoever made it."""
        with self._guard:
            return self.version(), self._open().total_changes

    def needs_checkpoint(self) -> bool:
        """Whether the write-ahead log is long, and was not just folded; a hint."""
        found = wal.long_round(self._wal)
        return found is not None and found != self._folded

    def checkpoint(self) -> None:
        """Fold a long write-ahead log into the database. Only under the scheduler lock.

        The file keeps its length, and is written anew from its beginning: to lengthen it again
        would double the cost of every commit that is synced. It is cut where somebody who read for
        long has let it grow beyond measure.
        SQLite before 3.51.3 can damage a database when two connections do this at once. Waits for
        nobody: whoever reads meanwhile (or was stopped while reading) would keep the lock's holder
        for seconds; what cannot be folded now will be another time.
        """
        with self._guard, self._explained():
            found = wal.long_round(self._wal)
            if found in (None, self._folded):
                return
            how = "TRUNCATE" if wal.size(self._wal) > _CUT_BYTES else "RESTART"
            driver = self._open()
            driver.execute("PRAGMA busy_timeout = 0")
            try:
                ((was_busy, *_),) = driver.execute(f"PRAGMA wal_checkpoint({how})").fetchall()
                self._folded = None if was_busy else found
            finally:
                patience = int(drivers.BUSY_SECONDS * 1000)
                driver.execute(f"PRAGMA busy_timeout = {patience}")

    def close(self) -> None:
        """Close the connection; the next use opens a new one."""
        with self._guard:
            if self._driver is not None:
                self._driver.close()
                self._driver = self._log = None

    def _open(self) -> sqlite3.Connection:
        if self._driver is None:
            self._driver, self._file = self._connect_checked()
            self._log = None
            self._pid = os.getpid()
        elif self._pid != os.getpid():
            raise StoreError("a database connection was carried across a fork; open a new one")
        elif _identity(self._path) != self._file:
            raise StoreError(f"{self._path} was removed or replaced while in use; start again")
        return self._driver

    def _connect_checked(self) -> tuple[sqlite3.Connection, tuple[int, int] | None]:
        if not self._path.exists():
            raise StoreError(f"there is no database at {self._path}")
        if self._path.stat().st_size == 0:
            raise StoreError(f"{self._path} is empty: damaged; move it away or restore a copy")
        driver = drivers.connect(self._path, partial(drivers.check, self._path))
        if drivers.schema_of(driver) < VERSION:
            _begin_immediate(driver)
            migrate(driver, drivers.schema_of(driver))  # asked again: another may have done it
            driver.execute("COMMIT")
        return driver, _identity(self._path)

    @contextmanager
    def _explained(self) -> Iterator[None]:
        try:
            yield
        except sqlite3.Error as error:
            raise drivers.explain(self._path, error) from error


def _begin_immediate(driver: sqlite3.Connection) -> None:
    """Wait for the turn to write, at most :data:`drivers.RETRY_SECONDS`.

    SQLite would itself, with pauses that grow to a tenth of a second: whoever came later would
    often be first. Others write for a part of a millisecond, so the pauses here stay short.
    """
    clock = SystemClock()
    deadline, most = clock.monotonic() + drivers.RETRY_SECONDS, _FIRST_PAUSE
    driver.execute("PRAGMA busy_timeout = 0")
    try:
        while True:
            try:
                driver.execute("BEGIN IMMEDIATE")
            except sqlite3.Error as error:
                if not drivers.is_busy(error) or clock.monotonic() > deadline:
                    raise
                clock.sleep(random.uniform(0.0, most))  # noqa: S311 -- jitter, not a secret
                most = min(2 * most, _LONGEST_PAUSE)
            else:
                return
    finally:
        driver.execute(f"PRAGMA busy_timeout = {int(drivers.BUSY_SECONDS * 1000)}")


def _roll_back(driver: sqlite3.Connection) -> None:
    with suppress(sqlite3.Error):  # a full disk has rolled back already
        driver.execute("ROLLBACK")


def _identity(path: Path) -> tuple[int, int] | None:
    try:
        found = os.stat(path)  # noqa: PTH116 -- of each transaction
    except OSError:
        return None
    return found.st_dev, found.st_ino


def _sync_directory(path: Path) -> None:
    fd = os.open(path, os.O_RDONLY | os.O_DIRECTORY)
    try:
        os.fsync(fd)
    finally:
        os.close(fd)
