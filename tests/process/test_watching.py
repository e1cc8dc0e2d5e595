"""What a watch answers where there is no database, or another one, and that it writes nothing."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from jobsched.api import Counts, Scheduler, Watch
from jobsched.context import Context
from jobsched.errors import NotFound, StoreError
from jobsched.store import moves
from tests.store.filling import by, launching, waiting

ASKED: dict[str, tuple[Callable[[Watch], object], object]] = {
    "exists": (lambda watch: watch.exists(), False),
    "version": (lambda watch: watch.version(), 0),
    "latest": (lambda watch: watch.latest(), 0),
    "changes": (lambda watch: watch.changes(0), []),
    "changes_before": (lambda watch: watch.changes_before(9, most=5), []),
    "listing": (lambda watch: watch.listing(), []),
    "matching": (lambda watch: watch.matching([1]), {}),
    "counts": (lambda watch: watch.counts(), Counts()),
    "rows": (lambda watch: watch.rows([1]), {}),
    "limits": (lambda watch: (watch.limits().launch, watch.limits().alive_used), (3, 0)),
    "limit_changes": (lambda watch: watch.limit_changes(0.0), []),
    "usage": (lambda watch: watch.usage(0.0, 3, 9.0), ([0, 0, 0], [0, 0, 0])),
    "processes": (lambda watch: watch.processes(1), []),
    "moment": (lambda watch: watch.moment(9.0), 0),
    "past rows": (lambda watch: watch.past(5).rows([1]), {}),
    "past listing": (lambda watch: watch.past(5).listing(), []),
    "past counts": (lambda watch: watch.past(5).counts(), Counts()),
    "past limits": (lambda watch: watch.past(5).limits().launch, 3),
}

ABOUT_A_JOB: dict[str, Callable[[Watch], object]] = {
    "show": lambda watch: watch.show(5),
    "log_paths": lambda watch: watch.log_paths(5),
    "past": lambda watch: watch.past(1).show(5),
}


@pytest.fixture
def nowhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Watch:
    """A watch over a home that is not there."""
    monkeypatch.setenv("JOBSCHED_LIMITS_LAUNCH", "3")
    return Scheduler(tmp_path / "not" / "there").watch()


@pytest.mark.parametrize("what", ASKED)
def test_without_a_database(nowhere: Watch, tmp_path: Path, what: str) -> None:
    """The answers are those of an empty home, and none is made."""
    ask, expected = ASKED[what]
    assert ask(nowhere) == expected
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("what", ABOUT_A_JOB)
def test_no_such_job(nowhere: Watch, watch: Watch, what: str) -> None:
    """There is no such job, whether there is a database or not."""
    for one in (nowhere, watch):
        with pytest.raises(NotFound, match="job 5 not found"):
            ABOUT_A_JOB[what](one)


def test_comes_alive(tmp_path: Path) -> None:
    """A watch that was there before the database sees it as soon as it is there."""
    door = Scheduler(tmp_path / "home")
    watch = door.watch()
    assert (watch.exists(), watch.latest()) == (False, 0)
    job_id = door.create_job("new", ["a"])
    assert watch.exists()
    assert list(watch.rows([job_id])) == [job_id]
    watch.close()
    door.context.db.close()


def test_replaced_database(context: Context, watch: Watch) -> None:
    """Another database in the old one's place is an error; once closed, the new one is read."""
    waiting(context)
    assert watch.counts().all == 1
    context.db.close()
    context.home.root.rename(context.home.root.with_name("moved"))
    context.ensure_home()
    with pytest.raises(StoreError, match="replaced"):
        watch.counts()
    watch.close()
    assert watch.counts().all == 0


def test_from_a_thread_of_its_own(context: Context, watch: Watch) -> None:
    """It shares no connection: it reads in its thread while the door is in a transaction."""
    waiting(context, "seen")
    with ThreadPoolExecutor(1) as worker, context.db.write() as tx:
        moves.create(tx, "not committed", ["t"], by())
        assert worker.submit(watch.counts).result(10).all == 1


def test_writes_nothing(context: Context, watch: Watch) -> None:
    """After every question the home's files are what they were."""
    job_id = launching(context)
    watch.latest()

    def files() -> Mapping[str, int]:
        found = context.home.root.rglob("*")
        return {str(path): path.stat().st_mtime_ns for path in found if path.suffix != ".db-shm"}

    before = files()
    for ask, _ in ASKED.values():
        ask(watch)
    watch.show(job_id)
    watch.log_paths(job_id)
    watch.past(watch.latest()).show(job_id)
    assert files() == before
