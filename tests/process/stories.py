"""What happens to jobs, by hand or as chance will have it, and all that can be seen of it later."""

from __future__ import annotations

import itertools
import random
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from jobsched.api import Field, Op, Order, OrderBy, Past, Scheduler, Term, Watch
from jobsched.context import Context
from jobsched.scheduler.passes import run_pass
from jobsched.states import STATUS_MOVES, ScheduleState, TaskStatus
from jobsched.store import moves, reads
from tests.store.filling import by

S, T = ScheduleState, TaskStatus


def act(context: Context, subject: str, job_id: int, now: float) -> None:
    """Have the history say that an operator did something."""
    with context.db.write() as tx:
        moves.record(tx, by(now), "ACTION", job_id=job_id, subject=subject)


def move(context: Context, job_id: int, to: ScheduleState, now: float, attempt: int | None) -> None:
    """Move a job, with another attempt if one is given."""
    columns = {} if attempt is None else {"attempt": attempt, "started_at": now}
    with context.locked() as held, context.db.write() as tx:
        moves.schedule(tx, held, moves.owned(tx, job_id, by(now)), to, by(now), **columns)


#: What history keeps of a job, and of a task.
KEPT = (
    "job_id", "name", "schedule_state", "status", "priority", "attempt", "submitted_at",
    "started_at", "ended_at", "failure_reason", "held", "cancel_requested", "source",
)  # fmt: skip

TASK_KEPT = (
    "task_id", "name", "status", "started_at", "ended_at", "failure_reason", "log_path",
)  # fmt: skip

QUESTIONS: list[tuple[list[Term], list[Order]]] = [
    ([], []),
    ([Term(Field.STATE, Op.IS, ("DONE",), negated=True)], [Order(OrderBy.NAME, descending=True)]),
    ([Term(Field.HELD, Op.IS, negated=True)], [Order(OrderBy.RUNTIME), Order(OrderBy.STATUS)]),
    ([Term(Field.TEXT, Op.CONTAINS, ("DAG",))], [Order(OrderBy.PRIORITY, descending=True)]),
    ([Term(Field.AGE, Op.LESS, (100.0,))], [Order(OrderBy.ENDED), Order(OrderBy.STATE)]),
    ([Term(Field.ERROR, Op.IS)], [Order(OrderBy.AGE)]),
    ([Term(Field.CANCEL, Op.IS)], [Order(OrderBy.STARTED, descending=True)]),
    ([Term(Field.ATTEMPT, Op.MORE, (0,))], []),
]


def kept(rows: Mapping[int, Mapping[str, Any]]) -> list[Any]:
    """Rows without what history does not keep."""
    return [
        (
            {key: row[key] for key in KEPT},
            [{key: task[key] for key in TASK_KEPT} for task in row["tasks"]],
        )
        for _, row in sorted(rows.items())
    ]


def picture(home: Watch | Past, at: float) -> list[Any]:
    """Everything that both the present and the past can tell."""
    now = {} if isinstance(home, Past) else {"now": at}
    limits = home.limits()
    return [
        kept(home.rows(range(1, 40))),
        *(home.listing(terms, sort, **now) for terms, sort in QUESTIONS),
        home.counts(),
        (limits.launch, limits.alive, limits.paused, limits.launching_used, limits.alive_used),
    ]


class Story:
    """Jobs that live as chance will have it, through the real doors; no process is started."""

    def __init__(self, context: Context, dag: Path, seed: int) -> None:
        self.chance, self.context, self.dag = random.Random(seed), context, dag  # noqa: S311 -- a story, no secret
        self.door = Scheduler(context=context)
        self.names = itertools.cycle(["b", "quick", "a", "fox", "é", "jumps"])

    def step(self) -> None:
        """Something happens."""
        with self.context.db.read() as tx:
            jobs = [job for n in range(1, 40) if (job := reads.job(tx, n)) and not job.is_done]
        chosen = self.chance.choice(jobs) if jobs else None
        acts: list[Callable[[], object]] = [
            lambda: self.door.create_job(next(self.names), ["a", "b"]),
            lambda: self.door.set_limits(launch=self.chance.randrange(1, 4)),
            lambda: self.door.set_limits(paused=self.chance.random() < 0.3),
        ]
        if chosen is not None:
            job_id = chosen.job_id
            acts += 4 * [lambda: self._controller(job_id)]
            acts += [
                lambda: self.door.set_priority(job_id, self.chance.randrange(-3, 4)),
                lambda: self.door.release(job_id),
                lambda: self.door.cancel([job_id], reason=self.chance.choice(["enough", None])),
            ]
            if chosen.schedule_state is S.INACTIVE:
                acts += 6 * [lambda: self.door.submit_job(job_id, self.dag)]
            else:  # a submission writes over an earlier hold, and no row tells
                acts.append(lambda: self.door.hold(job_id))
            if self.chance.random() < 0.3:
                acts.append(lambda: self.door.done(job_id, reason="by force"))
        self.chance.choice(acts)()

    def _controller(self, job_id: int) -> None:
        """What its controller might do next."""
        with self.context.locked() as held, self.context.db.write() as tx:
            job = reads.job(tx, job_id)
            if job is None or not job.is_alive:
                return
            mover = self.context.by(self.chance.choice(["because", None]), attempt=job.attempt)
            left = [task for task in reads.tasks_of(tx, job_id) if not task.status.is_terminal]
            to = {S.LAUNCHING: S.ALIVE, S.ALIVE: S.ALIVE_WAITING}.get(job.schedule_state)
            if not left:
                moves.done(tx, held, job, mover)
            elif to is not None and self.chance.random() < 0.4:
                moves.schedule(tx, held, job, to, mover)
            elif self.chance.random() < 0.1:
                moves.schedule(tx, held, job, S.WAITING, mover)
            else:
                task = self.chance.choice(left)
                moves.status(tx, task, self.chance.choice(_next(task.status)), mover)
        run_pass(self.context)


def _next(status: TaskStatus) -> list[TaskStatus]:
    return sorted(STATUS_MOVES[status])
