"""Fakes for tests: a clock that moves when somebody sleeps, a backend that lives in memory.

Owns stand-ins that keep the contracts of ``clock.Clock`` and ``backends.base.Backend`` and do what
a test's script says. Nothing in the product imports this module.
"""

from __future__ import annotations

import os
import threading
from collections import Counter, defaultdict, deque
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final, TypeAlias

from jobsched.clock import Clock
from jobsched.errors import BackendError, Cancelled, Fenced, NoCapacity, PrecheckFailed
from jobsched.models import (
    ClusterInfo,
    ClusterState,
    LaunchRequest,
    Observation,
    Phase,
    Placement,
    TaskSpec,
)

__all__ = ["LOST", "UNKNOWN", "UP", "FakeBackend", "FakeClock", "Outcome", "ended"]

#: What a script says of one launch: the error that it raises, or what a probe sees after it.
Outcome: TypeAlias = BackendError | Observation

UP: Final = Observation(state=ClusterState.UP)
UNKNOWN: Final = Observation(state=ClusterState.UNKNOWN, reason="it cannot be told now")
LOST: Final = Observation(state=ClusterState.GONE, reason="it was preempted on purpose")
_STOPPED: Final = Observation(state=ClusterState.GONE, reason="it was stopped")
_ABSENT: Final = Observation(state=ClusterState.GONE, reason="there is no such cluster")


def ended(exit_code: int = 0, phase: Phase = Phase.RUN, at: float = 0.0) -> Observation:
    """The task ended by itself, ``at`` Unix seconds."""
    what = f"{phase.value.lower()} ended with exit code {exit_code}"
    return Observation(
        state=ClusterState.ENDED, exit_code=exit_code, phase=phase, ended_at=at, reason=what
    )


class FakeClock:
    """Both clocks stand still until somebody sleeps; a test may also set ``wall``."""

    def __init__(self, wall: float = 1_000_000.0) -> None:
        self.wall, self.slept = wall, 0.0

    def now(self) -> float:
        """Wall time in Unix seconds."""
        return self.wall

    def monotonic(self) -> float:
        """Seconds that were slept."""
        return self.slept

    def sleep(self, seconds: float) -> None:
        """Move both clocks at once."""
        self.wall += max(0.0, seconds)
        self.slept += max(0.0, seconds)


@dataclass
class _Cluster:
    """What the fake keeps of one name."""

    name: str
    fence: int = 0
    stopped: bool = False
    #: Where it has room; ``None``: none was asked for yet, or it was given back.
    place: Placement | None = None
    region: str = ""
    task: TaskSpec | None = None
    job_id: int = 0
    attempt: int = 0
    launched: bool = False
    created_at: float = 0.0
    seen: Observation = _ABSENT
    #: Ends of pipes whose other ends were given out by ``watch``.
    watchers: list[int] = field(default_factory=list)


