"""Getting rid of a cluster's directory: at once for everybody else, on disk as soon as it can be.

Owns the deletion of what tasks left, whatever they made of it. A directory is first moved aside, so
that a half deleted one is never taken for a cluster; the next remover deletes what a dead one left.
"""

from __future__ import annotations

import errno
import os
from contextlib import suppress
from pathlib import Path
from typing import Final

from jobsched.backends.local.folder import Folder, make_place

_ASIDE: Final = ".old"
_FLAGS: Final = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC


def prepare(root: Path) -> None:
    """Make the place to move things to while the disk has room, for removals when it has none."""
    make_place(root, root / _ASIDE)


def discard(root: Path, folder: Folder) -> None:
    """Make the cluster not exist, then delete its files. A missing one is fine; its fence stays.

    Raises ``OSError`` where something cannot be deleted; the cluster does not exist all the same.
    """
    # What is known of it goes last: until then the next remover finds what a dead one left.
    _discard(root, folder.path, folder.kept)


def clear(root: Path, folder: Folder) -> None:
    """Delete what is the task's own, if there is any; the cluster goes on to exist."""
    if os.path.lexists(folder.path):
        _discard(root, folder.path)


def _discard(root: Path, *paths: Path) -> None:
    prepare(root)
    aside = os.open(root / _ASIDE, _FLAGS)
    moved: list[str] = []
    try:
        for path in paths:
            with suppress(FileNotFoundError):
                os.rename(path, mine := _fresh(), dst_dir_fd=aside)
                moved.append(mine)
        for name in moved:
            _delete(aside, name)
        for left in os.listdir(aside):  # noqa: PTH208 -- an open directory, not a path
            with suppress(OSError):  # whose removal it was has been told
                _delete(aside, left)
    finally:
        os.close(aside)


def _delete(aside: int, tree: str) -> None:
    """Delete a tree of any depth: directories are moved up next to each other, then emptied.

    So no path grows too long, and nothing recurses. Everything is named below an open directory,
    and links are removed, never followed.
    """
    waiting = [tree]
    while waiting:
        name = waiting.pop()
        with suppress(FileNotFoundError):
            folder = _enter(aside, name)
            if folder is None:
                os.unlink(name, dir_fd=aside)
                continue
            try:
                waiting += _empty(folder, aside)
            finally:
                os.close(folder)
            os.rmdir(name, dir_fd=aside)


def _empty(folder: int, aside: int) -> list[str]:
    """Delete the files in an open directory and move its directories aside; their new names."""
    moved: list[str] = []
    with os.scandir(folder) as entries:
        found = list(entries)
    for entry in found:
        with suppress(FileNotFoundError):
            inner = _enter(folder, entry.name) if entry.is_dir(follow_symlinks=False) else None
            if inner is None:
                os.unlink(entry.name, dir_fd=folder)
                continue
            os.close(inner)
            os.rename(entry.name, name := _fresh(), src_dir_fd=folder, dst_dir_fd=aside)
            moved.append(name)
    return moved


def _enter(folder: int, name: str) -> int | None:
    """Open a directory and make it one that can be emptied and moved; ``None``: it is none."""
    try:
        try:
            descriptor = os.open(name, _FLAGS, dir_fd=folder)
        except PermissionError:  # it is a directory, of which not even its owner may know
            os.chmod(name, 0o700, dir_fd=folder)
            descriptor = os.open(name, _FLAGS, dir_fd=folder)
    except OSError as error:
        if error.errno in (errno.ENOTDIR, errno.ELOOP):
            return None
        raise
    os.fchmod(descriptor, 0o700)
    return descriptor


def _fresh() -> str:
    """A name that nobody else takes, whoever else deletes at the same time."""
    return os.urandom(12).hex()
