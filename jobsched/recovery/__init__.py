"""How a task gets a cluster, and what follows when it loses it or its program fails.

Strategies are registered by name in ``registry``. Knows no store, no job states and no particular
backend: all that it acts with is handed to :meth:`StrategyExecutor.make`.
"""

from jobsched.recovery.base import (
    Fail,
    Failure,
    KeepWatching,
    Launched,
    Outcome,
    Policy,
    Recover,
    Strategy,
    Succeed,
    Verdict,
    Wait,
)
from jobsched.recovery.effects import (
    Enough,
    KnowsRoom,
    MemoryRecorder,
    Provider,
    Recorder,
    Slot,
    WaitFor,
)
from jobsched.recovery.executor import StrategyExecutor
from jobsched.recovery.group import launch_group
from jobsched.recovery.registry import OLD_NAMES, STRATEGIES, strategy_named
from jobsched.recovery.retries import after_failed_try, deadline
from jobsched.recovery.row import Cause, RecoveryRow, WaitCode
from jobsched.recovery.verdicts import after_probe
from jobsched.recovery.watch import Watch

__all__ = [
    "OLD_NAMES",
    "STRATEGIES",
    "Cause",
    "Enough",
    "Fail",
    "Failure",
    "KeepWatching",
    "KnowsRoom",
    "Launched",
    "MemoryRecorder",
    "Outcome",
    "Policy",
    "Provider",
    "Recorder",
    "Recover",
    "RecoveryRow",
    "Slot",
    "Strategy",
    "StrategyExecutor",
    "Succeed",
    "Verdict",
    "Wait",
    "WaitCode",
    "WaitFor",
    "Watch",
    "after_failed_try",
    "after_probe",
    "deadline",
    "launch_group",
    "strategy_named",
]
