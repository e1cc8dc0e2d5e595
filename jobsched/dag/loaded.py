"""What goes into judging a DAG file beside its text, and what comes out. Values only."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final, Literal

from jobsched.errors import Problem
from jobsched.models import DEFAULT_STRATEGY, DagSpec

#: What the file is judged for: ``validate`` only warns where ``submit`` needs a thing to be there.
Mode = Literal["submit", "validate"]

#: The recovery strategies that come with jobsched.
STRATEGIES: Final = (DEFAULT_STRATEGY, "FAILOVER", "NONE")


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
class LoadedDag:
    """A DAG file that was accepted."""

    spec: DagSpec
    #: Task id to secret name to value, for every secret whose value is known. Never stored with
    #: the rest.
    secrets: Mapping[int, Mapping[str, str]] = field(repr=False)
    #: The text as submitted, each inline secret value replaced by ``null``; else byte for byte.
    yaml: str
    warnings: tuple[Problem, ...]
