"""What a live console reads: what has changed, what is seen of it, and how it was at any row."""

from __future__ import annotations

import itertools
import os
import random
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

from jobsched import process
from jobsched.api import Counts, Field, Op, Order, OrderBy, Past, Scheduler, Seen, Term, Watch
from jobsched.context import Context
from jobsched.errors import NotFound, StoreError
from jobsched.models import DagSpec
from jobsched.scheduler.passes import run_pass
from jobsched.states import STATUS_MOVES, ScheduleState, TaskStatus
from jobsched.store import moves, reads
from jobsched.store.moves import By
from jobsched.testing import FakeClock
from tests.store.filling import asks_again, by, done, end, launching, waiting
from tests.world import InProcessStarter, World

S, T = ScheduleState, TaskStatus


@pytest.fixture
def watch(context: Context) -> Iterator[Watch]:
    """A watch over a home that is there, and empty."""
    watch = Scheduler(context=context).watch()
    yield watch
    watch.close()


# Without a database.

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


# What has changed.


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


def act(context: Context, subject: str, job_id: int, now: float) -> None:
    """Have the history say that an operator did something."""
    with context.db.write() as tx:
        moves.record(tx, by(now), "ACTION", job_id=job_id, subject=subject)


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
        _move(context, job, to, base + seconds, attempt)
    with context.db.write() as tx:
        moves.record(
            tx, by(base + 35), "LIMIT", subject="LAUNCH", from_value="1", to_value="2"
        )  # fmt: skip
    _move(context, job, S.LAUNCHING, base + 40, None)
    end(context, job, now=base + 50)
    launched = waiting(context, now=base + 55)
    _move(context, launched, S.LAUNCHING, base + 60, 1)

    assert watch.usage(base, 7, base + 70) == ([1, 0, 0, 1, 0, 1, 1], [1, 1, 1, 1, 0, 1, 1])
    assert watch.usage(base + 32, 2, base + 52) == ([1, 0], [1, 0])
    assert [one.to_value for one in watch.limit_changes(base)] == ["2"]
    assert watch.limit_changes(base + 35) == []
    assert len(watch.limit_changes(0.0)) == 3
    used = watch.limits()
    assert (used.launching_used, used.alive_used) == (1, 1)


def _move(
    context: Context, job_id: int, to: ScheduleState, now: float, attempt: int | None
) -> None:
    columns = {} if attempt is None else {"attempt": attempt, "started_at": now}
    with context.locked() as held, context.db.write() as tx:
        moves.schedule(tx, held, moves.owned(tx, job_id, by(now)), to, by(now), **columns)


# What is seen of jobs.


def test_rows(context: Context, watch: Watch) -> None:
    """What ``queue`` shows, with the file; ids that there are not are not in."""
    first, second = waiting(context, "a"), done(context, "b")
    shown = {one["job_id"]: one for one in Scheduler(context=context).queue(all=True)}
    found = watch.rows([second, 99, first])
    assert set(found) == {first, second}
    for job_id in (first, second):
        more = {"source": "x.yaml", "controller_seen": None}
        assert found[job_id] == {**shown[job_id], **more}
    inactive = Scheduler(context=context).create_job("c", ["t"])
    assert watch.rows([inactive])[inactive]["source"] is None


def test_controller_seen(context: Context, watch: Watch) -> None:
    """Whether the PID of the last controller is still that process; not all of it can be told."""
    me = process.me()
    with subprocess.Popen([sys.executable, "-c", ""]) as child:
        gone = process.identify(child.pid)
        assert gone is not None
    seen_as: dict[Seen | None, dict[str, Any]] = {
        Seen.SAME: {},
        Seen.REUSED: {"start_ticks": me.start_ticks - 1},
        Seen.GONE: {"pid": gone.pid, "start_ticks": gone.start_ticks},
        Seen.UNKNOWN: {"pid_ns": me.pid_ns + 1},
        None: {"pid": None, "start_ticks": None},
    }
    known = {"pid": me.pid, "start_ticks": me.start_ticks, "boot_id": me.boot_id}
    made: dict[int, Seen | None] = {}
    for seen, columns in seen_as.items():
        job_id = launching(context)
        made[job_id] = seen
        with context.db.write() as tx:
            moves.set_attempt(tx, job_id, 1, **{**known, "pid_ns": me.pid_ns, **columns})
    found = watch.rows(list(made))
    assert {job_id: found[job_id]["controller_seen"] for job_id in made} == made
    groups = {job_id: watch.processes(job_id) for job_id in made}
    assert {job_id: one[0].seen for job_id, one in groups.items() if one} == {
        job_id: seen for job_id, seen in made.items() if seen is not None
    }


