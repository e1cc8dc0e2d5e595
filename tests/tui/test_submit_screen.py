"""The submit dialog: a text is judged while it is typed, submitted as seen, and never lost."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from pathlib import Path

import pytest
from textual.pilot import Pilot
from textual.widgets import Input, OptionList

from jobsched.api import Scheduler
from jobsched.context import Context
from jobsched_tui.data.drafts import Draft, Finding, Options, Report, Severity
from jobsched_tui.data.frame import Gauge, LimitsLine
from jobsched_tui.data.shelf import Shelf
from jobsched_tui.data.whatif import Queue, Waiter
from jobsched_tui.present.glyphs import ASCII, UNICODE, Pen
from jobsched_tui.screens.submit import SubmitScreen
from jobsched_tui.screens.submitting import Checked
from jobsched_tui.widgets.yaml_editor import VariablesArea, YamlEditor, harmless
from tests.tui.acting import FULL, Stage, until

ROOM = LimitsLine(launch=Gauge(limit=4, used=0), alive=Gauge(limit=9, used=0))
BROKEN = "name: two\n---\nname: prepare\nrun: x\n---\nname: train\ndepends_on: [prep]\nrun: y\n"

Acts = Callable[[Stage, Pilot[None]], Awaitable[None]]


@pytest.fixture
def door(context: Context, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Scheduler:
    """The door of a home in which nothing starts; this process is in a directory of files."""
    files = tmp_path / "files"
    files.mkdir()
    monkeypatch.chdir(files)
    (files / "broken.yaml").write_text(BROKEN)
    (files / "good.yaml").write_text("name: good\nrun: x\n")
    door = Scheduler(context=context)
    door.set_limits(paused=True)
    return door


def play(
    door: Scheduler,
    acts: Acts,
    *,
    shelf: Shelf | None = None,
    limits: LimitsLine = ROOM,
    size: tuple[int, int] = (80, 24),
    pen: Pen = UNICODE,
) -> Stage:
    """Open the dialog and act; the application afterwards."""
    queue = Queue(starts=[Waiter(1, "other")])
    dialog = SubmitScreen(
        door, Shelf() if shelf is None else shelf, limits=limits, queue=queue, pen=pen
    )

    async def run() -> Stage:
        app = Stage(dialog)
        async with app.run_test(size=size) as pilot:
            await pilot.pause()
            await acts(app, pilot)
            await pilot.pause()
        return app

    return asyncio.run(run())


async def open_file(app: Stage, pilot: Pilot[None], name: str) -> None:
    """Type a path, and wait until the file was read and judged."""
    app.screen.query_one("#path", Input).value = name
    await pilot.press("enter")
    await until(pilot, lambda: editor(app).text, "the file")
    await until(pilot, lambda: "valid" in app.text(), "the verdict")


def editor(app: Stage) -> YamlEditor:
    """The text."""
    return app.screen.query_one(YamlEditor)


def put(app: Stage, name: str, text: str) -> None:
    """Type lines of variables."""
    app.screen.query_one(f"#{name}", VariablesArea).text = text


@pytest.mark.parametrize(
    ("size", "pen"), [((80, 24), ASCII), ((120, 36), UNICODE)], ids=["80x24-ascii", "120x36"]
)
def test_problems_lead_to_their_places(door: Scheduler, size: tuple[int, int], pen: Pen) -> None:
    """What is wrong is listed with its place; Enter there moves the cursor to it."""

    async def acts(app: Stage, pilot: Pilot[None]) -> None:
        await open_file(app, pilot, "broken.yaml")
        assert "invalid: 1 error" in app.text()
        problem = app.screen.query_one("#problems", OptionList).get_option_at_index(0)
        assert str(problem.prompt) == (
            "7:14 error depends_on: there is no task 'prep' (did you mean 'prepare'?)"
        )
        assert "7:14 error depends_on" in app.text()
        await pilot.press("f4", "home", "enter")
        await pilot.pause()
        assert editor(app).cursor_location == (6, 13)
        assert app.screen.focused is editor(app)

    play(door, acts, size=size, pen=pen)


def test_mending_while_typing(door: Scheduler) -> None:
    """A moment after the last key the verdict is about what is typed by then."""

    async def acts(app: Stage, pilot: Pilot[None]) -> None:
        await open_file(app, pilot, "broken.yaml")
        editor(app).go_to(7, 18)
        await pilot.press(*"are")
        await until(pilot, lambda: "valid: 2 tasks; would start now" in app.text(), "the verdict")
        rows = app.picture()
        assert any(row.endswith("two") for row in rows)
        assert any(row.endswith("- prepare") for row in rows)
        assert any(row.endswith("  - train") for row in rows)
        twin = "$ jobsched submit broken.yaml # once the text is saved there"
        assert twin in app.text()

    play(door, acts)


def test_submit(door: Scheduler, tmp_path: Path) -> None:
    """ctrl+s makes the jobs as they are seen, and nothing of the draft is left."""
    file = tmp_path / "draft.json"
    shelf = Shelf(file)
    shelf.put(Draft(path="kept.yaml", text="run: x\n", priority="7", copies="2"))

    async def acts(app: Stage, pilot: Pilot[None]) -> None:
        twin = "$ jobsched submit kept.yaml kept.yaml --priority 7"
        await until(pilot, lambda: twin in app.text(), "the draft")
        await pilot.press("ctrl+s")
        await until(pilot, lambda: app.answers, "the jobs")

    (made,) = play(door, acts, shelf=shelf).answers
    assert [one.name for one in made] == ["kept", "kept"]
    assert [(job["name"], job["priority"]) for job in door.queue()] == [("kept", 7)] * 2
    assert (shelf.draft(), file.exists()) == (Draft(), False)


@pytest.mark.parametrize(
    ("draft", "why"),
    [
        (Draft(path="a.yaml", text="rnu: x\n"), "not done: a.yaml:1:1: unknown field 'rnu'"),
        (Draft(path="a.yaml", text="run: x\n", envs="x"), "not done: env, line 1: expected"),
    ],
)
def test_nothing_is_stored_if_invalid(door: Scheduler, draft: Draft, why: str) -> None:
    """The library's refusal is shown, nothing is stored, and what was typed stays."""
    shelf = Shelf()
    shelf.put(draft)

    async def acts(app: Stage, pilot: Pilot[None]) -> None:
        await until(pilot, lambda: "invalid: 1 error" in app.text(), "the verdict")
        await pilot.press("ctrl+s")
        await until(pilot, lambda: why in app.text(), "the refusal")
        screen = app.screen
        assert isinstance(screen, SubmitScreen)
        assert screen.draft == Draft(path="a.yaml", text=draft.text, envs=draft.envs)

    assert play(door, acts, shelf=shelf).answers == []
    assert door.queue(all=True) == []


