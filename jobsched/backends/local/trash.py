"""Getting rid of a cluster's directory: at once for everybody else, on disk as soon as it can be.

Owns the deletion of what tasks left, whatever they made of it. A directory is first moved aside, so
that a half deleted one is never taken for a cluster; the next remover deletes what a dead one left.
"""

from __future__ import annotations

import os
from contextlib import suppress
from itertools import count
from pathlib import Path
from typing import Final

from jobsched.backends.local.folder import Folder

_ASIDE: Final = ".old"


def discard(root: Path, folder: Folder) -> None:
    """Make the cluster not exist, then delete its files. A missing one is fine.

    Raises ``OSError`` where something cannot be deleted; the cluster does not exist all the same.
    """
    aside = root / _ASIDE
    aside.mkdir(mode=0o700, exist_ok=True)
    with suppress(FileNotFoundError):
        folder.path.rename(_unused(aside, f"{folder.name}.{os.getpid()}"))
    empty(root)


def empty(root: Path) -> None:
    """Delete all that was moved aside. Others may do the same at the same time."""
    aside = root / _ASIDE
    with suppress(FileNotFoundError):
        for entry in list(aside.iterdir()):
            _delete(entry)


def _delete(tree: Path) -> None:
    """Delete a tree of any depth: directories are moved up next to each other, then emptied.

    So no path grows too long, and nothing recurses. Links are removed, never followed.
    """
    numbers = count()
    waiting = [tree]
    while waiting:
        folder = waiting.pop()
        try:
            with suppress(FileNotFoundError):
                folder.chmod(0o700)
                with os.scandir(folder) as entries:
                    found = list(entries)
                for entry in found:
                    with suppress(FileNotFoundError):
                        if not entry.is_dir(follow_symlinks=False):
                            Path(entry.path).unlink()
                            continue
                        moved = _unused(tree.parent, f"{tree.name}-{next(numbers)}")
                        Path(entry.path).chmod(0o700)
                        Path(entry.path).rename(moved)
                        waiting.append(moved)
                folder.rmdir()
        except NotADirectoryError:
            folder.unlink(missing_ok=True)


def _unused(folder: Path, name: str) -> Path:
    """A path in ``folder`` that nothing has; only removers make entries there."""
    path = folder / name
    suffixes = count()
    while os.path.lexists(path):
        path = folder / f"{name}.{next(suffixes)}"
    return path
