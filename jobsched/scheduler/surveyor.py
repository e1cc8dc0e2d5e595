"""The looks at memory and controllers that the automatic alive limit is reckoned from.

Owns how often they are taken, on whom, and that the tightest of the last minute counts: memory that
comes and goes with every task raises no limit. Belongs to whoever ticks, who does it outside the
lock; what was seen is remembered for every process of the home.
"""

from __future__ import annotations

import logging
from collections import deque
from collections.abc import Callable
from typing import Final

from jobsched import process
from jobsched.context import Context
from jobsched.machine import memory, remembered
from jobsched.machine.footprint import SAMPLE, Footprint, measure, spread
from jobsched.machine.memory import Memory
from jobsched.machine.room import room_for
from jobsched.process import Identity
from jobsched.store import reads
from jobsched.store.rows import AttemptRow
from jobsched.store.tx import Tx
from jobsched.sweep.fence import identity_of

log = logging.getLogger(__name__)

#: Seconds between looks at memory, and for how long a tight one counts.
_LOOK_SECONDS: Final = 5.0
_WINDOW_SECONDS: Final = 60.0
#: Seconds between measures of controllers; the first ones, of few, are soon taken again.
_MEASURE_SECONDS: Final = 60.0
_MEASURE_FEW_SECONDS: Final = 10.0
#: Seconds after its start until a controller has its size.
_GROWN_SECONDS: Final = 2.0


class Surveyor:
    """Looks for one home; not thread-safe."""

    def __init__(
        self, context: Context, look: Callable[[int | None], Memory] = memory.look
    ) -> None:
        """``look``: at memory as a process has it, by default the calling one."""
        self._context, self._look_at = context, look
        self._looks: deque[tuple[float, Memory, int]] = deque()
        self._look_due = self._measure_due = 0.0
        self._footprint: Footprint | None = None
        #: A controller, in whose control group memory is looked at.
        self._one: Identity | None = None

    def look(self) -> None:
        """Look if it is time to, and remember it. What fails is tried again the next time."""
        now = self._context.clock.monotonic()
        if now < self._look_due:
            return
        self._look_due = now + _LOOK_SECONDS
        try:
            self._survey(now)
        except Exception as error:  # noqa: BLE001 -- no sweep may fail for want of it
            log.warning("what controllers take could not be seen: %s", error)

    def _survey(self, now: float) -> None:
        with self._context.db.read() as tx:
            alive = reads.current_limits(tx).alive_used
            grown = self._grown(tx) if alive and now >= self._measure_due else []
        if grown:
            self._measure(grown, now)
        footprint = self._known()
        self._looks.append((now, self._memory(), alive))
        while self._looks[0][0] < now - _WINDOW_SECONDS:
            self._looks.popleft()
        _, tightest, alive_then = min(
            self._looks, key=lambda one: room_for(one[1], footprint.each, one[2]).limit
        )
        remembered.save(
            self._context.home.memory_file,
            remembered.Remembered(
                memory=tightest, alive=alive_then, at=self._context.clock.now(), footprint=footprint
            ),
        )

    def _grown(self, tx: Tx) -> list[AttemptRow]:
        """Controllers that have been at work for a moment, oldest jobs first."""
        before = self._context.clock.now() - _GROWN_SECONDS
        return [
            one
            for one in reads.alive_attempts(tx)
            if one.pid is not None and one.started_at < before
        ]

    def _measure(self, attempts: list[AttemptRow], now: float) -> None:
        some = [attempts[number] for number in spread(range(len(attempts)))]
        living = [who for one in some if (who := identity_of(one)) and process.is_same(who)]
        found = measure([who.pid for who in living], self._context.clock.now())
        if found is None:
            return
        self._footprint, self._one = found, living[0]
        few = found.controllers < SAMPLE
        self._measure_due = now + (_MEASURE_FEW_SECONDS if few else _MEASURE_SECONDS)

    def _memory(self) -> Memory:
        """Memory as controllers have it; as this process has, where none is known to live."""
        if self._one is None or not process.is_same(self._one):
            self._one = None
        return self._look_at(None if self._one is None else self._one.pid)

    def _known(self) -> Footprint:
        """The newest measure, of this process or of one that ticked before."""
        if self._footprint is None:
            seen = remembered.load(self._context.home.memory_file)
            self._footprint = Footprint() if seen is None else seen.footprint
        return self._footprint
