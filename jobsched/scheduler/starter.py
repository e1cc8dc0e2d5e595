"""Starting controllers: one detached process each, which owns its attempt's lock from birth.

Owns what a controller's process looks like: command, environment, session, descriptors, log. Starts
by exec, through no shell. Decides nothing and writes no state.
"""

from __future__ import annotations

import errno
import logging
import os
import signal
import subprocess
import sys
import threading
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Final

from jobsched import lock, process
from jobsched.clock import SystemClock
from jobsched.config import Soundness
from jobsched.errors import StartFailed, StoreError
from jobsched.home import Home
from jobsched.lock import Grip
from jobsched.nursery.handing import MOST, Claim, hand_over, listen
from jobsched.sweep.evidence import describe_exit

log = logging.getLogger(__name__)

_TRANSIENT: Final = frozenset({errno.EAGAIN, errno.ENOMEM, errno.EMFILE, errno.ENFILE})

#: The default controller. ``-E -P``: no module of a directory or PYTHONPATH may shadow ours.
DEFAULT_COMMAND: Final = (sys.executable, "-E", "-P", "-m", "jobsched.controller")
_NURSERY: Final = (sys.executable, "-E", "-P", "-m", "jobsched.controller.nest")
#: Seconds within which a nursery is to be had, or its end; and between two looks.
_NURSERY_SECONDS: Final = 2.0
_GLANCE: Final = 0.005
#: Nurseries that are begun for one batch, at most: one that cannot live is no help.
_MOST_BEGUN: Final = 2


class Starter:
    """Starts controllers and remembers how those that it started ended."""

    def __init__(
        self, home: Home, *, forking: bool = False, env: Mapping[str, str] | None = None
    ) -> None:
        """``forking``: by a nursery, where that can be had; ``env``: what that gets besides."""
        self._home, self._forking, self._env = home, forking, env or {}
        self._settings = Soundness(home)
        self._children: dict[tuple[int, int], int] = {}
        self._guard = threading.Lock()

    def refusal(self) -> str | None:
        """A controller would read ``config.toml`` and end: none is started while that is broken."""
        return self._settings.mistakes()

    def start_together(self, claims: Sequence[Claim]) -> list[Claim]:
        """Start our own controllers by fork; those of ``claims`` that have to be started singly.

        Our copies of the locks of the others are closed.
        """
        left = list(claims)
        while left and self._forking:
            batch = left[:MOST]
            if not self._hand_over(batch):
                break
            for claim in batch:
                os.close(claim.lock_fd)
            del left[:MOST]
        return left

    def _hand_over(self, batch: Sequence[Claim]) -> bool:
        """Give a batch to the nursery, having begun one where there is none; whether it has it."""
        clock = SystemClock()
        deadline = clock.monotonic() + _NURSERY_SECONDS
        begun = 0
        while not hand_over(self._home, batch, end=self._end_nursery):
            if begun == _MOST_BEGUN or clock.monotonic() > deadline:
                return False
            try:
                begun += self._begin_nursery()
            except (OSError, StoreError) as error:
                log.warning("no nursery could be started: %s", error)
                return False
            clock.sleep(0.0 if begun else _GLANCE)
        return True

    def _begin_nursery(self) -> bool:
        """Start the nursery unless somebody else is at it; whether it was started."""
        held = lock.try_lock(self._home.nursery_lock)
        if held is None:  # somebody has bound, or is about to bind, its socket; or it is leaving
            return False
        try:
            with listen(self._home) as listener:
                output = open_log(self._home.nursery_log)
                try:
                    pid = _spawn(
                        [*_NURSERY, str(listener.fileno())],
                        output=output,
                        cwd=self._home.root,
                        env={
                            **self._env,
                            "JOBSCHED_HOME": str(self._home.root),
                            "PATH": os.defpath,
                            # One heap for all threads of a controller, not one for each.
                            "MALLOC_ARENA_MAX": "1",
                        },
                        keep=(listener.fileno(), held),
                    )
                finally:
                    os.close(output)
        finally:
            os.close(held)
        with self._guard:
            self._children[0, pid] = pid
        return True

    def _end_nursery(self) -> bool:
        """End a nursery that does not answer; whether it is gone. Its children go on."""
        clock = SystemClock()
        deadline = clock.monotonic() + _NURSERY_SECONDS
        while lock.probe(self._home.nursery_lock) is Grip.HELD:
            for pid in process.holders(self._home.nursery_lock):
                who = process.identify(pid)
                if who is not None and pid != os.getpid():
                    process.signal(who, signal.SIGKILL)
            if clock.monotonic() > deadline:
                return False
            clock.sleep(_GLANCE)
        return True

    def start(self, claim: Claim, command: Sequence[str], env: Mapping[str, str]) -> int:
        """Start the controller of ``claim`` and close our copy of its lock; its PID.

        Raises ``StartFailed``; the lock is free again then.
        """
        try:
            output = open_log(self._home.controller_log(claim.job_id))
            try:
                pid = _spawn(
                    [*command, "--job-id", str(claim.job_id)],
                    output=output,
                    cwd=self._home.root,
                    env={**env, **claim_variables(self._home, claim)},
                    keep=(claim.lock_fd,),
                )
            finally:
                os.close(output)
        except OSError as error:
            what = error.filename or command[0]
            raise StartFailed(
                f"cannot start the controller of job {claim.job_id}: {what}: {error.strerror}",
                transient=error.errno in _TRANSIENT,
            ) from error
        finally:
            os.close(claim.lock_fd)
        with self._guard:
            self._children[claim.job_id, claim.attempt] = pid
        return pid

    def leave_attendant(self) -> None:
        """Leave a process behind that ticks for controllers of the user's own, if there is none."""
        if lock.probe(self._home.attendant_lock) is Grip.HELD:
            return
        nowhere = os.open(os.devnull, os.O_RDWR | os.O_CLOEXEC)
        try:
            pid = _spawn(
                [sys.executable, "-E", "-P", "-m", "jobsched.scheduler.attendant"],
                output=nowhere,
                cwd=self._home.root,
                env={"JOBSCHED_HOME": str(self._home.root), "PATH": os.defpath},
            )
        finally:
            os.close(nowhere)
        with self._guard:
            self._children[0, pid] = pid

    def reap(self) -> dict[tuple[int, int], str]:
        """Collect children that have ended: (job, attempt) to how."""
        with self._guard:
            ended = {
                key: how for key, pid in self._children.items() if (how := _ending(pid)) is not None
            }
            for key in ended:
                del self._children[key]
        return ended


