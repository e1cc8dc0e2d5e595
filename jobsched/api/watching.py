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

from jobsched import process
from jobsched.api import listing as listed
from jobsched.api import looking
from jobsched.api.listing import Past, Seen
from jobsched.context import Context
from jobsched.errors import NotFound
from jobsched.logfiles import sources
from jobsched.models import ClusterInfo, ClusterState
from jobsched.store import changes, listing, reads, views
from jobsched.store.database import Tx
from jobsched.store.listing import Counts
from jobsched.store.rows import HistoryRow as Change
from jobsched.store.rows import Limits
from jobsched.store.terms import Key, Order, Term
from jobsched.sweep.fence import identity_of

__all__ = ["AUDITED", "Change", "ProcessGroup", "Watch"]

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


class Watch:
    """A reader of one home, for one thread.

    Every method may raise ``StoreError``. After that, as after the database was replaced by another
    one, :meth:`close` lets the next question open it anew.
    """

    def __init__(self, context: Context) -> None:
        self._context = Context(context.home, context.config, context.clock, context.actor)

    def exists(self) -> bool:
        """Whether there is a database."""
        return self._context.home.exists()

    def close(self) -> None:
        """Close the connection; the next question opens another."""
        self._context.db.close()

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
            controller = _controller(tx, job_id)
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
        found = self._ask(lambda tx: _controller(tx, job_id), none)
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


def _controller(tx: Tx, job_id: int) -> list[ProcessGroup]:
    attempt = views.newest_attempts(tx, [job_id]).get(job_id)
    who = None if attempt is None else identity_of(attempt)
    if attempt is None or who is None:
        return []
    return [
        ProcessGroup(
            kind="controller", name=f"attempt {attempt.attempt}", pids=(who.pid,),
            seen=listed.seen(who), started_at=attempt.started_at,
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
