"""Bring a task to run, and bring it back: short loops over pure decisions.

Owns the loop of tries. One try is one pass over the placements that the strategy names, all inside
one launch slot, with whatever it left removed before the slot is given back; the pause between two
tries is outside. Decisions come from ``retries``, ``verdicts`` and the strategy, deeds from
``steps``; the state between two tries is the stored row alone.
"""

from __future__ import annotations

import logging
import random
import threading
from collections.abc import Sequence
from dataclasses import replace
from typing import Final, Self

from jobsched.clock import Clock
from jobsched.config import BackendConfig, RecoveryConfig
from jobsched.errors import PrecheckFailed
from jobsched.models import ClusterState, Observation, Placement, TaskSpec
from jobsched.recovery.backoff import jittered, longest_pause, pause
from jobsched.recovery.base import (
    Fail,
    Failure,
    KeepWatching,
    Launched,
    Outcome,
    Policy,
    Recover,
    Succeed,
    Verdict,
    Wait,
)
from jobsched.recovery.effects import (
    Effects,
    Enough,
    KnowsRoom,
    MemoryRecorder,
    Provider,
    Recorder,
    Slot,
    WaitFor,
)
from jobsched.recovery.pace import Pace
from jobsched.recovery.registry import strategy_named
from jobsched.recovery.retries import (
    after_failed_try,
    deadline,
    hopeless,
    out_of_time,
    too_late,
)
from jobsched.recovery.row import RecoveryRow, WaitCode
from jobsched.recovery.steps import Steps, guarded
from jobsched.recovery.verdicts import after_probe
from jobsched.recovery.watch import Watch

log = logging.getLogger(__name__)

#: Seconds after a try that came too late for room in which no other is begun, whatever appears.
_BREATH: Final = 1.0


