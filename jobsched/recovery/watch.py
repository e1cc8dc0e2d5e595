"""How long a cluster that gives no answer is trusted to be there.

Owns the budget of failed probes. Losing a task that still runs is worse than waiting, so silence
counts as a loss only after many probes *and* a long time, both measured since the last answer. The
window lives in memory, on the monotonic clock: a step of the wall clock never shortens it, and a
new controller starts it anew, which errs on the side of waiting.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Final, Self

from jobsched.models import ClusterState, Observation

#: Probes in a row that must have failed, and ...
FAILED_PROBES: Final = 120
#: ... seconds that must have passed since the first of them, before silence counts as a loss.
FAILED_SECONDS: Final = 1800.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Watch:
    """What the watcher of one cluster remembers between two probes. Times are monotonic seconds."""

    #: Probes in a row without an answer, and when the first of them was.
    failed_probes: int = 0
    failing_since: float | None = None
    #: When the task was first seen to have ended.
    ended_since: float | None = None

    def saw(self, observation: Observation, at: float) -> Self:
        """What is remembered after one more probe."""
        if observation.state is ClusterState.UNKNOWN:
            since = at if self.failing_since is None else self.failing_since
            return replace(self, failed_probes=self.failed_probes + 1, failing_since=since)
        ended = None
        if observation.state is ClusterState.ENDED:
            ended = at if self.ended_since is None else self.ended_since
        return replace(self, failed_probes=0, failing_since=None, ended_since=ended)

    def silent_for(self, at: float) -> float:
        """Seconds since the first of the probes that failed in a row; 0 after an answer."""
        return 0.0 if self.failing_since is None else at - self.failing_since

    def is_spent(self, at: float) -> bool:
        """Whether both budgets of failed probes are spent."""
        return self.failed_probes >= FAILED_PROBES and self.silent_for(at) >= FAILED_SECONDS
