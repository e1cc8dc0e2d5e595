"""Whose a process is that holds the lock of an attempt: the attempt's own, or a bystander's.

Owns the evidence. The lock alone is none: between the commit of its claims and the start of the
controllers, whoever runs a scheduling pass holds the locks of all that it has claimed. That may be
a program of the user's, or another job's controller. Sends no signal.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final, NamedTuple

from jobsched import process
from jobsched.config.environment import ATTEMPT, HOME, JOB_ID
from jobsched.home import Home
from jobsched.process import Identity
from jobsched.store.rows import AttemptRow

#: How a controller that was forked instead of started is called; the one that forks it, too.
_NEST: Final = ["-m", "jobsched.controller.nest"]


class _Seen(NamedTuple):
    """What the system tells of a process."""

    environ: Mapping[str, str]
    command: list[str]
    #: PIDs of its parent, that one's parent, and so on.
    ancestors: list[int]


def is_of(home: Home, attempt: AttemptRow, leader: Identity | None, pid: int) -> bool:
    """Whether ``pid``, which holds the attempt's lock, is the attempt's: its process, or from it.

    That is the recorded process (``leader``, if it is known) and who is in its session, whoever was
    told to be this attempt, and what descends from these.
    """
    seen = _look(pid)
    if seen is None:
        return False
    if leader is None and _is_forked(home, pid, seen):
        return True
    lineage = {pid: seen, **{one: _look(one) for one in seen.ancestors}}
    return any(
        _is_in_session(leader, one) or (known is not None and _was_told(home, attempt, known))
        for one, known in lineage.items()
    )


def _is_in_session(leader: Identity | None, pid: int) -> bool:
    """A controller leads a session, whose number is taken for as long as anybody is in it."""
    here, entry = process.me(), process.look_up(pid)
    if leader is None or entry is None:
        return False
    is_here = (leader.boot_id, leader.pid_ns) == (here.boot_id, here.pid_ns)
    return is_here and entry.session == leader.pid and entry.start_ticks >= leader.start_ticks


def _was_told(home: Home, attempt: AttemptRow, seen: _Seen) -> bool:
    told = {HOME: str(home.root), JOB_ID: str(attempt.job_id), ATTEMPT: str(attempt.attempt)}
    return told.items() <= seen.environ.items()


def _is_forked(home: Home, pid: int, seen: _Seen) -> bool:
    """Whether it is a forked controller that has not said yet which attempt it is.

    It has the command and the environment of the process that forked it, but leads a session of its
    own. That process may lead one, too, but it holds a lock; it is a bystander.
    """
    is_nest = any(seen.command[at : at + 2] == _NEST for at in range(len(seen.command)))
    entry = process.look_up(pid)
    is_leader = entry is not None and entry.session == pid
    return is_nest and is_leader and pid not in process.holders(home.nursery_lock)


def _look(pid: int) -> _Seen | None:
    """``None`` where it is gone, or another user's."""
    import psutil  # noqa: PLC0415 -- dear, and few processes ever end an attempt

    try:
        found = psutil.Process(pid)
        return _Seen(found.environ(), found.cmdline(), [one.pid for one in found.parents()])
    except (psutil.Error, OSError):
        return None
