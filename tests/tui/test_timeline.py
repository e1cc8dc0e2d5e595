from __future__ import annotations

import asyncio
from datetime import UTC
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from textual.app import App, ComposeResult
from textual.strip import Strip

from jobsched.api import Change
from jobsched.states import ScheduleState, TaskStatus
from jobsched_tui.data.timeline import Stretch, changes_of, fold, totals
from jobsched_tui.present import events, timeline
from jobsched_tui.present.glyphs import ASCII
from jobsched_tui.present.spans import plain, width
from jobsched_tui.widgets.timeline_view import TimelineView

S, T = ScheduleState, TaskStatus
#: 2027-01-15 08:00:00 UTC.
START = 1_800_000_000.0


def move(
    seq: int,
    after: float,
    to: str,
    was: str | None = None,
    *,
    task: int | None = None,
    by: str = "scheduler",
    attempt: int = 0,
    reason: str | None = None,
) -> dict[str, Any]:
    """One row of ``history``, so many seconds after the start."""
    return {
        "seq": seq, "at": START + after, "task_id": task, "from": was, "to": to,
        "attempt": attempt, "actor": by, "reason": reason,
    }  # fmt: skip


def action(seq: int, after: float, subject: str, was: str | None, to: str | None) -> dict[str, Any]:
    """One row of ``actions``."""
    return {
        "seq": seq, "at": START + after, "subject": subject, "from": was, "to": to,
        "attempt": 0, "actor": "ann via jobsched", "reason": "urgent",
    }  # fmt: skip


def job(**changes: Any) -> dict[str, Any]:
    """What ``show`` gives of a job that waits, launches, runs, is preempted and succeeds."""
    return {
        "ended_at": START + 100,
        "tasks": [{"task_id": 0, "name": "train"}],
        "history": [
            move(1, 0, "INACTIVE", by="ann via jobsched"),
            move(2, 0, "PENDING", task=0, by="ann via jobsched"),
            move(3, 2, "WAITING", "INACTIVE", by="ann via jobsched"),
            move(5, 20, "LAUNCHING", "WAITING", attempt=1),
            move(6, 20, "STARTING", "PENDING", task=0, by="controller", attempt=1),
            move(7, 30, "RUNNING", "STARTING", task=0, by="controller", attempt=1, reason="north"),
            move(8, 30, "ALIVE", "LAUNCHING", by="controller", attempt=1),
            move(9, 60, "RECOVERING", "RUNNING", task=0, by="controller", attempt=1,
                 reason="preempted"),
            move(10, 62, "RUNNING", "RECOVERING", task=0, by="controller", attempt=1),
            move(11, 100, "SUCCEEDED", "RUNNING", task=0, by="controller", attempt=1),
            move(12, 100, "DONE", "ALIVE", by="controller", attempt=1),
        ],
        "actions": [action(4, 10, "PRIORITY", "0", "5")],
    } | changes  # fmt: skip


def test_history_and_actions_become_steps_in_order() -> None:
    """Every row is a step, in the order of the history, with its distance from the one before."""
    steps = fold(job(), START + 500).steps
    assert [step.seq for step in steps] == list(range(1, 13))
    assert [step.since for step in steps] == [None, 0, 2, 8, 10, 0, 10, 0, 30, 2, 38, 0]
    assert [step.scope for step in steps[:4]] == ["job", "train", "job", "job"]
    assert [step.actor for step in steps[2:6]] == [
        "ann via jobsched", "ann via jobsched", "scheduler", "controller 1",
    ]  # fmt: skip
    assert (steps[3].subject, steps[3].before, steps[3].after) == ("PRIORITY", "0", "5")


def test_states_become_stretches_that_end_with_the_job() -> None:
    """A job's time is cut at each move; DONE lasts no time."""
    found = fold(job(), START + 500)
    assert (found.start, found.end) == (START, START + 100)
    assert [(one.state, one.seconds) for one in found.states] == [
        (S.INACTIVE, 2), (S.WAITING, 18), (S.LAUNCHING, 10), (S.ALIVE, 70), (S.DONE, 0),
    ]  # fmt: skip
    assert [(one.state, one.seconds) for one in found.tasks[0].stretches] == [
        (T.PENDING, 20), (T.STARTING, 10), (T.RUNNING, 30), (T.RECOVERING, 2), (T.RUNNING, 38),
        (T.SUCCEEDED, 0),
    ]  # fmt: skip


