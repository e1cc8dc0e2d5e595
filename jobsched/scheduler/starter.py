"""Starting controllers: one detached process each, which owns its attempt's lock from birth.

Owns what a controller's process looks like: command, environment, session, descriptors, log. Starts
by exec, through no shell. Decides nothing and writes no state.
"""

from __future__ import annotations

import errno
import os
import subprocess
import sys
import threading
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from jobsched import lock
from jobsched.errors import StartFailed
from jobsched.home import Home
from jobsched.lock import Grip
from jobsched.sweep.evidence import describe_exit

_TRANSIENT: Final = frozenset({errno.EAGAIN, errno.ENOMEM, errno.EMFILE, errno.ENFILE})

#: The default controller. ``-E -P``: no module of a directory or PYTHONPATH may shadow ours.
DEFAULT_COMMAND: Final = (sys.executable, "-E", "-P", "-m", "jobsched.controller")


@dataclass(frozen=True, slots=True)
class Claim:
    """A job that a pass has claimed: its new attempt, and the descriptor that holds its lock."""

    job_id: int
    attempt: int
    lock_fd: int


class Starter:
    """Starts controllers and remembers how those that it started ended."""

    def __init__(self, home: Home) -> None:
        self._home = home
        self._children: dict[tuple[int, int], int] = {}
        self._guard = threading.Lock()

    def start(self, claim: Claim, command: Sequence[str], env: Mapping[str, str]) -> int:
        """Start the controller of ``claim`` and close our copy of its lock; its PID.

        Raises ``StartFailed``; the lock is free again then.
        """
        own = {
            "JOBSCHED_HOME": str(self._home.root),
            "JOBSCHED_JOB_ID": str(claim.job_id),
            "JOBSCHED_ATTEMPT": str(claim.attempt),
            "JOBSCHED_LOCK_FD": str(claim.lock_fd),
        }
        try:
            log = _open_log(self._home.controller_log(claim.job_id))
            try:
                pid = _spawn(
                    [*command, "--job-id", str(claim.job_id)],
                    output=log,
                    cwd=self._home.root,
                    env={**env, **own},
                    keep=(claim.lock_fd,),
                )
            finally:
                os.close(log)
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


def _open_log(path: Path) -> int:
    flags = os.O_WRONLY | os.O_CREAT | os.O_APPEND | os.O_NOFOLLOW | os.O_CLOEXEC | os.O_NONBLOCK
    fd = os.open(path, flags, 0o600)
    os.set_blocking(fd, True)
    return fd
