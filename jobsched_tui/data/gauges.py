"""The two limits with what was used of them lately: what the header and the limits dialog show.

Owns how far back they look and how often that is worked out anew. Belongs to one thread.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Final

from jobsched.api import Change, Counts, Limits, Watch
from jobsched_tui.data.frame import Gauge, LimitsLine
from jobsched_tui.data.pace import Pace

#: Seconds that the history of a gauge spans, and into how many steps it is divided.
SPAN: Final = 600.0
STEPS: Final = 30
_STEP: Final = SPAN / STEPS


class Gauges:
    """Both limits of one watch."""

    def __init__(self, watch: Watch, monotonic: Callable[[], float]) -> None:
        self._watch = watch
        self._used: tuple[Sequence[int], Sequence[int]] = ((), ())
        self._changes: list[Change] = []
        self._pause: Change | None = None
        self._limits: Limits | None = None
        #: To go over what was used costs what has happened meanwhile.
        self._pace = Pace(monotonic, _STEP)
        self._moved = True

    def note(self, changes: Sequence[Change]) -> None:
        """Take note of what has happened: whether a limit was changed."""
        self._moved = self._moved or any(change.kind == "LIMIT" for change in changes)

    def read(self, counts: Counts, now: float, *, committed: bool) -> LimitsLine:
        """What they are now. ``committed``: whether anybody has written since the last call."""
        if committed or self._limits is None:
            self._limits = self._watch.limits()
        since = now - SPAN
        if self._moved:
            self._changes = self._watch.limit_changes(since)
            self._pause = self._last_pause() if self._limits.paused else None
            self._moved = False
        if self._pace.is_due():
            with self._pace:
                self._used = self._watch.usage(since, STEPS, now)
        # The last step is now, whenever the others were worked out.
        launch, alive = self._used
        used = (
            (*launch[:-1], self._limits.launching_used),
            (*alive[:-1], self._limits.alive_used),
        )
        return line_of(self._limits, counts, used, self._changes, now, pause=self._pause)

    def _last_pause(self) -> Change | None:
        found = self._watch.limit_changes(0.0)
        return next((one for one in reversed(found) if one.subject == "PAUSED"), None)


def line_of(
    limits: Limits,
    counts: Counts,
    used: tuple[Sequence[int], Sequence[int]],
    changes: Sequence[Change],
    now: float,
    *,
    pause: Change | None = None,
) -> LimitsLine:
    """Both gauges, from what the door says."""
    launch, alive = used
    return LimitsLine(
        launch=Gauge(
            limit=limits.launch, used=limits.launching_used, auto=limits.launch_auto,
            history=tuple(launch), changes=_steps(changes, "LAUNCH", now),
        ),
        alive=Gauge(
            limit=limits.alive, used=limits.alive_used, auto=limits.alive_auto,
            history=tuple(alive), changes=_steps(changes, "ALIVE", now),
        ),
        paused=limits.paused,
        paused_by=None if pause is None else pause.actor,
        paused_at=None if pause is None else pause.at,
        waiting=counts.waiting,
        waiting_since=counts.waiting_since,
    )  # fmt: skip


def _steps(changes: Sequence[Change], subject: str, now: float) -> tuple[int, ...]:
    """In which steps of the history a limit was changed."""
    steps = {
        STEPS - 1 - int((now - change.at) // _STEP)
        for change in changes
        if change.subject == subject and change.from_value is not None
    }
    return tuple(sorted(step for step in steps if 0 <= step < STEPS))
