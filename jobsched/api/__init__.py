"""The door: everything that the command line, the console and embedding programs can do or ask.

Owns nothing but the order of calls: each method hands its context to the module that does the work.
Readers of a missing home answer as for an empty one and make nothing on disk.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar

from jobsched.api import shapes
from jobsched.api.waiting import OnChange, WaitResult
from jobsched.api.waiting import wait as wait_until_done
from jobsched.context import Context, open_context
from jobsched.errors import InvalidDag, NotFound, Problem
from jobsched.models import DagSpec
from jobsched.scheduler import ending, operate, passes, reasons, slot, statuses, ticker
from jobsched.scheduler.ending import Cancelled
from jobsched.scheduler.reasons import Reason, ReasonCode
from jobsched.states import ScheduleState, TaskStatus
from jobsched.store import reads, views
from jobsched.store.rows import Limits
from jobsched.sweep.orphans import Removed

T = TypeVar("T")

__all__ = [
    "Cancelled",
    "FileReport",
    "Limits",
    "Reason",
    "ReasonCode",
    "Removed",
    "Scheduler",
    "Submitted",
    "WaitResult",
]


@dataclass(frozen=True, slots=True)
class Submitted:
    """A job that was just submitted, and what its file made us warn of."""

    job_id: int
    name: str
    warnings: tuple[Problem, ...] = ()


@dataclass(frozen=True, slots=True)
class FileReport:
    """What is to be said of one file. ``spec`` is ``None`` where there are problems."""

    file: Path
    spec: DagSpec | None
    problems: tuple[Problem, ...] = ()
    warnings: tuple[Problem, ...] = ()


class Scheduler:
    """A scheduler on one home; the default home if none is given."""

    def __init__(
        self,
        home: str | Path | None = None,
        *,
        actor: str = "library",
        context: Context | None = None,
    ) -> None:
        root = None if home is None else Path(home)
        self.context = open_context(root, actor=actor) if context is None else context

    # For embedding programs; see the functions of the same names in ``scheduler`` and ``state``.

    def create_job(self, name: str, task_names: Sequence[str]) -> int:
        """A new INACTIVE job; its id."""
        from jobsched.scheduler import submission  # noqa: PLC0415 -- loads YAML

        return submission.create_job(self.context, name, task_names)

    def submit_job(self, job_id: int, dag_yaml_path: str | Path) -> None:
        """Store a DAG with an INACTIVE job and let it wait for its turn."""
        from jobsched.scheduler import submission  # noqa: PLC0415 -- loads YAML

        submission.submit_job(self.context, job_id, dag_yaml_path)

    def get_job_schedule_state(self, job_id: int) -> ScheduleState:
        """Where the job stands with the scheduler."""
        return statuses.schedule_state(self.context, job_id)

    def set_task_status(
        self, job_id: int, task_id: int, status: TaskStatus | str, reason: str | None = None
    ) -> None:
        """Move a task by a legal move; for the job's controller."""
        statuses.set_task_status(self.context, job_id, task_id, status, reason)

    def cancel_requested(self, job_id: int) -> bool:
        """Whether somebody has asked for the job's end."""
        return statuses.cancel_requested(self.context, job_id)

    def maybe_schedule_next_jobs(self) -> None:
        """Run a scheduling pass."""
        self.context.ensure_home()
        passes.run_pass(self.context)

    def scheduled_launch(self, job_id: int) -> AbstractContextManager[None]:
        """Hold the job's launch slot for the block; for the job's controller."""
        return slot.scheduled_launch(self.context, job_id)

    def job_done(
        self,
        job_id: int,
        idempotent: bool = False,  # noqa: FBT001, FBT002 -- the signature that callers know
        status: TaskStatus | str | None = None,
        reason: str | None = None,
    ) -> None:
        """End a job: by its controller the normal end, by anybody else by force."""
        self._require(job_id)
        ending.job_done(self.context, job_id, idempotent=idempotent, status=status, reason=reason)

    def follow(
        self, job_id: int, task: int | str | None = None, *, controller: bool = False
    ) -> Iterator[bytes]:
        """What a job prints, as it comes, until it is DONE."""
        from jobsched.logs import follow_in  # noqa: PLC0415 -- a sibling door

        return follow_in(self.context, job_id, task=task, controller=controller)

    def tail(
        self,
        job_id: int,
        task: int | str | None = None,
        *,
        controller: bool = False,
        lines: int | None = None,
    ) -> bytes:
        """The last lines that a job has printed (all, if not said how many)."""
        from jobsched.logs import tail_in  # noqa: PLC0415 -- a sibling door

        return tail_in(self.context, job_id, task=task, controller=controller, lines=lines)

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
        """Submit each file as a job, all or none. Raises ``InvalidDag`` with all their problems."""
        from jobsched.scheduler import submission  # noqa: PLC0415 -- loads YAML

        reports, loaded = [], []
        for file in files:
            report, dag = self._judge(file, name, envs, secrets, mode="submit")
            reports.append(report)
            loaded.append(dag)
        problems = [problem for report in reports for problem in report.problems]
        if problems:
            raise InvalidDag(problems)
        env = submission.stored_env(self.context)
        jobs = [
            submission.Submission(
                loaded=dag, source=str(file), priority=priority, after=after, hold=hold, env=env
            )
            for file, dag in zip(files, loaded, strict=True)
        ]
        ids = submission.submit_new(self.context, jobs)
        return [
            Submitted(job_id, dag.spec.name, dag.warnings)
            for job_id, dag in zip(ids, loaded, strict=True)
        ]

    def validate(
        self,
        files: Sequence[Path],
        *,
        envs: Mapping[str, str] | None = None,
        secrets: Mapping[str, str] | None = None,
    ) -> list[FileReport]:
        """Judge files without storing anything."""
        return [self._judge(file, None, envs, secrets, mode="validate")[0] for file in files]

    def _judge(
        self,
        file: Path,
        name: str | None,
        envs: Mapping[str, str] | None,
        secrets: Mapping[str, str] | None,
        *,
        mode: Any,
    ) -> tuple[FileReport, Any]:
        from jobsched.scheduler import submission  # noqa: PLC0415 -- loads YAML

        try:
            dag = submission.load(file, name=name, envs=envs, secrets=secrets, mode=mode)
        except InvalidDag as invalid:
            return FileReport(file, None, invalid.problems), None
        return FileReport(file, dag.spec, (), dag.warnings), dag

    def rerun(self, job_id: int, *, secrets: Mapping[str, str] | None = None) -> int:
        """A new job from what is stored of another; its id. Raises ``InvalidInput`` for secrets."""
        from jobsched.scheduler import submission  # noqa: PLC0415 -- loads YAML

        self._require(job_id)
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
        """One page of jobs, newest first."""
        if not self.context.home.exists():
            return []
        wanted = views.Filter(all=all, statuses=statuses, name=name, limit=limit)
        now = self.context.clock.now()
        with self.context.db.read() as tx:
            jobs = views.page(tx, wanted)
            attempts = views.newest_attempts(tx, jobs)
            facts = [reasons.gather(self.context, tx, job, now) for job in jobs]
        return [shapes.job_object(self.context, one, attempts.get(one.job.job_id)) for one in facts]

    def show(self, job_id: int) -> dict[str, Any]:
        """One job with its history. Raises ``NotFound``."""
        self._require(job_id)
        with self.context.db.read() as tx:
            job = reads.job(tx, job_id)
            if job is None:
                raise NotFound("job", job_id)
            facts = reasons.gather(self.context, tx, job, self.context.clock.now())
            attempt = views.newest_attempts(tx, [job]).get(job_id)
            record = views.record_of(tx, job_id)
        return {
            **shapes.job_object(self.context, facts, attempt),
            "history": shapes.move_objects(record),
            "actions": shapes.action_objects(record),
        }

    def why(self, job_id: int) -> Reason:
        """Why a job is where it is. Raises ``NotFound``."""
        return reasons.why(self.context, job_id)

    def limits(self) -> Limits:
        """The limits in force, or those that would hold in a home that is not there yet."""
        if self.context.home.exists():
            with self.context.db.read() as tx:
                return reads.current_limits(tx)
        wanted, auto = self.context.config.limits, self.context.auto_limits()
        return Limits(
            launch=auto[0] if wanted.launch is None else wanted.launch,
            launch_auto=wanted.launch is None,
            alive=auto[1] if wanted.alive is None else wanted.alive,
            alive_auto=wanted.alive is None,
            paused=False,
        )

    def ids_named(self, name: str) -> list[int]:
        """Ids of unfinished jobs of that name, oldest first."""
        return self._unfinished(name)

    def unfinished_ids(self) -> list[int]:
        """Ids of all unfinished jobs, oldest first."""
        return self._unfinished(None)

    def clusters(self) -> list[dict[str, Any]]:
        """All clusters that exist, oldest first."""
        if not self.context.home.clusters.exists():
            return []
        return [
            {
                "name": one.name,
                "job_id": one.job_id,
                "task_id": one.task_id,
                "attempt": one.attempt,
                "region": one.region,
                "num_nodes": one.num_nodes,
                "state": str(one.state),
                "created_at": one.created_at,
                "pids": list(one.pids),
            }
            for one in self.context.backend().clusters()
        ]

    def wait(
        self,
        job_ids: Iterable[int],
        *,
        timeout: float | None = None,
        on_change: OnChange | None = None,
    ) -> dict[int, WaitResult]:
        """Wait until all are DONE, at most ``timeout`` seconds, ticking meanwhile."""
        return wait_until_done(self.context, job_ids, timeout=timeout, on_change=on_change)

    # Acting.

    def cancel(self, job_ids: Sequence[int], *, reason: str | None = None) -> Cancelled:
        """Ask for the end of jobs; a fact in the database when this returns."""
        if not self.context.home.exists():
            return Cancelled(missing=list(job_ids))
        return ending.cancel(self.context, job_ids, reason)

    def done(self, job_id: int, *, reason: str | None = None) -> None:
        """End a job by force. Raises ``NotFound``, or ``IllegalMove`` if it is DONE."""
        self.job_done(job_id, reason=reason)

    def requeue(self, job_id: int) -> list[int]:
        """End a job's attempt and start the next; PIDs that would not end."""
        return self._on(job_id, lambda: operate.requeue(self.context, job_id))

    def hold(self, job_id: int) -> None:
        """Let no pass move the job into LAUNCHING."""
        self._on(job_id, lambda: operate.set_hold(self.context, job_id, held=True))

    def release(self, job_id: int) -> None:
        """Undo :meth:`hold`."""
        self._on(job_id, lambda: operate.set_hold(self.context, job_id, held=False))

    def set_priority(self, job_id: int, priority: int) -> None:
        """Change a job's priority, -1000 to 1000."""
        self._on(job_id, lambda: operate.set_priority(self.context, job_id, priority))

    def set_limits(
        self,
        *,
        launch: int | str | None = None,
        alive: int | str | None = None,
        paused: bool | None = None,
        reason: str | None = None,
    ) -> Limits:
        """Change limits or the pause; what is in force then."""
        return operate.set_limits(
            self.context, launch=launch, alive=alive, paused=paused, reason=reason
        )

    def preempt(self, cluster: str) -> None:
        """Lose a cluster on purpose. Raises ``BackendError``."""
        self.context.backend().preempt(cluster)

    def sweep(self) -> list[Removed]:
        """Take back what the dead left, remove orphans, reschedule."""
        self.context.ensure_home()
        return ticker.sweep(self.context)

    def check(self) -> Any:
        """Verify the invariants; the report."""
        from jobsched import audit  # noqa: PLC0415 -- for this command alone

        return audit.check(self.context)

    def prune(self, *, older_than: float | None = None, keep: int | None = None) -> int:
        """Forget DONE jobs that ended so many seconds ago, but for the newest; how many."""
        from jobsched.sweep.pruning import prune  # noqa: PLC0415 -- for this command alone

        if not self.context.home.exists():
            return 0
        return prune(self.context, older_than=older_than, keep=keep)

    def _unfinished(self, name: str | None) -> list[int]:
        if not self.context.home.exists():
            return []
        with self.context.db.read() as tx:
            return views.unfinished_ids(tx, name)

    def _on(self, job_id: int, act: Callable[[], T]) -> T:
        self._require(job_id)
        return act()

    def _require(self, job_id: int) -> None:
        if not self.context.home.exists():
            raise NotFound("job", job_id)
