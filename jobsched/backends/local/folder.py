"""What a local cluster is on disk: the names of its files, and the facts stated at its making.

Owns the layout below ``clusters/`` and how small files in it are written. Judges nothing: what is
in the files is for the modules beside this one. What a task may do as it likes with lies apart from
what tells of it, so that a task that deletes or moves its own directory loses nothing but that.

    NAME/         the task's own
      workdir-N     node N: private copy of the working directory
      home-N        node N: private home, where a file mount needs one
    .kept/NAME/   what is known of it
      cluster.json  the facts; locked by a launcher while it launches
      lock          held by every process of the task: the workload lock; exists once a launch began
      setup, run    the task's programs
      record-N      node N: how it ended, who its runner is; locked by the runner while that lives
      lost          why the cluster was lost on purpose
    .fences/NAME  number of the attempt that may act, and whether the cluster was stopped; outlives
                  the cluster, until its job is DONE
"""

from __future__ import annotations

import errno
import json
import os
import re
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, field, fields
from functools import cached_property, lru_cache
from pathlib import Path
from typing import Final

from jobsched.models import Phase

#: What a cluster may be called: its name is a directory's.
_NAME: Final = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,199}")
#: Whose a cluster is: job, task, and how often that was launched.
_OF_TASK: Final = re.compile(r"([1-9][0-9]{0,17})-([0-9]{1,9})-[0-9]+")
_KEPT, _FENCES = ".kept", ".fences"


@dataclass(frozen=True, slots=True, kw_only=True)
class Facts:
    """Whose the cluster is and what room it holds. Amounts are per node; ``None``: none held."""

    job_id: int
    task_id: int
    attempt: int
    region: str
    candidate: int
    num_nodes: int
    created_at: float
    boot_id: str
    cpus: float | None = None
    memory_gib: float | None = None
    accelerators: Mapping[str, float] = field(default_factory=dict)
    #: For each node, the indexes of the declared accelerators that are its own.
    gpus: tuple[tuple[int, ...], ...] = ()


_FACTS: Final = tuple(one.name for one in fields(Facts))


@dataclass(frozen=True)
class Folder:
    """The directories of one cluster, which may or may not exist. ``path`` is the task's own.

    Each name is made once: to put paths together is a tenth of what a launch costs.
    """

    path: Path

    @cached_property
    def name(self) -> str:
        """The cluster's name."""
        return self.path.name

    @cached_property
    def kept(self) -> Path:
        """Where all lies that is known of the cluster."""
        return kept_below(self.path.parent) / self.name

    @cached_property
    def fence(self) -> Path:
        """The fence."""
        return fences_below(self.path.parent) / self.name

    @cached_property
    def facts_file(self) -> Path:
        """The facts; its lock is held while a launch is under way."""
        return self.kept / "cluster.json"

    @cached_property
    def lock(self) -> Path:
        """The workload lock."""
        return self.kept / "lock"

    @cached_property
    def lost(self) -> Path:
        """The note of a loss on purpose."""
        return self.kept / "lost"

    def program(self, phase: Phase) -> Path:
        """The text of ``setup`` or ``run``."""
        return self.kept / phase.value.lower()

    def record(self, node: int) -> Path:
        """The exit record of a node."""
        return self.kept / f"record-{node}"

    def workdir(self, node: int) -> Path:
        """The working directory of a node."""
        return self.path / f"workdir-{node}"

    def home(self, node: int) -> Path:
        """The private home of a node."""
        return self.path / f"home-{node}"

    def make(self) -> None:
        """Make the place for what is kept of it, where there is none."""
        make_place(self.path.parent, self.kept.parent)
        self.kept.mkdir(mode=0o700, exist_ok=True)

    def make_fence_place(self) -> None:
        """Make the place for its fence, where there is none."""
        make_place(self.path.parent, self.fence.parent)

    def facts(self) -> Facts | None:
        """The facts, or ``None`` where the cluster does not exist or was never quite made.

        Raises ``OSError`` where they cannot be read, or are no facts.
        """
        if self.kept.is_symlink():
            raise OSError(errno.ELOOP, "is a symbolic link", str(self.kept))
        try:
            raw = json.loads(self.facts_file.read_bytes())
            facts = Facts(**{**raw, "gpus": tuple(tuple(node) for node in raw["gpus"])})
        except (FileNotFoundError, NotADirectoryError):
            return None
        except (ValueError, TypeError, KeyError, RecursionError) as error:
            raise damaged(self.facts_file) from error
        if not _are_sound(facts):
            raise damaged(self.facts_file)
        return facts

    def guess(self) -> Facts | None:
        """Whose the cluster is, by its name alone, where the facts do not say; the rest is made up.

        ``None`` where the name does not say it either.
        """
        match = _OF_TASK.fullmatch(self.name)
        if match is None:
            return None
        try:
            created_at = self.kept.stat().st_mtime
        except OSError:
            created_at = 0.0
        return Facts(
            job_id=int(match[1]),
            task_id=int(match[2]),
            attempt=0,
            region="",
            candidate=0,
            num_nodes=1,
            created_at=created_at,
            boot_id="",
        )

    def write_facts(self, facts: Facts) -> None:
        """State the facts, all or nothing."""
        write(self.facts_file, json.dumps({name: getattr(facts, name) for name in _FACTS}))


