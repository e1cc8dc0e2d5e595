"""What the job list draws, and what it leaves as it is."""

from __future__ import annotations

import asyncio

from textual.pilot import Pilot

from jobsched.states import TaskStatus
from jobsched_tui.data.frame import Health, Link
from jobsched_tui.present.glyphs import ASCII, UNICODE
from jobsched_tui.widgets.job_list import JobList
from jobsched_tui.widgets.job_rows import FLASH
from tests.tui.frames import NOW, ended, frame, job, running
from tests.tui.list_stage import Stage, ids, jobs, play, press


def test_the_first_frame_is_drawn_with_the_cursor_on_its_first_row() -> None:
    """Titles, rows, and the owner learns which job it is and how many rows are needed."""

    async def script(stage: Stage, pilot: Pilot[None]) -> None:
        stage.list.set_sort([("id", True)])
        stage.list.show(frame([running(9), job(8)]))
        await pilot.pause()
        assert stage.rows()[:4] == [
            "     ID▼ NAME              SCHED     TASK     AGE LAST LOG / WHY",
            "▶      9 train-resnet-s3   ● ALIVE   2/5    2h04m step 4120/9000   ███▋      46%",
            "       8 job-8             ● ALIVE   2/5    2h04m runs task task-2 in here",
            "",
        ]
        assert stage.said(JobList.CursorMoved) == [JobList.CursorMoved(9)]
        assert stage.said(JobList.WindowChanged)[-1] == JobList.WindowChanged(0, 10)
        assert stage.list.selection.current == running(9)

    play(script, size=(81, 11))


def test_the_same_frame_again_draws_nothing() -> None:
    """Nor does a tick that changes no age, nor a change out of sight."""

    async def script(stage: Stage, pilot: Pilot[None]) -> None:
        lines = jobs(99, 70)
        stage.list.set_sort([("id", True)])
        stage.list.show(frame(lines, matched=99))
        await pilot.pause()
        stage.settle()
        stage.list.set_sort([("id", True)])
        stage.list.show(frame(jobs(99, 70), matched=99))
        stage.list.tick(NOW + 1)
        stage.list.show(frame([*lines[:20], running(79), *lines[21:]], matched=99))
        assert stage.drawn() == []

    play(script)


def test_only_rows_that_look_different_are_drawn() -> None:
    """Each as a line of its own, also where the list has grown below."""

    async def script(stage: Stage, pilot: Pilot[None]) -> None:
        lines = jobs(99, 90)
        stage.list.show(frame(lines, matched=99))
        await pilot.pause()
        stage.settle()
        lines[3] = job(96, status=TaskStatus.RECOVERING, last_line="again")
        lines[7] = job(92, last_line="step 5")
        stage.list.show(frame(lines, matched=120))
        assert stage.drawn() == [4, 8]
        await pilot.pause()
        assert stage.list.max_scroll_y == 120 + 1 - 11

    play(script)


def test_a_tick_draws_only_ages_that_change() -> None:
    """Here one row counts seconds, the other minutes."""

    async def script(stage: Stage, pilot: Pilot[None]) -> None:
        stage.list.show(frame([job(2), job(1, submitted_at=NOW - 41)]))
        await pilot.pause()
        stage.settle()
        stage.list.tick(NOW + 1)
        assert stage.drawn() == [2]
        assert " 42s " in stage.rows()[2]
        assert " 2h04m " in stage.rows()[1]

    play(script)


def test_a_change_is_drawn_stronger_for_a_moment() -> None:
    """Once, and not where animations are off."""

    def is_bold(stage: Stage) -> bool:
        row = stage.list.render_line(1)
        return any(
            part.style is not None and part.style.bold for part in row if "job-5" in part.text
        )

    async def script(stage: Stage, pilot: Pilot[None]) -> None:
        stage.list.show(frame([job(5)]))
        stage.list.show(frame([ended(5, TaskStatus.SUCCEEDED)]))
        await pilot.pause()
        assert not is_bold(stage)
        stage.animation_level = "full"
        stage.list.show(frame([job(5)]))
        await pilot.pause()
        assert is_bold(stage)
        async with asyncio.timeout(10):
            while is_bold(stage):
                await pilot.pause(FLASH / 4)

    play(script)


def test_an_empty_list_says_why_and_what_it_says_is_kept_current() -> None:
    """Never a black screen, and no row of before."""

    async def script(stage: Stage, pilot: Pilot[None]) -> None:
        stage.list.show(frame(jobs(5, 1)))
        stage.list.show(frame(), filter_text="name~foo")
        await pilot.pause()
        assert stage.rows()[1] == "0 of 10412 match name~foo"
        stage.list.show(frame(), filter_text="name~bar")
        await pilot.pause()
        assert stage.rows()[1] == "0 of 10412 match name~bar"
        assert stage.list.cursor is None
        stage.list.show(frame(health=Health(link=Link.MISSING), counts={}))
        await press(pilot, ["j", "space", "V", "asterisk", "enter", "G"])
        assert stage.rows()[1] == "No database yet in /srv/jobs"
        stage.list.show(frame(jobs(2, 1)))
        await pilot.pause()
        assert stage.list.cursor == 2

    play(script)


def test_it_draws_at_any_size() -> None:
    """Resizing keeps the cursor in sight; every line is as wide as the list."""

    async def script(stage: Stage, pilot: Pilot[None]) -> None:
        stage.list.show(frame(jobs(90, 1)))
        await press(pilot, ["G", "k"])
        for size in ((120, 36), (60, 15), (40, 10), (20, 3), (5, 1), (200, 50)):
            await pilot.resize_terminal(*size)
            await pilot.pause()
            for y in range(stage.list.size.height):
                assert stage.list.render_line(y).cell_length == size[0] - 1
            shown = [row for row in ids(stage) if row.startswith("▶")]
            assert len(shown) == min(1, stage.list.rows_in_sight)

    play(script)


def test_columns_order_and_signs_can_be_chosen() -> None:
    """At once, for titles and rows."""

    async def script(stage: Stage, pilot: Pilot[None]) -> None:
        stage.list.show(frame([running(9)]))
        stage.list.set_columns(["pid", "id"])
        stage.list.set_sort([("id", False)])
        await pilot.pause()
        assert stage.rows()[:2] == ["       PID    ID^", ">   88123+      9"]
        stage.list.set_pen(UNICODE)
        stage.list.set_columns(None)
        await pilot.pause()
        assert "● ALIVE" in stage.rows()[1]

    play(script, pen=ASCII)


def test_another_theme_draws_in_its_colours() -> None:
    """Colours are looked up again; with 16 colours there is no other in any row."""

    async def script(stage: Stage, pilot: Pilot[None]) -> None:
        stage.list.show(frame([running(9)]))
        await pilot.pause()
        before = [part.style for part in stage.list.render_line(1)]
        stage.theme = "ansi-dark"
        await pilot.pause()
        after = [part.style for part in stage.list.render_line(1)]
        assert before != after
        colours = [style.color for style in after if style is not None and style.color is not None]
        assert colours
        assert not any(colour.triplet for colour in colours)

    play(script)