def test_listing_and_matching(context: Context, watch: Watch) -> None:
    """All that match, and those of some that do; ages count from now, or from what is given."""
    old, new = waiting(context, "old", now=1000.0), waiting(context, "new", now=2000.0)
    young = [Term(Field.AGE, Op.LESS, (600.0,))]
    assert [job_id for _, job_id in watch.listing()] == [new, old]
    assert [job_id for _, job_id in watch.listing(young, now=2500.0)] == [new]
    assert watch.listing(young) == []
    by_name = [Order(OrderBy.NAME, descending=True)]
    whole = watch.listing(sort=by_name)
    assert [job_id for _, job_id in whole] == [old, new]
    assert watch.matching([new, 99], sort=by_name) == {new: whole[1][0]}
    assert watch.matching([old, new], young, now=2500.0).keys() == {new}


def test_show(context: Context, watch: Watch) -> None:
    """What ``show`` tells, and what was submitted."""
    job_id = waiting(context, "two", tasks=["a", "b"])
    shown = watch.show(job_id)
    dag = shown.pop("dag")
    assert isinstance(dag, DagSpec)
    assert (dag.name, [task.name for task in dag.tasks]) == ("two", ["a", "b"])
    assert (shown.pop("yaml"), shown.pop("source")) == ("", "x.yaml")
    assert shown.pop("controller_seen") is None
    assert shown == Scheduler(context=context).show(job_id)
    inactive = watch.show(Scheduler(context=context).create_job("c", ["t"]))
    assert (inactive["yaml"], inactive["source"], inactive["dag"]) == (None, None, None)


def test_log_paths(world: World, starter: InProcessStarter) -> None:
    """The controller's log, then one for each task and node, in the order of the DAG."""
    del starter
    job_id = world.submit("name: p\n---\nname: a\nnum_nodes: 2\nrun: x\n---\nname: b\nrun: y\n")
    tasks = world.home.root / "logs" / "tasks"
    assert Scheduler(context=world.context).watch().log_paths(job_id) == [
        ("controller", world.home.root / "logs" / "controller" / f"{job_id}.log"),
        ("task 0 (a), node 0", tasks / f"{job_id}-0.log"),
        ("task 0 (a), node 1", tasks / f"{job_id}-0-1.log"),
        ("task 1 (b)", tasks / f"{job_id}-1.log"),
    ]


def test_processes(unwatched: World) -> None:
    """The roots of what runs for a job: its controller, and the runner of its cluster."""
    world = unwatched
    job_id = world.submit("run: sleep 300 & exec sleep 301\n")
    world.until_status(job_id, T.RUNNING)
    watch = Scheduler(context=world.context).watch()
    controller, cluster = watch.processes(job_id)
    assert (controller.kind, controller.name, controller.seen) == (
        "controller", "attempt 1", Seen.SAME,
    )  # fmt: skip
    assert controller.pids == (world.controller(job_id),)
    assert (cluster.kind, cluster.name) == ("cluster", world.tasks(job_id)[0].cluster)
    assert cluster.seen is Seen.SAME
    assert len(cluster.pids) == 1
    world.until(lambda: len(process.descendants(cluster.pids[0])) >= 2, "both programs to run")
    assert watch.processes(job_id)[1].pids == cluster.pids
    assert watch.processes(job_id + 1) == []
    world.kill_controller(job_id, signal.SIGKILL)
    world.until(
        lambda: watch.processes(job_id)[0].seen is Seen.GONE, "the controller to be seen gone"
    )
    assert watch.rows([job_id])[job_id]["controller_seen"] == "gone"
    watch.close()


# The past.

#: What history keeps of a job, and of a task.
KEPT = (
    "job_id", "name", "schedule_state", "status", "priority", "attempt", "submitted_at",
    "started_at", "ended_at", "failure_reason", "held", "cancel_requested", "source",
)  # fmt: skip
TASK_KEPT = (
    "task_id", "name", "status", "started_at", "ended_at", "failure_reason", "log_path",
)  # fmt: skip
QUESTIONS: list[tuple[list[Term], list[Order]]] = [
    ([], []),
    ([Term(Field.STATE, Op.IS, ("DONE",), negated=True)], [Order(OrderBy.NAME, descending=True)]),
    ([Term(Field.HELD, Op.IS, negated=True)], [Order(OrderBy.RUNTIME), Order(OrderBy.STATUS)]),
    ([Term(Field.TEXT, Op.CONTAINS, ("DAG",))], [Order(OrderBy.PRIORITY, descending=True)]),
    ([Term(Field.AGE, Op.LESS, (100.0,))], [Order(OrderBy.ENDED), Order(OrderBy.STATE)]),
    ([Term(Field.ERROR, Op.IS)], [Order(OrderBy.AGE)]),
    ([Term(Field.CANCEL, Op.IS)], [Order(OrderBy.STARTED, descending=True)]),
    ([Term(Field.ATTEMPT, Op.MORE, (0,))], []),
]


