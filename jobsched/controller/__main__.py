"""The process of one attempt: ``python -m jobsched.controller --job-id N``, started by a pass.

Owns the edge: signals, logging, the exit code, and the last will of a controller that fails. Exit
codes: 0 the job is DONE, 1 it failed and asked to be replaced, 3 another attempt has taken over.
"""

from __future__ import annotations

import argparse
import json
import logging
import os
import signal
from collections.abc import Mapping
from contextlib import suppress
from types import FrameType
from typing import Final, NamedTuple

from jobsched import config
from jobsched.context import Context, open_context
from jobsched.controller.bell import Bell
from jobsched.controller.callbacks import CallbackThread
from jobsched.controller.job import JobDriver, make_slot
from jobsched.controller.journal import Journal
from jobsched.controller.lifeline import Lifeline, Links
from jobsched.controller.plainlog import begin_log
from jobsched.controller.task import Surroundings
from jobsched.errors import Fenced, JobschedError, NoAttempt, NotFound, StaleAttempt
from jobsched.models import DagSpec
from jobsched.scheduler.ending import job_done
from jobsched.scheduler.passes import run_pass
from jobsched.scheduler.patience import patiently
from jobsched.scheduler.secrets import read_secrets
from jobsched.store import reads
from jobsched.store.database import Database
from jobsched.store.rows import JobRow
from jobsched.sweep.callbacks import callbacks_in
from jobsched.sweep.room import room_freed
from jobsched.wake import Inbox

log = logging.getLogger("jobsched.controller")

_STALE: Final = 3


def main() -> int:
    """Drive the job of this process's attempt to its end; the exit code."""
    parser = argparse.ArgumentParser(prog="python -m jobsched.controller")
    parser.add_argument("--job-id", type=int, required=True)
    begin_log()
    return run(parser.parse_args().job_id)


class Stored(NamedTuple):
    """What a job was submitted with, and its row."""

    snapshot: Mapping[str, str]
    job: JobRow


def look_up(database: Database, job_id: int) -> Stored | None:
    """What is stored of a job, if it was submitted."""
    with database.read() as tx:
        snapshot, job = reads.snapshot(tx, job_id), reads.job(tx, job_id)
    return None if snapshot is None or job is None else Stored(snapshot, job)


def run(
    job_id: int, *,
    links: Links | None = None, context: Context | None = None, stored: Stored | None = None,
) -> int:  # fmt: skip
    """The same in a process that is set up already.

    ``links``: to a nursery, which has somebody tick; ``None``: this process ticks itself from the
    beginning. ``context``: one that says which attempt this process is. ``stored``: what is stored
    of the job, if the caller has looked; of the row only what never changes is used.
    """
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, _leave)
    if context is None:
        context = open_context(actor="controller")
    try:
        attempt = context.mine(job_id, "drive it")
        log.info("controller of job %d, attempt %d, PID %d", job_id, attempt, os.getpid())
        lifeline = Lifeline(links, context)
        stored = stored or look_up(context.db, job_id)
        if stored is None:
            raise NotFound("snapshot of job", job_id)  # noqa: TRY301 -- as what the drive raises
        drive(context, attempt, lifeline, stored)
    except (StaleAttempt, Fenced) as stale:
        log.warning("%s; stopping without a trace", stale)
        return _STALE
    except NoAttempt as error:
        log.error("%s", error)  # noqa: TRY400 -- the sentence says it all
        return _STALE
    except Exception:  # the outer edge: whatever it is, another attempt may do better
        log.exception("controller of job %d failed", job_id)
        _last_will(context)
        return 1
    return 0


def drive(context: Context, attempt: int, lifeline: Lifeline, stored: Stored) -> None:
    """Drive one job as one attempt until it is DONE."""
    snapshot, job = stored
    job_id = job.job_id
    spec = DagSpec.from_json(snapshot["dag"])
    has_secrets = any(task.secrets for task in spec.tasks)
    journal = Journal(context, job_id, attempt)
    bell = Bell()
    inbox = Inbox(context.home.wake_fifo(job_id, attempt))
    around = Surroundings(
        journal=journal,
        spec=spec,
        backend=context.backend(),
        bell=bell,
        slot=make_slot(journal),
        secrets=read_secrets(context.home, job_id) if has_secrets else {},
        base_env=json.loads(snapshot["env"]),
        submitted_at=job.submitted_at or job.created_at,
        room_freed=lambda: patiently(context.clock, lambda: room_freed(context)),
    )
    told = callbacks_in(snapshot, context, job._replace(attempt=attempt))
    callbacks = CallbackThread(told) if told else None
    if callbacks is not None:
        journal.changed = callbacks.tell
    JobDriver(around, inbox, lifeline).run()
    if callbacks is not None:
        callbacks.finish()
    patiently(context.clock, lambda: job_done(context, job_id, idempotent=True))
    log.info("job %d is DONE", job_id)
    lifeline.close()
    inbox.close()
    context.home.wake_fifo(job_id, attempt).unlink(missing_ok=True)


def _leave(number: int, frame: FrameType | None) -> None:
    """A signal ends the controller at once; its tasks go on, and the next attempt adopts them."""
    del frame
    log.warning("received %s; leaving the job to the next controller", signal.Signals(number).name)
    logging.shutdown()
    os._exit(128 + number)


def _last_will(context: Context) -> None:
    """Give up the attempt and have it replaced at once, since nobody else may be there to do so."""
    identity = config.attempt_identity(config.environ())
    if identity is None or identity.lock_fd is None:
        return
    with suppress(OSError):
        os.close(identity.lock_fd)
    context.identity = None
    try:
        run_pass(context, suspects=[identity.job_id])
    except JobschedError as error:
        log.warning("no other controller could be started: %s", error)


if __name__ == "__main__":
    status = main()
    logging.shutdown()
    # Threads that wait in the kernel for a lock would keep a normal exit waiting.
    os._exit(status)
