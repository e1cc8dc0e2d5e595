"""Several logs on one screen of a real home: opened, searched, zoomed, left; all is closed then."""

from __future__ import annotations

from pathlib import Path

import pytest
from textual.pilot import Pilot

from jobsched.api import Scheduler
from jobsched_tui.app import Console
from jobsched_tui.screens.detail import DetailScreen
from jobsched_tui.screens.jobs import JobsScreen
from jobsched_tui.widgets.log_pane import LogPane
from jobsched_tui.widgets.log_view import LogView
from tests.tui.stand import home_with, play, screen, sees, types, until

Scene = Pilot[int]
TWO_TASKS = "name: pair\n---\nname: one\nrun: x\n---\nname: two\nrun: x\n"


@pytest.fixture(name="door")
def _door(tmp_path: Path) -> Scheduler:
    """Jobs 1 and 2 with a task each, and job 3 with two."""
    door = home_with(tmp_path / "home", "first", "second")
    (tmp_path / "pair.yaml").write_text(TWO_TASKS)
    door.submit([tmp_path / "pair.yaml"])
    return door


def log(door: Scheduler, job_id: int, task_id: int = 0) -> Path:
    """Where a task writes."""
    path = Path(door.show(job_id)["tasks"][task_id]["log_path"])
    path.parent.mkdir(parents=True, exist_ok=True)
    return path


def views(console: Console) -> list[LogView]:
    """Those that are seen."""
    return [pane.view for pane in console.screen.query(LogPane) if not pane.has_class("-hidden")]


def has_keys(console: Console) -> int:
    """Which of them has the keys."""
    return [view.has_focus for view in views(console)].index(True)


async def opened(pilot: Scene, logs: int) -> None:
    """Press the key, and wait for so many."""
    await pilot.press("vertical_line")
    await sees(pilot, f"{logs} logs side by side")


def test_marked_jobs(door: Scheduler) -> None:
    """Each follows its own log; Tab gives another the keys, and a search is of that one alone."""
    log(door, 1).write_text("one\nhit a\nmore\n")
    log(door, 2).write_text("two\nhit b\nhit c\n")

    async def scene(console: Console, pilot: Scene) -> None:
        await types(pilot, "gjj")
        await pilot.press("space", "k", "space")
        await until(pilot, lambda: console.chosen() == (1, 2), "the marks")
        await opened(pilot, 2)
        await sees(pilot, "▶ 1 first")
        await sees(pilot, "2 second")
        await sees(pilot, "hit c")
        with log(door, 2).open("a") as more:
            more.write("grown\n")
        await sees(pilot, "grown")
        assert console.chosen() == (1,)
        await pilot.press("tab")
        await until(pilot, lambda: has_keys(console) == 1, "the keys")
        assert console.chosen() == (2,)
        await types(pilot, "/hit")
        await pilot.press("enter")
        await until(pilot, lambda: views(console)[1].match_count == 2, "the search")
        assert views(console)[0].match_count is None
        await pilot.press("shift+tab")
        await until(pilot, lambda: has_keys(console) == 0, "the keys")
        await types(pilot, "&hit")
        await pilot.press("enter")
        await sees(pilot, "only 1 line with hit")
        assert "grown" in screen(console)

    play(door.home, scene)


def test_tasks_of_a_job_and_the_way_back(door: Scheduler) -> None:
    """Zoom shows one alone; Escape takes one step at a time, q leaves; all is closed then."""

    async def scene(console: Console, pilot: Scene) -> None:
        await types(pilot, "gt")
        await until(pilot, lambda: isinstance(console.screen, DetailScreen), "the job")
        await opened(pilot, 2)
        await sees(pilot, "▶ 3 pair ─ task 0 (one)")
        await sees(pilot, "not created yet")
        log(door, 3, 1).write_text("hello\n")
        await sees(pilot, "hello")
        files = [view._file for view in views(console)]
        assert [file.readable for file in files] == [False, True]
        await types(pilot, "z")
        await until(pilot, lambda: len(views(console)) == 1, "one alone")
        await pilot.press("tab")
        await sees(pilot, "▶ 3 pair ─ task 1 (two)")
        assert len(views(console)) == 1
        await types(pilot, "/hel")
        await pilot.press("enter")
        await sees(pilot, "match of hel")
        await pilot.press("escape")
        await until(pilot, lambda: "match of hel" not in screen(console), "the end of the search")
        await pilot.press("escape")
        await until(pilot, lambda: len(views(console)) == 2, "both again")
        await pilot.press("escape")
        await until(pilot, lambda: isinstance(console.screen, DetailScreen), "the job again")
        assert isinstance(console.screen, DetailScreen)
        assert console.screen.tab == "timeline"
        await opened(pilot, 2)
        await types(pilot, "q")
        await until(pilot, lambda: isinstance(console.screen, DetailScreen), "the job again")
        await types(pilot, "q")
        await until(pilot, lambda: isinstance(console.screen, JobsScreen), "the list")
        await until(pilot, lambda: not any(file.readable for file in files), "closed files")

    play(door.home, scene)


@pytest.mark.parametrize(("size", "seen"), [((120, 36), 2), ((80, 24), 2), ((79, 24), 1)])
def test_sizes(door: Scheduler, size: tuple[int, int], seen: int) -> None:
    """Side by side, one above the other, or one at a time; and with every resize anew."""

    async def scene(console: Console, pilot: Scene) -> None:
        await types(pilot, "g")
        await opened(pilot, 2)
        await until(pilot, lambda: len(views(console)) == seen, "the arrangement")
        await pilot.resize_terminal(40, 10)
        await until(pilot, lambda: len(views(console)) == 1, "one alone")
        await pilot.press("tab")
        await sees(pilot, "▶ 3 pair ─ task 1")
        await pilot.resize_terminal(120, 36)
        await until(pilot, lambda: len(views(console)) == 2, "both")
        regions = [view.region for view in views(console)]
        assert regions[0].y == regions[1].y
        assert regions[0].right < regions[1].x

    play(door.home, scene, size=size)


def test_why_it_is_not_possible(door: Scheduler) -> None:
    """Of one job with one task there is nothing to see side by side; nor where there is no job."""

    async def scene(console: Console, pilot: Scene) -> None:
        await types(pilot, "G")
        await until(pilot, lambda: console.chosen() == (1,), "the cursor")
        await pilot.press("vertical_line")
        await sees(pilot, "mark two jobs first, or open a job with several tasks")
        assert isinstance(console.screen, JobsScreen)

    play(door.home, scene)


def test_from_there_into_a_job_and_back(door: Scheduler) -> None:
    """Its other tabs take the place of the logs; of the job below nothing is forgotten."""

    async def scene(console: Console, pilot: Scene) -> None:
        await types(pilot, "g")
        await pilot.press("enter")
        await until(pilot, lambda: isinstance(console.screen, DetailScreen), "the job")
        await opened(pilot, 2)
        console.open_job(1)
        await sees(pilot, "1 first")
        await pilot.press("escape")
        await sees(pilot, "2 logs side by side")
        await types(pilot, "y")
        await sees(pilot, "name: pair")
        assert [type(one) for one in console.screen_stack[1:]] == [JobsScreen, DetailScreen]

    play(door.home, scene)
