"""The limits, verified over the whole history in order: a pure fold of constant size.

Owns the counting of slots. Believes each row's ``from``: whether it is true is for ``job`` to say.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from jobsched.audit.findings import Invariant, Violation
from jobsched.states import ALIVE_STATES, ScheduleState
from jobsched.store.record import Event

LAUNCH: Final = "LAUNCH"
ALIVE: Final = "ALIVE"
PAUSED: Final = "PAUSED"


class LimitsFold:
    """Slots used and limits in force, as of the last row that was fed."""

    def __init__(self) -> None:
        #: By name; a limit is not there before its first row.
        self.in_force: dict[str, int] = {}
        self.launching = 0
        self.alive = 0

    def feed(self, event: Event) -> Iterator[Violation]:
        """Take in the next row; what it breaks."""
        if event.kind == "LIMIT":
            yield from self._limit(event)
        elif event.kind == "SCHEDULE":
            self.launching += _steps(event, frozenset({ScheduleState.LAUNCHING}))
            self.alive += _steps(event, ALIVE_STATES)
            if event.to_value == ScheduleState.LAUNCHING:
                yield from self._launch(event)

    def _launch(self, event: Event) -> Iterator[Violation]:
        what = f"history row {event.seq} moves job {event.job_id} into LAUNCHING"
        launch, alive = self.in_force.get(LAUNCH), self.in_force.get(ALIVE)
        if launch is not None and self.launching > launch:
            yield _broken(f"{what} as number {self.launching}, but the launch limit is {launch}")
        if event.from_value != ScheduleState.WAITING:
            return
        if alive is not None and self.alive > alive:
            yield _broken(f"{what} as alive job {self.alive}, but the alive limit is {alive}")
        if self.in_force.get(PAUSED):
            yield _broken(f"{what} for the first time while starts are paused")

    def _limit(self, event: Event) -> Iterator[Violation]:
        name = str(event.subject)
        known = 0 if name == PAUSED else None
        before = self.in_force.get(name, known)
        if event.from_value != (None if before is None else str(before)):
            yield _broken(
                f"history row {event.seq} changes {name} from {event.from_value}, but it was"
                f" {before}"
            )
        if event.to_value is None or not event.to_value.isdecimal():
            yield _broken(f"history row {event.seq} sets {name} to {event.to_value}")
        else:
            self.in_force[name] = int(event.to_value)


def _steps(event: Event, states: frozenset[ScheduleState]) -> int:
    return int(event.to_value in states) - int(event.from_value in states)


def _broken(text: str) -> Violation:
    return Violation(Invariant.LIMITS, text)