class StrategyExecutor:
    """Launches, judges and recovers one task by its strategy. Made by :meth:`make`."""

    def __init__(self, policy: Policy, steps: Steps, effects: Effects) -> None:
        self.policy, self.steps, self.effects = policy, steps, effects
        self._watch, self._pace = Watch(), Pace()
        #: Places that have refused the task for good since its last pause began.
        self.refusals: list[Failure] = []
        #: The pause that was ended before its time, for the try that is under way.
        self._cut_short: RecoveryRow | None = None
        self._was_late = False

    @classmethod
    def make(
        cls,
        task: TaskSpec,
        job_id: int,
        *,
        backend: Provider,
        slot: Slot,
        clock: Clock,
        row: RecoveryRow | None = None,
        recorder: Recorder | None = None,
        wait: WaitFor | None = None,
        settings: RecoveryConfig | None = None,
        stop: threading.Event | None = None,
        stop_grace: float | None = None,
        rng: random.Random | None = None,
    ) -> Self:
        """The executor that ``task.recovery`` asks for.

        ``row``: what is stored of the task so far; it goes on from there. ``recorder``: stores it
        (default: in memory). ``wait``: default: sleeps on ``clock``. ``stop``: set when the job is
        cancelled. ``stop_grace``: seconds. Raises ``InvalidInput`` for an unknown strategy.
        """
        effects = Effects(
            backend=backend,
            recorder=recorder or MemoryRecorder(task, job_id),
            slot=slot,
            clock=clock,
            wait=wait or _sleeping(clock),
            stop=stop or threading.Event(),
            stop_grace=BackendConfig().stop_grace_seconds if stop_grace is None else stop_grace,
            rng=rng or random.Random(),  # noqa: S311 -- jitter, not a secret
        )
        policy = Policy(
            strategy=strategy_named(task.recovery.strategy),
            recovery=task.recovery,
            settings=settings or RecoveryConfig(),
            certain=backend.certain,
        )
        return cls(policy, Steps(task, job_id, row or RecoveryRow(), effects), effects)

    @property
    def row(self) -> RecoveryRow:
        """As last stored."""
        return self.steps.row

    @property
    def task(self) -> TaskSpec:
        """The task."""
        return self.steps.task

    def launch(self) -> Outcome:
        """Try until the task started on a cluster, or never can.

        ``Succeed``: a cluster that the row named turned out to hold its success. Raises
        ``Cancelled``, ``StaleAttempt`` or ``Fenced``; the row then still names what may exist.
        """
        while True:
            self.rest(lambda: has_room([self]))
            ended = out_of_time(self.row, self.task, self.effects.clock.now()) or self._try()
            if not isinstance(ended, tuple):
                return ended
            decision = self.decide(ended)
            if isinstance(decision, Fail):
                return decision
            self.steps.commit(decision.row)

    def recover(self, row: RecoveryRow | None = None) -> Outcome:
        """Prove the old run gone, then launch again as the strategy says; ends like ``launch``.

        ``row``: that of the ``Recover`` decision, stored already. Without one the recovery that is
        under way in the stored row goes on; if none is, the cluster counts as lost.
        """
        if row is not None:
            self.steps.row = row
        elif self.row.cause is None:
            lost = self.judge(Observation(state=ClusterState.GONE))
            if isinstance(lost, Fail):
                return lost
            if isinstance(lost, Recover):
                self.steps.commit(lost.row)
        self._watch = Watch()
        if self.row.backoff_until is not None:  # what the lost cluster held is for others meanwhile
            left = self.steps.prove_gone()
            if isinstance(left, Succeed):
                return left
        return self.launch()

    def started(self) -> Launched:
        """Record that the task runs on the cluster that the row names: launched, or found there.

        Only where ``row.adoptable``, else it raises ``ValueError``.
        """
        launched = self.steps.started()
        self._pace = self._pace.start(self.effects.clock.monotonic())
        return launched

    def judge(self, observation: Observation) -> Verdict:
        """What a probe made now means for the task. Stores nothing."""
        at = self.effects.clock.monotonic()
        verdict = after_probe(self.row, self._watch, observation, at, self.policy)
        if isinstance(verdict, KeepWatching):
            self._watch = verdict.watch
        return self._paced(verdict, at) if isinstance(verdict, Recover) else verdict

    # The parts of a try, shared with job groups.

    def rest(self, room: Enough) -> None:
        """Wait out what is left of the stored pause, never longer than a pause can be.

        A pause for want of room ends as soon as ``room`` says that there is some.
        """
        was_late, self._was_late, self._cut_short = self._was_late, False, None
        row, now = self.row, self.effects.clock.now()
        if row.backoff_until is None or row.backoff_code is None:
            return
        # The wall clock may have been set back since the pause was stored.
        seconds = min(row.backoff_until - now, longest_pause(self.policy.settings))
        end = deadline(row, self.task)
        if row.cause is not None and end is not None:
            seconds = min(seconds, end - now)
        if row.backoff_code is not WaitCode.NO_ROOM:
            room = _never
        elif was_late and seconds > _BREATH:
            self.effects.wait(_BREATH, _never)
            seconds -= _BREATH
        if seconds > 0 and self.effects.wait(seconds, room):
            self._cut_short = row

    def decide(self, failures: Sequence[Failure]) -> Wait | Fail:
        """What follows a try in which all this went wrong."""
        now = self.effects.clock.now()
        if self._cut_short is not None:
            late = too_late(self.row, self._cut_short, failures)
            if late is not None:
                self._was_late = True
                log.info("task %s: somebody else took the room that appeared", self.task.name)
                return late
        decision = after_failed_try(self.row, failures, now, self.effects.rng, self.policy.settings)
        if isinstance(decision, Fail):
            log.warning("task %s: %s: %s", self.task.name, decision.status, decision.reason)
        else:
            row, pause = decision.row, (decision.row.backoff_until or now) - now
            log.warning(
                "task %s: try %d failed, the next one is in %.0f s: %s",
                *(self.task.name, row.tries, pause, row.backoff_reason),
            )
        return decision

    def places(self) -> tuple[Placement, ...] | Failure:
        """All places that could ever serve the task."""
        what = f"looking for a place for task {self.task.name}"
        return guarded(what, None, lambda: self.effects.backend.placements(self.task))

    def order(self, placements: Sequence[Placement]) -> tuple[Placement, ...]:
        """Those of ``placements`` that the next try asks for, in order."""
        return self.policy.strategy.next_try(self.row, placements) or tuple(placements)

    def _try(self) -> Outcome | tuple[Failure, ...]:
        """One try: the end of the loop, or all that went wrong."""
        left = self.steps.prove_gone()
        if isinstance(left, Failure):
            return (left,)
        if left is not None:
            return left
        with self.effects.slot():
            return self._pass()

    def _paced(self, verdict: Recover, at: float) -> Recover:
        """With a pause before it, where such recoveries follow one another too fast.

        One that spends a restart needs none: their number is bounded.
        """
        self._pace = self._pace.end(at)
        if verdict.row.restarts_spent > self.row.restarts_spent or not self._pace.pauses:
            return verdict
        effects, settings = self.effects, self.policy.settings
        seconds = jittered(pause(self._pace.pauses, settings), effects.rng)
        row = verdict.row.waiting(
            tries=0,
            until=effects.clock.now() + seconds,
            code=WaitCode.BACKOFF,
            reason=f"{verdict.reason}; runs in a row of a few seconds: {self._pace.short_runs}",
        )
        return replace(verdict, row=row)

    def _pass(self) -> Launched | tuple[Failure, ...]:
        """Over the strategy's placements, and over the others where those can never serve."""
        places = self.places()
        if isinstance(places, Failure):
            return (places,)
        failures: list[Failure] = []
        self.refusals = []
        live = list(places)
        while live and hopeless(failures):
            for placement in self.order(live):
                self.steps.name(placement)
                failed = self.steps.start()
                if failed is None:
                    return self.started()
                failures.append(failed)
                if isinstance(failed.error, PrecheckFailed):
                    self.refusals.append(failed)
                    live.remove(placement)
                stuck = self.steps.drop()
                if stuck is not None:  # it may still exist, so its name must not be replaced
                    return (*failures, stuck)
        return tuple(failures)


def has_room(members: Sequence[StrategyExecutor]) -> bool:
    """Whether the backend has room for new clusters of all ``members`` now; not if in doubt."""
    backend = members[0].effects.backend
    if not isinstance(backend, KnowsRoom):
        return False
    wants: list[tuple[TaskSpec, list[Placement]]] = []
    for member in members:
        places = member.places()
        if isinstance(places, Failure):
            return False
        refused = {refusal.placement for refusal in member.refusals}
        wants.append((member.task, [place for place in places if place not in refused]))
    return guarded("looking for room", None, lambda: backend.has_room(wants)) is True


def _never() -> bool:
    return False


def _sleeping(clock: Clock) -> WaitFor:
    """For programs that are never told of room: every pause is waited out."""

    def wait(seconds: float, _enough: Enough) -> bool:
        clock.sleep(seconds)
        return False

    return wait
