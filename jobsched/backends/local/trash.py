"""Getting rid of a cluster's directory: at once for everybody else, on disk as soon as it can be.

Owns the deletion of what tasks left, whatever they made of it. A directory is first moved aside, so
that a half deleted one is never taken for a cluster; the next remover deletes what a dead one left.
"""

from __future__ import annotations

import os
from contextlib import suppress
from pathlib import Path
from typing import Final

from jobsched.backends.local.folder import Folder

_ASIDE: Final = ".old"


def prepare(root: Path) -> None:
    """Make the place to move things to while the disk has room, for removals when it has none."""
    with suppress(FileExistsError):
        (root / _ASIDE).mkdir(mode=0o700)


def discard(root: Path, folder: Folder) -> None:
    """Make the cluster not exist, then delete its files. A missing one is fine.

    Raises ``OSError`` where something cannot be deleted; the cluster does not exist all the same.
    """
    prepare(root)
    aside = root / _ASIDE
    mine = _fresh(aside)
    with suppress(FileNotFoundError):
        folder.path.rename(mine)
    _delete(mine)
    for left in list(aside.iterdir()):
        with suppress(OSError):  # whose removal it was has been told
            _delete(left)


def _delete(tree: Path) -> None:
    """Delete a tree of any depth: directories are moved up next to each other, then emptied.

    So no path grows too long, and nothing recurses. Links are removed, never followed.
    """
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
                        moved = _fresh(tree.parent)
                        Path(entry.path).chmod(0o700)
                        Path(entry.path).rename(moved)
                        waiting.append(moved)
                folder.rmdir()
        except NotADirectoryError:
            folder.unlink(missing_ok=True)


def _fresh(folder: Path) -> Path:
    """A path in ``folder`` that nobody else takes, whoever else deletes at the same time."""
    return folder / os.urandom(12).hex()
