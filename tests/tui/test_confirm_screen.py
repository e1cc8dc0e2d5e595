"""The question before an action, and choosing from a list: "no" unless one insists."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest
from textual.pilot import Pilot
from textual.widgets import Button, Input

from jobsched_tui.data import actions
from jobsched_tui.data.actions import Planned
from jobsched_tui.data.blast import blast
from jobsched_tui.data.frame import JobLine
from jobsched_tui.present.glyphs import ASCII, UNICODE, Pen
from jobsched_tui.screens.choose import Choice, ChooseScreen
from jobsched_tui.screens.confirm import Answer, ConfirmScreen
from tests.tui.acting import Play, S, Stage, alive, row

SIZES = [(80, 24), (120, 36)]


def asked(planned: Planned, lines: list[JobLine], *, pen: Pen = UNICODE) -> ConfirmScreen:
    """The dialog for a plan."""
    assert planned.plan is not None
    hit = blast(planned.plan, lines, {4: [20]})
    return ConfirmScreen(planned.plan, hit, now=1990.0, refusals=planned.refusals, pen=pen)


def cancel(*ids: int) -> ConfirmScreen:
    """The dialog about a cancel."""
    lines = [row(job_id) for job_id in ids]
    return asked(actions.plan_cancel(lines), lines)


def force(*lines: JobLine, pen: Pen = UNICODE) -> ConfirmScreen:
    """The dialog about an end by force."""
    return asked(actions.plan_done(lines), list(lines), pen=pen)


def play(
    dialog: ConfirmScreen | ChooseScreen, acts: Play, size: tuple[int, int] = (80, 24)
) -> Stage:
    """Open the dialog and act; the application afterwards."""

    async def run() -> Stage:
        app = Stage(dialog)
        async with app.run_test(size=size) as pilot:
            await pilot.pause()
            await acts(pilot)
            await pilot.pause()
        return app

    return asyncio.run(run())


def press(*keys: str) -> Play:
    """Press these."""

    async def acts(pilot: Pilot[None]) -> None:
        await pilot.press(*keys)

    return acts


@pytest.mark.parametrize("key", ["enter", "escape", "n"])
def test_no_is_what_happens_by_itself(key: str) -> None:
    """Enter on the dialog as it opens, and every way out, is no."""
    assert play(cancel(3), press(key)).answers == [None]


def test_yes_has_to_be_meant() -> None:
    """The other button, or its letter, gives the plan with the reason that was typed."""
    assert play(cancel(3), press("y")).answers[0].plan.job_ids == (3,)
    typed = press("shift+tab", *"too big", "enter", "tab", "enter")
    (answer,) = play(cancel(3, 4), typed).answers
    assert isinstance(answer, Answer)
    assert (answer.plan.reason, answer.plan.job_ids) == ("too big", (3, 4))


def test_force_has_to_be_typed() -> None:
    """A live controller needs the word and a reason; the command shows the reason as typed."""

    async def acts(pilot: Pilot[None]) -> None:
        screen = pilot.app.screen
        yes = screen.query_one("#yes", Button)
        assert (yes.disabled, screen.focused) == (True, screen.query_one("#cancel-first"))
        await pilot.press("y")
        screen.query_one("#word", Input).focus()
        await pilot.press(*"done", "enter")
        assert yes.disabled
        assert screen.focused is screen.query_one("#reason")
        await pilot.press(*"stuck; ok", "enter")
        assert not yes.disabled
        app = pilot.app
        assert isinstance(app, Stage)
        assert "$ jobsched done 4 --reason 'stuck; ok' -y" in app.text()
        yes.focus()
        await pilot.press("enter")

    (answer,) = play(force(alive(4)), acts).answers
    assert (answer.plan.reason, answer.cancel_first) == ("stuck; ok", False)


def test_several_need_their_number() -> None:
    """Of several jobs the number is typed; a wrong one counts for nothing."""

    async def acts(pilot: Pilot[None]) -> None:
        screen = pilot.app.screen
        screen.query_one("#word", Input).focus()
        await pilot.press(*"done")
        assert screen.query_one("#yes", Button).disabled
        screen.query_one("#word", Input).value = "2"
        await pilot.pause()
        assert not screen.query_one("#yes", Button).disabled
        await pilot.press("escape")

    assert play(force(row(3), row(5)), acts).answers == [None]


def test_cancel_is_offered_first() -> None:
    """Where a controller lives, Enter leads to the question about a cancel."""
    (answer,) = play(force(alive(4)), press("enter")).answers
    assert answer.cancel_first


@pytest.mark.parametrize(
    ("size", "pen"), [((80, 24), UNICODE), ((120, 36), ASCII)], ids=["80x24", "120x36-ascii"]
)
def test_everything_is_told(size: tuple[int, int], pen: Pen) -> None:
    """Jobs, blast radius, command and answers are in sight; no name can do anything."""
    pictures: list[list[str]] = []

    async def acts(pilot: Pilot[None]) -> None:
        app = pilot.app
        assert isinstance(app, Stage)
        pictures.append(app.picture())
        for part in (
            "End job 4 by force, without cleanup?",
            "4 [red]a␛[31mb ALIVE RUNNING" if pen is UNICODE else "4 [red]a?[31mb ALIVE RUNNING",
            "! controller 88004 of job 4 is ALIVE and using 391% CPU, its log was written 16m30s",
            "force-done fences and stops it, its cluster is left to the sweep",
            "1 job follows and ends CANCELLED: 20",
            "releases 0 launch slots and 1 alive slot",
            "Type done to go on:",
            "Reason (needed):",
            "$ jobsched done 4 -y",
            "[ No ] [ Cancel first ] Yes, force-done",
        ):
            assert part in app.text()

    play(force(alive(4, name="[red]a\x1b[31mb"), pen=pen), acts, size)
    if pen is ASCII:
        assert "".join(pictures[0]).isascii()


@pytest.mark.parametrize("size", SIZES)
def test_much_to_tell(size: tuple[int, int]) -> None:
    """Of many jobs the first ten are listed; the body scrolls, the answers stay in sight."""
    lines = [alive(job_id) for job_id in range(100, 130)] + [row(5, S.DONE)]

    async def acts(pilot: Pilot[None]) -> None:
        app = pilot.app
        assert isinstance(app, Stage)
        assert "Cancel 30 jobs?" in app.text()
        assert "[ No ] [ Yes, cancel ]" in app.text()
        await pilot.press(*["pagedown"] * 5)
        await pilot.pause()
        assert "and 27 more controllers, using 10557% CPU together" in app.text()
        assert "left out: job 5 is DONE" in app.text()
        assert "[ No ] [ Yes, cancel ]" in app.text()

    assert play(asked(actions.plan_cancel(lines), lines), acts, size).answers == []


def test_no_colour(monkeypatch: pytest.MonkeyPatch) -> None:
    """Without colour everything is there in words, and what is serious is still set apart."""
    monkeypatch.setenv("NO_COLOR", "1")

    async def acts(pilot: Pilot[None]) -> None:
        app = pilot.app
        assert isinstance(app, Stage)
        assert "! controller 88004" in app.text()
        strips = app.screen._compositor.render_strips()
        (strong,) = [
            piece.style for strip in strips for piece in strip if piece.text.startswith("! ")
        ]
        assert strong is not None
        assert strong.bold

    play(force(alive(4)), acts)


# Choosing.

CHOICES = [
    Choice(key="TERM", label="TERM", detail="ask to end [b]"),
    Choice(key="KILL", label="KILL", chosen=True),
    Choice(key="HUP", label="HUP"),
]


@pytest.mark.parametrize(
    ("keys", "several", "given"),
    [
        (["enter"], False, ("KILL",)),
        (["k", "enter"], False, ("TERM",)),
        (["down", "enter"], False, ("HUP",)),
        (["escape"], False, None),
        (["q"], True, None),
        (["space", "j", "space", "k", "k", "space", "enter"], True, ("TERM", "HUP")),
        (["space", "enter"], True, ()),
    ],
)
def test_choose(keys: list[str], several: bool, given: tuple[str, ...] | None) -> None:
    """One is taken with Enter; several are ticked first and come in the order of the list."""
    dialog = ChooseScreen("Signal", CHOICES, several=several)
    assert play(dialog, press(*keys)).answers == [given]


@pytest.mark.parametrize("size", SIZES)
def test_choose_from_many(size: tuple[int, int]) -> None:
    """A long list scrolls; title, hint and frame stay in sight, nothing is markup."""
    choices = [Choice(key=str(n), label=f"[b]{n}") for n in range(60)]

    async def acts(pilot: Pilot[None]) -> None:
        app = pilot.app
        assert isinstance(app, Stage)
        await pilot.press("end")
        await pilot.pause()
        assert "[ ] [b]59" in app.text()
        assert "Columns [x]" in app.text()
        assert "space ticks, enter takes them, esc changes nothing" in app.text()
        assert sum("+----" in line for line in app.picture()) == 2

    play(ChooseScreen("Columns [x]", choices, several=True, pen=ASCII), acts, size)


def test_the_home_is_in_the_command() -> None:
    """For another home the command says which."""
    planned = actions.plan_sweep()
    assert planned.plan is not None
    hit = blast(planned.plan, [])
    dialog = ConfirmScreen(planned.plan, hit, now=0.0, home=Path("/h"))

    async def acts(pilot: Pilot[None]) -> None:
        app = pilot.app
        assert isinstance(app, Stage)
        assert "$ jobsched --home /h sweep" in app.text()
        assert "Reason" not in app.text()

    play(dialog, acts)
