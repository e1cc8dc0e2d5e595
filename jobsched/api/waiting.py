"""Waiting until jobs are DONE, ticking meanwhile."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Final

from jobsched.context import Context
from jobsched.scheduler.passes import run_pass
from jobsched.scheduler.ticker import Ticker
from jobsched.states import TaskStatus
from jobsched.store import reads
from jobsched.store.database import Database

#: Seconds between looks at whether anything was committed: one pragma each, no query.
_LOOK: Final = 0.05

OnChange = Callable[[int, TaskStatus], None]


@dataclass(frozen=True, slots=True)
class WaitResult:
    """Where a job is when a wait ends; ``status`` is ``None`` for a job that does not exist."""

    status: TaskStatus | None
    done: bool


def wait(
    context: Context,
    job_ids: Iterable[int],
    *,
    timeout: float | None = None,
    on_change: OnChange | None = None,
) -> dict[int, WaitResult]:
    """Wait until all are DONE, at most ``timeout`` seconds; ``on_change``: told of each status."""
    wanted = list(dict.fromkeys(job_ids))
    if not context.home.exists():
        return dict.fromkeys(wanted, WaitResult(None, done=False))
    # A connection of its own: one does not notice what is committed through itself, and the ticker
    # that this process runs may be the one who ends the job.
    db, clock = Database(context.home.database), context.clock
    deadline = None if timeout is None else clock.monotonic() + timeout
    ticker = Ticker(context).start()
    results: dict[int, WaitResult] = {}
    try:
        while True:
            seen = db.version()
            _look(db, wanted, results, on_change)
            if all(result.done or result.status is None for result in results.values()):
                return results
            while db.version() == seen:
                if deadline is not None and clock.monotonic() >= deadline:
                    return results
                clock.sleep(_LOOK)
    finally:
        ticker.stop()
        db.close()
        run_pass(context)


def _look(
    db: Database,
    wanted: list[int],
    results: dict[int, WaitResult],
    on_change: OnChange | None,
) -> None:
    """Bring ``results`` up to date, leaving alone what is DONE already."""
    with db.read() as tx:
        found = {
            job_id: reads.job(tx, job_id)
            for job_id in wanted
            if job_id not in results or not results[job_id].done
        }
    for job_id, job in found.items():
        before = results.get(job_id)
        result = WaitResult(job.status if job else None, done=bool(job and job.is_done))
        results[job_id] = result
        is_new = before is None or before.status is not result.status
        if on_change is not None and is_new and result.status is not None:
            on_change(job_id, result.status)
