"""Words that are no UTF-8: every text that a command takes, and the names of files and folders."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeAlias

import pytest

from jobsched.cli import main
from jobsched.cli.commands import COMMANDS, Command
from jobsched.context import open_context
from jobsched.store import listing
from tests.cli.running import SLEEP, Cli, Ended

Here: TypeAlias = Callable[..., Ended]

#: Bytes that no UTF-8 has, as Python takes them from a command line; and as they are shown.
BAD = "bad\udcff"
SHOWN = r"bad\udcff"
#: What commands need that can be right while one word is not.
NEEDED = {"job_id": ["1"], "job_ids": ["1"], "files": ["job.yaml"], "priority": ["0"],
          "cluster": ["1-0-1"]}  # fmt: skip
#: Options without which another one means nothing, or a person would be asked.
BESIDE = {"cancel": ["-y"], "done": ["-y"]}


def _takes_a_word(options: dict[str, Any]) -> bool:
    return options.get("action") in (None, "append")


def _cases() -> list[tuple[str, list[str]]]:
    """Each argument of each command once with a bad word, all others right."""
    cases = []
    for command in COMMANDS:
        for names, options in command.arguments:
            if _takes_a_word(options):
                cases.append((command.name, _words(command, names[-1])))
        cases.append((command.name, [*_words(command, ""), "--home", BAD]))
    return [case for case in cases if case[0] != "demo"]  # it has a home of its own


def _words(command: Command, bad: str) -> list[str]:
    words = list(BESIDE.get(command.name, []))
    for names, options in command.arguments:
        name = names[-1]
        if name == bad:
            words += [name, BAD] if name.startswith("-") else [BAD]
        elif not name.startswith("-") and options.get("nargs") != "*":
            words += NEEDED[name]
    if command.name == "cancel" and bad not in ("job_ids", "--name"):
        words.append("1")
    return words


@pytest.fixture
def here(idle: Cli, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Here:
    """The command, called in this process: it takes a hundred calls to try every word."""
    monkeypatch.chdir(idle.folder)
    for name, value in idle.env().items():
        monkeypatch.setenv(name, value)
    idle.file("job.yaml", SLEEP)

    def run(*words: str) -> Ended:
        try:
            code = main(words)
        except SystemExit as left:
            code = int(left.code or 0)
        return Ended(code, *capsys.readouterr())

    assert run("submit", "job.yaml").code == 0
    return run


@pytest.mark.parametrize("command", sorted({command for command, _ in _cases()}))
def test_every_word_of_every_command(idle: Cli, here: Here, command: str) -> None:
    """The command does what it is for, or says in one clear line why not; it is no mistake."""
    for words in [words for name, words in _cases() if name == command]:
        ended = here(command, *words)
        assert_clear(ended)
        if "--reason" in words:
            assert ended.code == 2
            assert f"'{SHOWN}'" in ended.err
            assert idle.job(1)["schedule_state"] == "WAITING"


def assert_clear(ended: Ended) -> None:
    """Exit 0, or one line of error after the usage that argparse may print."""
    assert ended.code in (0, 1, 2, 102), ended
    assert "mistake" not in ended.err, ended
    assert "Traceback" not in ended.err, ended
    errors = [line for line in ended.err.splitlines() if "error: " in line]
    assert len(errors) == (0 if ended.code == 0 else 1), ended


def test_a_name_that_no_job_can_have(idle: Cli) -> None:
    """Nothing is called so, also not what looks so when it is shown."""
    idle.submit(SLEEP, "-n", SHOWN)
    assert idle.fails(1, "cancel", "-n", BAD, "-y").err.endswith(f"is called {SHOWN}\n")
    assert idle.ok("queue", "-n", BAD).out == "No such jobs\n"
    assert idle.fails(2, "submit", "job.yaml", "-n", BAD).err.startswith("error: job.yaml:1:1: ")
    assert [job["name"] for job in idle.jobs()] == [SHOWN]


@pytest.fixture
def within(idle: Cli) -> Cli:
    """The command, in a folder whose name is no UTF-8."""
    folder = idle.folder / BAD
    try:
        folder.mkdir()
    except OSError:
        pytest.skip("this file system has no such names")
    idle.folder = folder
    return idle


def test_a_file_in_such_a_folder(within: Cli) -> None:
    """Its jobs are made and run again; where it lay is shown with an escape."""
    path = within.file("job.yaml", SLEEP)
    assert within.ok("submit", path).out == "Submitted job 1 (job)\n"
    assert within.ok("rerun", 1).out.startswith("Submitted job 2 (job)")
    context = open_context(within.home.root, environ={})
    with context.db.read() as tx:
        sources = listing.sources_of(tx, [1, 2])
    context.db.close()
    assert set(sources.values()) == {str(path).replace(BAD, SHOWN)}


def test_a_file_of_such_a_name(idle: Cli) -> None:
    """Its stem cannot name the job; a name that is given does."""
    try:
        idle.file(f"{BAD}.yaml", SLEEP)
    except OSError:
        pytest.skip("this file system has no such names")
    ended = idle.fails(2, "submit", f"{BAD}.yaml")
    assert ended.err.startswith(f"error: {SHOWN}.yaml:1:1: the file's own name: expected a name")
    assert idle.ok("submit", f"{BAD}.yaml", "-n", "good").out == "Submitted job 1 (good)\n"


@pytest.mark.parametrize(
    ("text", "place", "field"),
    [
        ("run: x\nworkdir: .\n", "2:10", "workdir"),
        ("run: x\nworkdir: ~/sub\n", "2:10", "workdir"),
        ("run: x\nfile_mounts:\n  data: ./job.yaml\n", "3:9", "file_mounts.data"),
        ("run: x\nfile_mounts:\n  data: {source: ~/job.yaml}\n", "3:18", "file_mounts.data.source"),
    ],
)
def test_what_such_a_folder_cannot_be(within: Cli, text: str, place: str, field: str) -> None:
    """A workdir or the source of a mount: refused at its place in the file, nothing is stored."""
    (within.folder / "sub").mkdir()
    within.file("job.yaml", text)
    for command in ("submit", "validate"):
        ended = within.fails(2, command, "job.yaml")
        assert ended.err.startswith(f"error: job.yaml:{place}: {field}: the path '"), ended.err
        assert "is not UTF-8 text" in ended.err
    assert within.jobs(all=True) == []


def test_the_environment_may_hold_any_bytes(cli: Cli) -> None:
    """What a job takes from its submitter's arrives as it was."""
    cli.file("job.yaml", 'run: printf %s "$TMPDIR" | od -An -tx1\n')
    assert cli.run("submit", "job.yaml", "--wait", env={"TMPDIR": "\udcff/x"}).code == 0
    assert cli.ok("logs", 1).out.split() == ["ff", "2f", "78"]


def test_whoever_acts_may_be_called_anything(idle: Cli) -> None:
    """A user's name that is no UTF-8 is kept with an escape."""
    for name in ("LOGNAME", "USER", "LNAME", "USERNAME"):
        idle.environ[name] = BAD
    job_id = idle.submit(SLEEP)
    assert idle.job(job_id)["history"][0]["actor"] == f"{SHOWN} via jobsched"


def test_a_home_of_such_a_name(idle: Cli) -> None:
    """Serves as any other does."""
    root = Path(os.fsdecode(os.fsencode(idle.folder) + b"/h\xff"))
    idle.environ["JOBSCHED_HOME"] = str(root)
    idle.environ["JOBSCHED_LIMITS_ALIVE"] = "0"
    idle.file("job.yaml", SLEEP)
    assert idle.ok("submit", "job.yaml").out == "Submitted job 1 (job)\n"
    assert idle.ok("queue", "--json").json[0]["name"] == "job"
    assert idle.ok("cancel", 1).out == "Cancelled: job 1\n"
    assert idle.ok("check").out.startswith("Clean")
