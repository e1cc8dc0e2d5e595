"""How a job comes to be: created, then submitted with everything that it needs stored beside it.

Owns what is captured at submission. After the commit nothing of the submitter matters any more: not
its files' later edits, not its environment, not its working directory.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from functools import cache, partial
from pathlib import Path
from typing import Final, Literal, NamedTuple, Self

from jobsched import config as settings
from jobsched import dag
from jobsched.context import Context
from jobsched.dag import LoadedDag
from jobsched.errors import IllegalMove, InvalidInput, NotFound, StoreError
from jobsched.lock import Held
from jobsched.models import DagSpec
from jobsched.scheduler.aftercare import carry_through
from jobsched.scheduler.outcome import Change
from jobsched.scheduler.secrets import read_secrets, write_secrets
from jobsched.scheduler.wording import require_name
from jobsched.states import ScheduleState, TaskStatus
from jobsched.store import moves, reads, submissions
from jobsched.store.moves import By
from jobsched.store.rows import JobRow
from jobsched.store.tx import Tx

#: Of the submitter's environment, what a job gets: who and where one is, how programs are found,
#: how text is written, and the way out. Names ending in ``*`` stand for all that begin so.
CAPTURED: Final = (
    "PATH", "HOME", "USER", "LOGNAME", "SHELL", "LANG", "LANGUAGE", "LC_*", "TZ", "TMPDIR",
    "LD_LIBRARY_PATH", "PYTHONPATH", "VIRTUAL_ENV", "CONDA_*", "http_proxy", "https_proxy",
    "ftp_proxy", "all_proxy", "no_proxy", "HTTP_PROXY", "HTTPS_PROXY", "FTP_PROXY", "ALL_PROXY",
    "NO_PROXY",
)  # fmt: skip


@dataclass(frozen=True, slots=True, kw_only=True)
class Submission:
    """One job to be made, loaded and checked."""

    loaded: LoadedDag
    #: File name for messages, as the submitter gave it.
    source: str
    #: ``None``: the DAG's own.
    priority: int | None = None
    #: Ids of jobs that must have SUCCEEDED before.
    after: Sequence[int] = ()
    hold: bool = False
    env: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class _Ready:
    """A submission, and what is stored of it: written out before the lock is taken."""

    submission: Submission
    dag: str
    env: str

    @classmethod
    def of(cls, submission: Submission) -> Self:
        return cls(submission, submission.loaded.spec.to_json(), json.dumps(dict(submission.env)))


class _Stored(NamedTuple):
    """A job of which all is stored, as it was before that."""

    job: JobRow
    submission: Submission
    #: The job that keeps it from ever starting: it was to follow that, which has failed.
    broken: int | None

    @property
    def secrets(self) -> Mapping[int, Mapping[str, str]]:
        """What it needs of its secrets."""
        return self.submission.loaded.secrets if self.broken is None else {}


def captured_env(environ: Mapping[str, str], pass_env: Sequence[str]) -> dict[str, str]:
    """The part of ``environ`` that is stored with a job."""
    exact, prefixes = _wanted(tuple(pass_env))
    # Only what is wanted is read: each value of the real environment is decoded when asked for.
    names = [name for name in environ if name in exact or name.startswith(prefixes)]
    return {name: environ[name] for name in names}


@cache
def _wanted(pass_env: tuple[str, ...]) -> tuple[frozenset[str], tuple[str, ...]]:
    """Names, and beginnings of names, of variables that are stored."""
    listed = (*CAPTURED, *pass_env)
    exact = frozenset(name for name in listed if not name.endswith("*"))
    return exact, tuple(name[:-1] for name in listed if name.endswith("*"))


def create_job(context: Context, name: str, task_names: Sequence[str]) -> int:
    """A new INACTIVE job; its id. Raises ``InvalidInput`` for names that cannot be shown."""
    for what in (name, *task_names):
        require_name(what)
    if not task_names:
        raise InvalidInput("a job needs at least one task")
    context.ensure_home()
    with context.db.write() as tx:  # nothing is scheduled by that, so no lock is needed
        return moves.create(tx, name, task_names, context.by())


def submit_job(context: Context, job_id: int, path: Path | str) -> None:
    """Store the DAG at ``path`` with an INACTIVE job and let it wait for its turn.

    Raises ``InvalidDag``, ``NotFound``, ``IllegalMove`` (it was submitted before), or
    ``ValueError`` if number or names of the tasks are not those that the job was created with.
    """
    context.ensure_home()
    with context.db.read() as tx:
        job, rows = reads.job(tx, job_id), reads.tasks_of(tx, job_id)
    if job is None:
        raise NotFound("job", job_id)
    names = [row.name for row in rows]
    loaded = load(Path(path), name=job.name, task_names=names)
    given = [task.name for task in loaded.spec.tasks]
    if given != names:
        raise ValueError(
            f"job {job_id} was created with the tasks {', '.join(names)},"
            f" but {path} has {', '.join(given)}"
        )
    ready = _Ready.of(Submission(loaded=loaded, source=str(path), env=stored_env(context)))
    _store(context, [ready], lambda tx, _: [_inactive(tx, job_id)])


def load(
    path: Path,
    *,
    name: str | None = None,
    task_names: Sequence[str] | None = None,
    envs: Mapping[str, str] | None = None,
    secrets: Mapping[str, str] | None = None,
    mode: Literal["submit", "validate"] = "submit",
) -> LoadedDag:
    """Read and check the DAG file at ``path`` as of this process's directory and HOME."""
    return dag.load(
        path,
        name=name,
        task_names=task_names,
        envs=envs or {},
        secrets=secrets or {},
        cwd=Path.cwd(),
        user_home=Path(settings.environ().get("HOME") or "/"),
        mode=mode,
    )


