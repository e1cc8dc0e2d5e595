"""The database file: how it appears, what is refused, and what bad luck says."""

from __future__ import annotations

import os
import resource
import sqlite3
import stat
import threading
from contextlib import closing
from pathlib import Path

import pytest
from sqlalchemy import text

from jobsched.context import Context, open_context
from jobsched.errors import StoreError
from jobsched.store import moves, reads
from jobsched.store.migrations import APPLICATION_ID, VERSION
from jobsched.store.moves import By

GOLDEN = Path(__file__).parents[1] / "golden"


def create(context: Context) -> int:
    """Write something."""
    with context.db.write() as tx:
        return moves.create(tx, "job", ["t"], By("test", 1.0))


def test_private_and_ours(context: Context) -> None:
    """Mode 0600 in a directory of mode 0700, marked as ours, of this schema."""
    assert stat.S_IMODE(context.home.root.stat().st_mode) == 0o700
    for path in context.home.root.glob("jobsched.db*"):
        assert stat.S_IMODE(path.stat().st_mode) == 0o600
    with closing(sqlite3.connect(context.home.database)) as raw:
        assert raw.execute("PRAGMA user_version").fetchone() == (VERSION,)
        assert raw.execute("PRAGMA application_id").fetchone() == (APPLICATION_ID,)
        assert raw.execute("PRAGMA integrity_check").fetchone() == ("ok",)


def test_appears_whole(tmp_path: Path) -> None:
    """Twenty threads that open a new home at once: one database, limits and all, no scraps."""
    start, failures = threading.Barrier(20), []

    def begin() -> None:
        mine = open_context(tmp_path / "home")
        start.wait()
        try:
            mine.ensure_home()
            with mine.db.read() as tx:
                assert reads.current_limits(tx).launch > 0
        except BaseException as error:  # noqa: BLE001 - shown by the assertion below
            failures.append(error)
        finally:
            mine.db.close()

    threads = [threading.Thread(target=begin) for _ in range(20)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert failures == []
    # Of two that close at once, each may leave SQLite's own files to the other.
    left = {path.name for path in (tmp_path / "home").glob("jobsched.db*")}
    assert left - {"jobsched.db-wal", "jobsched.db-shm"} == {"jobsched.db"}


def create_many(context: Context) -> None:
    """Write more than fits."""
    for _ in range(2000):
        create(context)


def broken(path: Path, kind: str) -> None:
    """Make the database unusable in one way."""
    if kind == "garbage":
        path.write_bytes(os.urandom(8192))
    elif kind == "empty":
        path.write_bytes(b"")
    elif kind == "text":
        path.write_text("hello\n" * 1000)
    else:
        with closing(sqlite3.connect(path)) as raw:
            if kind == "newer":
                raw.execute(f"PRAGMA user_version = {VERSION + 1}")
            else:
                raw.execute("PRAGMA application_id = 7")


@pytest.mark.parametrize(
    ("kind", "says"),
    [
        ("garbage", "not a database"),
        ("text", "not a database"),
        ("empty", "is empty"),
        ("newer", "newer jobsched"),
        ("foreign", "another program"),
    ],
)
def test_unusable(context: Context, kind: str, says: str) -> None:
    """It is refused with the cause and left exactly as it is."""
    context.db.close()
    path = context.home.database
    for extra in ("-wal", "-shm"):
        path.with_name(path.name + extra).unlink(missing_ok=True)
    broken(path, kind)
    before = path.read_bytes()
    with pytest.raises(StoreError, match=says):
        create(context)
    assert path.read_bytes() == before


def test_damaged_page(context: Context) -> None:
    """Damage in the middle is said to be damage."""
    for _ in range(50):
        create(context)
    context.db.close()
    path = context.home.database
    content = bytearray(path.read_bytes())
    content[4096 : len(content) - 4096] = b"\xff" * (len(content) - 8192)
    path.write_bytes(content)
    with pytest.raises(StoreError, match=r"damaged|malformed"), context.db.read() as tx:
        reads.alive_jobs(tx)


def test_replaced_while_open(context: Context) -> None:
    """A database that was removed or replaced is noticed before anything is written to it."""
    create(context)
    context.home.database.unlink()
    with pytest.raises(StoreError, match="removed or replaced"):
        create(context)


def test_full_disk(context: Context) -> None:
    """A write that finds no room says so and is undone; reading and later writing go on."""
    create(context)
    limit = resource.getrlimit(resource.RLIMIT_FSIZE)
    size = max(path.stat().st_size for path in context.home.root.glob("jobsched.db*"))
    import signal  # noqa: PLC0415 - named beside its use

    ignored = signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, limit[1]))
    try:
        with pytest.raises(StoreError, match="disk"):
            create_many(context)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, limit)
        signal.signal(signal.SIGXFSZ, ignored)
    job_id = create(context)
    with context.db.read() as tx:
        assert reads.job(tx, job_id) is not None