def test_a_job_that_lives_goes_on_until_now() -> None:
    """The last state of an unfinished job lasts until the moment that is shown."""
    history = job()["history"][:4]
    found = fold(job(ended_at=None, history=history, actions=[]), START + 50)
    assert found.states[-1] == Stretch(S.LAUNCHING, START + 20, START + 50)


def test_a_clock_that_was_set_back_gives_no_negative_time() -> None:
    """A step before the one before it has no distance, and a stretch of no length."""
    history = [move(1, 0, "INACTIVE"), move(2, -30, "WAITING", "INACTIVE")]
    found = fold(job(ended_at=None, history=history, actions=[]), START - 20)
    assert [step.since for step in found.steps] == [None, None]
    assert [one.seconds for one in found.states] == [0, 30]


def test_nothing_happened_yet() -> None:
    """A job without history, as it may be in the past, is an empty timeline."""
    found = fold(job(history=[], actions=[], ended_at=None), START)
    assert (found.steps, found.states, found.start, found.end) == ((), (), START, START)
    assert timeline.summary(found, 40) == []
    assert [plain(line) for line in timeline.chart(found, 20)] == [
        "job    not begun", "train  not begun",
    ]  # fmt: skip


def test_time_in_one_state_is_added_up() -> None:
    """A state that was reached again counts once, with all its time; one without time does not."""
    stretches = [
        Stretch(S.ALIVE, 0, 5), Stretch(S.LAUNCHING, 5, 6), Stretch(S.ALIVE, 6, 10),
        Stretch(S.DONE, 10, 10),
    ]  # fmt: skip
    assert totals(stretches) == {S.ALIVE: 9, S.LAUNCHING: 1}


@pytest.mark.parametrize(
    ("cells", "line"),
    [
        (80, "┈ INACT 2s |░ WAIT 18s      |▒ LNCH 10s   |█ ALIVE 1m10s" + " " * 24),
        (40, "INACT 2s|WAIT 18s|LNCH 10s |ALIVE 1m10s "),
        (20, "┈|WAI…|L…|ALIVE 1m1…"),
        (7, "┈|░|▒|█"),
        (6, ""),
    ],
)
def test_the_summary_has_the_width_that_there_is(cells: int, line: str) -> None:
    """Each state has its name and time where they fit, and a part of the line by its time."""
    found = fold(job(), START + 500)
    assert plain(timeline.summary(found, cells)) == line


def test_a_bar_for_the_job_and_each_task() -> None:
    """Bars share one scale; what took shorter than a cell still has one, and so has the outcome."""
    found = fold(job(), START + 500)
    assert [plain(line) for line in timeline.chart(found, 57)] == [
        "job    ┈░░░░░░░░░▒▒▒▒▒███████████████████████████████████"[:56] + " ",
        "train  ┈┈┈┈┈┈┈┈┈┈▒▒▒▒▒███████████████▒██████████████████✓",
    ]  # fmt: skip
    assert [plain(line) for line in timeline.chart(found, 57, ASCII)] == [
        "job    .:::::::::=====##################################" + " ",
        "train  ..........=====###############%##################+",
    ]  # fmt: skip


def test_a_step_in_words() -> None:
    """Wide: whole words and the attempt; narrow: short ones, and nothing is wider than told."""
    steps = fold(job(), START + 500).steps
    assert plain(timeline.row(steps[4], 120, zone=UTC)).rstrip() == (
        "08:00:20    +10s  job             WAITING → ▲ LAUNCHING            #1  scheduler"
    )
    assert plain(timeline.row(steps[8], 120, zone=UTC)) == (
        "08:01:00    +30s  train           RUNNING → ◐ RECOVERING           "
        "#1  controller 1        preempted"
    )
    assert plain(timeline.row(steps[8], 80, zone=UTC)) == (
        "08:01:00    +30s  train       RUN → ◐ RECOV      controller 1   preempted"
    )
    assert plain(timeline.row(steps[3], 80, zone=UTC)) == (
        "08:00:10     +8s  job         PRIORITY 0 → 5     ann via jobs…  urgent"
    )
    assert plain(timeline.row(steps[8], 80, zone=UTC, pen=ASCII)) == (
        "08:01:00    +30s  train       RUN > v RECOV      controller 1   preempted"
    )
    assert width(timeline.row(steps[8], 30, zone=UTC)) <= 30


