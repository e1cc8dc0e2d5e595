"""Being told of changes: of all that matter, soon, and what happens when nobody can tell."""

from __future__ import annotations

import shutil
import threading
from collections.abc import Collection, Iterator
from pathlib import Path

import pytest

from jobsched_tui.data.watcher import Watcher
from tests.support import wait_until

SECONDS = 20


class Told:
    """What a watcher has told."""

    def __init__(self) -> None:
        self._guard = threading.Lock()
        self._names: set[str] = set()

    def __call__(self, names: Collection[str]) -> None:
        """Remember the names."""
        with self._guard:
            self._names |= set(names)

    def names(self) -> set[str]:
        """All so far."""
        with self._guard:
            return set(self._names)

    def of(self, name: str) -> None:
        """Wait until that one is among them."""
        wait_until(lambda: name in self.names(), SECONDS, f"a change of {name}")


@pytest.fixture
def told() -> Told:
    """Nothing yet."""
    return Told()


@pytest.fixture
def watcher(tmp_path: Path, told: Told) -> Iterator[Watcher]:
    """A watch on what begins with ``jobs`` in a folder that may not be there yet."""
    watcher = Watcher(tmp_path / "home", lambda name: name.startswith("jobs"), told)
    yield watcher
    watcher.stop()


def until_watching(watcher: Watcher, folder: Path, told: Told) -> None:
    """Wait until a change is told; only then is it sure that the next one will be."""
    number = 0

    def seen() -> bool:
        nonlocal number
        number += 1
        (folder / f"jobs-{number}").touch()
        return bool(told.names())

    wait_until(seen, SECONDS, "the first change")
    assert watcher.cause is None


def test_what_matters_is_told(watcher: Watcher, tmp_path: Path, told: Told) -> None:
    """Writes, new files and removals, of the wanted names alone."""
    (tmp_path / "home").mkdir()
    watcher.start()
    until_watching(watcher, tmp_path / "home", told)
    (tmp_path / "home" / "other").write_text("x")
    (tmp_path / "home" / "jobs.db-wal").write_text("x")
    told.of("jobs.db-wal")
    (tmp_path / "home" / "jobs.db").write_text("y")
    (tmp_path / "home" / "jobs.db").unlink()
    told.of("jobs.db")
    assert "other" not in told.names()


def test_a_directory_that_is_not_there(watcher: Watcher, tmp_path: Path) -> None:
    """It says so, for as long as that is so."""
    watcher.start()
    wait_until(
        lambda: watcher.cause == f"{tmp_path / 'home'} cannot be watched: there is no directory"
        f" {tmp_path / 'home'}",
        SECONDS, "the cause",
    )  # fmt: skip


def test_a_directory_that_is_replaced(watcher: Watcher, tmp_path: Path, told: Told) -> None:
    """The new one is watched, though it has another inode."""
    home = tmp_path / "home"
    home.mkdir()
    watcher.start()
    until_watching(watcher, home, told)
    shutil.rmtree(home)
    wait_until(lambda: watcher.cause is not None, SECONDS, "the watch to end")
    home.mkdir()
    wait_until(lambda: watcher.cause is None, SECONDS, "the new one to be watched")

    def seen() -> bool:
        (home / "jobs-again").touch()
        return "jobs-again" in told.names()

    wait_until(seen, SECONDS, "a change in the new one")


def test_stopped_at_once(watcher: Watcher, tmp_path: Path, told: Told) -> None:
    """Nothing is told afterwards."""
    (tmp_path / "home").mkdir()
    watcher.start()
    until_watching(watcher, tmp_path / "home", told)
    watcher.stop()
    before = told.names()
    (tmp_path / "home" / "jobs-late").touch()
    assert told.names() == before
    assert not watcher._thread.is_alive()
