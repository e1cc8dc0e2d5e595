"""Drafts: judged while typed, submitted as seen, kept without secrets; and files to choose from."""

from __future__ import annotations

import os
import stat
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from jobsched.api import Scheduler
from jobsched.context import Context
from jobsched.errors import InvalidDag, InvalidInput
from jobsched_tui.data import drafts
from jobsched_tui.data.drafts import Draft, Severity, check, read_options
from jobsched_tui.data.files import completed, expanded, listing
from jobsched_tui.data.shelf import Shelf
from jobsched_tui.data.twins import submit_twin
from jobsched_tui.present.problems import finding_line, task_tree, verdict
from jobsched_tui.present.spans import plain

FILE = Path("dir/pipe.yaml")
BROKEN = """\
name: pipe
---
name: prepare
run: echo
---
name: train
depends_on: [prep]
rnu: x
"""
DIAMOND = """\
name: pipe
---
name: a
run: x
---
name: b
depends_on: [a]
run: x
---
name: c
depends_on: [a]
run: x
---
name: d
depends_on: [b, c]
run: x
"""


def said(text: str, **variables: dict[str, str]) -> list[str]:
    """Every finding of a text, as it is shown."""
    report = check(text, FILE, variables.get("envs", {}), variables.get("secrets", {}))
    return [plain(finding_line(finding)) for finding in report.findings]


def test_all_problems_with_their_places() -> None:
    """Each problem is told with line, column and a suggestion, in the order of the text."""
    assert said(BROKEN) == [
        "7:14 error depends_on: there is no task 'prep' (did you mean 'prepare'?)",
        "8:1 error unknown field 'rnu' (did you mean 'run'?)",
    ]
    report = check(BROKEN, FILE, {}, {})
    assert (report.dag, report.errors, report.warnings) == (None, 2, 0)
    assert plain(verdict(report)) == "invalid: 2 errors"


def test_the_text_is_judged_as_that_file() -> None:
    """A job without a name is called after the file that the text is said to be."""
    report = check("run: x\n", FILE, {}, {})
    assert report.dag is not None
    assert report.dag.name == "pipe"
    assert plain(verdict(report)) == "valid: 1 task"


def test_what_only_submitting_needs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A secret without a value is an error, but the tasks can be seen; with it all is well."""
    monkeypatch.chdir(tmp_path)
    text = "secrets: {TOKEN: null}\nworkdir: nowhere\nrun: x\n"
    report = check(text, FILE, {}, {})
    assert [(one.line, one.severity) for one in report.findings] == [
        (1, Severity.ERROR), (2, Severity.ERROR),
    ]  # fmt: skip
    assert report.dag is not None
    (tmp_path / "nowhere").mkdir()
    assert said(text, secrets={"TOKEN": "v4lue"}) == []


def test_warnings_do_not_keep_it_back() -> None:
    """What is only worth knowing is a warning."""
    report = check("run: x\nresources: {job_recovery: EAGER_FAILOVER}\n", FILE, {}, {})
    assert (report.errors, report.warnings) == (0, 1)
    assert plain(verdict(report)) == "valid: 1 task, 1 warning"
    assert report.dag is not None


@given(st.text(max_size=60))
def test_any_text_is_judged(text: str) -> None:
    """Whatever is typed gets a report: a DAG, or at least one error with a place in the text."""
    report = check(text, FILE, {}, {})
    assert (report.dag is not None) or report.errors
    assert all(one.line >= 1 and one.column >= 1 for one in report.findings)
    for finding in report.findings:
        assert plain(finding_line(finding)).isprintable()


def test_no_directory_to_be_in(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Where the console's directory was removed, that is the finding."""
    gone = tmp_path / "gone"
    gone.mkdir()
    monkeypatch.chdir(gone)
    gone.rmdir()
    assert said("run: x\n") == ["error the current directory: No such file or directory"]


def test_tree() -> None:
    """Each task once, below what it waits for; who waits for several names them."""
    report = check(DIAMOND, FILE, {}, {})
    assert report.dag is not None
    assert [plain(line) for line in task_tree(report.dag)] == [
        "pipe", "- a", "  - b", "  - c", "    - d after b, c",
    ]  # fmt: skip


