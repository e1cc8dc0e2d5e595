"""Being told that logs grow: one watch for a directory, and each is told of its own file."""

from __future__ import annotations

import threading
from pathlib import Path

from jobsched_tui.data.logs.watching import LogWatches
from tests.support import wait_until


def watchers() -> int:
    """How many directories are watched."""
    return sum(thread.name == "watcher" for thread in threading.enumerate())


def test_one_watch_for_a_directory(tmp_path: Path) -> None:
    """It is shared, tells only of the file that was written, and ends with its last user."""
    before, told = watchers(), []
    paths = [tmp_path / name for name in ("a.log", "b.log")]
    listeners = [lambda: told.append("a"), lambda: told.append("b")]
    watches = LogWatches()
    for path, listener in zip(paths, listeners, strict=True):
        watches.add(path, listener)
    assert watchers() == before + 1
    wait_until(lambda: watches.cause(paths[0]) is None, 10.0, "the watch")

    def written() -> bool:
        paths[1].write_text("x")
        return bool(told)

    wait_until(written, 10.0, "news")
    assert set(told) == {"b"}
    watches.remove(paths[0], listeners[0])
    assert watchers() == before + 1
    watches.remove(paths[1], listeners[1])
    watches.remove(paths[1], listeners[1])
    assert (watchers(), watches.cause(paths[1])) == (before, None)


def test_why_nothing_is_told(tmp_path: Path) -> None:
    """Of a directory that is not there yet."""
    watches = LogWatches()
    path = tmp_path / "none" / "a.log"
    watches.add(path, lambda: None)
    try:
        wait_until(lambda: "there is no directory" in str(watches.cause(path)), 10.0, "the cause")
    finally:
        watches.remove(path, lambda: None)
