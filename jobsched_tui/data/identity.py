"""Which database lies at a path, and whether it is still the one that was read before.

Owns that memory. Looks at the file's place in its directory alone and never opens it: closing it
would give up the locks that SQLite holds on it for this process.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path


class Identity:
    """Of the database of one home."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._known: tuple[int, int] | None = None
        self._is_back = False
        #: The newest row of its history that was read.
        self.seq = 0
        #: How often another one has taken its place.
        self.number = 0

    def gone(self) -> None:
        """There is none at the moment."""
        self._is_back = True

    def is_another(self, latest: Callable[[], int]) -> bool:
        """Whether it is another one than at the last call; to be asked after each good read.

        ``latest``: asks for the newest row of its history. What comes back where nothing was may
        have got the number of the old file, but then its history is a shorter one.
        """
        found = self._inode()
        if found is None:
            return False
        is_new = self._known not in (None, found)
        is_shorter = self._is_back and self._known is not None and latest() < self.seq
        self._known, self._is_back = found, False
        if is_new or is_shorter:
            self.number += 1
            self.seq = 0
        return is_new or is_shorter

    def _inode(self) -> tuple[int, int] | None:
        try:
            found = self._path.stat()
        except OSError:
            return None
        return found.st_dev, found.st_ino
