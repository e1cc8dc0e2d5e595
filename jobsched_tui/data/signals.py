"""The signals that an operator may send to one process, and sending one to nobody else.

Owns the menu, its warnings and the check of identity just before. Decides nothing by itself.
"""

from __future__ import annotations

import os
import signal
from dataclasses import dataclass
from enum import Enum, unique
from typing import Final

import psutil

from jobsched_tui.data import proctable
from jobsched_tui.data.proctable import Identity


@dataclass(frozen=True, slots=True)
class Choice:
    """One entry of the menu."""

    signal: signal.Signals
    #: What it does, in a clause.
    meaning: str
    #: What the operator should know before; ``None`` where nothing is lost.
    warning: str | None = None

    @property
    def name(self) -> str:
        """``TERM``."""
        return self.signal.name.removeprefix("SIG")


@unique
class Sent(Enum):
    """What became of a signal."""

    SENT = "sent"
    #: It had ended, or its PID belongs to another process by now: nothing was sent.
    GONE = "that process has ended; nothing was sent"
    DENIED = "this user may not signal that process"
    #: The console itself, or the first process of the machine.
    REFUSED = "that process is not one of a job; nothing was sent"


_STOPPED: Final = "it keeps its slot and its lock while it is stopped; CONT lets it go on"
_CONTROLLER: Final = "the next controller adopts its tasks; each such end spends of the budget"
_TASK: Final = "its task may end FAILED, or be restarted"


def menu(kind: str) -> tuple[Choice, ...]:
    """The signals for a process of a ``controller`` or a ``cluster``; the gentlest first."""
    ends = _CONTROLLER if kind == "controller" else _TASK
    return (
        Choice(signal.SIGTERM, "ask it to end", ends),
        Choice(signal.SIGINT, "interrupt it, as Ctrl-C does", ends),
        Choice(signal.SIGHUP, "tell it that its terminal is gone", f"most programs end; {ends}"),
        Choice(signal.SIGSTOP, "stop it where it is", _STOPPED),
        Choice(signal.SIGCONT, "let it go on"),
        Choice(signal.SIGKILL, "end it at once", f"it can save nothing; {ends}"),
    )


def send(identity: Identity, number: signal.Signals) -> Sent:
    """Send a signal to that very process, or to nobody."""
    if identity.pid <= 1 or identity.pid == os.getpid():
        return Sent.REFUSED
    try:
        # Made first: from here on psutil refuses to signal anybody who gets the PID later.
        process = psutil.Process(identity.pid)
        if proctable.identify(identity.pid) != identity:
            return Sent.GONE
        process.send_signal(number)
    except psutil.NoSuchProcess:
        return Sent.GONE
    except psutil.AccessDenied:
        return Sent.DENIED
    return Sent.SENT
