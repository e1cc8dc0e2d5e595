"""What limits would do, and where a new job would stand: what the next pass then really does."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from jobsched.api import Scheduler
from jobsched.context import Context
from jobsched.scheduler.pick import starts_allowed
from jobsched.states import ScheduleState
from jobsched.store.rows import Limits
from jobsched_tui.data.frame import Gauge, LimitsLine
from jobsched_tui.data.whatif import (
    MIB,
    Forecast,
    Machine,
    Place,
    Queue,
    Waiter,
    forecast,
    place,
    queue_of,
)
from jobsched_tui.present.spans import Tone, plain
from jobsched_tui.present.whatif import forecast_lines, place_line
from tests.tui.acting import FULL, S, T, alive, row, shown, waiting_jobs
from tests.world import InProcessStarter

MACHINE = Machine(auto_launch=8, auto_alive=50, controller_bytes=40 * MIB, free_bytes=100 * MIB)
RESUMES = (Waiter(5, "again"),)
STARTS = tuple(Waiter(100 + n, f"job-{n}") for n in range(4))
QUEUE = Queue(resumes=RESUMES, starts=STARTS)


def limits(launch: tuple[int, int], live: tuple[int, int], *, paused: bool = False) -> LimitsLine:
    """Limits with what is used of them, used first."""
    return LimitsLine(
        launch=Gauge(used=launch[0], limit=launch[1]),
        alive=Gauge(used=live[0], limit=live[1]),
        paused=paused,
    )


def ids(jobs: tuple[Waiter, ...]) -> list[int]:
    """Their numbers."""
    return [job.job_id for job in jobs]


def test_queue_order() -> None:
    """By priority, then by submission; who waits for more than a slot is not in line."""
    lines = [
        row(1, submitted_at=30.0),
        row(2, submitted_at=20.0),
        row(3, submitted_at=40.0, priority=5),
        row(4, held=True, reason="HELD"),
        row(5, cancel_requested=True),
        row(6, reason="DEPENDS_ON"),
        row(7, attempt=2, reason="BACKOFF"),
        row(8, reason="LAUNCH_LIMIT", submitted_at=50.0),
        row(9, S.DONE, T.FAILED),
        alive(10, state=S.ALIVE_WAITING),
        alive(11),
        alive(12, state=S.ALIVE_WAITING, held=True),
    ]
    queue = queue_of(lines)
    assert ids(tuple(queue.starts)) == [3, 2, 1, 8]
    assert ids(tuple(queue.resumes)) == [10]


def test_more_launches() -> None:
    """A resume comes first, then as many starts as fit; their controllers take memory."""
    seen = forecast(limits((3, 3), (48, 64)), QUEUE, MACHINE, launch=6)
    assert (ids(seen.resumes), ids(seen.starts), seen.left) == ([5], [100, 101], 2)
    assert (seen.added_bytes, seen.fits) == (80 * MIB, True)
    assert [plain(line) for line in forecast_lines(seen)] == [
        "2 jobs would start: 100 job-0, 101 job-1",
        "1 job would launch again: 5 again",
        "2 jobs would still wait",
        "their controllers take about 80M of 100M that are free",
    ]


def test_too_little_memory() -> None:
    """More controllers than the machine has memory for are told in red."""
    seen = forecast(limits((0, 8), (0, 64)), QUEUE, MACHINE)
    assert (ids(seen.starts), seen.fits) == ([100, 101, 102, 103], False)
    assert forecast_lines(seen)[3][0].tone is Tone.BAD


def test_alive_limit_keeps_starts_alone() -> None:
    """A full alive limit keeps no resume back."""
    seen = forecast(limits((0, 4), (9, 9)), QUEUE, MACHINE)
    assert (ids(seen.resumes), ids(seen.starts)) == ([5], [])
    assert ids(forecast(limits((0, 4), (9, 9)), QUEUE, MACHINE, alive=11).starts) == [100, 101]


def test_auto_is_what_the_machine_says() -> None:
    """``auto`` is reckoned with the machine's number."""
    seen = forecast(limits((3, 3), (0, 9)), QUEUE, MACHINE, launch="auto", alive="auto")
    assert (seen.launch, seen.alive, len(seen.starts)) == (8, 50, 4)


