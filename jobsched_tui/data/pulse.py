"""Whether a job still does something: when it last printed, when it last computed, how often.

Owns the fold over samples. Pure; a trouble is made of it in ``attention``.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from statistics import median
from typing import Final

#: Percent of one core below which a job computes nothing: what waiting itself costs.
IDLE_CPU: Final = 1.0
#: Gaps that are remembered: enough for a median that one long pause does not move.
_GAPS: Final = 64


@dataclass(frozen=True, slots=True, kw_only=True)
class Pulse:
    """When a job did something last. Times are Unix seconds."""

    #: When its log was last written to.
    log_at: float | None = None
    #: When it last used the CPU, or was first looked at; ``None``: its load is not known.
    busy_at: float | None = None
    #: Seconds between writes to its log, the newest last.
    gaps: tuple[float, ...] = ()

    @property
    def gap(self) -> float | None:
        """The median of its silences."""
        return median(self.gaps) if self.gaps else None

    @property
    def quiet_since(self) -> float | None:
        """Since when it neither prints nor computes; ``None`` where either is not known."""
        if self.log_at is None or self.busy_at is None:
            return None
        return max(self.log_at, self.busy_at)


def beat(pulse: Pulse, *, log_at: float | None, cpu: float | None, now: float) -> Pulse:
    """The pulse after another look: when the log was written last, and the load since the last."""
    if log_at is not None and log_at != pulse.log_at:
        if pulse.log_at is not None and log_at > pulse.log_at:
            gaps = (*pulse.gaps, log_at - pulse.log_at)[-_GAPS:]
            pulse = replace(pulse, gaps=gaps)
        pulse = replace(pulse, log_at=log_at)
    if cpu is not None and (cpu >= IDLE_CPU or pulse.busy_at is None):
        pulse = replace(pulse, busy_at=now)
    return pulse
