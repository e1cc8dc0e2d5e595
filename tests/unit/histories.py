"""Histories made by hand, row by row, and random legal ones."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

from jobsched.states import (
    ALIVE_STATES,
    STATUS_MOVES,
    TERMINAL,
    UNFINISHED,
    ScheduleState,
    TaskStatus,
)
from jobsched.store.record import Event

S, T = ScheduleState, TaskStatus

#: Picks one of some names.
Choose = Callable[[list[str]], str]


@dataclass
class MadeJob:
    """Where a job of a made history is."""

    state: ScheduleState = S.INACTIVE
    attempt: int = 0
    tasks: dict[int, TaskStatus] = field(default_factory=dict)
    held: bool = False
    cancelled: bool = False


class History:
    """Appends rows. Each method writes what the product would, or what it is told to instead."""

    def __init__(self, launch: int | None = 4, alive: int | None = 8) -> None:
        self.rows: list[Event] = []
        self.jobs: dict[int, MadeJob] = {}
        self.limits: dict[str, int] = {"PAUSED": 0}
        self.newest = 0
        if launch is not None:
            self.limit("LAUNCH", launch)
        if alive is not None:
            self.limit("ALIVE", alive)

    def add(self, kind: str, **columns: object) -> None:
        """One row."""
        seq = self.rows[-1].seq + 1 if self.rows else 1
        self.rows.append(Event(seq, kind, **columns))  # type: ignore[arg-type]

    def limit(self, name: str, value: int) -> None:
        """A limit changes."""
        before = self.limits.get(name)
        was = None if before is None else str(before)
        self.add("LIMIT", subject=name, from_value=was, to_value=str(value))
        self.limits[name] = value

    def create(self, tasks: int = 1) -> int:
        """A new job; its id."""
        self.newest += 1
        self.jobs[self.newest] = MadeJob()
        self.add("SCHEDULE", job_id=self.newest, to_value="INACTIVE", attempt=0)
        for task in range(tasks):
            self.jobs[self.newest].tasks[task] = T.PENDING
            self.add("STATUS", job_id=self.newest, task_id=task, to_value="PENDING", attempt=0)
        return self.newest

    def move(self, job: int, *states: ScheduleState, raises: int | None = None) -> None:
        """Schedule moves; a claim raises the attempt, or ``raises`` says by how much."""
        made = self.jobs[job]
        for to in states:
            is_claim = made.state is S.WAITING and to in (S.LAUNCHING, S.ALIVE)
            made.attempt += int(is_claim) if raises is None else raises
            self.add(
                "SCHEDULE", job_id=job, from_value=str(made.state), to_value=str(to),
                attempt=made.attempt,
            )  # fmt: skip
            made.state = to

    def status(self, job: int, *statuses: TaskStatus, task: int = 0) -> None:
        """Moves of one task."""
        made = self.jobs[job]
        for to in statuses:
            self.add(
                "STATUS", job_id=job, task_id=task, from_value=str(made.tasks[task]),
                to_value=str(to), attempt=made.attempt,
            )  # fmt: skip
            made.tasks[task] = to

    def action(self, job: int, subject: str) -> None:
        """What an operator did."""
        self.add("ACTION", job_id=job, subject=subject, attempt=self.jobs[job].attempt)

    def running(self, tasks: int = 1) -> int:
        """A job whose first task is RUNNING."""
        job = self.create(tasks)
        self.move(job, S.WAITING, S.LAUNCHING)
        self.status(job, T.STARTING, T.RUNNING)
        self.move(job, S.ALIVE)
        return job

    def cancel(self, job: int) -> None:
        """A cancel is asked for."""
        self.action(job, "CANCEL")
        self.jobs[job].cancelled = True
        for task, status in self.jobs[job].tasks.items():
            if status in UNFINISHED and status is not T.CANCELLING:
                self.status(job, T.CANCELLED if status is T.PENDING else T.CANCELLING, task=task)

    def done(self, job: int, *, forced: bool = False, to: TaskStatus = T.CANCELLED) -> None:
        """The end, by the controller or by force."""
        if forced:
            self.action(job, "DONE")
        for task, status in self.jobs[job].tasks.items():
            if status in UNFINISHED:
                self.status(job, to, task=task)
        self.move(job, S.DONE, raises=int(forced))

    def prune(self, job: int) -> None:
        """A DONE job is forgotten."""
        self.rows = [row for row in self.rows if row.job_id != job]
        self.rows.append(Event(self._next_seq(), "PRUNED", job))
        del self.jobs[job]

    def _next_seq(self) -> int:
        return max((row.seq for row in self.rows), default=0) + 1


def play(history: History, choose: Choose, steps: int) -> None:
    """So many random steps, each of which the product could take."""
    for _ in range(steps):
        enabled = _enabled(history)
        _take(history, enabled[choose(sorted(enabled))], choose)


_Step = tuple[str, int]


def _enabled(history: History) -> dict[str, _Step]:
    """What could happen next, by a name for it."""
    found: dict[str, _Step] = {
        "create": ("create", 0), "launch limit": ("launch limit", 0),
        "alive limit": ("alive limit", 0), "pause": ("pause", 0),
    }  # fmt: skip
    states = [made.state for made in history.jobs.values()]
    launching = states.count(S.LAUNCHING)
    alive = sum(state in ALIVE_STATES for state in states)
    slot = launching < history.limits["LAUNCH"]
    room = slot and alive < history.limits["ALIVE"] and not history.limits["PAUSED"]
    for job, made in history.jobs.items():
        free = not made.held and not made.cancelled
        for what, possible in (
            ("submit", made.state is S.INACTIVE and not made.cancelled),
            ("start", made.state is S.WAITING and made.attempt == 0 and room and free),
            ("adopt", made.state is S.WAITING and made.attempt > 0 and not made.cancelled),
            ("give back", made.state in (S.LAUNCHING, S.ALIVE_WAITING)),
            ("ask", made.state is S.ALIVE and not made.cancelled),
            ("resume", made.state is S.ALIVE_WAITING and slot and free),
            ("requeue", made.state in ALIVE_STATES),
            ("status", made.state in ALIVE_STATES),
            ("cancel", made.state is not S.DONE and not made.cancelled),
            ("hold", made.state is not S.DONE),
            ("done", made.state is not S.DONE),
            ("force", made.state is not S.DONE),
            ("prune", made.state is S.DONE),
        ):
            if possible:
                found[f"{what} {job:04}"] = (what, job)
    return found


def _take(history: History, step: _Step, choose: Choose) -> None:
    what, job = step
    steps: dict[str, Callable[[], object]] = {
        "create": lambda: history.create(int(choose(["1", "2", "3"]))),
        "launch limit": lambda: _set_limit(history, "LAUNCH", int(choose(["1", "2", "3"]))),
        "alive limit": lambda: _set_limit(history, "ALIVE", int(choose(["1", "3", "6"]))),
        "pause": lambda: _set_limit(history, "PAUSED", 1 - history.limits["PAUSED"]),
        "submit": lambda: history.move(job, S.WAITING),
        "start": lambda: history.move(job, S.LAUNCHING),
        "adopt": lambda: history.move(job, S.ALIVE),
        "give back": lambda: history.move(job, S.ALIVE),
        "ask": lambda: history.move(job, S.ALIVE_WAITING),
        "resume": lambda: history.move(job, S.LAUNCHING),
        "requeue": lambda: history.move(job, S.WAITING),
        "status": lambda: _move_task(history, job, choose),
        "cancel": lambda: history.cancel(job),
        "hold": lambda: _turn_hold(history, job),
        "done": lambda: history.done(job, to=_outcome(history.jobs[job], choose)),
        "force": lambda: history.done(job, forced=True, to=_outcome(history.jobs[job], choose)),
        "prune": lambda: history.prune(job),
    }
    steps[what]()


def _turn_hold(history: History, job: int) -> None:
    made = history.jobs[job]
    made.held = not made.held
    history.action(job, "HOLD" if made.held else "RELEASE")


def _set_limit(history: History, name: str, value: int) -> None:
    if history.limits[name] != value:
        history.limit(name, value)


def _outcome(made: MadeJob, choose: Choose) -> TaskStatus:
    possible = [T.CANCELLED] if made.cancelled else sorted(TERMINAL)
    return T(choose([str(status) for status in possible]))


def _move_task(history: History, job: int, choose: Choose) -> None:
    possible = {
        f"{task} {to}": (task, to)
        for task, status in history.jobs[job].tasks.items()
        for to in STATUS_MOVES[status]
    }
    if possible:
        task, to = possible[choose(sorted(possible))]
        history.status(job, to, task=task)
