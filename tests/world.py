"""A whole jobsched in a temporary home, with real processes: what the scenario tests act in."""

from __future__ import annotations

import os
import signal
import textwrap
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import psutil
from sqlalchemy import bindparam, select

from jobsched import audit, lock, process
from jobsched.context import Context, open_context
from jobsched.home import Home
from jobsched.nursery.handing import Claim
from jobsched.scheduler.ending import cancel
from jobsched.scheduler.passes import run_pass
from jobsched.scheduler.submission import Submission, load, stored_env, submit_new
from jobsched.scheduler.ticker import Ticker
from jobsched.states import ScheduleState, TaskStatus
from jobsched.store import reads
from jobsched.store.catalogue.schema import history
from jobsched.store.rows import AttemptRow, JobRow, TaskRow
from tests.support import wait_until

_MOVES = (
    select(history.c.from_value, history.c.to_value)
    .where((history.c.job_id == bindparam("job_id")) & (history.c.kind == "SCHEDULE"))
    .order_by(history.c.seq)
)

#: History rows in a message.
_SHOWN = 200

#: Settings that make waits short; what is waited *for* stays the same.
CONFIG = """
[recovery]
retry_gap_seconds = {gap}
grace_seconds = 0.1
probe_seconds = 0.5
[backend]
stop_grace_seconds = {grace}
[submit]
pass_env = ["COVERAGE_PROCESS_START", "COVERAGE_PROCESS_CONFIG"]
"""


@dataclass
class World:
    """One home and what a test does in it."""

    root: Path
    extra: str = ""
    gap: float = 0.2
    grace: float = 1.0
    context: Context = field(init=False)
    _ticker: Ticker | None = None

    def __post_init__(self) -> None:
        home = Home(self.root)
        home.create()
        home.config_file.write_text(CONFIG.format(gap=self.gap, grace=self.grace) + self.extra)
        self.context = open_context(self.root, actor="test")
        self.context.ensure_home()

    @property
    def home(self) -> Home:
        """Its paths."""
        return self.context.home

    def submit(self, yaml: str, *, name: str = "job", priority: int | None = None) -> int:
        """Submit a DAG given as text; the job's id."""
        path = self.root.parent / f"{name}.yaml"
        path.write_text(textwrap.dedent(yaml))
        submission = Submission(
            loaded=load(path, name=name), source=str(path), env=stored_env(self.context),
            priority=priority,
        )  # fmt: skip
        return submit_new(self.context, [submission])[0]

    def tick(self) -> None:
        """Have this process tick, as ``wait`` would, until the end of the test."""
        self._ticker = Ticker(self.context).start()

    def sweep(self) -> None:
        """One full sweep by this process."""
        run_pass(self.context, settling=True)

    def job(self, job_id: int) -> JobRow:
        """A job's row now."""
        with self.context.db.read() as tx:
            found = reads.job(tx, job_id)
        assert found is not None, f"job {job_id} is gone"
        return found

    def tasks(self, job_id: int) -> list[TaskRow]:
        """A job's task rows now."""
        with self.context.db.read() as tx:
            return reads.tasks_of(tx, job_id)

    def statuses(self, job_id: int) -> list[str]:
        """The tasks' statuses now, as text."""
        return [str(task.status) for task in self.tasks(job_id)]

    def attempt(self, job_id: int) -> AttemptRow:
        """The job's newest attempt."""
        with self.context.db.read() as tx:
            job = reads.job(tx, job_id)
            found = None if job is None else reads.attempt(tx, job_id, job.attempt)
        assert found is not None, f"job {job_id} has no attempt"
        return found

    def history(self, job_id: int) -> list[tuple[str | None, str | None]]:
        """The schedule moves of a job."""
        with self.context.db.read() as tx:
            rows = tx.rows(_MOVES, job_id=job_id)
        return [(row["from_value"], row["to_value"]) for row in rows]

    def until(self, condition: Callable[[], object], what: str, timeout: float = 20.0) -> None:
        """Wait for a condition; on failure the controllers' logs are part of the message."""
        try:
            wait_until(condition, timeout, what)
        except AssertionError as error:
            raise AssertionError(f"{error}\n{self.logs()}") from None

    def until_state(self, job_id: int, state: ScheduleState, timeout: float = 20.0) -> None:
        """Wait until the job is in ``state``."""
        self.until(
            lambda: self.job(job_id).schedule_state is state, f"job {job_id} to be {state}", timeout
        )

    def until_status(
        self, job_id: int, status: TaskStatus, task_id: int = 0, timeout: float = 20.0
    ) -> None:
        """Wait until a task has ``status``."""
        self.until(
            lambda: self.tasks(job_id)[task_id].status is status,
            f"task {task_id} of job {job_id} to be {status}", timeout,
        )  # fmt: skip

    def until_done(self, job_id: int, timeout: float = 30.0) -> JobRow:
        """Wait until the job is DONE."""
        self.until_state(job_id, ScheduleState.DONE, timeout)
        return self.job(job_id)

    def controller(self, job_id: int) -> int:
        """The PID of the job's controller, once it is known and has made its first call."""
        self.until(lambda: self.attempt(job_id).called_at, f"a controller of job {job_id}")
        return self.attempt(job_id).pid or 0

    def kill_controller(self, job_id: int, number: int = signal.SIGKILL) -> int:
        """Send the job's controller a signal; the attempt that it was."""
        os.kill(self.controller(job_id), number)
        return self.attempt(job_id).attempt

    def stop_controller(self, job_id: int) -> int:
        """Stop the job's controller (SIGSTOP) while it writes nothing; its PID.

        In the middle of a write it would keep everybody else out of the database.
        """
        pid = self.controller(job_id)
        with self.context.locked(), self.context.db.write():
            os.kill(pid, signal.SIGSTOP)
            wait_until(lambda: _is_stopped(pid), 10, f"PID {pid} to be stopped")
        return pid

    def logs(self) -> str:
        """All controllers' logs, for messages."""
        found = sorted((self.root / "logs" / "controller").glob("*.log"))
        return "\n".join(f"--- {path.name}\n{path.read_text()}" for path in found)

    def close(self) -> None:
        """See that every invariant holds, then end everything that the test left."""
        try:
            self.until_sound()
        finally:
            self._end()

    def until_sound(self, timeout: float = 6.0) -> None:
        """Wait until the checker finds nothing; on failure the history is part of the message.

        It may take a moment: an ended attempt is allowed five seconds to be gone.
        """
        found: list[str] = []

        def is_sound() -> bool:
            found[:] = map(str, audit.check(self.context).violations)
            return not found

        try:
            wait_until(is_sound, timeout, "every invariant to hold")
        except AssertionError:
            raise AssertionError("\n".join([*found, *self._rows(), self.logs()])) from None

    def _rows(self) -> list[str]:
        """The newest rows of the history, a line each, for messages."""
        with self.context.db.read() as tx:
            rows = tx.rows(select(history).order_by(history.c.seq.desc()).limit(_SHOWN))
        return [" ".join(f"{name}={row[name]}" for name in row if row[name] is not None)
                for row in reversed(rows)]  # fmt: skip

    def _end(self) -> None:
        """End everything, by force where needed; fails if something stays."""
        try:
            with self.context.db.read() as tx:
                alive = [job.job_id for job in reads.alive_jobs(tx)]
            cancel(self.context, alive)
        finally:  # a process that was stopped in the middle of a write keeps out everybody else
            self._kill()

    def _kill(self) -> None:
        if self._ticker is not None:
            self._ticker.stop()
        wait_until(lambda: not kill(self.processes()), 60, "the test's processes to be gone")
        if self.context.starter is not None:
            self.context.starter.reap()
        self.context.db.close()

    def processes(self) -> list[int]:
        """PIDs that hold a lock in this home, this process left out."""
        locks = [*self.root.glob("*.lock"), *self.root.glob("attempts/*.lock")]
        for folder, _, names in os.walk(self.root / "clusters"):  # passes over what is removed now
            locks += [Path(folder, name) for name in names if "lock" in name]
        found = {pid for path in locks for pid in process.holders(path)}
        return sorted(found - {os.getpid()})


