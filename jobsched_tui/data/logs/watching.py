"""Being told when logs grow: one watch for each directory, however many of its files are seen.

Owns who is told of which file. The file system's watches are few, and shared by a whole machine.
"""

from __future__ import annotations

from collections.abc import Callable, Collection
from pathlib import Path
from typing import Final, TypeAlias

from jobsched_tui.data.watcher import Watcher

#: Called in the watcher's thread: the file may have changed.
Told: TypeAlias = Callable[[], object]

#: Milliseconds between looks: who reads along cannot tell it from less.
_STEP: Final = 150


class _Folder:
    """The watch on one directory, and whoever wants to be told of what is in it."""

    def __init__(self, folder: Path) -> None:
        #: Replaced as a whole: the watcher's thread reads it.
        self.listeners: tuple[tuple[str, Told], ...] = ()
        self.watcher = Watcher(folder, self._matters, self._tell, step=_STEP)
        self.watcher.start()

    def _matters(self, name: str) -> bool:
        return any(name == wanted for wanted, _ in self.listeners)

    def _tell(self, names: Collection[str]) -> None:
        for wanted, told in self.listeners:
            if wanted in names:
                told()


class LogWatches:
    """All watches of those who share this. For one thread."""

    def __init__(self) -> None:
        self._folders: dict[Path, _Folder] = {}

    def add(self, path: Path, told: Told) -> None:
        """From now on tell when the file at a path may have changed."""
        if path.parent not in self._folders:
            self._folders[path.parent] = _Folder(path.parent)
        self._folders[path.parent].listeners += ((path.name, told),)

    def remove(self, path: Path, told: Told) -> None:
        """Tell no more; where nobody else is to be told, the watch ends."""
        folder = self._folders.get(path.parent)
        if folder is None:
            return
        folder.listeners = tuple(one for one in folder.listeners if one != (path.name, told))
        if not folder.listeners:
            del self._folders[path.parent]
            folder.watcher.stop()

    def cause(self, path: Path) -> str | None:
        """Why nothing is told of a file that was added; ``None``: something is."""
        folder = self._folders.get(path.parent)
        return None if folder is None else folder.watcher.cause
