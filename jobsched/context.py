"""What every operation works with: the home, its settings, its database, a clock, and who we are.

Owns how these are put together, once a process and home, and the lock's place. Decides nothing.
"""

from __future__ import annotations

import getpass
import os
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

from jobsched import config as settings
from jobsched import lock, machine, process
from jobsched.clock import Clock, SystemClock
from jobsched.config import AttemptIdentity, Config
from jobsched.errors import NoAttempt
from jobsched.home import Home
from jobsched.lock import Held
from jobsched.machine import memory
from jobsched.machine.auto import Auto, Glance
from jobsched.store import limits, moves
from jobsched.store.database import Database
from jobsched.store.moves import By
from jobsched.store.tx import Tx

if TYPE_CHECKING:
    from jobsched.backends.base import Backend


class Starter(Protocol):
    """Starts controllers; the real one is ``scheduler.starter.Starter``."""

    def start(self, claim: Any, command: Sequence[str], env: Mapping[str, str]) -> int:
        """Start one and close our copy of its lock; its PID. Raises ``StartFailed``."""
        ...

    def refusal(self) -> str | None:
        """Why nothing can be started now; ``None`` if it can."""
        ...

    def start_together(self, claims: Sequence[Any]) -> list[Any]:
        """Start our own controllers in one go; those that are left for :meth:`start`."""
        ...

    def leave_attendant(self) -> None:
        """Leave a process behind that ticks for controllers of the user's own."""
        ...

    def reap(self) -> dict[tuple[int, int], str]:
        """How those that it started have ended since the last call, by (job, attempt)."""
        ...


@dataclass
class Context:
    """One process's way into one home."""

    home: Home
    config: Config
    clock: Clock = field(default_factory=SystemClock)
    #: What history rows say of who made a change.
    actor: str = "library"
    #: The attempt that this process acts for, as its starter told it.
    identity: AttemptIdentity | None = None
    #: Seconds to wait for the scheduler lock before giving up.
    lock_timeout: float = 30.0
    #: Jobs for which this process is inside ``scheduled_launch``.
    in_slot: set[int] = field(default_factory=set)
    #: How controllers that this process started have ended, by (job, attempt): for evidence.
    endings: dict[tuple[int, int], str] = field(default_factory=dict)

    #: Whether a limit was ``auto`` when this process last decided upon them; else nobody need look.
    follows_machine: bool = True
    #: Seconds that this process has waited for the scheduler lock the last time.
    waited: float = 0.0
    #: Whatever starts controllers for this process; made by the first pass.
    starter: Starter | None = None

    def __post_init__(self) -> None:
        self.db = Database(self.home.database)
        self._called = False
        self._backend: Backend | None = None
        self._memory = Glance(memory.look, self.clock.monotonic)
        self._cpus = Glance(machine.cpus, self.clock.monotonic)

    def ensure_home(self) -> None:
        """Make home and database if they are not there yet; for commands that write."""
        self.home.create()  # also folders that somebody has removed since
        if self.home.exists():
            return
        with self.locked():
            if not self.home.exists():
                self.db.create(self._first_rows)

    def _first_rows(self, tx: Tx) -> None:
        wanted = self.config.limits
        limits.begin(tx, wanted.launch, wanted.alive, self.auto_limits(), self.by())

    @contextmanager
    def locked(self) -> Iterator[Held]:
        """Hold the scheduler lock."""
        with lock.hold(self.home.scheduler_lock, timeout=self.lock_timeout) as held:
            self.waited = held.waited
            yield held

    def by(self, reason: str | None = None, *, attempt: int | None = None) -> By:
        """Who makes a change, now."""
        return By(self.actor, self.clock.now(), attempt, reason)

    def auto_limits(self) -> Auto:
        """What ``auto`` means now for each limit."""
        return Auto(self.home.memory_file, self.clock.now(), self._memory, self._cpus)

    def backend(self) -> Backend:
        """The configured backend, made when first needed."""
        if self._backend is None:
            from jobsched import backends  # noqa: PLC0415 -- not every command needs one

            self._backend = backends.create(
                self.config.backend.default, self.home, self.config, self.clock
            )
        return self._backend

    def for_attempt(self, identity: AttemptIdentity) -> Context:
        """The same for what acts for another attempt: with database and backend as they are."""
        other = Context(self.home, self.config, self.clock, self.actor, identity)
        other.db, other.starter, other._backend = self.db, self.starter, self._backend
        return other

    def after_done(self, job_id: int) -> None:
        """Delete what a job needs only until it is DONE: its secrets, its controller's copy."""
        for path in (self.home.secrets_file(job_id), self.home.dag_file(job_id)):
            with suppress(OSError):
                path.unlink(missing_ok=True)

    def mine(self, job_id: int, action: str) -> int:
        """The attempt of ``job_id`` that this process acts for; its first use is recorded.

        Raises ``NoAttempt`` if it acts for none. ``action`` completes "only the controller may
        ...".
        """
        if self.identity is None or self.identity.job_id != job_id:
            raise NoAttempt(job_id, action)
        self.record_first_call()
        return self.identity.attempt

    def record_first_call(self) -> None:
        """Note that this attempt's process has come as far as a call into the library."""
        if self._called or self.identity is None:
            return
        me = process.me()
        with self.db.write(durable=False) as tx:
            moves.first_call(tx, self.identity.job_id, self.identity.attempt, self.clock.now(), me)
        self._called = True


def operator(tool: str) -> str:
    """What history says of a person's action through ``tool``."""
    try:
        user = getpass.getuser()
    except (OSError, KeyError):
        user = f"uid {os.getuid()}"
    return f"{user} via {tool}"


def open_context(
    root: Path | None = None, *, actor: str = "library", environ: Mapping[str, str] | None = None
) -> Context:
    """The context for the home at ``root``, or for the default home. Makes nothing on disk."""
    environment = settings.environ() if environ is None else environ
    home = Home(settings.default_root(environment) if root is None else root.expanduser().resolve())
    context = Context(home, settings.load(home, environment), actor=actor)
    told = settings.attempt_identity(environment)
    if told is not None and home.root == settings.default_root(environment):
        context.identity = told
        if told.lock_fd is not None:
            process.close_on_exec(told.lock_fd)
    return context


_DEFAULT: dict[tuple[int, Path], Context] = {}


def default_context() -> Context:
    """The context that the module functions use: one for each process and default home."""
    key = (os.getpid(), settings.default_root(settings.environ()))
    if key not in _DEFAULT:
        _DEFAULT[key] = open_context()
    return _DEFAULT[key]
