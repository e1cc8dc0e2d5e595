"""Where everything lies: the home directory, its layout and its modes.

Owns paths and the rule that nobody else may read or write there. Creates nothing until asked by a
command that writes; reads no file's content.
"""

from __future__ import annotations

import os
import stat
from contextlib import suppress
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import TypeAlias

from jobsched.errors import StoreError

#: A directory that holds one of these is a home. The lock is made before anything else.
_MARKS = ("scheduler.lock", "jobsched.db", "config.toml")
DIRECTORIES = (
    "logs",  # by itself: parents that are made along the way get the default mode
    "logs/controller",
    "logs/tasks",
    "logs/callbacks",
    "clusters",
    "attempts",
    "wake",
    "jobs",
)


#: What tells a directory from another, and whether anything was added to it or taken from it.
_Signs: TypeAlias = tuple[int, ...]


@dataclass(frozen=True)
class Home:
    """One state directory. All paths in it are made here, those that never change once."""

    root: Path
    #: How the directories that hold others looked when all was in its place.
    _sound: list[_Signs] = field(
        default_factory=list, init=False, repr=False, compare=False, hash=False
    )

    @cached_property
    def database(self) -> Path:
        """The SQLite file."""
        return self.root / "jobsched.db"

    @cached_property
    def scheduler_lock(self) -> Path:
        """The lock that guards every change of scheduling state."""
        return self.root / "scheduler.lock"

    @cached_property
    def tick_lock(self) -> Path:
        """Held by the one process that watches for deaths."""
        return self.root / "tick.lock"

    @cached_property
    def deputy_lock(self) -> Path:
        """Held by the one process that watches the one that watches."""
        return self.root / "deputy.lock"

    @cached_property
    def attendant_lock(self) -> Path:
        """Held by the process that ticks for controllers of the user's own."""
        return self.root / "attendant.lock"

    @cached_property
    def nursery_lock(self) -> Path:
        """Held by the process that forks controllers."""
        return self.root / "nursery.lock"

    @cached_property
    def nursery_socket(self) -> Path:
        """Where that process takes claims."""
        return self.root / "nursery.socket"

    @cached_property
    def nursery_log(self) -> Path:
        """What that process prints, which is nothing while all is well."""
        return self.root / "logs" / "nursery.log"

    @cached_property
    def memory_file(self) -> Path:
        """What was seen last of the machine's memory, and of what controllers take."""
        return self.root / "memory.json"

    @cached_property
    def config_file(self) -> Path:
        """``config.toml``; may be missing."""
        return self.root / "config.toml"

    @cached_property
    def clusters(self) -> Path:
        """One directory per local cluster."""
        return self.root / "clusters"

    @cached_property
    def _folders(self) -> dict[str, Path]:
        """The directories, by name."""
        return {name: self.root / name for name in DIRECTORIES}

    def attempt_lock(self, job_id: int, attempt: int) -> Path:
        """Held for as long as the controller of that attempt lives."""
        return self._folders["attempts"] / f"{job_id}.{attempt}.lock"

    def settle_lock(self, job_id: int) -> Path:
        """Held by whoever ends a job that has no living controller."""
        return self._folders["attempts"] / f"{job_id}.settle.lock"

    def wake_fifo(self, job_id: int, attempt: int) -> Path:
        """Written to when the controller of that attempt should look at the database again."""
        return self._folders["wake"] / f"{job_id}.{attempt}.fifo"

    def controller_log(self, job_id: int) -> Path:
        """What the job's controllers print; all attempts, in order."""
        return self._folders["logs/controller"] / f"{job_id}.log"

    def task_log(self, job_id: int, task_id: int, node: int = 0) -> Path:
        """What one node of a task prints; all runs, in order."""
        suffix = f"-{node}" if node else ""
        return self._folders["logs/tasks"] / f"{job_id}-{task_id}{suffix}.log"

    def callback_log(self, job_id: int, task_id: int) -> Path:
        """What the task's ``event_callback`` prints."""
        return self._folders["logs/callbacks"] / f"{job_id}-{task_id}.log"

    def callback_file(self, job_id: int, task_id: int) -> Path:
        """The text of the call under way of a task's ``event_callback``; locked by who runs it."""
        return self._folders["jobs"] / f"{job_id}-{task_id}.callback"

    def secrets_file(self, job_id: int) -> Path:
        """Values of the job's secrets, mode 0600, until the job is DONE."""
        return self._folders["jobs"] / f"{job_id}.secrets.json"

    def dag_file(self, job_id: int) -> Path:
        """The YAML as submitted, secrets blanked, for a controller of the user's."""
        return self._folders["jobs"] / f"{job_id}.yaml"

    def exists(self) -> bool:
        """Whether a command that writes has been here."""
        return self.database.exists()

    def create(self) -> None:
        """Make the directory and its folders, mode 0700. Raises ``StoreError`` as :meth:`check`.

        One that was in order, and to which nothing was added or taken from it since, still is.
        """
        found = self._look()  # before it is put in order: what is done to it meanwhile is seen
        if found and found == self._sound:
            return
        try:
            self.root.mkdir(mode=0o700, parents=True, exist_ok=True)
            self.check()
            self._mark()
            for name in DIRECTORIES:
                (self.root / name).mkdir(mode=0o700, parents=True, exist_ok=True)
        except OSError as error:
            raise StoreError(f"cannot use {self.root} as home: {error.strerror}") from error
        self._sound[:] = found

    def _look(self) -> list[_Signs]:
        """The signs of the two directories that the folders are in; none where one is missing."""
        try:
            return [_signs(os.lstat(self.root)), _signs(os.lstat(self._folders["logs"]))]
        except OSError:
            return []

    def check(self) -> None:
        """Refuse a directory that is somebody else's or holds other things; close ours to others.

        A missing or empty one is fine. Raises ``StoreError``, having changed nothing.
        """
        try:
            found = self.root.lstat()
            self._require_ours(found)
            if found.st_mode & 0o077:
                self.root.chmod(0o700)
        except FileNotFoundError:
            return
        except OSError as error:
            raise StoreError(f"cannot use {self.root} as home: {error.strerror}") from error

    def _require_ours(self, found: os.stat_result) -> None:
        if not stat.S_ISDIR(found.st_mode):
            what = "a symbolic link" if stat.S_ISLNK(found.st_mode) else "not a directory"
            raise StoreError(f"{self.root} is {what}; give --home a directory of your own")
        if found.st_uid != os.geteuid():
            raise StoreError(
                f"{self.root} belongs to user {found.st_uid}, you are {os.geteuid()};"
                " use --home for a directory of your own"
            )
        if self._holds_other_things():
            raise StoreError(
                f"{self.root} holds other things and is no home of jobsched, which has"
                f" {' or '.join(_MARKS)} in it; give --home a new or empty directory"
            )

    def _holds_other_things(self) -> bool:
        with os.scandir(self.root) as entries:
            is_empty = next(entries, None) is None
        # Looked for after that: whoever makes this home at the same time begins with a mark.
        return not is_empty and not any(os.path.lexists(self.root / name) for name in _MARKS)

    def _mark(self) -> None:
        """Make it a home, whatever becomes of us after this."""
        flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC
        with suppress(FileExistsError):
            os.close(os.open(self.scheduler_lock, flags, 0o600))


def _signs(found: os.stat_result) -> _Signs:
    # The times are as coarse as the kernel's tick; the links tell of a folder that went within one.
    return (
        found.st_dev, found.st_ino, found.st_mode, found.st_uid, found.st_nlink,
        found.st_mtime_ns, found.st_ctime_ns,
    )  # fmt: skip


def write_private(path: Path, text: str) -> None:
    """Write a file that only its owner may read, synced to disk; never through a symbolic link."""
    flags = os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_NOFOLLOW | os.O_CLOEXEC
    with os.fdopen(os.open(path, flags, 0o600), "w", encoding="utf-8") as file:
        file.write(text)
        file.flush()
        os.fsync(file.fileno())