def test_secrets_are_never_shown(door: Scheduler, tmp_path: Path) -> None:
    """A secret's value reaches the job, and no picture, command, clipboard or other file."""
    shelf = Shelf(tmp_path / "draft.json")
    Path("good.yaml").write_text("secrets: {TOKEN: null}\nrun: x\n")
    seen: list[str] = []

    async def acts(app: Stage, pilot: Pilot[None]) -> None:
        await open_file(app, pilot, "good.yaml")
        assert "invalid: 1 error" in app.text()
        put(app, "secrets", "TOKEN=hunter2")
        await until(pilot, lambda: "--secret TOKEN" in app.text(), "the command")
        await until(pilot, lambda: "valid: 1 task" in app.text(), "the verdict")
        secrets = app.screen.query_one("#secrets", VariablesArea)
        secrets.select_all()
        secrets.action_copy()
        assert app.clipboard == ""
        seen.extend([app.text(), app.export_screenshot()])
        assert "TOKEN=*******" in app.text()
        await pilot.press("escape")

    assert play(door, acts, shelf=shelf).answers == [None]
    assert not any("hunter2" in one for one in seen)
    assert "hunter2" not in (tmp_path / "draft.json").read_text()

    async def again(app: Stage, pilot: Pilot[None]) -> None:
        await until(pilot, lambda: "valid: 1 task" in app.text(), "the draft with its secret")
        await pilot.press("ctrl+s")
        await until(pilot, lambda: app.answers, "the job")

    (made,) = play(door, again, shelf=shelf).answers
    stored = door.context.home.secrets_file(made[0].job_id).read_text()
    assert "hunter2" in stored


