"""The cursor of the job list under keys, the wheel and new frames."""

from __future__ import annotations

from textual.pilot import Pilot

from jobsched_tui.present.selection import Spot
from jobsched_tui.widgets.job_list import JobList
from tests.tui.frames import frame, job
from tests.tui.list_stage import Stage, ids, jobs, play, press


def test_keys_move_the_cursor_and_scroll_no_further_than_needed() -> None:
    """As in vim, turm and less; it never leaves the list."""

    async def script(stage: Stage, pilot: Pilot[None]) -> None:
        stage.list.show(frame(jobs(50, 1)))
        moves = [
            *(("j", 49), ("down", 48), ("k", 49), ("up", 50), ("up", 50)),
            *(("ctrl+d", 46), ("ctrl+u", 50), ("pagedown", 41), ("pageup", 50)),
            *(("G", 1), ("j", 1), ("g", 50), ("end", 1), ("home", 50)),
        ]
        for key, cursor in moves:
            await press(pilot, [key])
            assert (key, stage.list.cursor) == (key, cursor)
            assert f"▶{cursor:7}" in ids(stage)
        await press(pilot, ["j"] * 10)
        assert ids(stage)[-1] == "▶     40"
        assert ids(stage)[0] == "      49"

    play(script)


def test_the_cursor_stays_on_its_job_whatever_comes_and_goes() -> None:
    """New jobs above move it down; where its job vanishes it takes the row in its place."""

    async def script(stage: Stage, pilot: Pilot[None]) -> None:
        stage.list.show(frame(jobs(5, 1)))
        await press(pilot, ["j", "j"])
        stage.list.show(frame(jobs(7, 1)))
        await pilot.pause()
        assert ids(stage)[4] == "▶      3"
        stage.list.show(frame([job(7), job(6), job(5), job(4), job(2), job(1)]))
        await pilot.pause()
        assert ids(stage)[4] == "▶      2"
        assert [message.job_id for message in stage.said(JobList.CursorMoved)] == [5, 4, 3, 2]  # type: ignore[attr-defined]  # only messages of that kind

    play(script)


def test_a_list_that_was_scrolled_does_not_move_under_the_eyes() -> None:
    """New rows above are added out of sight; at the top they come into sight."""

    async def script(stage: Stage, pilot: Pilot[None]) -> None:
        stage.list.show(frame(jobs(50, 1)))
        await press(pilot, ["pagedown", "pagedown", "k"])
        before = ids(stage)
        stage.list.show(frame(jobs(53, 1)))
        await pilot.pause()
        assert ids(stage) == before
        await press(pilot, ["g"])
        stage.list.show(frame(jobs(55, 1)))
        await pilot.pause()
        assert ids(stage)[:3] == ["      55", "      54", "▶     53"]

    play(script)


def test_a_lock_keeps_the_job_where_it_is_on_the_screen() -> None:
    """And on no other job when it is gone."""

    async def script(stage: Stage, pilot: Pilot[None]) -> None:
        stage.list.show(frame(jobs(50, 1)))
        await press(pilot, ["j", "F"])
        assert stage.list.selection.locked
        assert stage.said(JobList.LockChanged) == [JobList.LockChanged(locked=True)]
        stage.list.show(frame(jobs(60, 1)))
        await pilot.pause()
        assert ids(stage)[1] == "▶     49"
        stage.list.show(frame([line for line in jobs(60, 1) if line.job_id != 49]))
        await pilot.pause()
        assert stage.list.cursor == 49
        assert stage.list.selection.current is None
        assert not any(row.startswith("▶") for row in ids(stage))

    play(script)


def test_rows_that_have_not_been_read_are_placeholders_without_an_id() -> None:
    """The cursor there is on no job until the row comes; nothing can be done to it before."""

    async def script(stage: Stage, pilot: Pilot[None]) -> None:
        stage.list.show(frame(jobs(1000, 980), matched=1000))
        await press(pilot, ["G"])
        assert ids(stage) == [*["  ·     "] * 9, "▶ ·     "]
        assert stage.list.cursor is None
        assert stage.said(JobList.WindowChanged)[-1] == JobList.WindowChanged(990, 10)
        await press(pilot, ["space", "enter"])
        assert stage.said(JobList.MarksChanged) == []
        assert stage.said(JobList.Opened) == []
        stage.list.show(frame(jobs(20, 1), matched=1000, top=980))
        await pilot.pause()
        assert ids(stage)[-1] == "▶      1"
        assert stage.list.cursor == 1

    play(script)


def test_the_owner_may_know_better_where_the_cursor_belongs() -> None:
    """Its job was moved far away by another order; scrolling finds it there."""

    async def script(stage: Stage, pilot: Pilot[None]) -> None:
        stage.list.show(frame(jobs(1000, 980), matched=1000))
        await press(pilot, ["j"])
        stage.list.show(frame(jobs(30, 10), matched=1000), cursor_at=Spot(999, 500))
        await pilot.pause()
        assert stage.list.cursor == 999
        assert stage.list.scroll_offset.y == 491
        stage.list.show(frame(jobs(630, 400), matched=600, top=370), gone=999)
        await pilot.pause()
        assert stage.list.cursor == 500
        stage.list.go_to(1000, 0)
        await pilot.pause()
        assert stage.list.scroll_offset.y == 0

    play(script)


def test_the_wheel_scrolls_and_leaves_the_cursor() -> None:
    """Its job stays the one that keys act on."""

    async def script(stage: Stage, pilot: Pilot[None]) -> None:
        stage.list.show(frame(jobs(50, 1)))
        await pilot.pause()
        stage.list.scroll_to(y=20, animate=False)
        await pilot.pause()
        assert ids(stage)[0] == "      30"
        assert stage.list.cursor == 50
        await press(pilot, ["enter"])
        assert stage.said(JobList.Opened) == [JobList.Opened(50)]

    play(script)
