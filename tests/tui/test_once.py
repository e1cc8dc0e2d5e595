"""One view without a terminal: every view in every form, and what the exit code says."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from pathlib import Path
from xml.etree import ElementTree as ET

import pytest

from jobsched_tui.cli import VIEWS, main
from tests.support import measured
from tests.tui.stand import home_with


@pytest.fixture(name="home")
def _home(tmp_path: Path) -> Path:
    home_with(tmp_path / "home", "one", "two", "drei \u00fc")
    return tmp_path / "home"


def once(home: Path, *words: str) -> int:
    """Print a view of a home; the exit code."""
    return main(["--home", str(home), "--once", *words])


@pytest.mark.parametrize("view", VIEWS)
def test_plain(home: Path, view: str, capsys: pytest.CaptureFixture[str]) -> None:
    """Text in at most the width, without an escape."""
    assert once(home, "--view", view, "--width", "90") == 0
    out = capsys.readouterr().out
    assert out.strip()
    assert "\x1b" not in out
    assert view == "log" or max(len(line) for line in out.splitlines()) <= 90


@pytest.mark.parametrize("view", VIEWS)
def test_ascii(home: Path, view: str, capsys: pytest.CaptureFixture[str]) -> None:
    """With --ascii every view is ASCII."""
    assert once(home, "--view", view, "--ascii") == 0
    assert capsys.readouterr().out.isascii()


@pytest.mark.parametrize("view", VIEWS)
def test_json(home: Path, view: str, capsys: pytest.CaptureFixture[str]) -> None:
    """One JSON document, also for strict readers."""
    assert once(home, "--view", view, "--format", "json") == 0
    found = json.loads(capsys.readouterr().out, parse_constant=pytest.fail)
    if view == "jobs":
        assert [line["name"] for line in found["lines"]] == ["drei \u00fc", "two", "one"]
    elif view in ("attention", "limits"):
        assert found == [] or found["launch"]["used"] == 0
    else:
        assert found["line"]["job_id"] == 3


@pytest.mark.parametrize("view", ["jobs", "attention", "yaml"])
def test_svg(home: Path, view: str, capsys: pytest.CaptureFixture[str]) -> None:
    """A picture of the same screen, well formed."""
    assert once(home, "--view", view, "--format", "svg", "--width", "100", "--height", "30") == 0
    out = capsys.readouterr().out
    assert ET.fromstring(out).tag.endswith("svg")  # noqa: S314 - our own output
    shown = out.replace("&#160;", " ")
    expected = {
        "jobs": "drei \u00fc",
        "attention": "nothing needs attention",
        "yaml": "as submitted",
    }
    assert expected[view] in shown
    assert not (home / "console.json").exists()


def test_the_job_that_is_asked_for(home: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Views of a job take the first row, or the job that is named."""
    assert once(home, "--view", "timeline") == 0
    assert capsys.readouterr().out.startswith(" 3 drei")
    assert once(home, "--view", "timeline", "--job", "1") == 0
    assert capsys.readouterr().out.startswith(" 1 one")


@pytest.mark.parametrize("job", ["4", "0", "-1", "9" * 30])
def test_no_such_job(home: Path, job: str, capsys: pytest.CaptureFixture[str]) -> None:
    """A job that is not there is an error, told in one line."""
    assert once(home, "--view", "log", "--job", job) == 2
    told = capsys.readouterr()
    assert told.out == ""
    assert told.err.endswith(f"job {job} not found\n")


def test_no_database(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A home that is not there yet reads as an empty one, and is not made."""
    assert once(tmp_path / "none") == 0
    assert "No database yet" in capsys.readouterr().out
    assert once(tmp_path / "none", "--format", "json") == 0
    assert json.loads(capsys.readouterr().out)["lines"] == []
    assert once(tmp_path / "none", "--view", "log") == 2
    assert not (tmp_path / "none").exists()


def test_unreadable(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """What is no database is told, with a code of its own."""
    (tmp_path / "jobsched.db").write_bytes(b"no database" * 1000)
    tmp_path.chmod(0o700)
    assert once(tmp_path) == 2
    told = capsys.readouterr()
    assert told.out == ""
    assert told.err.startswith("jobsched-tui: ")


def test_attention(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A job that failed needs attention: code 1, and the command that helps."""
    door = home_with(tmp_path / "home", "one")
    door.job_done(1, status="FAILED", reason="by hand")
    assert once(tmp_path / "home", "--view", "attention") == 1
    assert "jobsched logs 1" in capsys.readouterr().out


def test_a_log_that_may_not_be_read(home: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """What stands in the place of a log is named."""
    (home / "logs" / "controller" / "1.log").mkdir(parents=True)
    assert once(home, "--view", "log", "--job", "1") == 0
    assert "cannot be read" in capsys.readouterr().out


def _process(home: Path, *words: str, **more: str) -> subprocess.Popen[bytes]:
    return subprocess.Popen(
        [sys.executable, "-m", "jobsched_tui", "--home", str(home), "--once", *words],
        stdout=subprocess.PIPE, stderr=subprocess.PIPE,
        env=measured({"PATH": os.environ["PATH"], "HOME": str(home.parent), **more}),
    )  # fmt: skip


def test_a_reader_that_leaves(home: Path) -> None:
    """A pipe that is closed is no error."""
    with _process(home) as process:
        assert process.stdout is not None
        assert process.stderr is not None
        process.stdout.close()
        assert process.stderr.read() == b""
        assert process.wait() in (0, -signal.SIGPIPE)


def test_an_old_encoding(home: Path) -> None:
    """Where only ASCII can be written, the rest becomes question marks."""
    with _process(home, PYTHONIOENCODING="ascii") as process:
        out, err = process.communicate()
    assert err == b""
    assert b"drei ?" in out
