"""What a copy of a working directory leaves out: ``.skyignore``, else ``.gitignore``.

Owns the reading of those files. As git does, ``.gitignore`` files further down add to the one at
the top and come before it; ``.skyignore`` stands alone at the top, and then git's do not count.
"""

from __future__ import annotations

from pathlib import Path
from typing import Final

from pathspec import GitIgnoreSpec

_OWN: Final = ".skyignore"
_GIT: Final = ".gitignore"


class Ignored:
    """What to leave out below ``root``."""

    def __init__(self, root: Path) -> None:
        self._root = root
        self._nested = not (root / _OWN).is_file()
        #: Directory relative to the root ("" for itself) to the patterns stated there.
        self._specs: dict[str, GitIgnoreSpec] = {}
        self._load("", _GIT if self._nested else _OWN)

    def __call__(self, path: str, *, is_directory: bool) -> bool:
        """Whether to leave out ``path`` (relative, with slashes). Ask for a directory first."""
        verdict = self._verdict(path + "/" if is_directory else path)
        if is_directory and not verdict and self._nested:
            self._load(path, _GIT)
        return verdict

    def _verdict(self, path: str) -> bool:
        """The patterns nearest to the path have the last word."""
        folder = path.rstrip("/")
        while folder:
            folder = folder.rpartition("/")[0]
            spec = self._specs.get(folder)
            if spec is not None:
                found = spec.check_file(path[len(folder) + 1 if folder else 0 :]).include
                if found is not None:
                    return found
        return False

    def _load(self, folder: str, name: str) -> None:
        try:
            text = (self._root / folder / name).read_text("utf-8", errors="surrogateescape")
        except (FileNotFoundError, IsADirectoryError, NotADirectoryError, PermissionError):
            return  # what cannot be read cannot be copied either, and the copy says so
        lines = [line for line in text.splitlines() if _is_pattern(line)]
        self._specs[folder] = GitIgnoreSpec.from_lines(lines)


def _is_pattern(line: str) -> bool:
    """Git passes over what is no pattern; so does this."""
    try:
        GitIgnoreSpec.from_lines([line])
    except ValueError:
        return False
    return True
