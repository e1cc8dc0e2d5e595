"""Marks in the job list, and what the mouse does there."""

from __future__ import annotations

from textual.pilot import Pilot

from jobsched_tui.widgets.job_list import JobList
from tests.tui.frames import frame, job
from tests.tui.list_stage import Stage, ids, jobs, play, press


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
