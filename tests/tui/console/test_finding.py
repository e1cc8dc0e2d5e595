"""Finding one's way in the console: palette, command line, memory, help."""

from __future__ import annotations

import json
from pathlib import Path

from jobsched_tui.app import Console
from jobsched_tui.screens.detail import DetailScreen
from jobsched_tui.screens.reading import ReadingScreen
from tests.tui.stand import Scene, home_with, jobs_screen, play, sees, types, until


def test_the_palette_finds_jobs_actions_and_themes(home: Path) -> None:
    """A job is opened by a part of its name, and what it is called is nobody's markup."""
    home_with(home, "one", "[b]two[/b]")

    async def scene(console: Console, pilot: Scene) -> None:
        await pilot.press("ctrl+p")
        await sees(pilot, "filter (/)")
        await types(pilot, "two")
        await sees(pilot, "job 2 [b]two[/b]")
        await pilot.press("enter")
        await until(pilot, lambda: isinstance(console.screen, DetailScreen), "the job")
        await sees(pilot, "2 [b]two[/b]")

    play(home, scene)


def test_the_command_line(home: Path) -> None:
    """Words are completed, remembered, and what is none is said."""
    home_with(home, "one")

    async def scene(console: Console, pilot: Scene) -> None:
        await pilot.press("colon")
        await types(pilot, "aud")
        await pilot.press("tab", "enter")
        await until(pilot, lambda: isinstance(console.screen, ReadingScreen), "the audit")
        await pilot.press("escape", "colon", "up", "enter")
        await until(pilot, lambda: isinstance(console.screen, ReadingScreen), "the audit again")
        await pilot.press("q", "colon")
        await types(pilot, "thme nord")
        await pilot.press("enter")
        await sees(pilot, "did you mean theme?")
        await pilot.press("colon")
        await types(pilot, "theme nord")
        await pilot.press("enter")
        await until(pilot, lambda: console.theme == "nord", "the theme")
        await pilot.press("colon")
        await types(pilot, "log.follow")
        await pilot.press("enter")
        await sees(pilot, "possible only in a log")

    play(home, scene)
    assert json.loads((home / "console.json").read_text())["theme"] == "nord"


def test_the_console_is_found_as_it_was_left(home: Path) -> None:
    """Tab, filter, order, columns, theme, mouse and views are remembered."""
    home_with(home, "one", "two")

    async def leave(console: Console, pilot: Scene) -> None:
        await sees(pilot, "2 two")
        console.sight.filter("o")
        console.sight.sort("name", descending=True)
        console.set_columns(("id", "name"))
        await pilot.press("M", "3", "colon")
        await types(pilot, "save mine")
        await pilot.press("enter")
        await sees(pilot, "saved; `view mine` shows it again")

    async def come(console: Console, pilot: Scene) -> None:
        await sees(pilot, "2 two")
        assert console.sight.looking.tab == "waiting"
        assert console.sight.looking.filter_text == "o"
        assert console.sight.looking.sort == (("name", True),)
        assert jobs_screen(console).jobs.columns == ("id", "name")
        assert dict(console.session.saved_views) == {"mine": "o"}
        assert not console.session.mouse

    play(home, leave)
    play(home, come)


def test_a_memory_that_makes_no_sense_is_left_out(home: Path) -> None:
    """Names of no tab, column, order or theme do no harm."""
    home_with(home, "one")
    (home / "console.json").write_text(
        json.dumps(
            {"tab": "x", "filter": "a:b:", "sort": "y", "columns": ["z"], "theme": "none at all"}
        )
    )

    async def scene(console: Console, pilot: Scene) -> None:
        await sees(pilot, "1 one")
        assert console.sight.looking.tab == "all"
        assert console.theme in console.available_themes

    play(home, scene)


def test_help_is_about_the_pane(home: Path) -> None:
    """It lists the keys of the pane first, as they are bound."""
    home_with(home, "one")

    async def scene(_: Console, pilot: Scene) -> None:
        await sees(pilot, "1 one")
        await pilot.press("question_mark")
        await sees(pilot, "In this pane")
        await sees(pilot, "list.filter")
        await pilot.press("q", "enter", "question_mark")
        await sees(pilot, "In this pane")
        await pilot.press("f1")

    play(home, scene)
