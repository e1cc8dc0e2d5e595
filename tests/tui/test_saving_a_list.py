"""ctrl+s in the console: what is on the screen becomes a file, and no other file is lost."""

from __future__ import annotations

import csv
import json
from pathlib import Path

import pytest
from textual.pilot import Pilot

from jobsched_tui.app import Console
from tests.tui.stand import home_with, play, screen, sees, types, until

Scene = Pilot[int]


@pytest.fixture(name="home")
def _home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A home; names without a directory are those of files beside it."""
    monkeypatch.chdir(tmp_path)
    return tmp_path / "home"


async def save_as(pilot: Scene, name: str) -> None:
    """Ask for it under a name."""
    await pilot.press("ctrl+s")
    await sees(pilot, "save as")
    await pilot.press("ctrl+u")
    await types(pilot, name)
    await pilot.press("enter")


def test_a_list_as_a_table(home: Path) -> None:
    """The name that is offered tells the view; the filter is honoured; the file is private."""
    home_with(home, "train-1", "eval", "train-2")

    async def scene(console: Console, pilot: Scene) -> None:
        console.sight.filter("train")
        await until(pilot, lambda: console.frame and console.frame.matched == 2, "the filter")
        await pilot.press("3")
        await pilot.press("ctrl+s")
        await sees(pilot, "save as jobs-waiting-")
        await pilot.press("enter")
        await sees(pilot, "saved ")

    play(home, scene)
    (path,) = home.parent.glob("jobs-waiting-*.csv")
    assert path.stat().st_mode & 0o777 == 0o600
    with path.open(newline="") as file:
        names = [row["name"] for row in csv.DictReader(file)]
    assert names == ["train-2", "train-1"]


def test_every_form(home: Path) -> None:
    """JSON says what it is of; text has the screen's header; a picture is one."""
    home_with(home, "one")

    async def scene(_: Console, pilot: Scene) -> None:
        await sees(pilot, "1 one")
        for name in ("a.json", "a.txt", "a.svg"):
            await save_as(pilot, name)
            await sees(pilot, f"{name}")
            await until(pilot, (home.parent / name).exists, name)

    play(home, scene)
    told = json.loads((home.parent / "a.json").read_text())
    assert (told["home"], told["tab"], told["is_past"]) == (str(home), "all", False)
    assert [one["name"] for one in told["jobs"]] == ["one"]
    assert "jobsched" in (home.parent / "a.txt").read_text()
    assert "<svg" in (home.parent / "a.svg").read_text()
    assert "save as" not in (home.parent / "a.svg").read_text().replace("&#160;", " ")


def test_the_past_is_saved_as_it_was(home: Path) -> None:
    """At another moment it is the jobs of that moment that are saved, and the file says so."""
    door = home_with(home, "one", "two")
    then = door.watch().latest()
    door.cancel([1])

    async def scene(console: Console, pilot: Scene) -> None:
        await sees(pilot, "1 one")
        console.sight.travel(then)
        await sees(pilot, "PAST")
        await save_as(pilot, "then.json")
        await until(pilot, (home.parent / "then.json").exists, "the file")

    play(home, scene)
    told = json.loads((home.parent / "then.json").read_text())
    assert told["is_past"]
    assert [(one["id"], one["state"]) for one in told["jobs"]] == [(2, "WAITING"), (1, "WAITING")]


def test_another_file_is_not_lost(home: Path) -> None:
    """Where there is a file already it is asked, and Enter keeps it."""
    home_with(home, "one")
    mine = home.parent / "mine.csv"
    mine.write_text("mine")

    async def scene(_: Console, pilot: Scene) -> None:
        await sees(pilot, "1 one")
        await save_as(pilot, "mine.csv")
        await sees(pilot, "There is a file mine.csv already")
        await pilot.press("enter")
        await sees(pilot, "nothing was saved")
        assert mine.read_text() == "mine"
        await save_as(pilot, "mine.csv")
        await sees(pilot, "There is a file mine.csv already")
        await pilot.press("down", "enter")
        await sees(pilot, "saved ")

    play(home, scene)
    assert mine.read_text().startswith("id,name,")


def test_attention_and_a_job(home: Path) -> None:
    """What needs attention is a table of its own; of a job there is a picture."""
    home_with(home, "one")

    async def scene(_: Console, pilot: Scene) -> None:
        await sees(pilot, "1 one")
        await pilot.press("6")
        await save_as(pilot, "troubles.csv")
        await until(pilot, (home.parent / "troubles.csv").exists, "the file")
        await pilot.press("1", "enter")
        await pilot.press("ctrl+s")
        await sees(pilot, "save as job-1-log-")
        await pilot.press("ctrl+u")
        await types(pilot, "x.csv")
        await sees(pilot, "the ending says what it becomes: svg")
        await pilot.press("enter", "escape")

    play(home, scene)
    assert (home.parent / "troubles.csv").read_text() == "trouble,job_id,since,text,command\n"
    assert not (home.parent / "x.csv").exists()


def test_the_palette_saves(home: Path) -> None:
    """The action is found by what it does."""
    home_with(home, "one")

    async def scene(console: Console, pilot: Scene) -> None:
        await sees(pilot, "1 one")
        await pilot.press("ctrl+p")
        await types(pilot, "save")
        await sees(pilot, "save: csv, json, txt or svg")
        await pilot.press("enter")
        await until(pilot, lambda: "save as jobs-all" in screen(console), "the prompt")
        await pilot.press("escape")

    play(home, scene)