def test_options() -> None:
    """Fields are read as typed; blanks and empty lines do not matter, values keep theirs."""
    draft = Draft(envs="A=1\n\n B = x=y \n", secrets="TOKEN=v4lue", priority=" -7 ", copies="3")
    options = read_options(draft)
    assert (options.envs, options.secrets) == ({"A": "1", "B": " x=y "}, {"TOKEN": "v4lue"})
    assert (options.priority, options.copies, options.findings) == (-7, 3, ())
    assert read_options(Draft()).priority is None


def test_options_that_mean_nothing() -> None:
    """Each is told by field and line, and no message shows what may be a secret."""
    draft = Draft(envs="A=1\nB", secrets="hunter2\nTWO WORDS=hunter2", priority="1001", copies="0")
    options = read_options(draft)
    assert [one.message for one in options.findings] == [
        "env, line 2: expected NAME=VALUE; a name is letters, digits and _",
        "secret, line 1: expected NAME=VALUE; a name is letters, digits and _",
        "secret, line 2: expected NAME=VALUE; a name is letters, digits and _",
        "priority: expected a number from -1000 to 1000, or nothing",
        "copies: expected a number from 1 to 1000",
    ]
    assert "hunter2" not in repr(options) + repr(draft)


@pytest.fixture
def door(context: Context) -> Scheduler:
    """The door of a home in which nothing starts."""
    door = Scheduler(context=context)
    door.set_limits(paused=True)
    return door


def test_submit_what_was_seen(door: Scheduler, tmp_path: Path) -> None:
    """The text is submitted, as often as asked, whatever its file holds by now."""
    file = tmp_path / "pipe.yaml"
    file.write_text("rnu: x\n")
    draft = Draft(
        path=str(file), text="secrets: {TOKEN: null}\nrun: x\n", secrets="TOKEN=v4lue",
        envs="A=1", priority="4", copies="2", hold=True,
    )  # fmt: skip
    made = drafts.submit(door, draft)
    assert [one.name for one in made] == ["pipe", "pipe"]
    jobs = door.queue()
    assert [(job["priority"], job["held"]) for job in jobs] == [(4, True)] * 2
    assert sorted(job["job_id"] for job in jobs) == [one.job_id for one in made]


@pytest.mark.parametrize(
    ("draft", "error"),
    [
        (Draft(text="rnu: x\n"), InvalidDag),
        (Draft(text="secrets: {TOKEN: null}\nrun: x\n"), InvalidDag),
        (Draft(text="run: x\n", copies="1001"), InvalidInput),
        (Draft(text="run: x\n", envs="nonsense"), InvalidInput),
    ],
)
def test_nothing_is_stored_if_anything_is_wrong(
    door: Scheduler, draft: Draft, error: type[Exception]
) -> None:
    """An invalid text or field makes no job."""
    with pytest.raises(error):
        drafts.submit(door, draft)
    assert door.queue(all=True) == []


def test_read(tmp_path: Path) -> None:
    """A file is read; what is none is refused without waiting for it."""
    (tmp_path / "a.yaml").write_text("run: x\n")
    os.mkfifo(tmp_path / "pipe.yaml")
    assert drafts.read(tmp_path / "a.yaml") == "run: x\n"
    with pytest.raises(InvalidInput, match="expected a regular file, found a pipe"):
        drafts.read(tmp_path / "pipe.yaml")
    with pytest.raises(InvalidInput, match="No such file"):
        drafts.read(tmp_path / "none.yaml")


def test_twin_of_a_draft() -> None:
    """The command names secrets and shows none; it says where the text is not the file's."""
    draft = Draft(
        path="a b.yaml", text="run: x\n", read="run: x\n", envs="A=1 2", secrets="TOKEN=v4lue",
        priority="-5", copies="2", hold=True,
    )  # fmt: skip
    command = (
        "jobsched --home /h submit 'a b.yaml' 'a b.yaml' --env 'A=1 2' --secret TOKEN"
        " --priority -5 --hold"
    )
    assert submit_twin(draft, read_options(draft), Path("/h")) == command
    typed = Draft(text="run: x\n")
    assert submit_twin(typed, read_options(typed)) == (
        "jobsched submit untitled.yaml  # once the text is saved there"
    )


