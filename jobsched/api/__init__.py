"""The door: everything that the command line, the console and embedding programs can do or ask.

Owns nothing but the list: each method hands its context to the module that does the work. Whoever
only asks makes nothing on disk; whoever acts has run a scheduling pass when the method returns.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from jobsched.api import looking, submitting
from jobsched.api.listing import Past, Seen
from jobsched.api.looking import Capacity
from jobsched.api.submitting import FileReport, Given, Submitted
from jobsched.api.waiting import OnChange, WaitResult
from jobsched.api.waiting import wait as wait_until_done
from jobsched.api.watching import Change, ProcessGroup, Watch
from jobsched.config import Provenance
from jobsched.context import Context, open_context, operator
from jobsched.logfiles.follower import Follower, once, stream
from jobsched.scheduler import (
    aftercare,
    ending,
    operate,
    passes,
    slot,
    statuses,
    submission,
    ticker,
)
from jobsched.scheduler.ending import Cancelled
from jobsched.scheduler.expected import Expected
from jobsched.scheduler.reasons import Reason, ReasonCode
from jobsched.scheduler.wording import checked_reason
from jobsched.states import ScheduleState, TaskStatus
from jobsched.store.rows import Counts, Limits
from jobsched.store.terms import Field, Key, Op, Order, OrderBy, Term
from jobsched.store.views import Filter
from jobsched.sweep.orphans import Removed
from jobsched.sweep.pruning import prune

if TYPE_CHECKING:
    from jobsched.audit import Report

__all__ = [
    "Cancelled", "Capacity", "Change", "Counts", "Expected", "Field", "FileReport", "Key",
    "Limits", "Op", "Order", "OrderBy", "Past", "ProcessGroup", "Provenance", "Reason",
    "ReasonCode", "Removed", "Scheduler", "Seen", "Submitted", "Term", "WaitResult", "Watch",
    "operator",
]  # fmt: skip


class Scheduler:
    """A scheduler on one home; on the default home if none is given.

    ``actor``: what history says of who acts. ``context``: instead of both.
    """

    def __init__(
        self,
        home: str | Path | None = None,
        *,
        actor: str = "library",
        context: Context | None = None,
    ) -> None:
        root = None if home is None else Path(home)
        self.context = open_context(root, actor=actor) if context is None else context

    @property
    def home(self) -> Path:
        """The state directory; it may not be there yet."""
        return self.context.home.root

    # For embedding programs: like the functions of the same names in ``scheduler``, ``state``,
    # ``logs``, on this home.

    def create_job(self, name: str, task_names: Sequence[str]) -> int:
        """A new INACTIVE job with PENDING tasks; its id. Raises ``InvalidInput``."""
        return submission.create_job(self.context, name, task_names)

    def submit_job(self, job_id: int, dag_yaml_path: str | Path) -> None:
        """Store a DAG with an INACTIVE job and let it wait for its turn.

        Raises ``InvalidDag``, ``NotFound``, ``IllegalMove``, ``ValueError``.
        """
        looking.require_home(self.context, job_id)
        submission.submit_job(self.context, job_id, dag_yaml_path)

    def get_job_schedule_state(self, job_id: int) -> ScheduleState:
        """Where the job stands with the scheduler. Raises ``NotFound``."""
        return statuses.schedule_state(self.context, job_id)

    def set_task_status(
        self, job_id: int, task_id: int, status: TaskStatus | str, reason: str | None = None
    ) -> None:
        """Move a task by a legal move; for the job's controller only.

        Raises ``IllegalMove``, ``NoAttempt``, ``StaleAttempt``, ``NotFound``.
        """
        statuses.set_task_status(self.context, job_id, task_id, status, reason)

    def cancel_requested(self, job_id: int) -> bool:
        """Whether somebody has asked for the job's end. Raises ``NotFound``."""
        return statuses.cancel_requested(self.context, job_id)

    def maybe_schedule_next_jobs(self) -> None:
        """Run a scheduling pass: afterwards nothing waits beside free capacity."""
        self.context.ensure_home()
        passes.run_pass(self.context, thorough=True)

    def scheduled_launch(self, job_id: int) -> AbstractContextManager[None]:
        """Hold the job's launch slot for the block; for its controller only.

        Raises ``Cancelled``, ``StaleAttempt``, ``NoAttempt``.
        """
        return slot.scheduled_launch(self.context, job_id)

    def job_done(
        self,
        job_id: int,
        idempotent: bool = False,  # noqa: FBT001, FBT002 -- the signature that callers know
        status: TaskStatus | str | None = None,
        reason: str | None = None,
    ) -> None:
        """End a job: by its controller the normal end, by anybody else by force.

        Raises ``IllegalMove`` on DONE (unless ``idempotent``), ``NotFound``, ``StaleAttempt``.
        """
        ending.job_done(self.context, job_id, idempotent=idempotent, status=status, reason=reason)

    def follow(
        self,
        job_id: int,
        task: int | str | None = None,
        controller: bool = False,  # noqa: FBT001, FBT002 -- the signature that callers know
        *,
        lines: int | None = None,
    ) -> Iterator[bytes]:
        """What a job prints, as it comes, until it is DONE. Raises ``NotFound`` at once.

        From the beginning, or with the last ``lines`` lines.
        """
        follower = Follower(self.context, job_id, task, controller=controller, lines=lines)
        return ticker.ticking(self.context, stream(follower, self.context.clock))

    def tail(
        self,
        job_id: int,
        task: int | str | None = None,
        controller: bool = False,  # noqa: FBT001, FBT002 -- the signature that callers know
        lines: int | None = None,
    ) -> bytes:
        """The last ``lines`` lines that a job has printed (``None``: all). Raises ``NotFound``."""
        follower = Follower(self.context, job_id, task, controller=controller, lines=lines)
        return b"".join(once(follower))

    # Submitting.

    def submit(
        self,
        files: Sequence[Path],
        *,
        name: str | None = None,
        envs: Mapping[str, str] | None = None,
        secrets: Mapping[str, str] | None = None,
        priority: int | None = None,
        after: Sequence[int] = (),
        hold: bool = False,
    ) -> list[Submitted]:
        """Submit each file as a job, all or none.

        Raises ``InvalidDag`` with the problems of all files, or ``NotFound`` for an id in
        ``after``.
        """
        given = Given(
            name=name, envs=envs or {}, secrets=secrets or {}, priority=priority, after=after,
            hold=hold,
        )  # fmt: skip
        return submitting.submit(self.context, files, given)

    def validate(
        self,
        files: Sequence[Path],
        *,
        envs: Mapping[str, str] | None = None,
        secrets: Mapping[str, str] | None = None,
    ) -> list[FileReport]:
        """Judge files without storing anything."""
        given = Given(envs=envs or {}, secrets=secrets or {})
        return submitting.validate(self.context, files, given)

    def rerun(self, job_id: int, *, secrets: Mapping[str, str] | None = None) -> int:
        """A new job from what is stored of another; its id.

        Raises ``NotFound``, or ``InvalidInput`` naming every secret whose value is missing.
        """
        self.get_job_schedule_state(job_id)  # a job that is not there has nothing stored either
        return submission.rerun(self.context, job_id, secrets or {})

    # Looking.

    def queue(
        self,
        *,
        all: bool = False,  # noqa: A002 -- named like the option
        statuses: Collection[TaskStatus] = (),
        name: str | None = None,
        limit: int = 50,
    ) -> list[dict[str, Any]]:
        """One page of jobs that are not DONE (``all``: also those), newest first.

        ``statuses``: only jobs with one of these, also DONE ones.
        """
        wanted = Filter(all=all, statuses=statuses, name=name, limit=limit)
        return looking.queue(self.context, wanted)

    def show(self, job_id: int) -> dict[str, Any]:
        """One job with its history. Raises ``NotFound``."""
        return looking.show(self.context, job_id)

    def why(self, job_id: int) -> Reason:
        """Why a job is where it is. Raises ``NotFound``."""
        return looking.why(self.context, job_id)

    def capacity(self) -> Capacity:
        """What the machine has room for: the automatic limits, and what they are reckoned from."""
        return looking.capacity(self.context)

    def limits(self) -> Limits:
        """The limits in force, or those that would hold in a home that is not there yet."""
        return looking.limits(self.context)

    def settings(self) -> list[Provenance]:
        """Every setting in force, as ``config.toml`` would write it, and whence it comes.

        Raises ``ConfigError`` with every mistake.
        """
        return looking.settings(self.context)

    def ids_named(self, name: str) -> list[int]:
        """Ids of unfinished jobs of that name, oldest first."""
        return looking.unfinished(self.context, name)

    def unfinished_ids(self) -> list[int]:
        """Ids of all unfinished jobs, oldest first."""
        return looking.unfinished(self.context)

    def clusters(self) -> list[dict[str, Any]]:
        """All clusters that exist, oldest first."""
        return looking.clusters(self.context)

    def watch(self) -> Watch:
        """A reader for a live console, with a connection of its own; for one thread."""
        return Watch(self.context)

    def check(self) -> Report:
        """Verify the invariants; what was found."""
        from jobsched import audit  # noqa: PLC0415 -- dear to load, and rarely asked for

        return audit.check(self.context)

    def wait(
        self,
        job_ids: Iterable[int],
        *,
        timeout: float | None = None,
        on_change: OnChange | None = None,
    ) -> dict[int, WaitResult]:
        """Wait until all are DONE, at most ``timeout`` seconds, ticking meanwhile.

        ``on_change`` is told of each job's status, at first and whenever it is another.
        """
        return wait_until_done(self.context, job_ids, timeout=timeout, on_change=on_change)

    # Acting. ``reason`` is kept in the history, and must be a line of text, else ``InvalidInput``
    # is raised. ``expect`` is how the job stood when the caller decided: if it stands otherwise by
    # now, ``Changed`` is raised. Either way nothing was done to it.

    def cancel(
        self,
        job_ids: Sequence[int],
        *,
        reason: str | None = None,
        expect: Mapping[int, Expected] | None = None,
    ) -> Cancelled:
        """Ask for the end of jobs; a fact in the database when this returns.

        Raises nothing for a job that stands otherwise than ``expect`` says of its id: it is among
        ``changed`` of the result.
        """
        if not self.context.home.exists():
            return Cancelled(missing=list(job_ids))
        return ending.cancel(self.context, job_ids, checked_reason(reason), expect=expect)

    def done(
        self, job_id: int, *, reason: str | None = None, expect: Expected | None = None
    ) -> None:
        """End a job by force. Raises ``NotFound``, ``Changed``, ``IllegalMove`` if it is DONE."""
        ending.job_done(self.context, job_id, reason=checked_reason(reason), expect=expect)

    def requeue(
        self, job_id: int, *, reason: str | None = None, expect: Expected | None = None
    ) -> list[int]:
        """End a job's attempt and start the next; PIDs that would not end.

        Raises ``NotFound``, ``IllegalMove``, ``Changed``.
        """
        looking.require_home(self.context, job_id)
        return operate.requeue(self.context, job_id, checked_reason(reason), expect=expect)

    def hold(
        self, job_id: int, *, reason: str | None = None, expect: Expected | None = None
    ) -> None:
        """Let no pass move the job into LAUNCHING.

        Raises ``NotFound``, ``IllegalMove``, ``Changed``.
        """
        looking.require_home(self.context, job_id)
        operate.set_hold(
            self.context, job_id, held=True, reason=checked_reason(reason), expect=expect
        )

    def release(
        self, job_id: int, *, reason: str | None = None, expect: Expected | None = None
    ) -> None:
        """Undo :meth:`hold`. Raises ``NotFound``, ``IllegalMove``, ``Changed``."""
        looking.require_home(self.context, job_id)
        operate.set_hold(
            self.context, job_id, held=False, reason=checked_reason(reason), expect=expect
        )

    def set_priority(
        self,
        job_id: int,
        priority: int,
        *,
        reason: str | None = None,
        expect: Expected | None = None,
    ) -> None:
        """Change a job's priority, -1000 to 1000.

        Raises ``NotFound``, ``IllegalMove``, ``Changed``, ``InvalidInput``.
        """
        looking.require_home(self.context, job_id)
        operate.set_priority(self.context, job_id, priority, checked_reason(reason), expect=expect)

    def set_limits(
        self,
        *,
        launch: int | str | None = None,
        alive: int | str | None = None,
        paused: bool | None = None,
        reason: str | None = None,
    ) -> Limits:
        """Change limits (a number, or ``"auto"``) or the pause; what is in force then.

        Raises ``InvalidInput``.
        """
        return operate.set_limits(
            self.context,
            launch=launch,
            alive=alive,
            paused=paused,
            reason=checked_reason(reason),
        )

    def preempt(self, cluster: str) -> None:
        """Lose a cluster on purpose. Raises ``BackendError``."""
        self.context.backend().preempt(cluster)
        if self.context.home.exists():
            aftercare.follow_up(self.context)

    def sweep(self) -> list[Removed]:
        """Take back what the dead left, remove orphans, reschedule."""
        self.context.ensure_home()
        return ticker.sweep(self.context)

    def prune(self, *, older_than: float | None, keep: int | None) -> int:
        """Forget DONE jobs that ended ``older_than`` seconds ago, but the ``keep`` newest.

        ``None``: however short that is ago; none is kept. How many were forgotten.
        """
        if not self.context.home.exists():
            return 0
        pruned = prune(self.context, older_than=older_than, keep=keep)
        aftercare.follow_up(self.context)
        return pruned
