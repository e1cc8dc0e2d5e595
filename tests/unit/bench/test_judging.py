from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.bench import goals, report
from tests.bench.registry import CURVES, MEASURES
from tests.bench.results import Results, line
from tests.bench.stats import median, quantile, ratios, shown, spread
from tests.bench.table import Row

FEWER = Row("few", "what is to be small", "ms", goals.at_most(10), 300)
FASTER = Row("fast", "what is to be large", "jobs/s", goals.times(100), 1.36)


def results(
    ours: dict[str, dict[int, float]], reference: dict[str, dict[int, float]] | None = None
) -> Results:
    """A run that has found that."""
    return Results({}, quick=False, repeats=3, ours=ours, reference=reference or {})


def test_a_spread_is_the_median_and_the_extremes() -> None:
    """Of three repeats the middle one counts, however far the others are."""
    assert spread([5, 1, 90]) == (5, 1, 90, 3)
    assert spread([]) is None


@pytest.mark.parametrize(
    ("share", "wanted"), [(0.0, 1), (0.5, 2.5), (1.0, 4), (0.99, 3.97), (0.25, 1.75)]
)
def test_a_quantile_lies_between_two_values(share: float, wanted: float) -> None:
    """By a straight line, whatever the order they come in."""
    assert quantile([4, 1, 3, 2], share) == pytest.approx(wanted)


def test_nothing_has_no_quantiles() -> None:
    """Rather than a number that means nothing."""
    with pytest.raises(ValueError, match="nothing"):
        median([])


def test_a_ratio_needs_both_of_a_repeat() -> None:
    """And something to divide by."""
    assert ratios([10, 20, 30], [5, 0, 3]) == [2, 10]


@pytest.mark.parametrize(
    ("value", "wanted"),
    [(0, "0"), (0.12345, "0.123"), (9.876, "9.88"), (99.96, "100"), (1234.5, "1,234")],
)
def test_numbers_have_three_digits_that_count(value: float, wanted: str) -> None:
    """Or more, before the point."""
    assert shown(value) == wanted


@pytest.mark.parametrize(
    ("goal", "value", "factor", "wanted"),
    [
        (goals.at_most(10), 10, None, True),
        (goals.at_most(10), 10.1, None, False),
        (goals.at_least(5), 5, None, True),
        (goals.at_least(5), 4.9, None, False),
        (goals.times(100), 1, 100, True),
        (goals.times(100), 1000, 99, False),
        (goals.times(100), 1000, None, None),
        (goals.part(100), 16, 101, True),
        (goals.part(100), 14, 99, False),
        (goals.part(100), 14, None, None),
    ],
)
def test_a_goal_is_reached_or_not(
    goal: goals.Goal, value: float, factor: float | None, wanted: bool | None
) -> None:
    """Bounds belong to what will do; a multiple needs something to be a multiple of."""
    assert goal.is_reached(value, factor) is wanted


def test_a_goal_says_what_it_asks_for() -> None:
    """As it stands in the table."""
    assert str(goals.at_most(14.4, 8)) == "<= 14.4, aim 8"
    assert str(goals.times(100, 200)) == "100 x the reference, aim 200"
    assert str(goals.part(100, 8)) == "1/100 of the reference, aim 8"


def test_a_row_is_judged_beside_what_was_recorded() -> None:
    """Where the reference was not run: better is less of one thing, and more of another."""
    found = results({"few": {0: 5, 1: 6, 2: 20}, "fast": {0: 204, 1: 13.6, 2: 272}})
    few, fast = line(FEWER, found), line(FASTER, found)
    assert (few.factor, few.reached, few.is_live) == (50, True, False)
    assert fast.factor == pytest.approx(150)
    assert fast.reached is True


def test_a_row_is_compared_with_its_own_repeat() -> None:
    """Of the reference, where it was run; a repeat in which either failed is left out."""
    found = results({"fast": {0: 100, 2: 900}}, {"fast": {0: 1, 1: 50, 2: 3}})
    made = line(FASTER, found)
    assert made.factor == pytest.approx(200)
    assert (made.is_live, made.reached) == (True, True)


def test_what_has_no_number_is_not_judged() -> None:
    """It is neither reached nor missed."""
    made = line(FEWER, results({}))
    assert (made.ours, made.reached) == (None, None)


def test_the_report_says_what_failed_and_what_others_did() -> None:
    """A table with a row for what has no number, why, and a warning."""
    found = results({"help.cpu": {0: 50.0, 1: 70.0, 2: 40.0}})
    found.failures["page"] = "TimeoutError: given up"
    found.foreign["commands"] = {0: 0.1, 1: 1.5}
    told = report.markdown(found)
    assert "| 50 [40..70]" in told
    assert "| failed" in told
    assert "- page: TimeoutError: given up" in told
    assert "commands 1.50" in told
    assert "959 (recorded)" in told


def test_the_report_names_what_was_measured_live() -> None:
    """Of a peer, without saying that it was recorded."""
    found = results({"disk.rate": {0: 150.0}})
    found.peers["nq"] = {"rate": {0: 700.0, 1: 710.0}, "cpu": {0: 2.0, 1: 2.0}}
    assert "| 705 [700..710]" in report.markdown(found)


def test_a_run_is_missed_when_one_number_will_not_do() -> None:
    """Or not, when all will."""
    assert report.is_missed(results({"help.cpu": {0: 61.0}}))
    assert not report.is_missed(results({"help.cpu": {0: 59.0}}))


def test_results_are_kept_as_json(tmp_path: Path) -> None:
    """With all samples, by key and repeat."""
    results({"few": {0: 5.0}}).save(tmp_path / "out" / "bench.json")
    kept = json.loads((tmp_path / "out" / "bench.json").read_text())
    assert kept["ours"] == {"few": {"0": 5.0}}


def test_names_and_keys_are_given_once() -> None:
    """Else one number would stand for another."""
    names = [one.name for one in MEASURES] + [one.name for one in CURVES]
    keys = [row.key for one in MEASURES for row in one.rows]
    assert len(set(names)) == len(names)
    assert len(set(keys)) == len(keys)