# Keeping.


def test_shelf(tmp_path: Path) -> None:
    """A draft is there again for the next console, without its secrets, for its owner alone."""
    file = tmp_path / "draft.json"
    draft = Draft(
        path="a.yaml", text="run: ü\x1b\n", read="run: x\n", secrets="TOKEN=v4lue", copies="3",
        hold=True,
    )  # fmt: skip
    shelf = Shelf(file)
    assert shelf.draft() == Draft()
    assert shelf.put(draft) is None
    assert shelf.draft() == draft, "this console remembers all of it"
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    assert "v4lue" not in file.read_text()
    assert Shelf(file).draft() == Draft(
        path="a.yaml", text="run: ü\x1b\n", read="run: x\n", copies="3", hold=True
    )
    assert shelf.clear() is None
    assert (shelf.draft(), list(tmp_path.iterdir())) == (Draft(), [])


@pytest.mark.parametrize("content", ["", "[]", "{", '{"text": 5, "hold": "x"}', "\xff"])
def test_shelf_with_nonsense(tmp_path: Path, content: str) -> None:
    """What is no draft is as good as none."""
    file = tmp_path / "draft.json"
    file.write_text(content, encoding="latin-1")
    assert Shelf(file).draft() == Draft()


def test_shelf_that_cannot_write(tmp_path: Path) -> None:
    """A draft that cannot be written is kept in memory, and that is said."""
    shelf = Shelf(tmp_path / "none" / "draft.json")
    trouble = shelf.put(Draft(text="run: x"))
    assert trouble is not None
    assert trouble.startswith("the draft is kept until the console ends: ")
    assert shelf.draft().text == "run: x"
    assert Shelf().put(Draft(text="x")) is None


# Files.


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    """A directory with this and that."""
    for name in ("b.yaml", "a.YML", "notes.txt", ".hidden.yaml"):
        (tmp_path / name).write_text("")
    for name in ("zoo", "data"):
        (tmp_path / name).mkdir()
    (tmp_path / "loop").symlink_to("loop")
    return tmp_path


def test_listing(tree: Path) -> None:
    """The way up, directories, YAML files: nothing else, and no bad link is in the way."""
    assert [entry.name for entry in listing(tree).entries] == [
        "..", "data", "zoo", "a.YML", "b.yaml",
    ]  # fmt: skip
    missing = listing(tree / "none")
    assert ([one.name for one in missing.entries], missing.error) == (
        [".."], "No such file or directory",
    )  # fmt: skip
    assert listing(Path("a\0b")).error == "embedded null byte"


@pytest.mark.parametrize(
    ("typed", "goes_on"),
    [("b", "b.yaml"), ("z", "zoo/"), ("no", None), ("b.yaml", None), ("zoo/", None), ("", None)],
)
def test_completion(
    tree: Path, monkeypatch: pytest.MonkeyPatch, typed: str, goes_on: str | None
) -> None:
    """A path goes on as far as there is one way only, from here or from anywhere."""
    monkeypatch.chdir(tree)
    assert completed(typed) == goes_on
    whole = None if goes_on is None else f"{tree}/{goes_on}"
    assert completed(f"{tree}/{typed}") == whole


def test_completion_stops_at_a_fork(tmp_path: Path) -> None:
    """Where names part, so does the completion."""
    for name in ("train-1.yaml", "train-2.yaml"):
        (tmp_path / name).write_text("")
    assert completed(f"{tmp_path}/t") == f"{tmp_path}/train-"
    assert completed(f"{tmp_path}/train-") is None


def test_expanded(monkeypatch: pytest.MonkeyPatch) -> None:
    """A tilde is the user's home where there is such a user."""
    monkeypatch.setenv("HOME", "/me")
    assert expanded("~/a.yaml") == Path("/me/a.yaml")
    assert expanded("~nobody-of-that-name/a") == Path("~nobody-of-that-name/a")
