"""Laying out a node's files: the private copy of the working directory, then the file mounts.

Owns that nothing is written outside the private directories, not through ``..`` and not through a
symbolic link, and that nothing that is there already is replaced. Regular files, directories and
symbolic links (as links) are copied; whatever else there is, is passed over with a note.
"""

from __future__ import annotations

import errno
import os
import stat
from collections.abc import Callable
from pathlib import Path
from typing import Final, Protocol

from jobsched.backends.local.folder import Folder
from jobsched.backends.local.ignore import Ignored
from jobsched.backends.local.mounts import Base, needs_home, target
from jobsched.errors import PrecheckFailed
from jobsched.models import FileMount, TaskSpec

_CHUNK: Final = 1 << 20


class _LeftOut(Protocol):
    def __call__(self, path: str, *, is_directory: bool) -> bool: ...


class Layout:
    """Lays out the files of one cluster's nodes.

    ``home``: jobsched's own directory, which no copy contains. ``check`` is called between files
    and raises to end it. ``note`` takes a line for the task's log.
    """

    def __init__(
        self,
        folder: Folder,
        task: TaskSpec,
        *,
        home: Path,
        check: Callable[[], None],
        note: Callable[[str], None],
    ) -> None:
        self._folder, self._task = folder, task
        self._check, self._note = check, note
        self._never = {_inode(home)}

    def make(self, node: int) -> None:
        """Lay out one node. Raises ``PrecheckFailed`` where what is to be copied is not there."""
        workdir = self._folder.workdir(node)
        workdir.mkdir(mode=0o700)
        if self._task.workdir is not None:
            source = Path(self._task.workdir)
            self._readable("workdir", source, must_be_directory=True)
            self._copy_tree(source, workdir, Ignored(source))
        if needs_home(self._task):
            self._folder.home(node).mkdir(mode=0o700)
        for mount in self._task.file_mounts:
            self._mount(mount, node)

    def _mount(self, mount: FileMount, node: int) -> None:
        place = target(mount)
        if place.base is Base.ROOT and node > 0:
            return  # all nodes are of this machine
        source = Path(str(mount.source))
        self._readable(f"file_mounts: {mount.target}", source)
        bases = {Base.WORKDIR: self._folder.workdir(node), Base.HOME: self._folder.home(node)}
        path = bases.get(place.base, Path("/"))
        is_directory = source.is_dir()
        for name in place.names if is_directory else place.names[:-1]:
            path /= name
            self._enter(path, mount, confined=place.base is not Base.ROOT)
        if is_directory:
            self._copy_tree(source, path)
        else:
            self._copy_file(source, path / (place.names[-1:] or (source.name,))[0])

    def _enter(self, path: Path, mount: FileMount, *, confined: bool) -> None:
        """Make a directory on the way to a target, unless it is there."""
        try:
            path.mkdir(mode=0o700)
        except FileExistsError:
            found = path.lstat() if confined else path.stat()
            if not stat.S_ISDIR(found.st_mode):
                what = "a symbolic link" if stat.S_ISLNK(found.st_mode) else "no directory"
                raise PrecheckFailed(
                    [f"file_mounts: {mount.target}: {path.name} on the way there is {what}"]
                ) from None

    def _readable(self, what: str, source: Path, *, must_be_directory: bool = False) -> None:
        try:
            found = source.stat()
        except OSError as error:
            raise PrecheckFailed([f"{what}: {source}: {error.strerror}"]) from error
        if must_be_directory and not stat.S_ISDIR(found.st_mode):
            raise PrecheckFailed([f"{what}: {source} is not a directory"])
        if not stat.S_ISDIR(found.st_mode) and not stat.S_ISREG(found.st_mode):
            raise PrecheckFailed([f"{what}: {source} is neither a file nor a directory"])
        if not os.access(source, os.R_OK | (os.X_OK if stat.S_ISDIR(found.st_mode) else 0)):
            raise PrecheckFailed([f"{what}: {source}: {os.strerror(errno.EACCES)}"])

    def _copy_tree(self, source: Path, destination: Path, left_out: _LeftOut | None = None) -> None:
        """Copy what is in ``source`` into ``destination``, which exists, directory by directory."""
        self._never.add(_inode(destination))
        waiting = [""]
        while waiting:
            folder = waiting.pop()
            for entry in self._list(source / folder):
                self._check()
                path = f"{folder}/{entry.name}" if folder else entry.name
                is_directory = entry.is_dir(follow_symlinks=False)
                if left_out is not None and left_out(path, is_directory=is_directory):
                    continue
                if not is_directory:
                    self._copy_entry(entry, destination / path)
                elif self._copy_directory(entry, destination / path):
                    waiting.append(path)

    def _list(self, folder: Path) -> list[os.DirEntry[str]]:
        try:
            with os.scandir(folder) as entries:
                return sorted(entries, key=lambda entry: entry.name)
        except FileNotFoundError:
            self._note(f"{folder} vanished while it was to be copied; left out")
            return []
        except PermissionError as error:
            raise PrecheckFailed([f"{folder}: {error.strerror}"]) from error

    def _copy_directory(self, entry: os.DirEntry[str], destination: Path) -> bool:
        """Make the directory; whether to go into it."""
        found = entry.stat(follow_symlinks=False)
        if (found.st_dev, found.st_ino) in self._never:
            return False
        try:
            destination.mkdir(mode=0o700)
        except FileExistsError:
            if not stat.S_ISDIR(destination.lstat().st_mode):
                return self._exists(destination)
        else:
            destination.chmod(stat.S_IMODE(found.st_mode) & 0o777 | 0o700)
        return True

    def _copy_entry(self, entry: os.DirEntry[str], destination: Path) -> None:
        if entry.is_symlink():
            try:
                destination.symlink_to(Path(entry.path).readlink())
            except FileExistsError:
                self._exists(destination)
        elif entry.is_file(follow_symlinks=False):
            self._copy_file(Path(entry.path), destination)
        else:
            self._note(f"{entry.path} is no file, directory or link; left out")

    def _copy_file(self, source: Path, destination: Path) -> None:
        try:
            reading = os.open(source, os.O_RDONLY | os.O_CLOEXEC | os.O_NONBLOCK)
        except FileNotFoundError:
            self._note(f"{source} vanished while it was to be copied; left out")
            return
        except PermissionError as error:
            raise PrecheckFailed([f"{source}: {error.strerror}"]) from error
        with open(reading, "rb", buffering=0) as original:  # noqa: PTH123 -- a descriptor
            found = os.fstat(reading)
            mode = stat.S_IMODE(found.st_mode) & 0o777 | 0o600
            flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC
            try:
                writing = os.open(destination, flags, mode)
            except FileExistsError:
                self._exists(destination)
                return
            with open(writing, "wb", buffering=0) as copy:  # noqa: PTH123 -- a descriptor
                while chunk := original.read(_CHUNK):
                    _write_all(copy.fileno(), chunk)
                    self._check()
                os.fchmod(writing, mode)
                os.utime(writing, ns=(found.st_atime_ns, found.st_mtime_ns))

    def _exists(self, destination: Path) -> bool:
        self._note(f"{destination} is there already; not replaced")
        return False


def _write_all(descriptor: int, data: bytes) -> None:
    rest = memoryview(data)
    while rest:
        rest = rest[os.write(descriptor, rest) :]


def _inode(path: Path) -> tuple[int, int]:
    found = path.stat()
    return found.st_dev, found.st_ino
