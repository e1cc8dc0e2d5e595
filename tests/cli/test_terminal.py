"""The command at a terminal: tables, colours, questions, progress."""

from __future__ import annotations

import re

from tests.cli.running import SLEEP, Cli


def test_queue_is_a_table_that_fits(idle: Cli) -> None:
    """No line is wider than the terminal; colours only where they are wanted."""
    idle.submit(SLEEP, "-n", "x" * 300)
    shown = idle.terminal("queue", size=(24, 60)).out
    lines = [re.sub(r"\x1b\[[0-9;]*m", "", line) for line in shown.split("\r\n")]
    assert max(map(len, lines)) <= 60
    assert "\x1b[" in shown
    for env in ({"NO_COLOR": "1"}, {"TERM": "dumb"}):
        assert "\x1b[" not in idle.terminal("queue", env=env).out


def test_a_narrow_terminal_keeps_what_matters(idle: Cli) -> None:
    """Number, status and reason are shown where not everything has room."""
    job_id = idle.submit("name: pair\n---\nrun: x\n---\nrun: y\n", "--hold")
    shown = {width: idle.terminal("queue", size=(24, width)).out for width in (200, 60)}
    assert "RECOVERIES" in shown[200]
    assert "RECOVERIES" not in shown[60]
    assert "SUBMITTED" not in shown[60]
    plain = re.sub(r"\x1b\[[0-9;]*m", "", shown[60])
    assert re.search(rf"^ *{job_id} +pair +PENDING +- +is held", plain, re.MULTILINE)


def test_a_person_is_asked_and_may_decline(idle: Cli) -> None:
    """They see what it is about; anything but yes changes nothing and ends with 1."""
    idle.file("x.yaml", SLEEP)
    idle.ok("submit", *["x.yaml"] * 12)
    ended = idle.terminal("cancel", "--all", typed="n\n")
    assert ended.code == 1
    assert "Cancel 12 jobs? [y/N]" in ended.out
    assert "... and 2 more" in ended.out
    assert "not confirmed; nothing was changed" in ended.out
    ended = idle.terminal("done", "1", "99", typed="yes\n")
    assert "not found" in ended.out
    assert "Job 1 is DONE" in ended.out
    assert idle.job(1)["schedule_state"] == "DONE"
    assert idle.terminal("cancel", "--all", typed="y\n").code == 0
    assert idle.jobs() == []


def test_submit_says_what_is_useful_next(idle: Cli) -> None:
    """With the home where one was given; programs do not get it."""
    idle.file("x.yaml", SLEEP)
    shown = idle.terminal("submit", "x.yaml", "--home", "./home").out
    assert "Submitted job 1 (x)" in shown
    assert "jobsched --home home logs -f 1" in shown
    assert "logs -f" not in idle.ok("submit", "x.yaml").err


def test_waiting_shows_the_newest_status(cli: Cli) -> None:
    """One line that changes, then the outcome."""
    cli.file("x.yaml", "run: 'true'\n")
    ended = cli.terminal("submit", "x.yaml", "x.yaml", "--wait")
    assert ended.code == 0
    assert "Job 2 finished: SUCCEEDED" in ended.out
    assert cli.terminal("submit", "x.yaml", "--wait", env={"NO_COLOR": "1"}).code == 0


def test_errors_and_warnings_are_coloured(idle: Cli) -> None:
    """Red for what could not be done, yellow for what may be a mistake."""
    assert "\x1b[31merror: \x1b[0mjob 9 not found" in idle.terminal("show", 9).out
    idle.file("x.yaml", "run: x\nsecrets: {A: null}\n")
    assert "\x1b[33mwarning: \x1b[0m" in idle.terminal("validate", "x.yaml").out
    assert "\x1b[33m" not in idle.terminal("validate", "x.yaml", env={"NO_COLOR": "1"}).out
