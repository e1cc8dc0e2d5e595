"""What a probe means for the task: done, failed, to run again, or nothing yet. Pure.

A task that ended is judged by its exit code, and only where its cluster is still there: programs
fail, too, because their cluster is being taken away. A cluster is lost when the backend says so, or
when it has been silent beyond the budget of ``watch``.
"""

from __future__ import annotations

import signal

from jobsched.models import ClusterState, Observation, Phase
from jobsched.recovery.base import Fail, KeepWatching, Policy, Recover, Succeed, Verdict
from jobsched.recovery.row import Cause, RecoveryRow
from jobsched.recovery.watch import Watch
from jobsched.states import TaskStatus


def after_probe(
    row: RecoveryRow, watch: Watch, observation: Observation, at: float, policy: Policy
) -> Verdict:
    """What to do after a probe made ``at`` monotonic seconds; ``watch``: after the one before."""
    watch = watch.saw(observation, at)
    match observation.state:
        case ClusterState.UP:
            return KeepWatching(watch, policy.settings.probe_seconds)
        case ClusterState.ENDED:
            return _after_end(row, watch, observation, at, policy)
        case ClusterState.GONE:
            return _after_loss(row, observation.reason or "it is gone", policy)
        case ClusterState.UNKNOWN:
            silence = _silence(watch, observation, at)
            if watch.is_spent(at):
                return _after_loss(row, silence, policy)
            return KeepWatching(watch, policy.settings.probe_seconds, silence)


def _after_end(
    row: RecoveryRow, watch: Watch, observation: Observation, at: float, policy: Policy
) -> Verdict:
    if observation.exit_code == 0:
        return Succeed(observation)
    if not policy.certain and watch.ended_since is not None:
        left = watch.ended_since + policy.settings.grace_seconds - at
        if left > 0:
            why = f"{_ended(observation)}; looking whether its cluster is still there"
            return KeepWatching(watch, left, why)
    return _after_error(row, observation, policy)


def _after_error(row: RecoveryRow, observation: Observation, policy: Policy) -> Recover | Fail:
    what, setup = _ended(observation), observation.phase is Phase.SETUP
    if not setup and observation.exit_code in policy.recovery.recover_on_exit_codes:
        return Recover(
            row.recovering(Cause.USER_ERROR), f"{what}, which is in recover_on_exit_codes"
        )
    budget = policy.recovery.max_restarts_on_errors
    if row.restarts_spent < budget:
        again = row.recovering(Cause.USER_ERROR, spends=True)
        return Recover(again, f"{what}; restart {again.restarts_spent} of {budget}")
    status = TaskStatus.FAILED_SETUP if setup else TaskStatus.FAILED
    spent = f"; restarts spent: {row.restarts_spent} of {budget}" if budget else ""
    return Fail(status, what + spent)


def _after_loss(row: RecoveryRow, why: str, policy: Policy) -> Recover | Fail:
    lost = f"preempted: cluster {row.cluster} was lost ({why})"
    if policy.strategy.recovers:
        return Recover(row.recovering(Cause.PREEMPTED), lost)
    return Fail(TaskStatus.FAILED, f"{lost}, and job_recovery is {policy.strategy.name}")


def _ended(observation: Observation) -> str:
    phase = (observation.phase or Phase.RUN).lower()
    if observation.exit_code is None:
        what = f"{phase} ended without an exit code"
    else:
        what = f"{phase} ended with exit code {observation.exit_code}"
        what += _signal_name(observation.exit_code)
    reason = observation.reason
    return f"{what}, {reason}" if reason and not what.startswith(reason) else what


def _signal_name(exit_code: int) -> str:
    try:
        return f" ({signal.Signals(exit_code - 128).name})"
    except ValueError:
        return ""


def _silence(watch: Watch, observation: Observation, at: float) -> str:
    why = f": {observation.reason}" if observation.reason else ""
    return f"no answer to {watch.failed_probes} probes in {watch.silent_for(at):.0f} s{why}"
