"""The scheduler as a library call: the functions that embedding programs use, on the default home.

Thin: each hands the default context to the module that does the work. Importing this loads neither
YAML nor the command line.
"""

from __future__ import annotations

from contextlib import AbstractContextManager
from pathlib import Path

from jobsched.context import default_context
from jobsched.states import TaskStatus


def submit_job(job_id: int, dag_yaml_path: str | Path) -> None:
    """Store the DAG with an INACTIVE job and let it wait for its turn.

    Raises ``InvalidDag`` (every problem of the file), ``NotFound``, ``IllegalMove``,
    ``ValueError``.
    """
    from jobsched.scheduler.submission import submit_job as submit  # noqa: PLC0415 -- loaded when used

    submit(default_context(), job_id, dag_yaml_path)


def maybe_schedule_next_jobs() -> None:
    """Run a scheduling pass: afterwards nothing waits beside free capacity. Safe at any time."""
    from jobsched.scheduler.passes import run_pass  # noqa: PLC0415 -- loaded when used

    context = default_context()
    context.ensure_home()
    run_pass(context, thorough=True)


def scheduled_launch(job_id: int) -> AbstractContextManager[None]:
    """Hold the launch slot of ``job_id`` for the block; for its controller only.

    Raises ``Cancelled``, ``StaleAttempt``, ``NoAttempt``.
    """
    from jobsched.scheduler.slot import scheduled_launch as hold  # noqa: PLC0415 -- loaded when used

    return hold(default_context(), job_id)


def job_done(
    job_id: int,
    idempotent: bool = False,  # noqa: FBT001, FBT002 -- the signature that callers know
    status: TaskStatus | str | None = None,
    reason: str | None = None,
) -> None:
    """End a job: unfinished tasks get ``status`` (CANCELLED if not given), then DONE.

    By its controller the normal end; by anybody else by force. Raises ``IllegalMove`` on DONE
    (unless ``idempotent``), ``NotFound``, ``StaleAttempt``.
    """
    from jobsched.scheduler.ending import job_done as end  # noqa: PLC0415 -- loaded when used

    end(default_context(), job_id, idempotent=idempotent, status=status, reason=reason)


__all__ = ["job_done", "maybe_schedule_next_jobs", "scheduled_launch", "submit_job"]
