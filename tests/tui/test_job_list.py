"""The job list under keys, mouse and new frames."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from datetime import UTC

from textual.app import App, ComposeResult
from textual.message import Message
from textual.pilot import Pilot

from jobsched.states import TaskStatus
from jobsched_tui.data.frame import Health, JobLine, Link
from jobsched_tui.present.glyphs import ASCII, UNICODE, Pen
from jobsched_tui.present.header import Drawing, Looking
from jobsched_tui.present.selection import Spot
from jobsched_tui.widgets.header import LinesView
from jobsched_tui.widgets.job_list import JobList
from jobsched_tui.widgets.job_rows import FLASH
from jobsched_tui.widgets.tabs import Summary
from tests.tui.frames import NOW, ended, frame, job, running


class Stage(App[None]):
    """A screen with nothing but the list, and a note of what it says."""

    CSS = "JobList { height: 1fr; }"

    def __init__(self, pen: Pen = UNICODE) -> None:
        super().__init__()
        self.list = JobList(pen=pen, zone=UTC)
        self.heard: list[Message] = []
        self.animation_level = "none"

    def compose(self) -> ComposeResult:
        """The list."""
        yield self.list

    def on_mount(self) -> None:
        """Keys go to the list."""
        self.list.focus()

    def say(self, message: Message) -> None:
        """Note what the list said."""
        self.heard.append(message)

    on_job_list_cursor_moved = say
    on_job_list_opened = say
    on_job_list_window_changed = say
    on_job_list_marks_changed = say
    on_job_list_mark_asked = say
    on_job_list_sort_asked = say
    on_job_list_lock_changed = say

    def said(self, kind: type[Message]) -> list[Message]:
        """All of one kind so far."""
        return [message for message in self.heard if isinstance(message, kind)]

    def drawn(self) -> list[int]:
        """Which lines of the list have been asked to be drawn, and not been yet."""
        regions = self.list._dirty_regions
        return sorted(y for region in regions for y in range(region.y, region.bottom))

    def settle(self) -> None:
        """All that was asked for has been drawn."""
        self.list._dirty_regions.clear()

    def rows(self) -> list[str]:
        """What stands on the screen."""
        return [self.list.render_line(y).text.rstrip() for y in range(self.list.size.height)]


Script = Callable[[Stage, Pilot[None]], Awaitable[None]]


def play(script: Script, *, size: tuple[int, int] = (80, 11), pen: Pen = UNICODE) -> None:
    """Run a script on a stage: ten rows, unless it says otherwise."""

    async def main() -> None:
        stage = Stage(pen)
        async with stage.run_test(size=size) as pilot:
            await pilot.pause()
            await script(stage, pilot)

    asyncio.run(main())


def jobs(first: int, last: int) -> list[JobLine]:
    """Jobs by falling id, as a list has them."""
    return [job(job_id) for job_id in range(first, last - 1, -1)]


def ids(stage: Stage) -> list[str]:
    """The gutter and id of each row in sight."""
    return [row[:8] for row in stage.rows()[1:] if row]


async def press(pilot: Pilot[None], keys: Sequence[str]) -> None:
    """Some keys, and what follows from them."""
    await pilot.press(*keys)
    await pilot.pause()


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


def test_marks() -> None:
    """By id, seen or not; space goes on to the next row."""

    async def script(stage: Stage, pilot: Pilot[None]) -> None:
        stage.list.show(frame(jobs(5, 1)))
        await press(pilot, ["space", "j", "space"])
        assert stage.list.marks == {5, 3}
        assert ids(stage) == [
            "  *    5".replace("  *", " * "),
            "       4",
            " *     3",
            "▶      2",
            "       1",
        ]
        stage.list.show(frame([job(9), job(3)]))
        await pilot.pause()
        assert [row[1] for row in ids(stage)] == [" ", "*"]
        assert stage.list.marks == {5, 3}
        await press(pilot, ["u"])
        assert stage.list.marks == frozenset()
        assert stage.said(JobList.MarksChanged)[-1] == JobList.MarksChanged(frozenset())

    play(script)


def test_a_range_is_seen_while_it_grows_and_marked_when_it_ends() -> None:
    """V begins, V or space ends."""

    async def script(stage: Stage, pilot: Pilot[None]) -> None:
        stage.list.show(frame(jobs(9, 1)))
        await press(pilot, ["j", "V", "j", "j"])
        assert [row[1] for row in ids(stage)] == [*" ***     "]
        assert stage.list.marks == frozenset()
        await press(pilot, ["k", "V"])
        assert stage.list.marks == {8, 7}
        await press(pilot, ["V", "k", "k", "space"])
        assert stage.list.marks == {9, 8, 7}
        assert [row[1] for row in ids(stage)] == [*"***      "]

    play(script)


def test_marking_what_has_not_been_read_asks_the_owner() -> None:
    """By the jobs at both ends, or for all; the answer is marked."""

    async def script(stage: Stage, pilot: Pilot[None]) -> None:
        stage.list.show(frame(jobs(1000, 980), matched=1000))
        await press(pilot, ["V", "G"])
        stage.list.show(frame(jobs(20, 1), matched=1000, top=980))
        await press(pilot, ["V"])
        assert stage.said(JobList.MarkAsked) == [JobList.MarkAsked(1000, 1)]
        await press(pilot, ["asterisk"])
        assert stage.said(JobList.MarkAsked)[-1] == JobList.MarkAsked(None, None)
        stage.list.mark(range(1, 1001))
        await pilot.pause()
        assert len(stage.list.marks) == 1000
        assert {row[1] for row in ids(stage)} == {"*"}

    play(script)


def test_the_mouse() -> None:
    """A row takes the cursor, twice opens it, its gutter marks it, a title sorts."""

    async def script(stage: Stage, pilot: Pilot[None]) -> None:
        stage.list.show(frame(jobs(5, 1)))
        await pilot.click(JobList, offset=(20, 3))
        assert stage.list.cursor == 3
        await pilot.click(JobList, offset=(1, 2))
        assert stage.list.cursor == 4
        assert stage.list.marks == {4}
        await pilot.click(JobList, offset=(20, 5), times=2)
        assert stage.said(JobList.Opened) == [JobList.Opened(1)]
        await pilot.click(JobList, offset=(30, 0))
        await pilot.click(JobList, offset=(70, 0))
        assert stage.said(JobList.SortAsked) == [JobList.SortAsked("state")]
        await pilot.click(JobList, offset=(20, 9))
        assert stage.list.cursor == 1

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


class Top(App[None]):
    """A screen with the lines above the list."""

    asked: tuple[str, ...] = ()

    def compose(self) -> ComposeResult:
        """The lines."""
        yield Summary(id="top")

    def on_summary_tab_asked(self, message: Summary.TabAsked) -> None:
        """Note it."""
        self.asked = (*self.asked, message.tab)


def test_the_lines_above_are_drawn_and_their_tabs_can_be_clicked() -> None:
    """As many lines as the width has; a click elsewhere asks for nothing."""

    async def main() -> None:
        app = Top()
        async with app.run_test(size=(120, 20)) as pilot:
            top = app.query_one(Summary)
            top.update(frame(), Looking(), NOW, Drawing(width=120, zone=UTC))
            await pilot.pause()
            assert top.size.height == 4
            assert top.render_line(2).text.startswith("[1 All 10412] 2 Active 183 ")
            await pilot.click(Summary, offset=(20, 2))
            await pilot.click(Summary, offset=(20, 1))
            await pilot.click(Summary, offset=(118, 2))
            assert app.asked == ("active",)
            top.update(frame(), Looking(), NOW, Drawing(width=80, zone=UTC))
            await pilot.pause()
            assert top.size.height == 3

    asyncio.run(main())


def test_lines_that_stay_the_same_cost_nothing() -> None:
    """Only the line of the clock is drawn when only the clock has moved."""

    async def main() -> None:
        app = Top()
        async with app.run_test(size=(120, 20)) as pilot:
            top = app.query_one(LinesView)
            assert isinstance(top, Summary)
            drawing = Drawing(width=120, zone=UTC)
            top.update(frame(), Looking(), NOW, drawing)
            await pilot.pause()
            top._dirty_regions.clear()
            top.update(frame(), Looking(), NOW, drawing)
            assert top._dirty_regions == set()
            top.update(frame(), Looking(), NOW + 60, drawing)
            assert {region.y for region in top._dirty_regions} == {0}

    asyncio.run(main())
