"""What goes into judging a DAG file beside its text, and what comes out. Values only."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from types import MappingProxyType
from typing import Final, Literal

from jobsched.errors import Problem
from jobsched.models import DEFAULT_STRATEGY, DagSpec

#: What the file is judged for: ``validate`` only warns where ``submit`` needs a thing to be there.
Mode = Literal["submit", "validate"]

#: The recovery strategies that come with jobsched.
STRATEGIES: Final = (DEFAULT_STRATEGY, "FAILOVER", "NONE")
#: Names that strategies had before, to what they are called now.
RENAMED_STRATEGIES: Final = MappingProxyType({"EAGER_FAILOVER": DEFAULT_STRATEGY})


@dataclass(frozen=True, slots=True, kw_only=True)
class Settings:
    """The arguments of :func:`jobsched.dag.parse`, which describes them."""

    source: str
    stem: str
    name: str | None
    task_names: Sequence[str] | None
    envs: Mapping[str, str]
    secrets: Mapping[str, str] = field(repr=False)
    cwd: Path
    user_home: Path
    mode: Mode
    strategies: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class TaskPlaces:
    """Where a file describes what a task needs, as line and column: for what others say of it."""

    #: The task's ``resources``, or its document where it has none.
    resources: tuple[int, int]
    #: Of each of its ``file_mounts``, in their order.
    mounts: tuple[tuple[int, int], ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class LoadedDag:
    """A DAG file that was accepted."""

    spec: DagSpec
    #: Task id to secret name to value, for every secret whose value is known. Never stored with
    #: the rest.
    secrets: Mapping[int, Mapping[str, str]] = field(repr=False)
    #: The text as submitted, each inline secret value replaced by ``null``; else byte for byte.
    yaml: str
    warnings: tuple[Problem, ...]
    #: By task id; empty where no file was read.
    places: tuple[TaskPlaces, ...] = ()
