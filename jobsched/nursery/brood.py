"""The nursery's own process: a loop that takes claims in, forks, and collects what has ended.

Owns its children and nothing else; what they are to become is handed in. Whatever it writes between
two forks becomes a page that no child shares any more, so the loop is kept small. A child that has
done its work and asks for more is given the next claim: to fork costs most of what a short job
does.
"""

from __future__ import annotations

import gc
import math
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
from resource import RLIM_INFINITY, RLIMIT_NOFILE, getrlimit, setrlimit
from typing import Final, NoReturn

from jobsched.clock import Clock, SystemClock
from jobsched.nursery.density import make_dense
from jobsched.nursery.handing import Asked, Claim, Relief, give, is_begun, receive

#: Milliseconds without a child or a message after which it leaves.
_LINGER: Final = 10_000
#: Processes that tick while a controller lives: one, and one that watches it.
_ATTENDANTS: Final = 2
#: Attendants that are started in all, at most: one that always ends at once is no help.
_MOST_ATTENDANTS: Final = 20
_CRASHED: Final = 70
#: Descriptors that it may have open: one for the lock of each controller that is yet to begin.
_MOST_DESCRIPTORS: Final = 65_536
#: Controllers that are forked in one go: few enough that nobody who hands over waits long.
_AT_ONCE: Final = 4
#: Controllers that begin at the same time, and seconds after which one is no longer said to: more
#: than there are processors would only make each other, and everybody else, wait.
MOST_BEGINNING: Final = max(2, os.cpu_count() or 1)
_BEGINNING: Final = 0.25
#: Seconds for which only one begins at a time, after a controller had to wait for the programs that
#: submit: so those wait for no more than they must.
_CROWDED: Final = 0.25
#: Bytes of a PID as a controller tells it.
_PID_BYTES: Final = 4
#: Where children have asked for work within so many seconds, the next one will soon: it is waited
#: for so many milliseconds before another is forked, which costs more.
_LATELY, _SOON = 0.1, 5

#: How controllers have ended, by job and attempt, as a wait status says it.
Endings = dict[tuple[int, int], int]