class InProcessStarter:
    """Starts no process: keeps the attempts' locks, so that a test acts as their controllers."""

    def __init__(self) -> None:
        self.claims: list[Claim] = []
        self._ended: dict[tuple[int, int], str] = {}

    def refusal(self) -> None:
        """Always ready."""

    def start_together(self, claims: Sequence[Claim]) -> list[Claim]:
        """One by one, please."""
        return list(claims)

    def start(self, claim: Claim, command: Sequence[str], env: object) -> int:
        """Keep the lock of the claim."""
        del command, env
        self.claims.append(claim)
        return 0

    def leave_attendant(self) -> None:
        """Nobody needs one."""

    def reap(self) -> dict[tuple[int, int], str]:
        """Those that died."""
        ended, self._ended = self._ended, {}
        return ended

    def die(self, claim: Claim) -> None:
        """The controller of ``claim`` dies."""
        self.claims.remove(claim)
        os.close(claim.lock_fd)
        self._ended[claim.job_id, claim.attempt] = "killed by the test"


def _is_stopped(pid: int) -> bool:
    return psutil.Process(pid).status() == psutil.STATUS_STOPPED


def is_held(home: Home, job_id: int, attempt: int) -> bool:
    """Whether an attempt's lock is held."""
    return lock.probe(home.attempt_lock(job_id, attempt)) is lock.Grip.HELD


def kill(pids: list[int]) -> list[int]:
    """Kill processes; who they were: each look may find some that they have started meanwhile."""
    for pid in pids:
        found = process.identify(pid)
        if found is not None:
            process.signal(found, signal.SIGKILL)
    return pids