def kept(rows: Mapping[int, Mapping[str, Any]]) -> list[Any]:
    """Rows without what history does not keep."""
    return [
        (
            {key: row[key] for key in KEPT},
            [{key: task[key] for key in TASK_KEPT} for task in row["tasks"]],
        )
        for _, row in sorted(rows.items())
    ]


def picture(home: Watch | Past, at: float) -> list[Any]:
    """Everything that both the present and the past can tell."""
    now = {} if isinstance(home, Past) else {"now": at}
    limits = home.limits()
    return [
        kept(home.rows(range(1, 40))),
        *(home.listing(terms, sort, **now) for terms, sort in QUESTIONS),
        home.counts(),
        (limits.launch, limits.alive, limits.paused, limits.launching_used, limits.alive_used),
    ]


class Story:
    """Jobs that live as chance will have it, through the real doors; no process is started."""

    def __init__(self, context: Context, dag: Path, seed: int) -> None:
        self.chance, self.context, self.dag = random.Random(seed), context, dag  # noqa: S311 -- a story, no secret
        self.door = Scheduler(context=context)
        self.names = itertools.cycle(["b", "quick", "a", "fox", "é", "jumps"])

    def step(self) -> None:
        """Something happens."""
        with self.context.db.read() as tx:
            jobs = [job for n in range(1, 40) if (job := reads.job(tx, n)) and not job.is_done]
        chosen = self.chance.choice(jobs) if jobs else None
        acts: list[Callable[[], object]] = [
            lambda: self.door.create_job(next(self.names), ["a", "b"]),
            lambda: self.door.set_limits(launch=self.chance.randrange(1, 4)),
            lambda: self.door.set_limits(paused=self.chance.random() < 0.3),
        ]
        if chosen is not None:
            job_id = chosen.job_id
            acts += 4 * [lambda: self._controller(job_id)]
            acts += [
                lambda: self.door.set_priority(job_id, self.chance.randrange(-3, 4)),
                lambda: self.door.release(job_id),
                lambda: self.door.cancel([job_id], reason=self.chance.choice(["enough", None])),
            ]
            if chosen.schedule_state is S.INACTIVE:
                acts += 6 * [lambda: self.door.submit_job(job_id, self.dag)]
            else:  # a submission writes over an earlier hold, and no row tells
                acts.append(lambda: self.door.hold(job_id))
            if self.chance.random() < 0.3:
                acts.append(lambda: self.door.done(job_id, reason="by force"))
        self.chance.choice(acts)()

    def _controller(self, job_id: int) -> None:
        """What its controller might do next."""
        with self.context.locked() as held, self.context.db.write() as tx:
            job = reads.job(tx, job_id)
            if job is None or not job.is_alive:
                return
            mover = self.context.by(self.chance.choice(["because", None]), attempt=job.attempt)
            left = [task for task in reads.tasks_of(tx, job_id) if not task.status.is_terminal]
            to = {S.LAUNCHING: S.ALIVE, S.ALIVE: S.ALIVE_WAITING}.get(job.schedule_state)
            if not left:
                moves.done(tx, held, job, mover)
            elif to is not None and self.chance.random() < 0.4:
                moves.schedule(tx, held, job, to, mover)
            elif self.chance.random() < 0.1:
                moves.schedule(tx, held, job, S.WAITING, mover)
            else:
                task = self.chance.choice(left)
                moves.status(tx, task, self.chance.choice(_next(task.status)), mover)
        run_pass(self.context)


def _next(status: TaskStatus) -> list[TaskStatus]:
    return sorted(STATUS_MOVES[status])


@pytest.mark.parametrize("seed", range(3))
def test_past_is_what_was_seen(context: Context, tmp_path: Path, seed: int) -> None:
    """Whatever happens: as of each row, the past shows what the present showed at that row."""
    clock = FakeClock(wall=context.clock.now())
    context.clock, context.starter = clock, InProcessStarter()
    dag = tmp_path / "dag.yaml"
    dag.write_text("name: a\nresources: {priority: 2}\nrun: x\n---\nname: b\nrun: y\n")
    story, watch = Story(context, dag, seed), Scheduler(context=context).watch()
    story.door.set_limits(launch=2, alive=4)
    seen: dict[int, list[Any]] = {}
    for _ in range(20):
        for _ in range(3):
            clock.sleep(7.0)
            story.step()
        seq = watch.latest()
        seen[seq] = picture(watch, watch.changes(seq - 1)[0].at)
    for seq, shown in seen.items():
        past = watch.past(seq)
        assert picture(past, 0.0) == shown
        past.close()
    states = {row["schedule_state"] for shown in seen.values() for row, _ in shown[0]}
    assert states >= {"INACTIVE", "LAUNCHING", "DONE"}  # or there was little to get wrong
    watch.close()
    for claim in context.starter.claims:
        os.close(claim.lock_fd)


