"""What a watch tells of changes: rows of the history, moments, and what was used of limits."""

from __future__ import annotations

from jobsched.api import Watch
from jobsched.context import Context
from jobsched.states import ScheduleState
from jobsched.store import moves
from tests.process.stories import act, move
from tests.store.filling import by, done, end, waiting

S = ScheduleState


def test_version(context: Context, watch: Watch) -> None:
    """It is another after a commit, and the same as long as there was none."""
    first = watch.version()
    assert watch.version() == first
    waiting(context)
    second = watch.version()
    assert second != first
    assert watch.version() == second


def test_changes(context: Context, watch: Watch) -> None:
    """The rows after a row, in order, a bounded number at a time."""
    begun = watch.latest()
    job_id = waiting(context, now=1234.0)
    found = watch.changes(begun)
    assert [(one.kind, one.job_id, one.to_value, one.at) for one in found] == [
        ("SCHEDULE", job_id, "INACTIVE", 1234.0),
        ("STATUS", job_id, "PENDING", 1234.0),
        ("SCHEDULE", job_id, "WAITING", 1234.0),
    ]
    assert watch.latest() == found[-1].seq == begun + 3
    assert watch.changes(begun + 1, most=1) == found[1:2]
    assert watch.changes(watch.latest()) == []


def test_changes_before(context: Context, watch: Watch) -> None:
    """A page for reading backwards: what operators did, or any other kinds."""
    job_id = waiting(context)
    for subject in ("HOLD", "RELEASE", "CANCEL"):
        act(context, subject, job_id, 1.0)
    done(context)
    newest = watch.changes_before(watch.latest() + 1, most=2)
    assert [one.subject for one in newest] == ["CANCEL", "RELEASE"]
    older = watch.changes_before(newest[-1].seq, most=9)
    assert [one.subject for one in older] == ["HOLD", "ALIVE", "LAUNCH"]
    ends = watch.changes_before(watch.latest() + 1, most=1, kinds=["SCHEDULE"])
    assert [one.to_value for one in ends] == ["DONE"]


def test_moments(context: Context, watch: Watch) -> None:
    """The newest row at or before a time, also where rows have gone and where times are equal."""
    begun = watch.latest()
    with context.db.write() as tx:
        at = {
            moves.record(tx, by(float(now)), "ACTION", job_id=1): now
            for now in (10**10, 10**10, 10**10 + 5, 10**10 + 5, 10**10 + 9)
        }
    first, second, third, fourth, fifth = at
    assert watch.moment(10.0) == 0
    assert watch.moment(10**10 - 1) == begun
    assert watch.moment(10**10) == second
    assert watch.moment(10**10 + 7) == fourth
    assert watch.moment(10**11) == fifth
    with context.db.write() as tx:
        raw = tx._driver
        raw.execute("DELETE FROM history WHERE seq IN (?, ?)", (second, fourth))
    assert [watch.moment(10**10 + n) for n in (0, 5, 8, 9)] == [first, third, third, fifth]


def test_limit_changes_and_usage(context: Context, watch: Watch) -> None:
    """What was used at even steps, and the rows that changed a limit meanwhile."""
    base = context.clock.now() + 1000
    job = waiting(context, now=base)
    steps = ((10, S.LAUNCHING, 1), (20, S.ALIVE, None), (30, S.ALIVE_WAITING, None))
    for seconds, to, attempt in steps:
        move(context, job, to, base + seconds, attempt)
    with context.db.write() as tx:
        moves.record(
            tx, by(base + 35), "LIMIT", subject="LAUNCH", from_value="1", to_value="2"
        )  # fmt: skip
    move(context, job, S.LAUNCHING, base + 40, None)
    end(context, job, now=base + 50)
    launched = waiting(context, now=base + 55)
    move(context, launched, S.LAUNCHING, base + 60, 1)

    assert watch.usage(base, 7, base + 70) == ([1, 0, 0, 1, 0, 1, 1], [1, 1, 1, 1, 0, 1, 1])
    assert watch.usage(base + 32, 2, base + 52) == ([1, 0], [1, 0])
    assert [one.to_value for one in watch.limit_changes(base)] == ["2"]
    assert watch.limit_changes(base + 35) == []
    assert len(watch.limit_changes(0.0)) == 3
    used = watch.limits()
    assert (used.launching_used, used.alive_used) == (1, 1)