def test_busy_writers(context: Context) -> None:
    """Twenty writers with connections of their own never see a locked database."""
    failures: list[BaseException] = []

    def write_much() -> None:
        mine = open_context(context.home.root)
        try:
            for _ in range(25):
                create(mine)
        except BaseException as error:  # noqa: BLE001 - shown by the assertion below
            failures.append(error)
        finally:
            mine.db.close()

    threads = [threading.Thread(target=write_much) for _ in range(20)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert failures == []
    with context.db.read() as tx:
        assert tx.row(text("SELECT COUNT(*) AS n FROM jobs")) == {"n": 500}


def test_reader_sees_one_moment(context: Context) -> None:
    """A read transaction is not changed by a commit beside it, and does not wait for it."""
    other = open_context(context.home.root)
    with context.db.read() as tx:
        before = tx.rows(text("SELECT * FROM jobs"))
        create(other)
        assert tx.rows(text("SELECT * FROM jobs")) == before
    with context.db.read() as tx:
        assert len(tx.rows(text("SELECT * FROM jobs"))) == len(before) + 1
    other.db.close()


def test_every_write_begins_immediate(context: Context) -> None:
    """A deferred write transaction would fail at once when another writer comes between."""
    seen: list[str] = []
    create(context)
    driver = context.db._driver
    assert driver is not None
    driver.set_trace_callback(seen.append)
    create(context)
    assert [line for line in seen if line.startswith("BEGIN")] == ["BEGIN IMMEDIATE"]


def test_version_notices_other_writers(context: Context) -> None:
    """The number changes when another connection has committed, and only then."""
    other = open_context(context.home.root)
    before = context.db.version()
    assert context.db.version() == before
    create(other)
    assert context.db.version() != before
    other.db.close()


@pytest.mark.parametrize("path", sorted(GOLDEN.glob("*.db")), ids=lambda path: path.name)
def test_golden_databases(tmp_path: Path, path: Path) -> None:
    """A database of every released schema opens, is brought up to date and keeps its jobs."""
    context = open_context(tmp_path / "home")
    context.home.create()
    context.home.database.write_bytes(path.read_bytes())
    with context.db.read() as tx:
        jobs = tx.rows(text("SELECT name, schedule_state, status FROM jobs ORDER BY job_id"))
        version = tx.row(text("PRAGMA user_version"))
    assert [tuple(job.values()) for job in jobs] == [
        ("finished", "DONE", "SUCCEEDED"),
        ("cancelled", "DONE", "CANCELLED"),
        ("waiting", "WAITING", "PENDING"),
    ]
    assert version == {"user_version": VERSION}
    context.db.close()
    fresh = open_context(tmp_path / "fresh")
    fresh.ensure_home()
    fresh.db.close()
    assert schema_in(context.home.database) == schema_in(fresh.home.database)


def schema_in(path: Path) -> dict[str, str]:
    """What made each table, index and trigger of a database, however it was laid out."""
    with closing(sqlite3.connect(path)) as raw:
        found = raw.execute("SELECT name, sql FROM sqlite_master WHERE sql IS NOT NULL").fetchall()
    return {name: " ".join(sql.split()) for name, sql in found}


def test_golden_database_of_this_schema_exists() -> None:
    """Each schema has its golden database from the first release on."""
    assert [path.name for path in sorted(GOLDEN.glob("*.db"))] == [
        f"schema-{version}.db" for version in range(1, VERSION + 1)
    ]


def log_of(context: Context) -> Path:
    """Its write-ahead log."""
    return context.home.database.with_name("jobsched.db-wal")


def lengthen_log(context: Context) -> None:
    """Write what makes the log long, as the store judges it."""
    while not context.db.needs_checkpoint():
        create(context)


def test_a_long_log_is_folded_and_begun_anew(context: Context) -> None:
    """It keeps its length, so that commits need not lengthen it again; nothing is lost."""
    assert not context.db.needs_checkpoint()
    lengthen_log(context)
    last = create(context)
    before = log_of(context).stat().st_size
    context.db.checkpoint()
    for _ in range(20):
        assert create(context) == (last := last + 1)
        assert not context.db.needs_checkpoint()
    assert log_of(context).stat().st_size == before
    lengthen_log(context)
    assert log_of(context).stat().st_size == pytest.approx(before, rel=0.01)
    with closing(sqlite3.connect(context.home.database)) as raw:
        assert raw.execute("PRAGMA integrity_check").fetchone() == ("ok",)


def test_a_log_is_longer_than_what_is_in_it_and_read_to_its_end(
    context: Context, tmp_path: Path
) -> None:
    """It is lengthened rarely; what a crash leaves, with what is no frame after it, is whole."""
    lengths, last = set(), 0
    while not context.db.needs_checkpoint():
        last = create(context)
        lengths.add(log_of(context).stat().st_size)
    assert len(lengths) < 20 < last
    left = tmp_path / "left"
    open_context(left).home.create()
    for suffix in ("", "-wal"):
        name = f"jobsched.db{suffix}"
        (left / name).write_bytes((context.home.root / name).read_bytes())
    found = open_context(left)
    with found.db.read() as tx:
        assert tx.row(text("SELECT COUNT(*) AS n FROM jobs")) == {"n": last}
        assert tx.row(text("PRAGMA integrity_check")) == {"integrity_check": "ok"}
    found.db.close()


def test_a_log_that_somebody_reads_is_folded_when_nobody_does(context: Context) -> None:
    """Until then it grows, and whoever asks in vain loses nothing and waits for nobody."""
    other = open_context(context.home.root)
    with other.db.read() as tx:
        before = tx.rows(text("SELECT COUNT(*) FROM jobs"))
        lengthen_log(context)
        context.db.checkpoint()
        assert tx.rows(text("SELECT COUNT(*) FROM jobs")) == before
        create(context)
        assert context.db.needs_checkpoint()
    context.db.checkpoint()
    create(context)
    assert not context.db.needs_checkpoint()
    other.db.close()


@pytest.mark.parametrize("content", [b"", b"x"])
def test_a_log_that_is_none_is_not_long(context: Context, content: bytes) -> None:
    """Whatever lies there is only looked at."""
    context.db.close()
    log_of(context).write_bytes(content)
    assert not context.db.needs_checkpoint()
    assert log_of(context).read_bytes() == content