@lru_cache(maxsize=64)
def folder_of(root: Path, name: str) -> Folder:
    """The cluster called ``name`` below ``root``, for one who asks for it again and again."""
    return Folder(root / name)


def _are_sound(facts: Facts) -> bool:
    """Whether they could have been written by us, as far as anything depends on it."""
    numbers = (facts.job_id, facts.task_id, facts.attempt, facts.candidate, facts.num_nodes)
    texts = (facts.region, facts.boot_id)
    amounts = (facts.created_at, facts.cpus or 0, facts.memory_gib or 0)
    return (
        all(isinstance(number, int) for number in numbers)
        and all(isinstance(text, str) for text in texts)
        and all(isinstance(amount, int | float) for amount in amounts)
        and isinstance(facts.accelerators, dict)
    )


def make_place(root: Path, place: Path) -> None:
    """Make a directory ``place`` in ``root``, and that, where they are not there yet.

    Returns only when they would survive a loss of power.
    """
    if not os.path.isdir(place):  # noqa: PTH112 -- of each launch, and nearly always there
        for path in (root, place):
            path.mkdir(mode=0o700, exist_ok=True)
            sync_directory(path.parent)


def kept_below(root: Path) -> Path:
    """The directory with one of each cluster that exists below ``root``."""
    return root / _KEPT


def fences_below(root: Path) -> Path:
    """The directory with the fences of all clusters below ``root``, of those that were, too."""
    return root / _FENCES


def names_below(root: Path) -> list[str]:
    """The names of all clusters that may exist below ``root``."""
    try:
        return [name for name in os.listdir(kept_below(root)) if valid_name(name)]  # noqa: PTH208 -- names alone
    except FileNotFoundError:
        return []


def damaged(path: Path) -> OSError:
    """What to raise where a file of ours holds something else."""
    return OSError(errno.EBADMSG, "does not hold what was written there", str(path))


def valid_name(name: str) -> bool:
    """Whether a cluster may be called ``name``."""
    return _NAME.fullmatch(name) is not None


def write(path: Path, text: str, *, sync: bool = False) -> None:
    """Put ``text`` into a file of mode 0600 at once, replacing what is there.

    ``sync``: return only when it would survive a loss of power.
    """
    draft = path.with_name(f".{path.name}.{os.getpid()}")
    flags = os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_NOFOLLOW | os.O_CLOEXEC
    try:
        with open(os.open(draft, flags, 0o600), "wb") as file:  # noqa: PTH123 -- a descriptor
            file.write(text.encode("utf-8", "surrogateescape"))
            if sync:
                file.flush()
                os.fsync(file.fileno())
        draft.replace(path)
    except OSError:
        with suppress(OSError):
            draft.unlink()
        raise
    if sync:
        sync_directory(path.parent)


def write_fresh(path: Path, text: str) -> None:
    """The same where nobody reads it before this returns: what is there is written over."""
    flags = os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_NOFOLLOW | os.O_CLOEXEC
    with open(os.open(path, flags, 0o600), "wb") as file:  # noqa: PTH123 -- a descriptor
        file.write(text.encode("utf-8", "surrogateescape"))


def sync_directory(path: Path) -> None:
    """Make what was created and renamed in a directory survive a loss of power."""
    descriptor = os.open(path, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
