"""What a local cluster is on disk: the names of its files, and the facts stated at its making.

Owns the layout of one directory below ``clusters/`` and how small files in it are written. Judges
nothing: what is in the files is for the modules beside this one.

    cluster.json  the facts; locked by a launcher while it launches
    fence         number of the attempt that may act, and whether the cluster was stopped
    lock          held by every process of the task: the workload lock; exists once a launch began
    setup, run    the task's programs
    record-N      node N: how it ended, who its runner is; locked by the runner while that lives
    workdir-N     node N: private copy of the working directory
    home-N        node N: private home, where a file mount needs one
    lost          why the cluster was lost on purpose
"""

from __future__ import annotations

import json
import os
import re
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Final

from jobsched.models import Phase

#: What a cluster may be called: its name is a directory's.
_NAME: Final = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,199}")


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


@dataclass(frozen=True, slots=True)
class Folder:
    """The directory of one cluster, which may or may not exist."""

    path: Path

    @property
    def name(self) -> str:
        """The cluster's name."""
        return self.path.name

    @property
    def facts_file(self) -> Path:
        """The facts; its lock is held while a launch is under way."""
        return self.path / "cluster.json"

    @property
    def fence(self) -> Path:
        """The fence."""
        return self.path / "fence"

    @property
    def lock(self) -> Path:
        """The workload lock."""
        return self.path / "lock"

    @property
    def lost(self) -> Path:
        """The note of a loss on purpose."""
        return self.path / "lost"

    def program(self, phase: Phase) -> Path:
        """The text of ``setup`` or ``run``."""
        return self.path / phase.value.lower()

    def record(self, node: int) -> Path:
        """The exit record of a node."""
        return self.path / f"record-{node}"

    def workdir(self, node: int) -> Path:
        """The working directory of a node."""
        return self.path / f"workdir-{node}"

    def home(self, node: int) -> Path:
        """The private home of a node."""
        return self.path / f"home-{node}"

    def facts(self) -> Facts | None:
        """The facts, or ``None`` where the cluster does not exist or was never quite made."""
        try:
            raw = json.loads(self.facts_file.read_bytes())
        except (FileNotFoundError, NotADirectoryError, ValueError):
            return None
        return Facts(**{**raw, "gpus": tuple(tuple(node) for node in raw["gpus"])})

    def write_facts(self, facts: Facts) -> None:
        """State the facts, all or nothing."""
        write(self.facts_file, json.dumps(asdict(facts)))


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


def sync_directory(path: Path) -> None:
    """Make what was created and renamed in a directory survive a loss of power."""
    descriptor = os.open(path, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