def stored_env(context: Context) -> dict[str, str]:
    """The part of this process's environment that a job submitted now gets."""
    return captured_env(settings.environ(), context.config.submit.pass_env)


def submit_new(context: Context, submissions_: Sequence[Submission]) -> list[int]:
    """Create and submit several jobs, all or none; their ids, in order."""
    context.ensure_home()

    def create_all(tx: Tx, by: By) -> list[JobRow]:
        specs = [one.loaded.spec for one in submissions_]
        return [_created(tx, spec.name, [task.name for task in spec.tasks], by) for spec in specs]

    return _store(context, [_Ready.of(one) for one in submissions_], create_all)


def _store(
    context: Context, wanted: Sequence[_Ready], make: Callable[[Tx, By], list[JobRow]]
) -> list[int]:
    """One transaction for all; secrets go to their files before the commit that needs them.

    Whom they are to follow is looked up before any of them is there to be found. They are submitted
    when all that takes long is done.
    """
    ids: list[int] = []

    def store_all(tx: Tx, held: Held) -> None:
        submissions.require_known(tx, [other for one in wanted for other in one.submission.after])
        jobs = make(tx, context.by())
        ids.extend(job.job_id for job in jobs)
        stored = [_store_one(tx, job, one) for job, one in zip(jobs, wanted, strict=True)]
        for one in stored:
            write_secrets(context.home, one.job.job_id, one.secrets)
        by = context.by()
        for one in stored:
            _enter(tx, held, one, by)

    undo = partial(_remove_secrets, context, ids)
    carry_through(context, Change(store_all, durable=True, undo=undo))
    return ids


def _remove_secrets(context: Context, ids: Sequence[int]) -> None:
    """Those of jobs that were not submitted after all: it may be the next who gets their ids."""
    with suppress(StoreError), context.db.read() as tx:
        for job_id in ids:
            if reads.snapshot(tx, job_id) is None:
                with suppress(OSError):
                    context.home.secrets_file(job_id).unlink(missing_ok=True)


def _created(tx: Tx, name: str, task_names: Sequence[str], by: By) -> JobRow:
    """A new job, as a look at its row would find it."""
    return JobRow(moves.create(tx, name, task_names, by), name, created_at=by.now)


def _inactive(tx: Tx, job_id: int) -> JobRow:
    """A job that was created and not submitted. Raises ``NotFound`` or ``IllegalMove``."""
    job = reads.job(tx, job_id)
    if job is None:
        raise NotFound("job", job_id)
    if job.schedule_state is not ScheduleState.INACTIVE:
        raise IllegalMove(f"job {job_id}", job.schedule_state, "submitted once more")
    return job


def _store_one(tx: Tx, job: JobRow, ready: _Ready) -> _Stored:
    """Store all that the job needs, but let it not wait yet."""
    job_id, submission = job.job_id, ready.submission
    submissions.snapshot(
        tx, job_id, yaml=submission.loaded.yaml, dag=ready.dag, env=ready.env,
        source=submission.source,
    )  # fmt: skip
    for task in submission.loaded.spec.tasks:
        if not task.counts:
            moves.set_task(tx, job_id, task.task_id, counts=0)
    followed = dict.fromkeys(submission.after)
    broken = [other for other in followed if submissions.follow(tx, job_id, other) is False]
    return _Stored(job, submission, next(iter(broken), None))


def _enter(tx: Tx, held: Held, stored: _Stored, by: By) -> None:
    """Let the job wait for its turn; one that can never start is over."""
    job, submission, broken = stored
    default = submission.loaded.spec.priority
    priority = default if submission.priority is None else submission.priority
    hold = job.hold | int(submission.hold)
    if (priority, hold) != (job.priority, job.hold):
        moves.set_job(tx, job.job_id, priority=priority, hold=hold)
    if submission.hold and not job.hold:
        moves.record(tx, by, "ACTION", job_id=job.job_id, subject="HOLD", attempt=job.attempt)
    submissions.enter_queue(tx, held, job, by)
    if broken is not None:
        waiting = reads.job(tx, job.job_id) or job
        why = by.because(f"job {broken}, which it was to follow, did not succeed")
        moves.done(tx, held, waiting, why, to=TaskStatus.CANCELLED)


def rerun(context: Context, job_id: int, secrets: Mapping[str, str]) -> int:
    """A new job from what is stored of ``job_id``; its id.

    Raises ``NotFound``, or ``InvalidInput`` naming every secret whose value is missing: values are
    not kept beyond the end of a job.
    """
    with context.db.read() as tx:
        stored, job = reads.snapshot(tx, job_id), reads.job(tx, job_id)
    if stored is None or job is None:
        raise NotFound("stored DAG of job", job_id)
    spec = DagSpec.from_json(stored["dag"])
    kept = read_secrets(context.home, job_id)
    values = {
        task.task_id: {
            name: value
            for name in task.secrets
            if (value := secrets.get(name, kept.get(task.task_id, {}).get(name))) is not None
        }
        for task in spec.tasks
    }
    missing = {
        name for task in spec.tasks for name in task.secrets if name not in values[task.task_id]
    }
    if missing:
        raise InvalidInput(
            f"job {job_id} needs secrets whose values are no longer stored:"
            f" {', '.join(sorted(missing))}; give them with --secret NAME or --secret-file FILE"
        )
    loaded = LoadedDag(spec=spec, secrets=values, yaml=stored["yaml"], warnings=())
    again = Submission(
        loaded=loaded, source=stored["source"], priority=job.priority,
        env=json.loads(stored["env"]),
    )  # fmt: skip
    return submit_new(context, [again])[0]
