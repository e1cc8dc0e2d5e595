"""What a live console reads: cheap questions, asked again and again over a connection of its own.

Owns :class:`Watch`, which tells what has changed, which jobs match, and what is seen of a few of
them. Never writes and makes nothing on disk; where there is no database it answers as for an empty
one.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final, Literal, TypeVar

from jobsched import lock, process
from jobsched.api import listing as listed
from jobsched.api import looking
from jobsched.api.listing import Past, Seen
from jobsched.context import Context
from jobsched.errors import NotFound
from jobsched.home import Home
from jobsched.logfiles import sources
from jobsched.models import ClusterInfo, ClusterState
from jobsched.states import TaskStatus
from jobsched.store import changes, followers, listing, reads, views
from jobsched.store.rows import AttemptRow, Counts, JobRow, Limits
from jobsched.store.rows import HistoryRow as Change
from jobsched.store.terms import Key, Order, Term
from jobsched.store.tx import Tx
from jobsched.sweep.liveness import liveness

__all__ = ["AUDITED", "Change", "LockHeld", "ProcessGroup", "Watch"]

T = TypeVar("T")

#: What operators and the limits did, as opposed to the moves that follow from it.
AUDITED: Final = ("ACTION", "LIMIT")


@dataclass(frozen=True, slots=True, kw_only=True)
class ProcessGroup:
    """Processes of a job that have no other of its processes above them."""

    kind: Literal["controller", "cluster"]
    #: The cluster's; of a controller its attempt.
    name: str
    pids: tuple[int, ...]
    #: Whether they are what they were; of a cluster, whether its task's processes live.
    seen: Seen
    #: Unix seconds.
    started_at: float


@dataclass(frozen=True, slots=True, kw_only=True)
class LockHeld:
    """The scheduler lock is held, and was when it was looked at before."""

    #: Who holds it, as far as this user may see: one process, and those that inherited it.
    pids: tuple[int, ...]
    #: When it was first found held by them, in Unix seconds.
    since: float


class Watch:
    """A reader of one home, for one thread.

    Every method may raise ``StoreError``. After that, as after the database was replaced by another
    one, :meth:`close` lets the next question open it anew.
    """

    def __init__(self, context: Context) -> None:
        self._context = Context(context.home, context.config, context.clock, context.actor)
        #: What is known of controllers as of a version, so that a look at them asks nothing.
        self._acting: dict[int, tuple[JobRow, AttemptRow | None]] = {}
        self._acting_at = 0
        self._lock: LockHeld | None = None

    def exists(self) -> bool:
        """Whether there is a database."""
        return self._context.home.exists()

    def close(self) -> None:
        """Close the connection; the next question opens another."""
        self._context.db.close()
        self._acting.clear()

    # What has changed.

    def version(self) -> int:
        """Another number whenever anybody has committed; 0 without a database.

        Costs next to nothing: the rest need be asked only when this has changed.
        """
        return self._context.db.version() if self.exists() else 0

    def latest(self) -> int:
        """The ``seq`` of the newest row of the history; 0 if there is none."""
        return self._ask(changes.latest, 0)

    def changes(self, after: int, *, most: int = 5000) -> list[Change]:
        """The first ``most`` rows of the history after a ``seq``, in order."""
        return self._ask(lambda tx: changes.after(tx, after, most), [])

    def changes_before(
        self, before: int, *, most: int, kinds: Collection[str] = AUDITED
    ) -> list[Change]:
        """The last ``most`` rows of some kinds before a ``seq``, the newest first."""
        return self._ask(lambda tx: changes.before(tx, before, most, kinds), [])

    # Which jobs there are.

    def listing(
        self, terms: Sequence[Term] = (), sort: Sequence[Order] = (), *, now: float | None = None
    ) -> list[tuple[Key, int]]:
        """Sort key and id of *every* job that matches all ``terms``, in order.

        The newest first where ``sort`` does not tell. ``now``: for ages and runtimes.
        """
        at = self._now(now)
        return self._ask(lambda tx: listing.listing(tx, terms, sort, now=at), [])

    def matching(
        self,
        job_ids: Collection[int],
        terms: Sequence[Term] = (),
        sort: Sequence[Order] = (),
        *,
        now: float | None = None,
    ) -> dict[int, Key]:
        """The sort keys of those of some jobs that match, to bring a listing up to date.

        With a sort by runtime it takes the ``now`` of that listing.
        """
        at = self._now(now)
        return self._ask(lambda tx: listing.matching(tx, job_ids, terms, sort, now=at), {})

    def counts(self) -> Counts:
        """How many jobs there are of each kind."""
        return self._ask(listing.counts, Counts())

    def rows(self, job_ids: Collection[int]) -> dict[int, dict[str, Any]]:
        """Those of some jobs that there are, by id, as ``queue`` shows them, and two keys more.

        ``source``: the file as it was submitted. ``controller_seen``: what has the PID of its last
        controller now (:class:`Seen`, or ``None`` where no PID is known).
        """
        return self._ask(lambda tx: listed.rows(self._context, tx, job_ids), {})

    def alive(self, job_ids: Collection[int]) -> dict[int, bool | None]:
        """Whether the controllers of those of some jobs that are alive live, looked at now.

        ``None``: it cannot be told. Asks the database nothing while nobody commits.
        """
        version = self.version()
        if version != self._acting_at:
            self._acting.clear()
            self._acting_at = version
        new = [job_id for job_id in job_ids if job_id not in self._acting]
        if new:
            nobody: dict[int, tuple[JobRow, AttemptRow | None]] = {}
            self._acting |= self._ask(lambda tx: _acting(tx, new), nobody)
        known = ((job_id, self._acting.get(job_id)) for job_id in job_ids)
        return {
            job_id: liveness(self._context, *found).alive
            for job_id, found in known
            if found is not None and found[0].is_alive
        }

    def clusters(self) -> list[dict[str, Any]]:
        """All clusters that exist, oldest first. Raises ``BackendError``."""
        return looking.clusters(self._context)

    def followers(self, job_ids: Collection[int]) -> dict[int, list[int]]:
        """Who still waits for some jobs, and who for those, at any distance: by job."""
        return self._ask(lambda tx: followers.followers(tx, job_ids), {})

    def blocked(self) -> dict[int, dict[int, TaskStatus | None]]:
        """Jobs that wait in vain, with whom they wait for: how it ended, ``None`` if it is gone."""
        return self._ask(followers.blocked, {})

    def scheduler_lock(self) -> LockHeld | None:
        """Who holds the scheduler lock, if it is held and was at the last call.

        To look who that is costs a pass over all processes; a lock that is held for a moment, as
        it should be, costs nothing.
        """
        path, now = self._context.home.scheduler_lock, self._context.clock.now()
        before = self._lock
        if lock.probe(path) is not lock.Grip.HELD:
            self._lock = None
        elif before is None:
            self._lock = LockHeld(pids=(), since=now)
        else:
            pids = tuple(process.holders(path))
            # Before the second look nobody knows who it was: it may have been the same all along.
            same = pids == before.pids or not before.pids
            self._lock = LockHeld(pids=pids, since=before.since if same else now)
        return None if before is None else self._lock

    # The limits.

    def limits(self) -> Limits:
        """The limits in force, or those that would hold in a home that is not there yet."""
        return looking.limits(self._context)

    def limit_changes(self, since: float) -> list[Change]:
        """The changes of limits, and of the pause, after a moment (Unix seconds), in order."""
        return self._ask(lambda tx: changes.limit_changes(tx, since), [])

    def usage(self, since: float, steps: int, now: float) -> tuple[list[int], list[int]]:
        """How many launch slots and alive slots were used at even steps, the last of them ``now``.

        Costs what has happened since.
        """
        idle = [0] * steps
        return self._ask(lambda tx: changes.usage(tx, since, steps, now), (idle, list(idle)))

    # One job.

    def show(self, job_id: int) -> dict[str, Any]:
        """One job with its history; what was submitted: ``yaml``, ``source``, ``dag``.

        These three, the last a ``DagSpec``, are ``None`` before its submission. And, as in
        :meth:`rows`, ``controller_seen``. Raises ``NotFound``.
        """
        shown = looking.show(self._context, job_id)
        with self._context.db.read() as tx:
            controller = _controller(self._context.home, tx, job_id)
            return {
                **shown,
                **listed.stored(tx, job_id),
                "controller_seen": controller[0].seen if controller else None,
            }

    def processes(self, job_id: int) -> list[ProcessGroup]:
        """Its last controller and its clusters, as far as PIDs are known; also orphaned ones.

        Raises ``BackendError`` if the clusters cannot be looked at.
        """
        none: list[ProcessGroup] = []
        found = self._ask(lambda tx: _controller(self._context.home, tx, job_id), none)
        if not self._context.home.clusters.exists():
            return found
        clusters = self._context.backend().clusters()
        return found + [_cluster(one) for one in clusters if one.job_id == job_id]

    def log_paths(self, job_id: int) -> list[tuple[str, Path]]:
        """Label and path of each log that it may have: the controller's, then each task's nodes'.

        In the order in which they are written. Raises ``NotFound``.
        """
        looking.require_home(self._context, job_id)
        with self._context.db.read() as tx:
            tasks = reads.tasks_of(tx, job_id)
            dag = listed.stored(tx, job_id)["dag"]
        if not tasks:
            raise NotFound("job", job_id)
        home = self._context.home
        controller = sources.controller_log(home, job_id)
        every = (*controller.all, *sources.task_logs(home, job_id, tasks, dag).all)
        return [(source.label, source.path) for source in every]

    # The past.

    def moment(self, at: float) -> int:
        """The newest ``seq`` at or before a wall time (Unix seconds); 0 if there is none."""
        return self._ask(lambda tx: changes.moment(tx, at), 0)

    def past(self, seq: int) -> Past:
        """The home as of that row. Close it when it is no longer looked at."""
        return Past(self._context, seq)

    def _now(self, now: float | None) -> float:
        return self._context.clock.now() if now is None else now

    def _ask(self, question: Callable[[Tx], T], without: T) -> T:
        """The answer of one moment; ``without`` a database, that."""
        if not self.exists():
            return without
        with self._context.db.read() as tx:
            return question(tx)


def _acting(tx: Tx, job_ids: Sequence[int]) -> dict[int, tuple[JobRow, AttemptRow | None]]:
    jobs = listing.jobs_of(tx, job_ids)
    attempts = views.newest_attempts(tx, [job.job_id for job in jobs if job.is_alive])
    return {job.job_id: (job, attempts.get(job.job_id)) for job in jobs}


def _controller(home: Home, tx: Tx, job_id: int) -> list[ProcessGroup]:
    job, attempt = reads.job(tx, job_id), views.newest_attempts(tx, [job_id]).get(job_id)
    seen = None if job is None else listed.controller_seen(home, job, attempt)
    if attempt is None or attempt.pid is None or seen is None:
        return []
    return [
        ProcessGroup(
            kind="controller", name=f"attempt {attempt.attempt}", pids=(attempt.pid,),
            seen=seen, started_at=attempt.started_at,
        )
    ]  # fmt: skip


_SEEN: Final = {ClusterState.UP: Seen.SAME, ClusterState.UNKNOWN: Seen.UNKNOWN}


def _cluster(cluster: ClusterInfo) -> ProcessGroup:
    return ProcessGroup(
        kind="cluster", name=cluster.name, pids=tuple(_roots(cluster.pids)),
        seen=_SEEN.get(cluster.state, Seen.GONE), started_at=cluster.created_at,
    )  # fmt: skip


def _roots(pids: Sequence[int]) -> Iterator[int]:
    """Those that do not descend from one before them."""
    below: set[int] = set()
    for pid in pids:
        if pid not in below:
            yield pid
            below.update(process.descendants(pid))
