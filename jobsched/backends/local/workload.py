"""Who holds a cluster's workload lock, whatever became of its file.

Owns the answer where the file was deleted under those who hold it: its absence is no evidence that
nobody does. The kernel still tells whoever holds it, by its name of before. Judges and signals
nobody.
"""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from jobsched import lock, process
from jobsched.backends.local.folder import Folder, kept_below, valid_name
from jobsched.lock import Grip


def is_held(folder: Folder) -> bool:
    """Whether somebody holds the workload lock; true when in doubt."""
    if lock.probe(folder.lock) is not Grip.FREE:
        return True
    return not folder.lock.exists() and bool(holders(folder))


def holders(folder: Folder) -> set[int]:
    """PIDs that hold the workload lock, as far as this user may see."""
    if folder.lock.exists():
        return set(process.holders(folder.lock))
    return process.locked_below(folder.kept).get(folder.lock.name, set())


def strangers(folder: Folder, among: Iterable[int]) -> set[int]:
    """Those of the PIDs that hold the lock of an attempt, or one of another cluster's.

    A task that calls jobsched may have started them; they are not its own.
    """
    root = folder.path.parent
    home, kept = root.parent, f"{root.name}/{kept_below(root).name}/"
    found: set[int] = set()
    for path, pids in process.locked_below(home, among).items():
        is_own = path.startswith(f"{kept}{folder.name}/")
        if path.startswith(("attempts/", kept)) and not is_own:
            found |= pids
    return found


def survivors(root: Path) -> dict[str, set[int]]:
    """Clusters below ``root`` whose workload lock was deleted, and which PIDs hold it all the same.

    Looks at every open file of the machine.
    """
    found: dict[str, set[int]] = {}
    for path, pids in process.locked_below(kept_below(root)).items():
        name, _, file = path.partition("/")
        folder = Folder(root / name)
        if valid_name(name) and file == folder.lock.name and not folder.lock.exists():
            found[name] = pids
    return found
