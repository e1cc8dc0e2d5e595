"""Keys and what they do: the table, every widget and every action agree."""

from __future__ import annotations

import importlib
import pkgutil
from collections.abc import Iterator
from pathlib import Path

import pytest
from textual.binding import Binding
from textual.dom import DOMNode
from textual.pilot import Pilot

import jobsched_tui.app
import jobsched_tui.screens
import jobsched_tui.widgets
from jobsched_tui.app import Console
from jobsched_tui.app.deeds import DEEDS
from jobsched_tui.app.deeds.general import COMMANDS
from jobsched_tui.app.palette import find_jobs, offers
from jobsched_tui.data.keymap import BY_ID, KEYS, PANES, Context, remap
from jobsched_tui.present.hints import ACTING
from jobsched_tui.widgets.bindings import bindings
from tests.tui.stand import home_with, jobs_screen, play, screen, sees, types

Scene = Pilot[int]


def _classes() -> Iterator[type[DOMNode]]:
    """Every widget, screen and application of the console."""
    for package in (jobsched_tui.app, jobsched_tui.screens, jobsched_tui.widgets):
        for found in pkgutil.walk_packages(package.__path__, f"{package.__name__}."):
            module = importlib.import_module(found.name)
            for value in vars(module).values():
                own = isinstance(value, type) and value.__module__ == module.__name__
                if own and issubclass(value, DOMNode):
                    yield value


def _bound() -> Iterator[tuple[type[DOMNode], Binding]]:
    for one in _classes():
        for binding in one.__dict__.get("BINDINGS", ()):
            assert isinstance(binding, Binding), one
            yield one, binding


def test_every_binding_is_in_the_table() -> None:
    """So that help tells the truth and every key can be changed."""
    found = list(_bound())
    assert len(found) > 60
    for one, binding in found:
        assert binding.id is not None
        assert binding.id in BY_ID, (one, binding)
        assert binding.key == BY_ID[binding.id].keys, (one, binding)


def test_every_key_of_the_table_does_something() -> None:
    """Each action is heard by a widget or done by the console."""
    heard = {binding.id for _, binding in _bound()} | set(DEEDS)
    assert {key.id for key in KEYS} - heard == set()


def test_every_deed_is_in_the_table() -> None:
    """And none is done both by the console and by a widget in another way."""
    assert set(DEEDS) <= set(BY_ID)
    assert set(BY_ID) >= ACTING


def test_a_binding_of_no_action() -> None:
    """A widget cannot listen to what the table does not have."""
    with pytest.raises(KeyError):
        bindings({"no.such": "nothing"})


def test_what_is_heard_first() -> None:
    """Keys that are heard before those of the widgets inside are marked so, and no others."""
    first, second = bindings({"job.log": "log", "job.dag": "dag"}, first={"job.log"})
    assert isinstance(first, Binding)
    assert isinstance(second, Binding)
    assert first.priority
    assert not second.priority


def test_no_key_is_a_method_of_textual() -> None:
    """Textual calls ``key_NAME`` of a widget for the key NAME: nothing else may be called so."""
    names = [f"key_{name}" for key in KEYS for name in key.keys.split(",")]
    assert [(one, name) for one in _classes() for name in names if hasattr(one, name)] == []


def test_keys_can_be_changed(tmp_path: Path) -> None:
    """A key of one's own works in the list, in help and in the hints; the old one does nothing."""
    home_with(tmp_path / "home", "one")
    keys, problems = remap(KEYS, {"job.cancel": "k", "nav.up": "up", "app.help": "f12"})
    assert problems == []

    async def scene(console: Console, pilot: Scene) -> None:
        await sees(pilot, "1 one")
        await sees(pilot, "k Cancel")
        await pilot.press("x")
        assert console.screen is jobs_screen(console)
        await pilot.press("k")
        await sees(pilot, "Cancel job 1")
        await pilot.press("escape", "f12")
        await sees(pilot, "F12")

    play(tmp_path / "home", scene, keys=keys)


def test_collisions_are_told(tmp_path: Path) -> None:
    """A key that is taken is not given away in silence."""
    home_with(tmp_path / "home")
    keys, problems = remap(KEYS, {"job.cancel": "S"})
    assert keys["job.cancel"] == "x"

    async def scene(_: Console, pilot: Scene) -> None:
        await sees(pilot, "job.cancel: S is the key of job.submit")

    play(tmp_path / "home", scene, keys=keys, notes=tuple(problems))


def test_an_action_without_a_job_says_so(tmp_path: Path) -> None:
    """Where there is no job, keys about one say that there is none."""
    home_with(tmp_path / "home")

    async def scene(console: Console, pilot: Scene) -> None:
        await sees(pilot, "No jobs yet")
        for key in ("x", "X", "R", "r", "H", "i", "t", "D", "c", "Y"):
            await pilot.press(key)
            assert "there is no job under the cursor" in screen(console), key
            console.say(())

    play(tmp_path / "home", scene)


def test_every_action_can_be_asked_for_by_name(tmp_path: Path) -> None:
    """No id of the table crashes the console when it is typed, wherever it belongs."""
    home_with(tmp_path / "home", "one")

    async def scene(console: Console, pilot: Scene) -> None:
        await sees(pilot, "1 one")
        for key in KEYS:
            if key.id in ("app.quit", "nav.leave", "export.editor", "export.pager", "job.submit"):
                continue
            console.do(key.id)
            await pilot.pause()
            while console.screen is not jobs_screen(console):
                console.pop_screen()
                await pilot.pause()
        assert console.is_running

    play(tmp_path / "home", scene)


def test_a_widget_does_what_is_typed(tmp_path: Path) -> None:
    """An action that a pane has by itself is done there when its id is typed."""
    home_with(tmp_path / "home", "one", "two")

    async def scene(console: Console, pilot: Scene) -> None:
        await sees(pilot, "2 two")
        await pilot.press("colon")
        await types(pilot, "mark.toggle")
        await pilot.press("enter")
        await sees(pilot, "1 marked")
        assert console.sight.view.marks == {2}

    play(tmp_path / "home", scene)


def test_what_the_palette_offers(tmp_path: Path) -> None:
    """Every action of a pane but moving, with its key; no dialog's own keys."""
    door = home_with(tmp_path / "home", "one")
    console = Console(door, jobsched_tui.app.Options())
    offered = {offer.command for offer in offers(console)}
    here = {key.id for key in KEYS if key.contexts & (PANES | {Context.EVERYWHERE})}
    assert {name for name in here if not name.startswith("nav.")} - offered == {"app.palette"}
    assert not {key.id for key in KEYS if key.contexts == {Context.CONFIRM}} & offered
    assert {"theme nord", "audit"} <= offered
    assert "quit" in COMMANDS


def test_jobs_are_found_by_id_and_name(tmp_path: Path) -> None:
    """By a part of the name, or by the whole id, which comes first; never more than fifty."""
    door = home_with(tmp_path / "home", "one", "two", "one more", "-x y:z")
    assert find_jobs(door, "one") == [(3, "one more"), (1, "one")]
    assert find_jobs(door, "2")[0] == (2, "two")
    assert find_jobs(door, "job 2")[0] == (2, "two")
    assert find_jobs(door, "-x y:z") == [(4, "-x y:z")]
    assert find_jobs(door, "9" * 30) == []
    assert find_jobs(door, "'") == []
    assert find_jobs(door, " ") == []
