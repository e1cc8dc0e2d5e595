"""The command ``jobsched-tui``: its arguments, and how it begins and ends in a terminal."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from jobsched.api import Scheduler
from jobsched_tui.app.starting import options_for
from jobsched_tui.cli import main, parser
from tests.support import measured
from tests.tui.stand import home_with, is_root
from tests.tui.terminal import opened


def test_help_tells_what_is_nowhere_else(capsys: pytest.CaptureFixture[str]) -> None:
    """Exit codes, notifications and the memory."""
    with pytest.raises(SystemExit) as left:
        parser().parse_args(["--help"])
    assert left.value.code == 0
    out = capsys.readouterr().out
    for word in ("OSC 9", "NO_COLOR", "console.json", "1 something needs attention", "--ascii"):
        assert word in out


@pytest.mark.parametrize(
    "words", [["--view", "all"], ["--width", "0"], ["--width", "x"], ["--job", "one"], ["more"]]
)
def test_wrong_usage(words: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    """Wrong arguments are told, with code 2."""
    with pytest.raises(SystemExit) as left:
        main(["--once", *words])
    assert left.value.code == 2
    assert "jobsched-tui: error:" in capsys.readouterr().err


def test_no_terminal(tmp_path: Path) -> None:
    """Where there is no terminal it says what can be done instead."""
    done = subprocess.run(
        [sys.executable, "-m", "jobsched_tui", "--home", str(tmp_path / "home")],
        capture_output=True, text=True, check=False, stdin=subprocess.DEVNULL,
        env=measured({"PATH": os.environ["PATH"], "HOME": str(tmp_path)}),
    )  # fmt: skip
    assert done.returncode == 1
    assert done.stderr == "jobsched-tui: this is no terminal; --once prints one view\n"


def test_a_broken_configuration(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """It is told in words, without a traceback."""
    home = home_with(tmp_path / "home").home
    (home / "config.toml").write_text("[console\n")
    assert main(["--home", str(home), "--once"]) == 2
    assert "config.toml" in capsys.readouterr().err


def test_options(tmp_path: Path) -> None:
    """Arguments, configuration and environment come together."""
    home = home_with(tmp_path / "home").home
    (home / "config.toml").write_text(
        '[console]\nread_only = true\ntheme = "nord"\nkeys = { "job.cancel" = "k" }\n'
    )
    found = options_for(
        Scheduler(home), {"PAGER": "more -s", "EDITOR": "ed 'x"},
        home=home, read_only=False, is_ascii=True, slow=True,
    )  # fmt: skip
    assert found.read_only
    assert found.theme == "nord"
    assert found.keys["job.cancel"] == "x"
    assert len(found.notes) == 1
    assert found.slow
    assert found.is_ansi
    assert found.pen.is_ascii
    assert found.pager == ("more", "-s")
    assert found.editor == ("vi",)
    assert found.named_home == home


@pytest.mark.skipif(is_root(), reason="whoever may do everything can write everywhere")
def test_a_home_that_cannot_be_written(tmp_path: Path) -> None:
    """Then nothing can be changed, and the operator is told."""
    home = home_with(tmp_path / "home").home
    home.chmod(0o500)
    found = options_for(Scheduler(home), {}, home=None, read_only=False, is_ascii=False, slow=False)
    assert found.read_only
    assert found.notes == (f"{home} cannot be written: read only",)


def test_it_leaves_the_terminal_as_it_was(tmp_path: Path) -> None:
    """Q ends with code 0; screen, cursor and mouse are given back; it is remembered."""
    home = home_with(tmp_path / "home", "one").home
    with opened(home) as terminal:
        terminal.wait_for("starts are paused")
        terminal.press("q")
        assert terminal.ended() == 0
        assert terminal.seen.rindex(b"\x1b[?1049l") > terminal.seen.rindex(b"\x1b[?1049h")
        assert terminal.seen.rindex(b"\x1b[?25h") > terminal.seen.rindex(b"\x1b[?25l")
        assert terminal.seen.rindex(b"\x1b[?1000l") > terminal.seen.rindex(b"\x1b[?1000h")
    assert (home / "console.json").exists()


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGHUP])
def test_a_signal_leaves_the_terminal_as_it_was(tmp_path: Path, number: signal.Signals) -> None:
    """Whoever ends the console does not leave a broken terminal behind."""
    home = home_with(tmp_path / "home", "one").home
    with opened(home) as terminal:
        terminal.wait_for("starts are paused")
        terminal.process.send_signal(number)
        terminal.ended()
        assert terminal.seen.rindex(b"\x1b[?1049l") > terminal.seen.rindex(b"\x1b[?1049h")


def test_a_crash_is_one_line(tmp_path: Path) -> None:
    """The terminal is given back, the code is 1, a report is named, no traceback is shown."""
    home = home_with(tmp_path / "home", "one").home
    program = (
        "import sys; from jobsched_tui.app.sight import Sight\n"
        "def broken(self): raise RuntimeError('[red]a part\\x1b[2J is broken')\n"
        "Sight.freeze = broken\n"
        "from jobsched_tui.cli import main; sys.exit(main())\n"
    )
    with opened(home, program=program) as terminal:
        terminal.wait_for("starts are paused")
        terminal.press("p")
        assert terminal.ended() == 1
        left = terminal.seen.rindex(b"\x1b[?1049l")
        said = terminal.seen[left:].decode()
        assert "the console failed (RuntimeError: [red]a part" in " ".join(said.split())
        assert b"Traceback" not in terminal.seen
    (report,) = home.glob("jobsched-tui-crash-*.txt")
    assert "Traceback" in report.read_text()


def test_a_dumb_terminal(tmp_path: Path) -> None:
    """What cannot be drawn on gets one view."""
    home = home_with(tmp_path / "home", "one").home
    with opened(home, TERM="dumb") as terminal:
        assert terminal.ended() == 0
        assert "this terminal cannot be drawn on" in terminal.text
        assert "starts are paused" in terminal.text


def test_slow_sends_little(tmp_path: Path) -> None:
    """With --slow the list is drawn with the 16 colours alone."""
    home = home_with(tmp_path / "home", "one").home
    with opened(home, "--slow", COLORTERM="truecolor") as terminal:
        terminal.wait_for("starts are paused")
        terminal.press("q")
        assert terminal.ended() == 0
        assert b"38;2;" not in terminal.seen
        assert b"48;2;" not in terminal.seen