def test_cut_of_a_secret_only_removes(door: Scheduler) -> None:
    """Cutting in the field of secrets takes the text away and gives it to nobody."""

    async def acts(app: Stage, pilot: Pilot[None]) -> None:
        put(app, "secrets", "TOKEN=hunter2")
        secrets = app.screen.query_one("#secrets", VariablesArea)
        secrets.focus()
        secrets.select_all()
        await pilot.press("ctrl+x")
        assert (secrets.text, app.clipboard) == ("", "")

    play(door, acts)


def test_escape_keeps_the_draft(door: Scheduler) -> None:
    """What was typed is there again when the dialog is opened the next time."""
    shelf = Shelf()

    async def type_it(app: Stage, pilot: Pilot[None]) -> None:
        await open_file(app, pilot, "good.yaml")
        editor(app).go_to(2, 7)
        await pilot.press(*"yz", "escape")

    assert play(door, type_it, shelf=shelf).answers == [None]

    async def look(app: Stage, pilot: Pilot[None]) -> None:
        await until(pilot, lambda: editor(app).text == "name: good\nrun: xyz\n", "the draft")
        assert app.typed("path") == "good.yaml"

    play(door, look, shelf=shelf)


def test_answers_about_another_text_are_dropped(door: Scheduler) -> None:
    """A judgement that comes late is not shown."""

    async def acts(app: Stage, pilot: Pilot[None]) -> None:
        await open_file(app, pilot, "good.yaml")
        finding = Finding(line=1, column=1, severity=Severity.ERROR, message="of old")
        app.screen.post_message(Checked(0, Report((finding,)), Draft(text="x"), Options()))
        await pilot.pause()
        assert "of old" not in app.text()
        assert "valid: 1 task" in app.text()

    play(door, acts)


def test_picking(door: Scheduler) -> None:
    """Directories are entered and files picked; their names are only names."""
    Path("sub").mkdir()
    Path("sub", "[red]x.yaml").write_text("run: x\n")
    Path("sub", "\x1b[2Jy.yaml").write_text("run: y\n")

    async def acts(app: Stage, pilot: Pilot[None]) -> None:
        await until(pilot, lambda: "sub/" in app.text(), "the directory")
        await pilot.press("tab", "down", "enter")
        await until(pilot, lambda: "␛[2Jy.yaml" in app.text(), "the other directory")
        await pilot.press("down", "enter")
        await pilot.pause()
        assert (app.typed("path"), editor(app).text) == ("", "")
        await pilot.press("down", "enter")
        await until(pilot, lambda: editor(app).text == "run: x\n", "the file")
        assert app.typed("path").endswith("sub/[red]x.yaml")
        await until(pilot, lambda: "- [red]x" in app.text(), "the task")

    play(door, acts)


def test_a_file_that_cannot_be_read(door: Scheduler) -> None:
    """A path that leads nowhere is told; a directory is shown; a quoted path is understood."""
    Path("more").mkdir()
    Path("more", "deep.yaml").write_text("run: x\n")
    quoted = f"'{Path.cwd()}/good.yaml' "

    async def acts(app: Stage, pilot: Pilot[None]) -> None:
        app.screen.query_one("#path", Input).value = "none.yaml"
        await pilot.press("enter")
        says = "not done: none.yaml: cannot be read: No such file or directory"
        await until(pilot, lambda: says in app.text(), "the refusal")
        app.screen.query_one("#path", Input).value = "more"
        await pilot.press("enter")
        await until(pilot, lambda: "deep.yaml" in app.text(), "the directory")
        app.screen.query_one("#path", Input).value = quoted
        await pilot.press("enter")
        await until(pilot, lambda: editor(app).text.startswith("name: good"), "the file")

    play(door, acts)