@given(st.integers(0, 300), st.lists(st.floats(0, 1e6), min_size=1, max_size=8), st.data())
def test_shares_use_every_cell(cells: int, weights: list[float], data: st.DataObject) -> None:
    """All cells are given away, and nobody gets less than what it wants if there is enough."""
    wanted = data.draw(st.lists(st.integers(1, 12), min_size=len(weights), max_size=len(weights)))
    if cells < len(weights):
        return
    shares = timeline.apportion(cells, weights, wanted)
    if any(weights):
        assert sum(shares) == cells
    if sum(wanted) <= cells:
        assert all(share >= want for share, want in zip(shares, wanted, strict=True))
    assert min(shares) >= 1


def row_of(
    kind: str,
    *,
    job_id: int | None = 7,
    task_id: int | None = None,
    subject: str | None = None,
    from_value: str | None = None,
    to_value: str | None = None,
    actor: str = "ann via jobsched",
    reason: str | None = None,
) -> Change:
    """A row of the history."""
    return Change(
        seq=1, at=START, kind=kind, job_id=job_id, task_id=task_id, subject=subject,
        from_value=from_value, to_value=to_value, attempt=2, actor=actor, reason=reason,
    )  # fmt: skip


def test_what_show_tells_becomes_rows_of_the_history() -> None:
    """Moves of the job, moves of a task and actions are told apart, in their order."""
    kinds = [(row.seq, row.kind) for row in changes_of(job(job_id=7))[1:5]]
    assert kinds == [(2, "STATUS"), (3, "SCHEDULE"), (4, "ACTION"), (5, "SCHEDULE")]
    assert plain(events.sentence(changes_of(job(job_id=7))[3])) == "job 7 priority 0 → 5"


@pytest.mark.parametrize(
    ("row", "sentence"),
    [
        (row_of("SCHEDULE", to_value="INACTIVE"), "job 7 ○ INACTIVE"),
        (row_of("SCHEDULE", from_value="WAITING", to_value="LAUNCHING"),
         "job 7 WAITING → ▲ LAUNCHING"),
        (row_of("STATUS", task_id=1, from_value="RUNNING", to_value="FAILED"),
         "job 7 task 1 RUNNING → ✗ FAILED"),
        (row_of("STATUS", task_id=1, from_value="RUNNING", to_value="NEWER"),
         "job 7 task 1 RUNNING → NEWER"),
        (row_of("ACTION", subject="CANCEL"), "job 7 cancel asked for"),
        (row_of("ACTION", subject="DONE"), "job 7 ended by force"),
        (row_of("ACTION", subject="HOLD"), "job 7 held"),
        (row_of("ACTION", subject="RELEASE"), "job 7 released"),
        (row_of("ACTION", subject="REQUEUE"), "job 7 its controller is replaced"),
        (row_of("ACTION", subject="PRIORITY", from_value="0", to_value="-5"),
         "job 7 priority 0 → -5"),
        (row_of("ACTION", subject="NEWER"), "job 7 NEWER"),
        (row_of("LIMIT", job_id=None, subject="LAUNCH", to_value="8"), "launch limit is 8"),
        (row_of("LIMIT", job_id=None, subject="ALIVE", from_value="3", to_value="6"),
         "alive limit 3 → 6"),
        (row_of("LIMIT", job_id=None, subject="PAUSED", from_value="0", to_value="1"),
         "starts of new jobs paused"),
        (row_of("LIMIT", job_id=None, subject="PAUSED", from_value="1", to_value="0"),
         "starts of new jobs resumed"),
        (row_of("PRUNED"), "job 7 forgotten, with its history"),
        (row_of("NEWER", subject="X", from_value="1", to_value="2"), "NEWER X 1 2"),
    ],
)  # fmt: skip
def test_every_kind_of_row_has_its_words(row: Change, sentence: str) -> None:
    """A history row is one sentence, also one that a newer library may write."""
    assert plain(events.sentence(row)) == sentence


def test_an_event_in_one_line() -> None:
    """When, who, what and why, made harmless and in no more cells than there are."""
    row = row_of("SCHEDULE", from_value="ALIVE", to_value="DONE", actor="controller",
              reason="all\nwell \x1b[1m")  # fmt: skip
    assert plain(events.row(row, 120, zone=UTC)) == (
        "2027-01-15 08:00:00  controller 2        job 7 ALIVE → ■ DONE · all␊well ␛[1m"
    )
    assert plain(events.row(row, 120, zone=UTC, pen=ASCII)) == (
        "2027-01-15 08:00:00  controller 2        job 7 ALIVE > D DONE - all?well ?[1m"
    )
    assert plain(events.row(row, 50, zone=UTC)) == (
        "01-15 08:00:00  controller 2   job 7 ALIVE → ■ DONE"[:49] + "…"
    )


