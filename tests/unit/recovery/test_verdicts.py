"""What a probe means for the task."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from jobsched.config import RecoveryConfig
from jobsched.models import ClusterState, JobRecovery, Observation, Phase
from jobsched.recovery import (
    Cause,
    Fail,
    KeepWatching,
    Policy,
    Recover,
    RecoveryRow,
    Succeed,
    Verdict,
    Watch,
    after_probe,
    strategy_named,
)
from jobsched.recovery.watch import FAILED_PROBES, FAILED_SECONDS
from jobsched.states import TaskStatus
from tests.unit.recovery.fakes import R2, ended, row_at

GONE = Observation(state=ClusterState.GONE, reason="spot price")
UP = Observation(state=ClusterState.UP)
UNKNOWN = Observation(state=ClusterState.UNKNOWN, reason="no route")


def policy(
    strategy: str = "EAGER_NEXT_REGION",
    *,
    restarts: int = 0,
    codes: tuple[int, ...] = (),
    certain: bool = True,
) -> Policy:
    """Rules with the default settings."""
    return Policy(
        strategy=strategy_named(strategy),
        recovery=JobRecovery(
            strategy=strategy, max_restarts_on_errors=restarts, recover_on_exit_codes=codes
        ),
        settings=RecoveryConfig(),
        certain=certain,
    )


def judge(seen: Observation, rules: Policy, row: RecoveryRow | None = None) -> Verdict:
    """The verdict of a first probe."""
    return after_probe(row or row_at(R2), Watch(), seen, 0.0, rules)


@pytest.mark.parametrize("certain", [True, False])
@pytest.mark.parametrize("strategy", ["FAILOVER", "EAGER_NEXT_REGION", "NONE"])
def test_exit_code_zero_is_a_success_at_once(strategy: str, certain: bool) -> None:
    """No grace period, no strategy and no cluster that vanished can undo a success."""
    assert judge(ended(0), policy(strategy, certain=certain)) == Succeed(ended(0))


def test_a_certain_backend_needs_no_grace() -> None:
    """Where a probe is the truth at once the first one decides."""
    assert judge(ended(7), policy()) == Fail(TaskStatus.FAILED, "run ended with exit code 7")


def test_without_certainty_a_failure_is_looked_at_again() -> None:
    """The task fails only if its cluster is still there after the grace period."""
    rules, row = policy(certain=False), row_at(R2)
    first = after_probe(row, Watch(), ended(7), 100.0, rules)
    assert isinstance(first, KeepWatching)
    assert first.probe_in == 5.0
    early = after_probe(row, first.watch, ended(7), 103.0, rules)
    assert isinstance(early, KeepWatching)
    assert early.probe_in == 2.0
    late = after_probe(row, early.watch, ended(7), 105.0, rules)
    assert isinstance(late, Fail)
    lost = after_probe(row, early.watch, GONE, 105.0, rules)
    assert isinstance(lost, Recover)
    assert lost.row.cause is Cause.PREEMPTED
    silent = after_probe(row, early.watch, UNKNOWN, 105.0, rules)
    assert isinstance(silent, KeepWatching)


@pytest.mark.parametrize("budget", [0, 1, 2, 5])
@pytest.mark.parametrize(
    ("phase", "status"),
    [(Phase.RUN, TaskStatus.FAILED), (Phase.SETUP, TaskStatus.FAILED_SETUP)],
)
def test_n_restarts_are_n_plus_one_executions(
    phase: Phase, status: TaskStatus, budget: int
) -> None:
    """Each failure of setup or run spends one restart; the one after the last ends the task."""
    row, executions, rules = row_at(R2), 1, policy(restarts=budget)
    while isinstance(got := judge(ended(7, phase), rules, row), Recover):
        row = got.row.launching("next", R2).running(1.0)
        executions += 1
    assert executions == budget + 1
    assert isinstance(got, Fail)
    assert got.status is status
    assert row.restart_count == row.restarts_spent == budget


def test_the_last_failure_names_the_outcome() -> None:
    """A setup that fails after a run that failed is FAILED_SETUP."""
    rules = policy(restarts=1)
    first = judge(ended(7), rules)
    assert isinstance(first, Recover)
    assert first.reason == "run ended with exit code 7; restart 1 of 1"
    last = judge(ended(1, Phase.SETUP), rules, first.row.launching("n", R2).running(1.0))
    assert last == Fail(
        TaskStatus.FAILED_SETUP, "setup ended with exit code 1; restarts spent: 1 of 1"
    )


@given(times=st.integers(1, 20), budget=st.integers(0, 3))
def test_listed_exit_codes_spend_nothing(times: int, budget: int) -> None:
    """A listed code restarts the run however often, and leaves the budget for other errors."""
    row, rules = row_at(R2), policy(restarts=budget, codes=(33,))
    for _ in range(times):
        got = judge(ended(33), rules, row)
        assert isinstance(got, Recover)
        row = got.row.launching("next", R2).running(1.0)
    assert (row.restart_count, row.restarts_spent) == (times, 0)
    assert isinstance(judge(ended(34), rules, row), Recover if budget else Fail)


def test_listed_exit_codes_are_those_of_run() -> None:
    """Setup that fails with a listed code spends a restart like any other failure."""
    got = judge(ended(33, Phase.SETUP), policy(codes=(33,)))
    assert isinstance(got, Fail)
    assert got.status is TaskStatus.FAILED_SETUP


@pytest.mark.parametrize("strategy", ["FAILOVER", "EAGER_NEXT_REGION"])
def test_a_lost_cluster_is_recovered_without_spending(strategy: str) -> None:
    """A preemption leaves the restarts alone and remembers what was lost."""
    got = judge(GONE, policy(strategy, restarts=2), row_at(R2, restarts_spent=2))
    assert isinstance(got, Recover)
    assert got.row.restarts_spent == 2
    assert got.row.cause is Cause.PREEMPTED
    assert (got.row.lost, got.row.lost_launch) == (R2, 1)
    assert got.reason == "preempted: cluster 7-0-1 was lost (spot price)"


def test_without_recovery_a_lost_cluster_ends_the_task() -> None:
    """NONE: a preemption is a failure that says so, even with restarts left."""
    got = judge(GONE, policy("NONE", restarts=5))
    assert isinstance(got, Fail)
    assert got.status is TaskStatus.FAILED
    assert "spot price" in got.reason
    assert "NONE" in got.reason


def test_without_recovery_errors_still_restart() -> None:
    """NONE is about preemptions only."""
    assert isinstance(judge(ended(7), policy("NONE", restarts=1)), Recover)
    assert isinstance(judge(ended(33), policy("NONE", codes=(33,))), Recover)


@pytest.mark.parametrize(
    ("code", "shown"), [(137, "137 (SIGKILL)"), (143, "143 (SIGTERM)"), (128, "128"), (255, "255")]
)
def test_a_signal_is_named(code: int, shown: str) -> None:
    """128 + n is a signal that people know by name."""
    got = judge(ended(code), policy())
    assert got == Fail(TaskStatus.FAILED, f"run ended with exit code {shown}")


def test_an_end_without_a_code_is_a_failure() -> None:
    """What cannot be called a success is none."""
    seen = Observation(state=ClusterState.ENDED, reason="node 1 is lost")
    got = judge(seen, policy())
    assert got == Fail(TaskStatus.FAILED, "run ended without an exit code, node 1 is lost")


@pytest.mark.parametrize("certain", [True, False])
@pytest.mark.parametrize("strategy", ["FAILOVER", "EAGER_NEXT_REGION", "NONE"])
def test_silence_is_a_loss_only_beyond_both_budgets(strategy: str, certain: bool) -> None:
    """Without an answer nothing happens until many probes and a long time have passed."""
    rules, row, watch = policy(strategy, certain=certain), row_at(R2), Watch()
    every = FAILED_SECONDS / FAILED_PROBES
    for number in range(FAILED_PROBES):
        got = after_probe(row, watch, UNKNOWN, number * every, rules)
        assert isinstance(got, KeepWatching)
        assert got.probe_in == 15.0
        assert "no route" in got.reason
        watch = got.watch
    last = after_probe(row, watch, UNKNOWN, FAILED_SECONDS, rules)
    assert isinstance(last, Fail if strategy == "NONE" else Recover)
    assert "no answer" in last.reason
    again = after_probe(row, watch, UP, FAILED_SECONDS, rules)
    assert isinstance(again, KeepWatching)
    assert again.watch == Watch()


OBSERVATIONS = st.builds(
    Observation,
    state=st.sampled_from(ClusterState),
    exit_code=st.none() | st.integers(0, 255),
    phase=st.none() | st.sampled_from(Phase),
    reason=st.text(max_size=5),
)


@given(
    seen=st.lists(OBSERVATIONS, max_size=30),
    strategy=st.sampled_from(["FAILOVER", "EAGER_NEXT_REGION", "NONE"]),
    restarts=st.integers(0, 3),
    certain=st.booleans(),
)
def test_a_running_task_is_given_up_for_evidence_only(
    seen: list[Observation], strategy: str, restarts: int, certain: bool
) -> None:
    """Whatever is seen, only an end or a certain loss leads away from watching."""
    rules, row, watch = policy(strategy, restarts=restarts, certain=certain), row_at(R2), Watch()
    for number, observation in enumerate(seen):
        got = after_probe(row, watch, observation, float(number), rules)
        if isinstance(got, KeepWatching):
            watch = got.watch
            assert got.probe_in > 0
            continue
        assert observation.state in (ClusterState.ENDED, ClusterState.GONE)
        assert isinstance(got, Succeed) == (
            observation.state is ClusterState.ENDED and observation.exit_code == 0
        )
        if isinstance(got, Recover):
            row = got.row.launching("next", R2).running(1.0)
        assert row.restarts_spent <= restarts
        watch = Watch()
