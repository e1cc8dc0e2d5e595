"""The nursery's own process: a loop that takes claims in, forks, and collects what has ended.

Owns its children and nothing else; what they are to become is handed in. Whatever it writes between
two forks becomes a page that no child shares any more, so the loop is kept small. A child that has
done its work and asks for more is given the next claim: to fork costs most of what a short job
does.
"""

from __future__ import annotations

import gc
import os
import select
import signal
import socket
import sys
import traceback
from collections import deque
from collections.abc import Callable, Iterable
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Final

from jobsched.nursery.density import make_dense
from jobsched.nursery.handing import Claim, give, receive

#: Milliseconds without a child or a message after which it leaves.
_LINGER: Final = 10_000
#: Processes that tick while a controller lives: one, and one that watches it.
_ATTENDANTS: Final = 2
#: Attendants that are started in all, at most: one that always ends at once is no help.
_MOST_ATTENDANTS: Final = 20
_CRASHED: Final = 70

#: How controllers have ended, by job and attempt, as a wait status says it.
Endings = dict[tuple[int, int], int]


@dataclass(frozen=True, slots=True)
class Roles:
    """What a child becomes; each is called in the child, and returns its exit code.

    ``lifeline``: a descriptor that reads end-of-file once the nursery is gone.
    """

    #: The controller of a claim.
    controller: Callable[[Claim, int], int]
    #: Somebody who ticks as long as the nursery lives.
    attendant: Callable[[int], int]
    #: Somebody who tells the schedule that controllers have died.
    mourner: Callable[[Endings], int]


@dataclass
class Brood:
    """A nursery at work. ``listener``: its socket; it is closed when it leaves."""

    listener: socket.socket
    roles: Roles
    #: Taken in, and not started yet.
    waiting: deque[Claim] = field(default_factory=deque)
    controllers: dict[int, tuple[int, int]] = field(default_factory=dict)
    #: Controllers that have done their work, each with the line on which it asks for more.
    idle: dict[int, socket.socket] = field(default_factory=dict)
    attendants: set[int] = field(default_factory=set)
    mourner: int | None = None
    _started: int = 0
    _unmourned: Endings = field(default_factory=dict)

    def serve(self) -> None:
        """Work until nothing has been alive for a while."""
        lifeline, hold = os.pipe()
        woken, wake = os.pipe()
        os.set_blocking(wake, False)
        signal.set_wakeup_fd(wake, warn_on_full_buffer=False)
        signal.signal(signal.SIGCHLD, lambda *_: None)
        poller = select.poll()
        poller.register(self.listener, select.POLLIN)
        poller.register(woken, select.POLLIN)
        make_dense()
        while True:
            ready = poller.poll(self._pause())
            if not ready and not self._is_busy():
                break
            for descriptor, _ in ready:
                if descriptor == woken:
                    os.read(woken, 4096)
                else:
                    self._take_in()
            self._collect()
            self._mourn()
            while self.waiting and self.idle:
                self._give(self.waiting[0])
            if self.waiting:
                self._begin(self.waiting.popleft(), lifeline)
            self._attend(lifeline)
        self.listener.close()
        os.close(hold)

    def _is_busy(self) -> bool:
        return bool(self.controllers or self.waiting or self.mourner or self._unmourned)

    def _pause(self) -> int | None:
        """Between two forks it only looks whether somebody wants to be heard."""
        if self.waiting:
            return 0
        return None if self._is_busy() else _LINGER

    def _take_in(self) -> None:
        with suppress(OSError):
            line, _ = self.listener.accept()
            heard = receive(line)
            if isinstance(heard, int) and heard in self.controllers:
                self.idle[heard] = line
                return
            line.close()
            if not isinstance(heard, int):
                self.waiting += heard

    def _give(self, claim: Claim) -> None:
        """Have the child that has been idle for the shortest time drive the next job."""
        pid, line = self.idle.popitem()
        with line:
            if give(line, claim):
                self.controllers[pid] = (claim.job_id, claim.attempt)
                os.close(self.waiting.popleft().lock_fd)

    def _begin(self, claim: Claim, lifeline: int) -> None:
        try:
            pid = fork(
                lambda: self.roles.controller(claim, lifeline), keep=(claim.lock_fd, lifeline)
            )
        except OSError:  # no more processes, or no memory: whoever ticks finds its lock free
            traceback.print_exc()
        else:
            self.controllers[pid] = (claim.job_id, claim.attempt)
        finally:
            os.close(claim.lock_fd)

    def _attend(self, lifeline: int) -> None:
        while (
            self.controllers
            and len(self.attendants) < _ATTENDANTS
            and self._started < _MOST_ATTENDANTS
        ):
            self._started += 1
            try:
                pid = fork(lambda: self.roles.attendant(lifeline), keep=(lifeline,))
            except OSError:
                return
            self.attendants.add(pid)

    def _collect(self) -> None:
        """Let go of children that have ended."""
        with suppress(ChildProcessError):
            while True:
                pid, status = os.waitpid(-1, os.WNOHANG)
                if not pid:
                    return
                if pid in self.controllers:
                    key = self.controllers.pop(pid)
                    line = self.idle.pop(pid, None)
                    if line is not None:
                        line.close()
                    elif status:
                        self._unmourned[key] = status
                elif pid == self.mourner:
                    self.mourner = None
                self.attendants.discard(pid)

    def _mourn(self) -> None:
        """Have the schedule told of all that have died since, by one process at a time."""
        if not self._unmourned or self.mourner is not None:
            return
        endings, self._unmourned = self._unmourned, {}
        with suppress(OSError):
            self.mourner = fork(lambda: self.roles.mourner(endings))


def fork(child: Callable[[], int], *, keep: Iterable[int] = ()) -> int:
    """Start a child that runs ``child`` in a session of its own and ends with what it returns.

    It has the standard streams and ``keep`` open, and no other descriptor: else it would hold the
    locks of others. Raises ``OSError``.
    """
    pid = os.fork()
    if pid:
        return pid
    status = _CRASHED
    try:
        signal.set_wakeup_fd(-1)
        signal.signal(signal.SIGCHLD, signal.SIG_DFL)
        _close_all_but(keep)
        os.setsid()
        gc.enable()
        status = child()
    except BaseException:  # noqa: BLE001 -- the edge of the process
        traceback.print_exc()
    finally:
        with suppress(Exception):
            sys.stdout.flush()
            sys.stderr.flush()
        os._exit(status)


def _close_all_but(keep: Iterable[int]) -> None:
    first = 3
    for descriptor in sorted(keep):
        os.closerange(first, descriptor)
        first = descriptor + 1
    os.closerange(first, os.sysconf("SC_OPEN_MAX"))
