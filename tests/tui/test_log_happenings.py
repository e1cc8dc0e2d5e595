"""What a log view shows while things happen to its file."""

from __future__ import annotations

from pathlib import Path

import pytest
from textual.pilot import Pilot

from jobsched_tui.data.logs.file import LogFile
from jobsched_tui.present.logstatus import Writer
from tests.tui.log_stage import (
    Screen,
    grow,
    numbered,
    play,
    quiet,
    remove,
    replace,
    shown,
    status,
)


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """Where the log is, or will be."""
    return tmp_path / "task.log"


def test_a_view_without_lines_says_why(path: Path) -> None:
    """Not created yet, then empty with its writer, then lines; deleted keeps what was there."""

    async def scene(screen: Screen, pilot: Pilot[None]) -> None:
        view = screen.view
        await quiet(screen, pilot)
        assert status(screen).startswith("not created yet (watching /")
        replace(path, "")
        view.refresh_log()
        view.set_writer(Writer(88123, 12.0))
        await quiet(screen, pilot)
        assert status(screen).startswith("task.log ─ empty, pid 88123 alive 12s ─")
        await grow(screen, pilot, path, "one\n")
        assert shown(screen)[0] == "one"
        remove(path)
        view.refresh_log()
        await quiet(screen, pilot)
        assert shown(screen)[0] == "one"
        assert shown(screen)[1].startswith("── deleted: what was open is still shown")
        replace(path, "two\n")
        view.refresh_log()
        await quiet(screen, pilot)
        assert shown(screen)[0].startswith("── recreated")
        assert shown(screen)[1] == "two"
        assert view.following

    play(path, scene, size=(120, 19))


@pytest.mark.parametrize("happening", ["truncated", "rotated"])
def test_a_divider_tells_that_this_is_another_content(path: Path, happening: str) -> None:
    """Above the first line, as long as it is shown."""
    numbered(path, 100)

    async def scene(screen: Screen, pilot: Pilot[None]) -> None:
        await quiet(screen, pilot)
        if happening == "rotated":
            remove(path)
        replace(path, "fresh\n")
        screen.view.refresh_log()
        await quiet(screen, pilot)
        assert shown(screen)[0].startswith(f"── {happening}")
        assert shown(screen)[1:3] == ["fresh", ""]

    play(path, scene)


def test_a_dropped_beginning_is_said(path: Path) -> None:
    """The hole is no line; its size is told above the first one."""
    with path.open("wb") as log:
        log.seek(3 * 1024 * 1024)
        log.write(b"left\n")

    async def scene(screen: Screen, pilot: Pilot[None]) -> None:
        await quiet(screen, pilot)
        assert shown(screen)[0].startswith("── … oldest 3.0M dropped")
        assert shown(screen)[1] == "left"

    play(path, scene)


def test_another_log_can_be_opened_in_the_same_view(path: Path) -> None:
    """From its end, with nothing left of the first one."""
    numbered(path, 500)
    other = path.with_name("other.log")
    other.write_text("other\n")

    async def scene(screen: Screen, pilot: Pilot[None]) -> None:
        await quiet(screen, pilot)
        screen.view.search("line")
        await pilot.press("g")
        screen.view.open(LogFile(other))
        await quiet(screen, pilot)
        assert shown(screen)[0] == "other"
        assert (screen.view.following, screen.view.match_count) == (True, None)
        assert status(screen) == "other.log ─ 1 line 6B ─ follow ●"

    play(path, scene)
