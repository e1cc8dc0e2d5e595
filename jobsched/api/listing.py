"""Jobs as a list shows them: those on the screen now, and everything as of a row of the history.

Owns what a row has besides what ``queue`` shows, and :class:`Past`, which answers in the same
shapes as the present. What history does not keep (processes, places, exit codes, why something
waited) is ``None`` there.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from enum import StrEnum, unique
from typing import Any

from jobsched import lock, process
from jobsched.api import looking, shapes
from jobsched.context import Context
from jobsched.errors import NotFound
from jobsched.home import Home
from jobsched.lock import Grip
from jobsched.models import DagSpec
from jobsched.process import Identity
from jobsched.scheduler import facts
from jobsched.scheduler.reasons import Facts
from jobsched.store import changes, listing, reads, views
from jobsched.store.past import JobThen, Tables, TaskThen, jobs_then
from jobsched.store.rows import AttemptRow, Counts, JobRow, Limits
from jobsched.store.terms import Key, Order, Term
from jobsched.store.tx import Tx
from jobsched.sweep.fence import identity_of


@unique
class Seen(StrEnum):
    """What has the PID that a process once had."""

    #: That very process.
    SAME = "same"
    #: Another process.
    REUSED = "reused"
    #: None, or that one, which has nothing to do with it any more.
    GONE = "gone"
    #: It cannot be told: it was seen from another PID namespace, or the process table hides it.
    UNKNOWN = "unknown"


def controller_seen(home: Home, job: JobRow, attempt: AttemptRow | None) -> Seen | None:
    """Look for the process of an attempt now; ``None`` if it never had one that is known.

    One that has given back the lock of its attempt when the job was DONE may drive another job.
    """
    who = None if attempt is None else identity_of(attempt)
    if attempt is None or who is None:
        return None
    found = seen(who)
    if found is Seen.SAME and job.is_done:
        path = home.attempt_lock(attempt.job_id, attempt.attempt)
        return Seen.GONE if lock.probe(path) is Grip.FREE else found
    return found


def seen(who: Identity) -> Seen:
    """Look for a process now."""
    match process.is_same(who):
        case True:
            return Seen.SAME
        case None:
            return Seen.UNKNOWN
        case False:
            return Seen.GONE if process.identify(who.pid) is None else Seen.REUSED


def rows(context: Context, tx: Tx, job_ids: Collection[int]) -> dict[int, dict[str, Any]]:
    """Those of some jobs that there are, by id."""
    files = listing.sources_of(tx, job_ids)
    found = facts.gather(context, tx, listing.jobs_of(tx, job_ids), context.clock.now())
    return {one.job.job_id: _row(context.home, one, files) for one in found}


def _row(home: Home, found: Facts, files: dict[int, str]) -> dict[str, Any]:
    return {
        **shapes.job_object(home, found),
        "source": files.get(found.job.job_id),
        "controller_seen": controller_seen(home, found.job, found.attempt),
    }


def stored(tx: Tx, job_id: int) -> dict[str, Any]:
    """What was submitted: ``yaml``, ``source``, ``dag``; each ``None`` if nothing was yet."""
    snapshot = reads.snapshot(tx, job_id)
    if snapshot is None:
        return {"yaml": None, "source": None, "dag": None}
    return {
        "yaml": snapshot["yaml"],
        "source": snapshot["source"],
        "dag": DagSpec.from_json(snapshot["dag"]),
    }


class Past:
    """The home as of a row of its history. Belongs to the thread of the watch that gave it out.

    Jobs that were created later are not in it, nor are jobs that have been pruned since. A listing,
    counts and limits cost one pass over all jobs, once; rows and one job cost their own history.
    """

    def __init__(self, context: Context, seq: int) -> None:
        self._context = context
        self._tables: Tables | None = None
        #: The row, and when it was written.
        self.seq, self.at = seq, 0.0
        if context.home.exists():
            with context.db.read() as tx:
                self.at = changes.time_of(tx, seq)

    def listing(
        self, terms: Sequence[Term] = (), sort: Sequence[Order] = ()
    ) -> list[tuple[Key, int]]:
        """Sort key and id of every job that matched then, in order; ages are those of then."""
        tables = self._all()
        if tables is None:
            return []
        if listing.needs_source(terms):
            with self._context.db.read() as tx:
                tables.add_sources(tx)
        return listing.listing(tables.tx, terms, sort, now=self.at)

    def counts(self) -> Counts:
        """How many jobs there were of each kind."""
        tables = self._all()
        return Counts() if tables is None else listing.counts(tables.tx)

    def limits(self) -> Limits:
        """The limits that were in force, and what was used of them; never said to be automatic."""
        tables = self._all()
        return looking.limits(self._context) if tables is None else reads.current_limits(tables.tx)

    def rows(self, job_ids: Collection[int]) -> dict[int, dict[str, Any]]:
        """Those of some jobs that there were, by id, with the keys of rows of the present."""
        if not self._context.home.exists():
            return {}
        with self._context.db.read() as tx:
            return self._rows(tx, job_ids)

    def show(self, job_id: int) -> dict[str, Any]:
        """One job with its history up to then. Raises ``NotFound`` if it was not there yet."""
        looking.require_home(self._context, job_id)
        with self._context.db.read() as tx:
            row = self._rows(tx, [job_id]).get(job_id)
            if row is None:
                raise NotFound("job", job_id)
            record = [one for one in views.record_of(tx, job_id) if one.seq <= self.seq]
            submission = stored(tx, job_id)
        return {
            **row,
            "history": shapes.move_objects(record),
            "actions": shapes.action_objects(record),
            **(submission if row["submitted_at"] is not None else dict.fromkeys(submission)),
        }

    def close(self) -> None:
        """Give back what is kept in memory; asked again, it is made again."""
        if self._tables is not None:
            self._tables.close()
            self._tables = None

    def _all(self) -> Tables | None:
        if self._tables is None and self._context.home.exists():
            with self._context.db.read() as tx:
                self._tables = Tables(tx, self.seq)
        return self._tables

    def _rows(self, tx: Tx, job_ids: Collection[int]) -> dict[int, dict[str, Any]]:
        then = jobs_then(tx, self.seq, job_ids)
        files = listing.sources_of(tx, list(then))
        return {
            job_id: _job_then(self._context.home, job, files.get(job_id))
            for job_id, job in then.items()
        }


def _job_then(home: Home, job: JobThen, source: str | None) -> dict[str, Any]:
    return {
        "job_id": job.job_id,
        "name": job.name,
        "schedule_state": str(job.schedule_state),
        "status": str(job.status),
        "priority": job.priority,
        "attempt": job.attempt,
        "controller_pid": None,
        "controller_alive": None,
        "submitted_at": job.submitted_at,
        "started_at": job.started_at,
        "ended_at": job.ended_at,
        "recovery_count": None,
        "restart_count": None,
        "failure_reason": job.failure_reason,
        "waiting_reason": None,
        "waiting_text": None,
        "held": bool(job.hold),
        "cancel_requested": job.cancel_at is not None,
        "tasks": [_task_then(home, job.job_id, task) for _, task in sorted(job.tasks.items())],
        "source": None if job.submitted_at is None else source,
        "controller_seen": None,
    }


def _task_then(home: Home, job_id: int, task: TaskThen) -> dict[str, Any]:
    return {
        "task_id": task.task_id,
        "name": task.name,
        "status": str(task.status),
        "cluster": None,
        "region": None,
        "exit_code": None,
        "recovery_count": None,
        "restart_count": None,
        "started_at": task.started_at,
        "ended_at": task.ended_at,
        "failure_reason": task.failure_reason,
        "cleanup_error": None,
        "log_path": str(home.task_log(job_id, task.task_id)),
    }
