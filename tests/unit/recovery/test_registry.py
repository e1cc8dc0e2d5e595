"""Strategies by name."""

from __future__ import annotations

import pytest

from jobsched.dag import STRATEGIES as NAMES_IN_A_FILE
from jobsched.errors import InvalidInput
from jobsched.recovery import OLD_NAMES, STRATEGIES, StrategyExecutor, strategy_named
from tests.unit.recovery.fakes import FakeBackend, FakeClock, FakeSlot, task


@pytest.mark.parametrize("name", ["FAILOVER", "failover", "FailOver", " failover "])
def test_case_does_not_matter(name: str) -> None:
    """A strategy is found in any case."""
    assert strategy_named(name).name == "FAILOVER"


@pytest.mark.parametrize("name", [None, ""])
def test_no_name_is_the_default(name: str | None) -> None:
    """Where nothing is said, it is EAGER_NEXT_REGION."""
    assert strategy_named(name).name == "EAGER_NEXT_REGION"


def test_none_as_a_word_is_no_recovery() -> None:
    """The word "none" is a strategy of its own, not the absence of one."""
    assert not strategy_named("none").recovers


def test_the_old_name_is_accepted() -> None:
    """EAGER_FAILOVER still means what is now called EAGER_NEXT_REGION."""
    assert strategy_named("eager_failover").name == "EAGER_NEXT_REGION"


def test_an_unknown_name_is_refused_with_the_nearest() -> None:
    """A misspelt strategy is an error of the user's that names what there is."""
    with pytest.raises(InvalidInput, match=r"FAIL_OVER.*EAGER_NEXT_REGION.*did you mean FAILOVER"):
        strategy_named("FAIL_OVER")


def test_a_file_may_name_what_can_be_made() -> None:
    """What a DAG file accepts by default and what can be made are the same names."""
    assert set(NAMES_IN_A_FILE) | set(OLD_NAMES) == set(STRATEGIES) | set(OLD_NAMES)


def test_make_refuses_an_unknown_strategy() -> None:
    """An executor is not made for a strategy that does not exist."""
    with pytest.raises(InvalidInput, match="'sideways'"):
        StrategyExecutor.make(
            task("sideways"), 1, backend=FakeBackend(), slot=FakeSlot(), clock=FakeClock()
        )


def test_make_can_be_repeated() -> None:
    """Making an executor changes nothing in the task: a second one gets the same rules."""
    spec = task("failover", restarts=3)
    first, second = (
        StrategyExecutor.make(spec, 1, backend=FakeBackend(), slot=FakeSlot(), clock=FakeClock())
        for _ in range(2)
    )
    assert first.policy == second.policy
    assert second.policy.recovery.max_restarts_on_errors == 3