def test_a_path_goes_on(door: Scheduler) -> None:
    """What is typed of a path is completed, and taken with the right arrow."""

    async def acts(app: Stage, pilot: Pilot[None]) -> None:
        await pilot.press(*"bro")
        field = app.screen.query_one("#path", Input)
        await until(pilot, lambda: field._suggestion == "broken.yaml", "the suggestion")
        await pilot.press("right")
        assert field.value == "broken.yaml"

    play(door, acts)


def test_a_text_that_is_replaced_can_be_brought_back(door: Scheduler) -> None:
    """Reading a file over what was typed says so; ctrl+z undoes it."""

    async def acts(app: Stage, pilot: Pilot[None]) -> None:
        editor(app).text = "run: mine\n"
        await until(pilot, lambda: "valid: 1 task" in app.text(), "the verdict")
        app.screen.query_one("#path", Input).value = "good.yaml"
        await pilot.press("enter")
        await until(pilot, lambda: editor(app).text.startswith("name: good"), "the file")
        await pilot.press("ctrl+z")
        assert editor(app).text == "run: mine\n"

    play(door, acts)


def test_where_it_would_stand(door: Scheduler) -> None:
    """The place in the line follows the limits, the priority, the copies and the hold."""

    async def acts(app: Stage, pilot: Pilot[None]) -> None:
        await open_file(app, pilot, "good.yaml")
        assert "would wait: launch 3/3; 1 job in front" in app.text()
        app.screen.query_one("#priority", Input).value = "5"
        await until(pilot, lambda: "would wait: launch 3/3 " in f"{app.text()} ", "the new place")
        screen = app.screen
        assert isinstance(screen, SubmitScreen)
        screen.follow(ROOM, Queue())
        await pilot.pause()
        assert "would start now" in app.text()
        app.screen.query_one("#copies", Input).value = "6"
        says = "4 of 6 would start now, the others would wait: launch 0/4"
        await until(pilot, lambda: says in app.text(), "the place of the copies")

    play(door, acts, limits=FULL)


def test_ascii(door: Scheduler) -> None:
    """With ASCII alone nothing else is drawn, whatever is in the text."""

    async def acts(app: Stage, pilot: Pilot[None]) -> None:
        await open_file(app, pilot, "good.yaml")
        assert "".join(app.picture()).isascii()

    play(door, acts, pen=ASCII, size=(120, 36))


@pytest.mark.parametrize(
    ("line", "shown"),
    [
        ("run: é 漢", "run: é 漢"),
        ("a\x1b[2Jb\tc", "a␛[2Jb\tc"),
        ("a\u202eb\u200bc", "a\N{REPLACEMENT CHARACTER}b\N{REPLACEMENT CHARACTER}c"),
    ],
)
def test_harmless(line: str, shown: str) -> None:
    """A line of an editor keeps its length and can do nothing to the terminal."""
    assert harmless(line) == shown
    assert len(shown) == len(line)


def test_text_can_do_nothing(door: Scheduler) -> None:
    """Escape sequences in a text are pictures, and a problem of it."""

    async def acts(app: Stage, pilot: Pilot[None]) -> None:
        editor(app).text = "run: \x1b[2J\n"
        await until(pilot, lambda: "invalid: 1 error" in app.text(), "the verdict")
        assert "run: ␛[2J" in app.text()
        assert "U+001B is not allowed here" in app.text()
        assert "\x1b" not in "".join(app.picture())

    play(door, acts)
