"""One job's history, verified row by row: a pure fold.

Owns what must hold of a job's own rows: legal and unbroken moves, attempts, cancels, holds,
outcomes before DONE. After a row that breaks something it goes on from where that row says the job
is, so that one fault is reported once.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from jobsched.audit.findings import Invariant, Violation
from jobsched.states import (
    SCHEDULE_MOVES,
    STATUS_MOVES,
    TERMINAL,
    UNFINISHED,
    ScheduleState,
    TaskStatus,
)
from jobsched.store.record import Event

_S, _T = ScheduleState, TaskStatus
_CLAIMS: Final = frozenset({_S.LAUNCHING, _S.ALIVE})
#: Names to members: a row may hold anything, and what has no name here is no legal move.
_STATES: Final[dict[str | None, ScheduleState]] = {str(state): state for state in _S}
_STATUSES: Final[dict[str | None, TaskStatus]] = {str(status): status for status in _T}
_BEGUN: Final = frozenset({_T.STARTING, _T.RUNNING, _T.RECOVERING})


class JobFold:
    """Where a job is, as of the last row that was fed."""

    def __init__(self, job_id: int) -> None:
        self.job_id = job_id
        #: ``None`` before the first row.
        self.state: str | None = None
        self.attempt = 0
        #: Status by task.
        self.statuses: dict[int, str | None] = {}
        self.held = self.cancelled = self.forced = self.pruned = False
        self._seq = 0
        #: The row that started its newest controller.
        self._claim = 0
        #: Moves that only the end of the job allows, until the row that ends it.
        self._ending: list[Event] = []

    def feed(self, event: Event) -> Iterator[Violation]:
        """Take in the job's next row; what it breaks."""
        yield from self._end_of_ending(event)
        if self.pruned:
            yield self._broken(event, Invariant.PRUNING, "is of a job that was pruned before it")
        match event.kind:
            case "SCHEDULE":
                yield from self._schedule(event)
            case "STATUS":
                yield from self._status(event)
            case "ACTION":
                self._action(event)
            case "PRUNED":
                if self._seq:
                    yield self._broken(event, Invariant.PRUNING, "prunes it but left its rows")
                self.pruned = True
            case _:
                pass  # LIMIT: no job's
        self._seq = event.seq

    def finish(self) -> Iterator[Violation]:
        """There is no further row; what that breaks."""
        yield from self._end_of_ending(None)

    # Schedule states.

    def _schedule(self, event: Event) -> Iterator[Violation]:
        before, to = _STATES.get(event.from_value), _STATES.get(event.to_value)
        is_claim = before is _S.WAITING and to in _CLAIMS
        broken = list(self._chain(event, is_claim=is_claim))
        yield from broken
        if not broken and not self._is_legal(event, is_claim=is_claim):
            yield self._illegal(event)
        yield from self._attempt(event, rises=is_claim or (to is _S.DONE and self.forced))
        if to is _S.LAUNCHING and self.held:
            yield self._broken(event, Invariant.HOLDS, "moves it into LAUNCHING while it is held")
        if self.cancelled and (is_claim or to is _S.LAUNCHING):
            yield self._broken(event, Invariant.CANCELS, f"moves it into {to} after its cancel")
        if to is _S.DONE:
            yield from self._done(event)
        self.state = event.to_value
        self._claim = event.seq if is_claim else self._claim

    def _chain(self, event: Event, *, is_claim: bool) -> Iterator[Violation]:
        if event.from_value == self.state:
            return
        if self.state == _S.DONE:
            yield self._broken(
                event, Invariant.OUTCOMES, f"moves it to {event.to_value} after DONE"
            )
        elif is_claim and self._claim:
            yield self._broken(
                event,
                Invariant.CLAIMS,
                f"starts it from WAITING, which row {self._claim} had done already",
            )
        else:
            yield self._broken(
                event, Invariant.MOVES, f"moves it from {event.from_value}, but it was {self.state}"
            )

    def _is_legal(self, event: Event, *, is_claim: bool) -> bool:
        before, to = _STATES.get(event.from_value), _STATES.get(event.to_value)
        if (event.from_value is not None and before is None) or to not in SCHEDULE_MOVES[before]:
            return False
        # The first start needs a slot; a job that was alive is alive again at once.
        return not is_claim or (to is _S.LAUNCHING) == (self.attempt == 0)

    def _attempt(self, event: Event, *, rises: bool) -> Iterator[Violation]:
        expected = self.attempt + int(rises)
        if event.attempt != expected:
            yield self._broken(
                event,
                Invariant.ATTEMPTS,
                f"moves it to {event.to_value} with attempt {event.attempt}, not {expected}",
            )
        self.attempt = expected if event.attempt is None else event.attempt

    def _done(self, event: Event) -> Iterator[Violation]:
        self._ending.clear()
        left = [task for task, status in self.statuses.items() if status in UNFINISHED]
        for task in left:
            status = self.statuses[task]
            yield self._broken(
                event, Invariant.OUTCOMES, f"moves it to DONE while task {task} is {status}"
            )

    # Statuses.

    def _status(self, event: Event) -> Iterator[Violation]:
        task = -1 if event.task_id is None else event.task_id
        current = self.statuses.get(task)
        if event.from_value != current:
            is_final = current in TERMINAL
            yield self._broken(
                event,
                Invariant.OUTCOMES if is_final else Invariant.MOVES,
                f"moves task {task} from {event.from_value}, but it was {current}",
            )
        elif self.state == _S.DONE:
            yield self._broken(event, Invariant.OUTCOMES, f"moves task {task} after DONE")
        yield from self._status_move(event)
        if event.attempt != self.attempt:
            yield self._broken(
                event,
                Invariant.ATTEMPTS,
                f"moves task {task} as attempt {event.attempt}, but {self.attempt} acts for it",
            )
        self.statuses[task] = event.to_value

    def _status_move(self, event: Event) -> Iterator[Violation]:
        before, to = _STATUSES.get(event.from_value), _STATUSES.get(event.to_value)
        is_known = event.from_value is None or before is not None
        if is_known and to in STATUS_MOVES[before]:
            return
        if before not in UNFINISHED or to not in TERMINAL:
            yield self._illegal(event)
            return
        if self.cancelled and not self.forced and before in _BEGUN and to is _T.CANCELLED:
            yield self._broken(
                event,
                Invariant.CANCELS,
                f"moves task {event.task_id} from {before} to {to} at once",
            )
        self._ending.append(event)  # an end of the whole job may do that

    def _end_of_ending(self, event: Event | None) -> Iterator[Violation]:
        """Moves that only the job's end allows are followed by it, in the same transaction."""
        if not self._ending or (event is not None and self._is_more_of_an_end(event)):
            return
        for move in self._ending:
            yield self._illegal(move)
        self._ending.clear()

    def _is_more_of_an_end(self, event: Event) -> bool:
        if event.seq != self._seq + 1:
            return False
        if event.kind == "SCHEDULE":
            return event.to_value == _S.DONE
        return event.kind == "STATUS" and event.to_value in TERMINAL

    # Actions.

    def _action(self, event: Event) -> None:
        match event.subject:
            case "CANCEL":
                self.cancelled = True
            case "HOLD":
                self.held = True
            case "RELEASE":
                self.held = False
            case "DONE":
                self.forced = True
            case _:
                pass  # changes nothing that is verified here

    def _illegal(self, event: Event) -> Violation:
        what = "it" if event.kind == "SCHEDULE" else f"task {event.task_id}"
        return self._broken(
            event,
            Invariant.MOVES,
            f"moves {what} from {event.from_value} to {event.to_value}, which is no legal move",
        )

    def _broken(self, event: Event, invariant: Invariant, text: str) -> Violation:
        return Violation(invariant, f"job {self.job_id}: history row {event.seq} {text}")