def test_pause() -> None:
    """A pause keeps starts back and no resume; ending it lets them go."""
    now = limits((0, 4), (0, 9), paused=True)
    assert (ids(forecast(now, QUEUE, MACHINE).resumes), forecast(now, QUEUE, MACHINE).starts) == (
        [5], (),
    )  # fmt: skip
    assert ids(forecast(now, QUEUE, MACHINE, paused=False).starts) == [100, 101, 102]


def test_lowering_stops_nothing() -> None:
    """What runs beyond a lower limit goes on, and that is said."""
    seen = forecast(limits((3, 3), (48, 64)), QUEUE, MACHINE, launch=0, alive=40)
    assert (seen.over_launch, seen.over_alive, seen.starts, seen.resumes) == (3, 8, (), ())
    assert [plain(line) for line in forecast_lines(seen)][2:] == [
        "3 more launch than may: nothing is stopped, nothing new follows",
        "8 more are alive than may: nothing is stopped, nothing new follows",
    ]


@given(
    launch=st.tuples(st.integers(0, 9), st.integers(0, 9)),
    live=st.tuples(st.integers(0, 9), st.integers(0, 9)),
    paused=st.booleans(),
    resumes=st.integers(0, 5),
    starts=st.integers(0, 12),
)
def test_as_the_scheduler_counts(
    launch: tuple[int, int], live: tuple[int, int], paused: bool, resumes: int, starts: int
) -> None:
    """The forecast grants as many of each kind as a pass does."""
    queue = Queue(
        resumes=[Waiter(n, "r") for n in range(resumes)],
        starts=[Waiter(n, "s") for n in range(starts)],
    )
    seen = forecast(limits(launch, live, paused=paused), queue, MACHINE)
    row_of = Limits(
        launch=launch[1], launch_auto=False, alive=live[1], alive_auto=False, paused=paused,
        launching_used=launch[0], alive_used=live[0],
    )  # fmt: skip
    resumed = min(resumes, row_of.launch_room)
    assert len(seen.resumes) == resumed
    allowed = starts_allowed(row_of, requeued=0, resumed=resumed)
    assert len(seen.starts) == min(starts, allowed)


@settings(max_examples=5, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(launch=st.integers(0, 6), live=st.integers(0, 6))
def test_as_a_pass_does(context: Context, tmp_path: Path, launch: int, live: int) -> None:
    """Who is named is who is started once the limits are set, in order of priority."""
    context.starter = InProcessStarter()
    door = Scheduler(context=context)
    door.set_limits(launch=0, alive=0)
    before = waiting_jobs(door, tmp_path / "f.yaml", 4)
    door.set_priority(before[2], 5)
    lines = [line for line in shown(door).values() if line.state is ScheduleState.WAITING]
    used = door.limits()
    now = limits((used.launching_used, 0), (used.alive_used, 0), paused=True)
    seen = forecast(now, queue_of(lines), MACHINE, launch=launch, alive=live, paused=False)
    door.set_limits(launch=launch, alive=live, paused=False)
    after = shown(door)
    started = {line.job_id for line in lines if after[line.job_id].attempt}
    assert started == set(ids(seen.starts))


@pytest.mark.parametrize(
    ("seen", "said"),
    [
        (place(limits((0, 3), (0, 9)), Queue()), "would start now"),
        (place(FULL, QUEUE), "would wait: launch 3/3; 5 jobs in front"),
        (place(FULL, QUEUE, priority=1), "would wait: launch 3/3; 1 job in front"),
        (place(limits((0, 9), (9, 9)), QUEUE), "would wait: alive 9/9; 4 jobs in front"),
        (place(limits((1, 3), (1, 9)), QUEUE), "would wait: launch 1/3; 5 jobs in front"),
        (
            place(limits((1, 3), (1, 9)), Queue(), copies=5),
            "2 of 5 would start now, the others would wait: launch 1/3",
        ),
        (
            place(limits((0, 9), (0, 9), paused=True), QUEUE),
            "would wait: paused; 4 jobs in front",
        ),
        (place(limits((0, 9), (0, 9)), Queue(), hold=True), "would wait: held"),
    ],
)
def test_place(seen: Place, said: str) -> None:
    """A new job starts now, or it is said which limit keeps it and how many come before it."""
    assert plain(place_line(seen)) == said


def test_nothing_would_happen() -> None:
    """A forecast of nothing says so."""
    assert [plain(line) for line in forecast_lines(Forecast(launch=1, alive=1))] == [
        "0 jobs would start", "0 jobs would still wait",
    ]  # fmt: skip
