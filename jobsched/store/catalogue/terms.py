"""Pieces that the statements of the catalogue are made of."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

from sqlalchemy import BindParameter, ColumnElement, and_, bindparam, exists, literal_column, or_

from jobsched.states import ALIVE_STATES, FAILURES, TERMINAL, ScheduleState, TaskStatus
from jobsched.store.catalogue.schema import attempts, dependencies, jobs
from jobsched.store.rows import LONGEST_PAUSE

#: States that count against the alive limit.
ALIVE: Final = tuple(sorted(ALIVE_STATES))
UNFINISHED: Final = tuple(state for state in ScheduleState if state is not ScheduleState.DONE)
FAILED: Final = tuple(sorted(FAILURES))
#: Ended, but not well.
LOST: Final = tuple(sorted(TERMINAL - {TaskStatus.SUCCEEDED}))

#: A list of ids, of at most ``tx.MOST_IDS``.
IDS: Final[BindParameter[Sequence[int]]] = bindparam("ids", expanding=True)
#: Where an UPDATE takes the columns that its caller names: see ``tx.setting``.
MORE: Final[ColumnElement[Any]] = literal_column("{more}")

#: Higher priority first, then in the order of submission.
ORDER: Final = (jobs.c.priority.desc(), jobs.c.queue_seq)
#: What a pass considers before the job of this priority and place.
BEFORE: Final = or_(
    jobs.c.priority > bindparam("priority"),
    (jobs.c.priority == bindparam("priority")) & (jobs.c.queue_seq < bindparam("place")),
)
DUE: Final = or_(
    jobs.c.not_before.is_(None),
    jobs.c.not_before <= bindparam("now"),
    jobs.c.not_before > bindparam("now") + LONGEST_PAUSE,
)
FREE_TO_LAUNCH: Final = and_(jobs.c.hold == 0, jobs.c.cancel_at.is_(None))
#: Whether any controller of it has come as far as a call into the library: else it has no cluster.
HAS_CALLED: Final = exists().where(
    (attempts.c.job_id == jobs.c.job_id) & attempts.c.called_at.is_not(None)
)
#: New jobs that nothing but a limit or a pause keeps from being started ``now``.
STARTABLE: Final = and_(
    jobs.c.schedule_state == ScheduleState.WAITING,
    jobs.c.attempt == 0,
    FREE_TO_LAUNCH,
    DUE,
    ~exists().where((dependencies.c.job_id == jobs.c.job_id) & (dependencies.c.satisfied == 0)),
)


def columns_of(*names: str) -> dict[str, Any]:
    """Columns that take the value of the same name."""
    return {name: bindparam(name) for name in names}