class FakeBackend:
    """Places in order of preference, and a script of what happens in each. For one thread.

    ``room``: clusters that each region can hold, no limit for one that is not named. A launch that
    nothing was scripted for succeeds and stays UP. Names are used once, also after their removal.
    """

    name = "fake"

    def __init__(
        self,
        *places: Placement,
        room: Mapping[str, int] | None = None,
        certain: bool = True,
        clock: Clock | None = None,
    ) -> None:
        self.certain = certain
        self.places = places or (Placement(region="R1"), Placement(region="R2"))
        self._room, self._clock = dict(room or {}), clock or FakeClock()
        self._script: dict[Placement, deque[Outcome]] = defaultdict(deque)
        self._clusters: dict[str, _Cluster] = {}
        self._unseen: Counter[str] = Counter()
        #: Reasons that ``placements`` and ``launch`` refuse every task with.
        self.refusals: list[str] = []
        #: What the next stops and removals raise, once each.
        self.stuck: list[BackendError] = []
        #: Places of all launches that were tried, and names of all clusters stopped and removed.
        self.attempted: list[Placement] = []
        self.stops: list[str] = []
        self.removes: list[str] = []

    # --- the script -------------------------------------------------------------------------------

    def will(self, place: Placement, *outcomes: Outcome) -> None:
        """Have the next launches at ``place`` come out so, one after the other."""
        self._script[place] += outcomes

    def see(self, cluster: str, seen: Observation) -> None:
        """Change what is known of a cluster; whoever watches it is woken. An end is for good."""
        found = self._clusters[cluster]
        if found.seen.state is not ClusterState.ENDED:
            found.seen = seen
        self._wake(found)

    def hide(self, cluster: str, times: int = 1) -> None:
        """Have the next ``times`` looks at the cluster answer UNKNOWN."""
        self._unseen[cluster] += times

    def close(self) -> None:
        """Let go of all descriptors; whoever watches is woken."""
        for found in self._clusters.values():
            self._wake(found)

    # --- the contract -----------------------------------------------------------------------------

    def placements(self, task: TaskSpec) -> tuple[Placement, ...]:
        """All places, or the scripted refusal."""
        del task
        if self.refusals:
            raise PrecheckFailed(self.refusals)
        return self.places

    def reserve(
        self, wants: Sequence[tuple[str, TaskSpec, Sequence[Placement]]], *, job_id: int = 0
    ) -> list[Placement]:
        """Room for all or for none, each in the first of its places that has any left."""
        chosen: dict[str, Placement] = {}
        for name, _, places in wants:
            held = self._at(name).place
            fits = [place for place in places if self._has_room(place, chosen)]
            if held is None and not fits:
                raise NoCapacity([f"no room for {name}"], knows_room=True)
            chosen[name] = held or fits[0]
        for name, task, _ in wants:
            self._take(self._at(name), chosen[name], task, job_id)
        return list(chosen.values())

    def launch(self, request: LaunchRequest, stop: threading.Event) -> None:
        """What the script says for the place; without a word of it the cluster is UP."""
        cluster, place = self._at(request.cluster), request.placement
        self.attempted.append(place)
        self._may_launch(cluster, request, stop)
        script = self._script[place]
        outcome = script.popleft() if script else UP
        if isinstance(outcome, BackendError):
            cluster.place, cluster.task = None, None
            raise outcome
        if cluster.place != place and not self._has_room(place, {}):
            raise NoCapacity([f"no room in {place.region}"], knows_room=True)
        self._take(cluster, place, request.task, request.job_id)
        cluster.launched, cluster.attempt, cluster.seen = True, request.attempt, outcome

    def adopt(self, cluster: str, attempt: int) -> Observation:
        """Raise the fence, then probe."""
        found = self._at(cluster)
        self._raise_fence(found, attempt)
        return self.probe(cluster)

    def probe(self, cluster: str) -> Observation:
        """What is known of it, unless it is hidden just now."""
        if self._unseen[cluster] > 0:
            self._unseen[cluster] -= 1
            return UNKNOWN
        return self._clusters[cluster].seen if cluster in self._clusters else _ABSENT

    def watch(self, cluster: str) -> list[int]:
        """One descriptor, readable once the test changes what is known."""
        found = self._at(cluster)
        reading, writing = os.pipe()
        found.watchers.append(writing)
        if found.seen.state in (ClusterState.ENDED, ClusterState.GONE):
            self._wake(found)
        return [reading]

    def stop(self, cluster: str, *, grace: float) -> None:
        """End the task; for good, as nothing can be launched under this name any more."""
        del grace
        self.stops.append(cluster)
        self._end(cluster)

    def remove(self, cluster: str, *, grace: float) -> None:
        """End the task and forget all but its name and fence."""
        del grace
        self.removes.append(cluster)
        self._end(cluster)
        found = self._at(cluster)
        found.seen, found.task = _ABSENT, None

    def clusters(self) -> list[ClusterInfo]:
        """All that exist, oldest first."""
        found = [self._info(cluster) for cluster in self._clusters.values()]
        return sorted(
            (info for info in found if info is not None), key=lambda info: info.created_at
        )

    def preempt(self, cluster: str) -> None:
        """Lose the cluster."""
        if self.probe(cluster).state is not ClusterState.UP:
            raise BackendError(f"cluster {cluster} cannot be preempted: it is not UP")
        self.see(cluster, LOST)

    def _at(self, name: str) -> _Cluster:
        return self._clusters.setdefault(name, _Cluster(name))

    def _may_launch(self, cluster: _Cluster, request: LaunchRequest, stop: threading.Event) -> None:
        if stop.is_set():
            raise Cancelled(request.job_id)
        self._raise_fence(cluster, request.attempt)
        if self.refusals:
            raise PrecheckFailed(self.refusals)
        if cluster.launched or cluster.stopped:
            raise BackendError(f"cluster {cluster.name} was launched or stopped before")

    def _raise_fence(self, cluster: _Cluster, attempt: int) -> None:
        if cluster.fence > attempt:
            raise Fenced(cluster.name, attempt, cluster.fence)
        cluster.fence = attempt

    def _has_room(self, place: Placement, chosen: Mapping[str, Placement]) -> bool:
        taken = {
            cluster.name: cluster.place for cluster in self._clusters.values() if cluster.place
        } | dict(chosen)
        used = sum(other.region == place.region for other in taken.values())
        return place.region not in self._room or used < self._room[place.region]

    def _take(self, cluster: _Cluster, place: Placement, task: TaskSpec, job_id: int) -> None:
        cluster.place, cluster.region, cluster.task = place, place.region, task
        cluster.job_id = job_id or cluster.job_id
        cluster.created_at = cluster.created_at or self._clock.now()

    def _end(self, name: str) -> None:
        if self.stuck:
            raise self.stuck.pop(0)
        found = self._at(name)
        found.stopped, found.place = True, None
        if found.launched and found.seen.state is not ClusterState.GONE:
            self.see(name, _STOPPED)

    def _wake(self, found: _Cluster) -> None:
        while found.watchers:
            os.close(found.watchers.pop())

    def _info(self, cluster: _Cluster) -> ClusterInfo | None:
        if cluster.task is None or cluster.job_id == 0:
            return None
        return ClusterInfo(
            name=cluster.name,
            job_id=cluster.job_id,
            task_id=cluster.task.task_id,
            attempt=max(cluster.attempt, cluster.fence),
            region=cluster.region,
            num_nodes=cluster.task.num_nodes,
            state=cluster.seen.state,
            created_at=cluster.created_at,
        )
