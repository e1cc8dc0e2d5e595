"""Which directory may become a home, and what is done to one that may not: nothing."""

from __future__ import annotations

import threading
from collections.abc import Callable
from pathlib import Path

import pytest

from jobsched.errors import StoreError
from jobsched.home import DIRECTORIES, Home


def _mode(path: Path) -> int:
    return path.stat().st_mode & 0o777


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """A directory that everybody may read."""
    root = tmp_path / "root"
    root.mkdir(mode=0o755)
    root.chmod(0o755)
    return root


@pytest.mark.parametrize("name", ["file", ".hidden", "folder/", "logs/", "jobs/", "config.tml"])
def test_a_directory_that_holds_other_things_is_left_alone(root: Path, name: str) -> None:
    """Refused by each of the two that could change it, with its mode and content as they were."""
    (root / name).mkdir() if name.endswith("/") else (root / name).touch()
    before = list(root.iterdir())
    for attempt in (Home(root).create, Home(root).check):
        with pytest.raises(StoreError, match="holds other things and is no home") as refused:
            attempt()
        assert str(root) in str(refused.value)
    assert list(root.iterdir()) == before
    assert _mode(root) == 0o755


@pytest.mark.parametrize("mark", [None, "config.toml", "jobsched.db", "scheduler.lock"])
def test_an_empty_directory_and_a_home_are_made_ours(root: Path, mark: str | None) -> None:
    """Closed to others and filled, whatever else lies in a home; twice is as good as once."""
    if mark is not None:
        (root / mark).write_text("as it is")
        (root / "notes").touch()
    for _ in range(2):
        Home(root).create()
    assert _mode(root) == 0o700
    assert all(_mode(root / name) == 0o700 for name in DIRECTORIES)
    if mark is not None:
        assert (root / mark).read_text() == "as it is"


def test_a_home_half_made_is_a_home(tmp_path: Path) -> None:
    """The first thing that is made marks it, so that whoever was killed then keeps out nobody."""
    home = Home(tmp_path / "root")
    home.create()
    assert home.scheduler_lock.exists()
    assert _mode(home.scheduler_lock) == 0o600
    assert not home.exists()
    for name in reversed(DIRECTORIES):
        (home.root / name).rmdir()
    (home.root / "logs").mkdir()
    home.check()


def test_many_may_make_one_home_at_once(tmp_path: Path) -> None:
    """None takes what another has just made for other things."""
    failed: list[BaseException] = []

    def make(home: Home, begin: threading.Barrier) -> None:
        begin.wait(10)
        try:
            home.create()
        except StoreError as error:
            failed.append(error)

    for number in range(20):
        begin = threading.Barrier(8)
        home = Home(tmp_path / str(number))
        threads = [threading.Thread(target=make, args=(home, begin)) for _ in range(8)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join(20)
    assert failed == []


def removed(home: Home) -> None:
    """A folder is gone."""
    (home.root / "clusters").rmdir()


def removed_below(home: Home) -> None:
    """So is one in another."""
    (home.root / "logs" / "tasks").rmdir()


def opened(home: Home) -> None:
    """Everybody may read it."""
    home.root.chmod(0o755)


def replaced(home: Home) -> None:
    """Another directory is in its place, and has nothing in it."""
    home.root.rename(home.root.with_name("away"))
    home.root.mkdir(mode=0o755)


@pytest.mark.parametrize("change", [removed, removed_below, opened, replaced])
def test_a_home_that_was_in_order_is_put_in_order_again(
    tmp_path: Path, change: Callable[[Home], None]
) -> None:
    """However often it was found in order before."""
    home = Home(tmp_path / "root")
    for _ in range(3):
        home.create()
    change(home)
    home.create()
    assert _mode(home.root) == 0o700
    assert all(_mode(home.root / name) == 0o700 for name in DIRECTORIES)


def test_a_home_that_became_something_else_is_refused(tmp_path: Path) -> None:
    """A directory of other things, or a link to one that is in order, is no home."""
    home = Home(tmp_path / "root")
    for _ in range(3):
        home.create()
    home.root.rename(tmp_path / "away")
    home.root.symlink_to(tmp_path / "away")
    with pytest.raises(StoreError, match="symbolic link"):
        home.create()
    home.root.unlink()
    home.root.mkdir()
    (home.root / "notes").touch()
    with pytest.raises(StoreError, match="holds other things"):
        home.create()
