"""The files of a home: secrets where they may be, and nobody else's hands on anything.

Owns names and modes. Opens no file.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator
from itertools import chain
from pathlib import Path
from typing import Final

from jobsched.audit.findings import Invariant, Violation
from jobsched.context import Context
from jobsched.home import DIRECTORIES, Home
from jobsched.store import reads
from jobsched.store.database import Database

#: Seconds that secrets may outlast their job, or come before its commit.
_GRACE: Final = 5.0
#: What group and others could do.
_OTHERS: Final = 0o077
_SECRETS: Final = ".secrets.json"


def check_secrets(context: Context, database: Database, now: float) -> Iterator[Violation]:
    """Secrets that are kept although no unfinished job needs them."""
    for path in sorted((context.home.root / "jobs").glob(f"*{_SECRETS}")):
        name = path.name.removesuffix(_SECRETS)
        since = _needless_since(database, int(name), path) if name.isdecimal() else 0.0
        if since is not None and now - since > _GRACE:
            what = f"jobs/{path.name} is kept, but no unfinished job needs it"
            yield Violation(Invariant.SECRETS, what)


def _needless_since(database: Database, job_id: int, path: Path) -> float | None:
    """Since when nobody needs the secrets of a job, Unix seconds; ``None``: somebody does."""
    with database.read() as tx:
        job = reads.job(tx, job_id)
    if job is not None:
        return job.ended_at
    try:
        return path.stat().st_mtime
    except FileNotFoundError:
        return None


def check_modes(home: Home) -> Iterator[Violation]:
    """What of the home somebody but its owner may read or write."""
    root = home.root.stat()
    for name, found in chain([(".", root)], _ours(home)):
        invariant = Invariant.SECRETS if name.endswith(_SECRETS) else Invariant.MODES
        if stat.S_ISLNK(found.st_mode):
            yield Violation(invariant, f"{name} is a symbolic link")
        elif found.st_mode & _OTHERS:
            mode = f"{stat.S_IMODE(found.st_mode):04o}"
            wanted = "0700" if stat.S_ISDIR(found.st_mode) else "0600"
            yield Violation(invariant, f"{name} has mode {mode}, not {wanted}: others may use it")
        elif found.st_uid != root.st_uid:
            yield Violation(
                invariant, f"{name} belongs to user {found.st_uid}, but the home to {root.st_uid}"
            )


def _ours(home: Home) -> Iterator[tuple[str, os.stat_result]]:
    """Our folders, and the files in them; what is in a cluster's is its task's."""
    for name, found in _in(home.root):
        if name in DIRECTORIES or name.endswith(".lock") or name.startswith(home.database.name):
            yield name, found
    for folder in DIRECTORIES:
        for name, found in _in(home.root / folder):
            path = f"{folder}/{name}"
            if path in DIRECTORIES or not stat.S_ISDIR(found.st_mode):
                yield path, found


def _in(folder: Path) -> Iterator[tuple[str, os.stat_result]]:
    """What is in a folder; as text, for there may be a hundred thousand."""
    try:
        with os.scandir(folder) as entries:
            for entry in entries:
                try:
                    yield entry.name, entry.stat(follow_symlinks=False)
                except FileNotFoundError:
                    continue  # gone meanwhile
    except (FileNotFoundError, NotADirectoryError):
        return