def test_past_of_a_hard_life(context: Context, watch: Watch) -> None:
    """A start is the first one, a failure outweighs a cancel, and a forced end starts nothing."""
    hard, forced = waiting(context, tasks=["a", "b", "c"]), waiting(context)
    _move(context, hard, S.LAUNCHING, 1005.0, 1)
    with context.db.write() as tx:
        moves.set_task(tx, hard, 2, counts=0)
    life = (
        (2, T.FAILED_CONTROLLER, 1006.0, "auxiliary"),
        (0, T.STARTING, 1006.0, None), (0, T.RUNNING, 1010.0, "here"),
        (0, T.RECOVERING, 1020.0, "lost"), (0, T.RUNNING, 1030.0, "there"),
        (1, T.CANCELLED, 1035.0, "stopped"), (0, T.FAILED, 1040.0, "exit code 1"),
    )  # fmt: skip
    for task_id, to, now, reason in life:
        with context.db.write() as tx:
            mover = By("test", now, 1, reason)
            moves.status(tx, reads.tasks_of(tx, hard)[task_id], to, mover)
    with context.locked() as held, context.db.write() as tx:
        moves.done(tx, held, moves.owned(tx, forced, by(1050.0)), by(1050.0), attempt=1)
    found = watch.past(watch.latest()).rows([hard, forced])
    assert (found[hard]["status"], found[hard]["failure_reason"]) == ("FAILED", "exit code 1")
    assert [task["started_at"] for task in found[hard]["tasks"]] == [1010.0, None, None]
    assert [task["ended_at"] for task in found[hard]["tasks"]] == [1040.0, 1035.0, 1006.0]
    assert (found[forced]["started_at"], found[forced]["attempt"]) == (None, 1)
    assert kept(found) == kept(watch.rows([hard, forced]))


def test_past_of_one_job(context: Context, watch: Watch) -> None:
    """What it was, with its history so far; later rows are not in, and nothing is made up."""
    job_id = waiting(context, "one", now=1000.0)
    then = watch.latest()
    act(context, "CANCEL", job_id, 1500.0)
    end(context, job_id, T.FAILED, now=2000.0)
    shown = watch.past(then).show(job_id)
    assert (shown["schedule_state"], shown["status"], shown["ended_at"]) == (
        "WAITING", "PENDING", None,
    )  # fmt: skip
    assert (shown["cancel_requested"], shown["failure_reason"]) == (False, None)
    assert [one["to"] for one in shown["history"]] == ["INACTIVE", "PENDING", "WAITING"]
    assert shown["actions"] == []
    assert (shown["source"], shown["yaml"], shown["dag"].name) == ("x.yaml", "", "one")
    unknown = ("controller_pid", "controller_alive", "recovery_count", "waiting_text")
    assert [shown[key] for key in unknown] == [None] * 4
    assert shown["tasks"][0]["exit_code"] is None
    assert watch.past(then - 1).show(job_id)["dag"] is None
    with pytest.raises(NotFound):
        watch.past(then - 3).show(job_id)


def test_past_has_the_same_keys(context: Context, watch: Watch) -> None:
    """A row of the past can be drawn like one of the present."""
    job_id = waiting(context)
    past = watch.past(watch.latest())
    now, then = watch.show(job_id), past.show(job_id)
    assert set(then) == set(now)
    assert list(then["tasks"][0]) == list(now["tasks"][0])
    assert list(past.rows([job_id])[job_id]) == list(watch.rows([job_id])[job_id])


def test_past_of_pruned_jobs(context: Context, watch: Watch) -> None:
    """They are gone from the past, too; what is left of it is as it was."""
    asks_again(context)
    done(context, now=1.0)
    then = watch.latest()
    waiting(context)
    assert watch.past(then).counts() == Counts(all=2, active=1, done=1)
    assert Scheduler(context=context).prune(older_than=None, keep=None) == 1
    past = watch.past(then)
    assert past.counts() == Counts(all=1, active=1)
    assert list(past.rows([1, 2, 3])) == [1]
    assert watch.past(0).counts() == Counts()


def test_priority_that_no_row_tells(context: Context, watch: Watch) -> None:
    """The one of the submission is what the first change changed, or what it still is."""
    first, second = waiting(context, priority=5), waiting(context, priority=6)
    then = watch.latest()
    with context.db.write() as tx:
        moves.record(
            tx, By("test", 1.0), "ACTION", job_id=first, subject="PRIORITY", from_value="5",
            to_value="-1",
        )  # fmt: skip
        moves.set_job(tx, first, priority=-1)
    found = watch.past(then).rows([first, second])
    assert {job_id: row["priority"] for job_id, row in found.items()} == {first: 5, second: 6}
    assert watch.past(watch.latest()).rows([first])[first]["priority"] == -1
