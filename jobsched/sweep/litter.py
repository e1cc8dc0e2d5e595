"""Files that jobs have left: what no unfinished job needs, and logs kept for long enough.

Goes by what lies there, not by what somebody remembers to have left, so that what a killed process
did not come to is found by the next one. A name tells whose a file is; the database tells whether
that job is pruned, or how long it has been DONE. Files of any other job are not touched, whatever
they are. A cluster's directory is its backend's.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection
from contextlib import suppress
from pathlib import Path
from typing import Final

from jobsched import lock
from jobsched.context import Context
from jobsched.lock import Grip
from jobsched.store import pruning

_LOGS: Final = ("logs/controller", "logs/tasks", "logs/callbacks")
#: Folders whose files are named after the jobs that they belong to.
_FOLDERS: Final = (*_LOGS, "attempts", "wake", "jobs")
#: ``7.log``, ``7-0-1.log``, ``7.2.lock``, ``7.secrets.json``.
_OF_JOB: Final = re.compile(r"([1-9][0-9]{0,17})[.-]")
_DAY: Final = 86_400.0


def remove_files_of_pruned(context: Context) -> int:
    """Delete what pruned jobs left, but for locks that somebody holds; how many files."""

    def pruned(job_ids: Collection[int]) -> set[int]:
        with context.db.read() as tx:
            return pruning.pruned_among(tx, job_ids)

    return sum(_remove(context.home.root / folder, pruned) for folder in _FOLDERS)


def remove_needless(context: Context) -> int:
    """Delete secrets and copies of DAGs that no unfinished job needs; how many files.

    Whoever makes a job DONE deletes them, unless it is killed just then; a submission may be killed
    between writing them and its commit.
    """
    folder = context.home.root / "jobs"
    if not _names(folder):
        return 0
    # A submission writes its files inside its transaction, so none is taken for a needless one.
    with context.db.write() as tx:
        return _remove(folder, lambda job_ids: set(job_ids) - pruning.unfinished_among(tx, job_ids))


def remove_old_logs(context: Context) -> int:
    """Delete the logs of jobs that have been DONE for ``[logs] keep_days``; how many files."""
    before = context.clock.now() - context.config.logs.keep_days * _DAY

    def ended(job_ids: Collection[int]) -> set[int]:
        with context.db.read() as tx:
            return pruning.ended_among(tx, job_ids, before)

    return sum(_remove(context.home.root / folder, ended) for folder in _LOGS)


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
    if path.suffix == ".lock" and lock.probe(path) is not Grip.FREE:
        return False
    with suppress(OSError):  # it will be found again
        path.unlink()
        return True
    return False
