"""Rest: a controller that has only waited for a while has a fresh process wait in its place.

Owns both sides of that. What a controller has run through (a launch above all) has made most of its
memory its own; a child that was just forked shares nearly all of its with the nursery. It holds the
same lock, so at no moment could anybody take the job for abandoned. It waits without opening the
database, and becomes the controller once there is news: from the rows, as after a death.
"""

from __future__ import annotations

import logging
import os
import select
import socket
import threading
from collections.abc import Sequence
from typing import Final

from jobsched import lock, process
from jobsched.clock import SystemClock
from jobsched.controller.journal import Journal
from jobsched.home import Home
from jobsched.lock import Grip
from jobsched.logfiles.trim import is_too_long
from jobsched.nursery.handing import Claim, Relief, go_on, relieve, stand_down, word
from jobsched.wake import Inbox

log = logging.getLogger(__name__)

#: Seconds between looks at the logs of the job: a task that runs may flood them.
_LOOK: Final = 10.0
#: Seconds after which it becomes the controller even without news: but a net.
_LONGEST: Final = 3_600.0
#: Seconds for which who was relieved stays, doing nothing: somebody may just have read its name
#: in the rows, and is about to look whether it lives.
_LINGER: Final = 0.2


class Resting:
    """One controller's way to rest; ``logs``: those that are to be kept short meanwhile."""

    def __init__(self, journal: Journal, logs: Sequence[str], max_bytes: int) -> None:
        self._journal, self._logs, self._max_bytes = journal, logs, max_bytes

    def begin(self, descriptors: Sequence[int], seconds: float | None) -> None:
        """Be relieved, which ends this process; returns where that cannot be had.

        ``descriptors``: what to wait on besides messages. ``seconds``: how long at most; ``None``:
        for ever.
        """
        context = self._journal.context
        identity = context.identity
        if identity is None or identity.lock_fd is None:
            return
        if context.in_slot or threading.active_count() > 1:
            return  # more is under way than a wait
        claim = Claim(identity.job_id, identity.attempt, identity.lock_fd)
        logs = list(self._logs) if descriptors else []  # else no task runs that could write one
        note = {"seconds": seconds, "logs": logs, "max_bytes": self._max_bytes}
        found = relieve(context.home, claim, descriptors, note)
        if found is not None:
            self._leave_to(*found)

    def _leave_to(self, pid: int, line: socket.socket) -> None:
        """Have the rows name the child, then end; returns where it is gone."""
        who = process.identify(pid)
        if who is None:
            line.close()
            return
        try:
            self._journal.put_process(who)
        except BaseException:
            stand_down(line)
            raise
        log.info("there is nothing to do but wait: PID %d does so in place of this process", pid)
        try:
            go_on(line)
        except OSError:  # it was killed: so it is for this process to wait
            line.close()
            self._journal.put_process(process.me())
            return
        self._journal.context.clock.sleep(_LINGER)
        os._exit(0)


def stand_in(home: Home, relief: Relief, lifeline: int) -> bool | None:
    """Wait in a controller's place until there is news.

    ``False``: it goes on itself, and this process is to end. ``None``: it died before it had said
    that this one is to take its place.
    """
    inbox = Inbox(home.wake_fifo(relief.claim.job_id, relief.claim.attempt))
    said = word(relief)
    if said:
        _wait(home, [inbox.fileno(), *relief.descriptors], relief, lifeline)
    inbox.close()
    for descriptor in relief.descriptors:
        os.close(descriptor)
    return said


def _wait(home: Home, descriptors: Sequence[int], relief: Relief, lifeline: int) -> None:
    """Until one is readable, time is up, a log is too long, or somebody is needed who ticks."""
    clock, note = SystemClock(), relief.note
    until = clock.monotonic() + (note["seconds"] or _LONGEST)
    poller = select.poll()
    for descriptor in (*descriptors, lifeline):
        poller.register(descriptor, select.POLLIN)
    usual = _LOOK if note["logs"] else _LONGEST
    look, is_orphan = usual, False
    while (left := until - clock.monotonic()) > 0:
        ready = [descriptor for descriptor, _ in poller.poll(1000 * min(left, look))]
        if ready == [lifeline]:
            # Not all at once: whoever finds nobody ticking becomes a controller again, and ticks.
            poller.unregister(lifeline)
            usual, is_orphan, look = _LOOK, True, os.getpid() % 1000 / 1000 * _LOOK
            continue
        if ready or any(is_too_long(path, note["max_bytes"]) for path in note["logs"]):
            return
        if is_orphan and lock.probe(home.deputy_lock) is not Grip.HELD:
            return
        look = usual