@dataclass(frozen=True, slots=True)
class Roles:
    """What a child becomes; each is called in the child, and returns its exit code.

    ``lifeline``: a descriptor that reads end-of-file once the nursery is gone.
    """

    #: The controller of a claim, with its lifeline and what to tell once it has begun: its PID is
    #: written there.
    controller: Callable[[Claim, int, int], int]
    #: Who waits in the place of a controller that asked for it, with the same.
    relief: Callable[[Relief, int, int], int]
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
    #: Controllers that have not come to wait for their tasks yet, and since when.
    beginning: dict[int, float] = field(default_factory=dict)
    attendants: set[int] = field(default_factory=set)
    mourner: int | None = None
    clock: Clock = field(default_factory=SystemClock)
    #: What its children may have open: as much as it was given.
    _limits: tuple[int, int] = field(default_factory=lambda: getrlimit(RLIMIT_NOFILE))
    _asked_at: float = -math.inf
    _crowded_at: float = -math.inf
    _tell: int = -1
    _started: int = 0
    _unmourned: Endings = field(default_factory=dict)

    def serve(self) -> None:
        """Work until nothing has been alive for a while."""
        soft, hard = self._limits
        most = _MOST_DESCRIPTORS if hard == RLIM_INFINITY else min(hard, _MOST_DESCRIPTORS)
        setrlimit(RLIMIT_NOFILE, (max(soft, most), hard))
        lifeline, hold = os.pipe()
        begun, self._tell = os.pipe()
        woken, wake = os.pipe()
        os.set_blocking(wake, False)
        signal.set_wakeup_fd(wake, warn_on_full_buffer=False)
        signal.signal(signal.SIGCHLD, lambda *_: None)
        poller = select.poll()
        poller.register(self.listener, select.POLLIN)
        poller.register(woken, select.POLLIN)
        poller.register(begun, select.POLLIN)
        make_dense()
        while True:
            ready = poller.poll(self._pause())
            if not ready and not self._is_busy():
                break
            is_due = not (ready and self._expects_idle())
            for descriptor, _ in ready:
                if descriptor == woken:
                    os.read(woken, 4096)
                elif descriptor == begun:
                    self._have_begun(os.read(begun, 1024 * _PID_BYTES))
                else:
                    self._take_in(lifeline)
            self._collect()
            self._mourn()
            while self.waiting and self.idle and self._room():
                self._give(self.waiting[0])
            if self.waiting and is_due and (room := self._room()):
                self._begin(lifeline, room)
            self._attend(lifeline)
        self.listener.close()
        os.close(hold)

    def _is_busy(self) -> bool:
        return bool(self.controllers or self.waiting or self.mourner or self._unmourned)

    def _pause(self) -> int | None:
        """Between two forks it only looks whether somebody wants to be heard."""
        if self.waiting:
            return _SOON if self._expects_idle() or not self._room() else 0
        return None if self._is_busy() else _LINGER

    def _room(self) -> int:
        """How many controllers may begin now."""
        now = self.clock.monotonic()
        self.beginning = {pid: at for pid, at in self.beginning.items() if at > now - _BEGINNING}
        most = 1 if self._crowded_at > now - _CROWDED else MOST_BEGINNING
        return max(0, most - len(self.beginning))

    def _have_begun(self, pids: bytes) -> None:
        for at in range(0, len(pids), _PID_BYTES):
            self.beginning.pop(int.from_bytes(pids[at : at + _PID_BYTES]), None)

    def _expects_idle(self) -> bool:
        return self.clock.monotonic() - self._asked_at < _LATELY

    def _take_in(self, lifeline: int) -> None:
        with suppress(OSError):
            line, _ = self.listener.accept()
            heard = receive(line)
            if isinstance(heard, Asked) and heard.pid in self.controllers:
                self._hear(heard, line)
                return
            line.close()
            if isinstance(heard, Relief):
                self._relieve(heard, lifeline)
            elif not isinstance(heard, Asked):
                self.waiting += heard

    def _hear(self, asked: Asked, line: socket.socket) -> None:
        self.idle[asked.pid] = line
        self.beginning.pop(asked.pid, None)
        self._asked_at = self.clock.monotonic()
        if asked.was_crowded:
            self._crowded_at = self._asked_at

    def _relieve(self, relief: Relief, lifeline: int) -> None:
        own = (relief.claim.lock_fd, relief.line, *relief.descriptors)
        try:
            pid = self._fork(
                lambda: self.roles.relief(relief, lifeline, self._tell),
                keep=(*own, lifeline, self._tell),
            )
            self.controllers[pid] = (relief.claim.job_id, relief.claim.attempt)
            is_begun(relief, pid)
        finally:
            for descriptor in own:
                os.close(descriptor)

    def _give(self, claim: Claim) -> None:
        """Have the child that has been idle for the shortest time drive the next job."""
        pid, line = self.idle.popitem()
        with line:
            if give(line, claim):
                self._note(pid, claim)
                os.close(self.waiting.popleft().lock_fd)

    def _note(self, pid: int, claim: Claim) -> None:
        self.controllers[pid] = (claim.job_id, claim.attempt)
        self.beginning[pid] = self.clock.monotonic()

    def _begin(self, lifeline: int, room: int) -> None:
        """Fork for some of those that wait, and do nothing else in between.

        Each page that is written between two forks is one more for the child before.
        """
        count = min(len(self.waiting), room, _AT_ONCE)
        claims = [self.waiting.popleft() for _ in range(count)]
        pids: list[int] = []
        try:
            for claim in claims:
                pid = os.fork()
                if not pid:
                    self._become_controller(claim, lifeline)
                pids.append(pid)
        except OSError:  # no more processes, or no memory: whoever ticks finds their locks free
            traceback.print_exc()
        for claim, pid in zip(claims, pids, strict=False):
            self._note(pid, claim)
        for claim in claims:
            os.close(claim.lock_fd)

    def _become_controller(self, claim: Claim, lifeline: int) -> NoReturn:
        tell = self._tell
        become(
            lambda: self.roles.controller(claim, lifeline, tell),
            keep=(claim.lock_fd, lifeline, tell), limits=self._limits,
        )  # fmt: skip

    def _attend(self, lifeline: int) -> None:
        while (
            self.controllers
            and len(self.attendants) < _ATTENDANTS
            and self._started < _MOST_ATTENDANTS
        ):
            self._started += 1
            try:
                pid = self._fork(lambda: self.roles.attendant(lifeline), keep=(lifeline,))
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
                    self.beginning.pop(pid, None)
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
            self.mourner = self._fork(lambda: self.roles.mourner(endings))

    def _fork(self, child: Callable[[], int], *, keep: Iterable[int] = ()) -> int:
        """Start a child that becomes ``child``; its PID. Raises ``OSError``."""
        pid = os.fork()
        if not pid:
            become(child, keep=keep, limits=self._limits)
        return pid


def become(child: Callable[[], int], *, keep: Iterable[int], limits: tuple[int, int]) -> NoReturn:
    """In a process that was forked: run ``child`` in a session of its own, and end as it says.

    It has the standard streams and ``keep`` open, and no other descriptor: else it would hold the
    locks of others.
    """
    status = _CRASHED
    try:
        signal.set_wakeup_fd(-1)
        signal.signal(signal.SIGCHLD, signal.SIG_DFL)
        _close_all_but(keep)
        setrlimit(RLIMIT_NOFILE, limits)
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
