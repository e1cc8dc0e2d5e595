"""What limits would do before they are set, and where a new job would stand: a pass as arithmetic.

Owns the forecast. Reads nothing; what it is told of the queue is what it knows. Counts as
``jobsched`` does: resumes first, then starts; neither the alive limit nor a pause keeps a resume.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from jobsched.api import ReasonCode
from jobsched.states import ScheduleState
from jobsched_tui.data.frame import JobLine, LimitsLine

MIB: Final = 1024 * 1024

#: Reasons of a waiting job that has more to wait for than the limits.
_KEPT: Final = frozenset(
    {ReasonCode.HELD, ReasonCode.BACKOFF, ReasonCode.DEPENDS_ON, ReasonCode.CANCELLING}
)


@dataclass(frozen=True, slots=True)
class Waiter:
    """A job in line."""

    job_id: int
    name: str
    priority: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Queue:
    """Who waits for a slot, in the order of a pass."""

    #: Alive, and want to launch again.
    resumes: Sequence[Waiter] = ()
    #: Were never started.
    starts: Sequence[Waiter] = ()


def queue_of(lines: Sequence[JobLine]) -> Queue:
    """Who waits for nothing but a slot: those that are neither held nor cancelled nor put off."""
    free = [line for line in lines if not line.held and not line.cancel_requested]
    return Queue(
        resumes=_in_line([one for one in free if one.state is ScheduleState.ALIVE_WAITING]),
        starts=_in_line(
            [
                one
                for one in free
                if one.state is ScheduleState.WAITING
                and one.attempt == 0
                and one.reason not in _KEPT
            ]
        ),
    )


def _in_line(lines: Sequence[JobLine]) -> tuple[Waiter, ...]:
    order = sorted(lines, key=lambda one: (-one.priority, one.submitted_at or 0.0, one.job_id))
    return tuple(Waiter(one.job_id, one.name, one.priority) for one in order)


@dataclass(frozen=True, slots=True, kw_only=True)
class Machine:
    """What the machine gives: what ``auto`` means on it, and memory in bytes."""

    auto_launch: int
    auto_alive: int
    controller_bytes: int
    #: ``None``: cannot be told.
    free_bytes: int | None = None
    #: Where the automatic alive limit comes from, as a clause.
    alive_sum: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Forecast:
    """What the next pass would do under the limits that are proposed."""

    launch: int
    alive: int
    resumes: tuple[Waiter, ...] = ()
    starts: tuple[Waiter, ...] = ()
    #: Who would still wait.
    left: int = 0
    #: Jobs that launch, and that are alive, beyond the new limits: nothing of them is stopped.
    over_launch: int = 0
    over_alive: int = 0
    #: Bytes that the new controllers add.
    added_bytes: int = 0
    free_bytes: int | None = None

    @property
    def fits(self) -> bool:
        """Whether the machine has the memory for it, as far as that can be told."""
        return self.free_bytes is None or self.added_bytes <= self.free_bytes


def forecast(
    now: LimitsLine,
    queue: Queue,
    machine: Machine,
    *,
    launch: int | str | None = None,
    alive: int | str | None = None,
    paused: bool | None = None,
) -> Forecast:
    """What would happen if these limits were set; ``None`` leaves one as it is."""
    most_launch = _number(launch, now.launch.limit, machine.auto_launch)
    most_alive = _number(alive, now.alive.limit, machine.auto_alive)
    launch_room = max(0, most_launch - now.launch.used)
    resumes = tuple(queue.resumes[:launch_room])
    room = min(launch_room - len(resumes), max(0, most_alive - now.alive.used))
    is_paused = now.paused if paused is None else paused
    starts = () if is_paused else tuple(queue.starts[:room])
    waiting = len(queue.resumes) + len(queue.starts)
    return Forecast(
        launch=most_launch,
        alive=most_alive,
        resumes=resumes,
        starts=starts,
        left=waiting - len(resumes) - len(starts),
        over_launch=max(0, now.launch.used - most_launch),
        over_alive=max(0, now.alive.used - most_alive),
        added_bytes=len(starts) * machine.controller_bytes,
        free_bytes=machine.free_bytes,
    )


def _number(wanted: int | str | None, now: int, auto: int) -> int:
    if wanted is None:
        return now
    return auto if isinstance(wanted, str) else wanted


@dataclass(frozen=True, slots=True, kw_only=True)
class Place:
    """Where jobs that are submitted now would stand."""

    #: How many would start at once, of how many.
    starting: int
    copies: int = 1
    #: ``launch 3/3``, ``alive 40/40``, ``paused``, ``held``: what keeps the rest.
    kept_by: str = ""
    #: Who would come before the first of them.
    in_front: int = 0


def place(
    now: LimitsLine, queue: Queue, *, priority: int = 0, copies: int = 1, hold: bool = False
) -> Place:
    """Where ``copies`` new jobs of a priority would stand; those of the same come before them."""
    before = sum(one.priority >= priority for one in queue.starts)
    in_front = len(queue.resumes) + before
    if hold:
        return Place(starting=0, copies=copies, kept_by="held")
    if now.paused:
        return Place(starting=0, copies=copies, kept_by="paused", in_front=before)
    launch_room = now.launch.limit - now.launch.used - in_front
    alive_room = now.alive.limit - now.alive.used - before
    starting = max(0, min(copies, launch_room, alive_room))
    if starting == copies:
        return Place(starting=starting, copies=copies)
    if launch_room < alive_room:
        kept_by = f"launch {now.launch.used}/{now.launch.limit}"
    else:
        kept_by, in_front = f"alive {now.alive.used}/{now.alive.limit}", before
    return Place(starting=starting, copies=copies, kept_by=kept_by, in_front=in_front)