class Counting(TimelineView):
    """A timeline that tells which of its lines are drawn."""

    def render_line(self, y: int) -> Strip:
        """One line."""
        if isinstance(self.app, Shell):
            self.app.drawn.add(y)
        return super().render_line(y)


class Shell(App[None]):
    """A screen with nothing but a timeline."""

    def __init__(self) -> None:
        super().__init__()
        self.drawn: set[int] = set()
        self.jumps: list[tuple[float, int | None]] = []

    def compose(self) -> ComposeResult:
        """The timeline."""
        yield Counting(zone=UTC)

    def on_timeline_view_jump_to_time(self, message: TimelineView.JumpToTime) -> None:
        """Remember where one wants to go."""
        self.jumps.append((message.at, message.task_id))


def screen(app: App[None]) -> list[str]:
    """What the terminal shows, line by line."""
    view = app.query_one(TimelineView)
    return [view.render_line(y).text.rstrip() for y in range(view.size.height)]


def test_enter_leads_to_the_moment_of_the_step() -> None:
    """The cursor walks over steps, stays on its own when others come, and Enter names its time."""

    async def scenario() -> None:
        app = Shell()
        async with app.run_test(size=(80, 12)) as pilot:
            view = app.query_one(TimelineView)
            view.focus()
            view.show(fold(job(ended_at=None, history=job()["history"][:6]), START + 40))
            await pilot.pause()
            assert screen(app)[0].startswith("┈ INACT 2s ")
            assert screen(app)[2].split() == ["08:00:00", "now"]
            assert screen(app)[3].startswith("job    ")
            await pilot.press("j", "enter")
            assert app.jumps == [(START, 0)]
            view.show(fold(job(), START + 500))
            await pilot.press("enter", "G", "enter")
            assert app.jumps == [(START, 0), (START, 0), (START + 100, None)]
            assert "ALIVE → ■ DONE" in screen(app)[-1]
            await pilot.press("g", "enter")
            assert app.jumps[-1] == (START, None)
            assert screen(app)[0].startswith("┈ INACT 2s ")

    asyncio.run(scenario())


def test_the_last_step_is_followed() -> None:
    """A cursor on the last step stays on the last one when others come."""

    async def scenario() -> None:
        app = Shell()
        async with app.run_test(size=(80, 12)) as pilot:
            view = app.query_one(TimelineView)
            view.focus()
            view.show(fold(job(ended_at=None, history=job()["history"][:6]), START + 40))
            await pilot.press("G")
            view.show(fold(job(), START + 500))
            await pilot.press("enter")
            assert app.jumps == [(START + 100, None)]

    asyncio.run(scenario())


def test_only_lines_that_look_different_are_drawn() -> None:
    """The same timeline again draws nothing; one more second draws what tells the time."""

    async def scenario() -> None:
        app = Shell()
        async with app.run_test(size=(80, 24)) as pilot:
            view = app.query_one(TimelineView)
            running = job(ended_at=None, history=job()["history"][:7])
            view.show(fold(running, START + 50))
            await pilot.pause()
            app.drawn.clear()
            view.show(fold(running, START + 50))
            await pilot.pause()
            assert app.drawn == set()
            view.show(fold(running, START + 51))
            await pilot.pause()
            assert app.drawn == {0, 3, 4}  # the summary and the bars; no step

    asyncio.run(scenario())


def test_the_cursor_is_in_sight_below_a_tall_head() -> None:
    """Many bars may fill the screen; the first step can be reached, and seen, all the same."""

    async def scenario() -> None:
        app = Shell()
        async with app.run_test(size=(80, 6)) as pilot:
            view = app.query_one(TimelineView)
            view.focus()
            tasks = [{"task_id": number, "name": f"t{number}"} for number in range(20)]
            view.show(fold(job(tasks=tasks), START + 500))
            await pilot.press("G", "g")
            assert "○ INACT" in screen(app)[-1]
            await pilot.press("ctrl+d")
            assert "PEND" in screen(app)[-2]

    asyncio.run(scenario())
