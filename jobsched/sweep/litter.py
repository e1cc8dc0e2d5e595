"""Files that jobs have left: what no unfinished job needs, and logs kept for long enough.

Goes by what lies there, not by what somebody remembers to have left, so that what a killed process
did not come to is found by the next one. A name tells whose a file is; the database tells whether
that job is pruned, or how long it has been DONE. Files of any other job are not touched, whatever
they are. A cluster's directory is its backend's. What was to become the database, and whose maker
was killed, goes by that maker.
"""

from __future__ import annotations

import errno
import logging
import os
import re
from collections.abc import Callable, Collection
from contextlib import suppress
from pathlib import Path
from typing import Final

from jobsched import lock
from jobsched.context import Context
from jobsched.errors import JobschedError
from jobsched.lock import Grip
from jobsched.store import pruning
from jobsched.sweep.calling import CALL_SECONDS, end_call

log = logging.getLogger(__name__)

_LOGS: Final = ("logs/controller", "logs/tasks", "logs/callbacks")
#: Folders whose files are named after the jobs that they belong to.
_FOLDERS: Final = (*_LOGS, "attempts", "wake", "jobs")
#: ``7.log``, ``7-0-1.log``, ``7.2.lock``, ``7.secrets.json``, ``7-0.callback``.
_OF_JOB: Final = re.compile(r"([1-9][0-9]{0,17})[.-]")
#: Files that are locked while they are in use.
_LOCKS: Final = (".lock", ".callback")
#: ``jobsched.db.4711.ab12``, and with it what SQLite puts beside a database.
_UNBORN: Final = re.compile(r"\.([1-9][0-9]{0,8})\.[0-9a-f]+(-wal|-shm|-journal)?")
#: Seconds that a call of a callback may outlast its time: its own guard ends it.
_CALL_MARGIN: Final = 30.0
_DAY: Final = 86_400.0


def remove_files_of_pruned(context: Context) -> int:
    """Delete what pruned jobs left, but for locks that somebody holds; how many files."""

    def pruned(job_ids: Collection[int]) -> set[int]:
        with context.db.read() as tx:
            return pruning.pruned_among(tx, job_ids)

    return sum(_remove(context.home.root / folder, pruned) for folder in _FOLDERS)


def remove_needless(context: Context) -> int:
    """Delete what no unfinished job needs, and databases that were never born; how many files.

    Of jobs: secrets, copies of DAGs, texts of callbacks. Whoever makes a job DONE deletes them,
    unless it is killed just then; a submission may be killed between writing them and its commit.
    """
    folder = context.home.root / "jobs"
    gone = _remove_unborn(context) + _remove_fences(context)
    if not _names(folder):
        return gone
    _end_calls(context, folder)
    # A submission writes its files inside its transaction, so none is taken for a needless one.
    with context.db.write() as tx:
        return gone + _remove(
            folder, lambda job_ids: set(job_ids) - pruning.unfinished_among(tx, job_ids)
        )


def remove_old_logs(context: Context) -> int:
    """Delete the logs of jobs that have been DONE for ``[logs] keep_days``; how many files."""
    before = context.clock.now() - context.config.logs.keep_days * _DAY

    def ended(job_ids: Collection[int]) -> set[int]:
        with context.db.read() as tx:
            return pruning.ended_among(tx, job_ids, before)

    return sum(_remove(context.home.root / folder, ended) for folder in _LOGS)


def _remove_fences(context: Context) -> int:
    """Delete the fences of clusters, which outlive these until their job is DONE.

    And as long as an attempt of it lives that could not be ended: it may go on with its launch.
    """
    from jobsched.backends.local.folder import fences_below  # noqa: PLC0415 -- as in backends

    def ended(job_ids: Collection[int]) -> set[int]:
        with context.db.read() as tx:
            found = set(job_ids) - pruning.unfinished_among(tx, job_ids)
        return found - _with_living_attempts(context, found)

    return _remove(fences_below(context.home.clusters), ended)


def _with_living_attempts(context: Context, job_ids: set[int]) -> set[int]:
    """Those of ``job_ids`` of which somebody holds the lock of an attempt."""
    folder = context.home.root / "attempts"
    names = [(match, name) for name in _names(folder) if (match := _OF_JOB.match(name))]
    return {
        int(match[1])
        for match, name in names
        if int(match[1]) in job_ids and lock.probe(folder / name) is not Grip.FREE
    }


def _remove_unborn(context: Context) -> int:
    """Delete databases whose makers were killed before they were whole."""
    database = context.home.database
    found = [
        (int(match[1]), name)
        for name in _names(database.parent)
        if name.startswith(database.name)
        and (match := _UNBORN.fullmatch(name.removeprefix(database.name)))
    ]
    dead = [name for pid, name in found if _is_gone(pid)]
    if not dead:
        return 0
    with context.locked():  # as their makers do: none is one that our PIDs do not tell of
        return sum(_delete(database.with_name(name)) for name in dead)


def _is_gone(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except OSError as error:
        return error.errno == errno.ESRCH
    return False


def _end_calls(context: Context, folder: Path) -> None:
    """End what is left of calls that have had their time, and of which nobody is left to tell."""
    before = context.clock.now() - CALL_SECONDS - _CALL_MARGIN
    for path in folder.glob("*.callback"):
        try:
            if path.lstat().st_mtime < before:
                end_call(path, context.clock)
        except (OSError, JobschedError) as error:  # it will be found again
            log.warning("%s", error)


def _remove(folder: Path, chosen: Callable[[Collection[int]], set[int]]) -> int:
    """Delete the files of those jobs, of all that have one here, which ``chosen`` picks."""
    names = [(int(match[1]), match.string) for match in map(_OF_JOB.match, _names(folder)) if match]
    gone = chosen({job_id for job_id, _ in names})
    return sum(_delete(folder / name) for job_id, name in names if job_id in gone)


def _names(folder: Path) -> list[str]:
    with suppress(OSError):
        return [path.name for path in folder.iterdir()]
    return []


def _delete(path: Path) -> bool:
    if path.suffix in _LOCKS and lock.probe(path) is not Grip.FREE:
        return False
    with suppress(OSError):  # it will be found again
        path.unlink()
        return True
    return False