def _spawn(
    command: Sequence[str],
    *,
    output: int,
    cwd: Path,
    env: Mapping[str, str],
    keep: Sequence[int] = (),
) -> int:
    """Start a process in a session of its own, with nothing of ours but ``output`` and ``keep``."""
    child = subprocess.Popen(
        command,
        stdin=subprocess.DEVNULL,
        stdout=output,
        stderr=output,
        cwd=cwd,
        env=dict(env),
        pass_fds=tuple(keep),
        start_new_session=True,
        umask=0o077,
    )
    # It is meant to outlive us. Collecting it, should we live longer, is done by PID in ``reap``.
    child.returncode = 0
    return child.pid


def _ending(pid: int) -> str | None:
    """How a child has ended; ``None`` while it lives."""
    try:
        found, status = os.waitpid(pid, os.WNOHANG)
    except ChildProcessError:
        return "it was collected by somebody else"
    return describe_exit(os.waitstatus_to_exitcode(status)) if found else None


def claim_variables(home: Home, claim: Claim) -> dict[str, str]:
    """What tells a controller which attempt of which job it is."""
    return {
        "JOBSCHED_HOME": str(home.root),
        "JOBSCHED_JOB_ID": str(claim.job_id),
        "JOBSCHED_ATTEMPT": str(claim.attempt),
        "JOBSCHED_LOCK_FD": str(claim.lock_fd),
    }


def open_log(path: Path) -> int:
    """A controller's log, to append to. Raises ``OSError``."""
    flags = os.O_WRONLY | os.O_CREAT | os.O_APPEND | os.O_NOFOLLOW | os.O_CLOEXEC | os.O_NONBLOCK
    fd = os.open(path, flags, 0o600)
    os.set_blocking(fd, True)
    return fd
