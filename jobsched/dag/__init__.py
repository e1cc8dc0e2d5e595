"""From YAML text to :class:`jobsched.models.DagSpec`: all errors of a file at once, each located.

Owns the DAG file format. Judges the file alone: it knows no backend, reads no environment, clock or
database, and of the disk only the file itself and whether the local paths it names exist. Importing
this package is cheap; yaml and pydantic are loaded by the first call that needs them.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from types import MappingProxyType
from typing import Any, Final

from jobsched.dag.durations import parse_duration
from jobsched.dag.loaded import STRATEGIES, LoadedDag, Mode, Settings

__all__ = ["STRATEGIES", "LoadedDag", "Mode", "load", "parse", "parse_duration", "schema"]

_NONE: Final[Mapping[str, str]] = MappingProxyType({})


def load(
    path: Path,
    *,
    name: str | None = None,
    task_names: Sequence[str] | None = None,
    envs: Mapping[str, str] = _NONE,
    secrets: Mapping[str, str] = _NONE,
    cwd: Path,
    user_home: Path,
    mode: Mode,
    strategies: tuple[str, ...] = STRATEGIES,
) -> LoadedDag:
    """Read and judge the file at ``path``: a regular file of at most 256 KiB, UTF-8.

    Takes the arguments of :func:`parse`; messages call the file what ``path`` calls it, and a job
    without a name is named after its stem. Never waits, whatever ``path`` is; raises
    ``InvalidDag``.
    """
    from jobsched.dag.reading import read_text  # noqa: PLC0415 - see the module's docstring

    return parse(
        read_text(path),
        source=str(path),
        stem=path.stem,
        name=name,
        task_names=task_names,
        envs=envs,
        secrets=secrets,
        cwd=cwd,
        user_home=user_home,
        mode=mode,
        strategies=strategies,
    )


def parse(
    text: str,
    *,
    source: str,
    stem: str,
    name: str | None = None,
    task_names: Sequence[str] | None = None,
    envs: Mapping[str, str] = _NONE,
    secrets: Mapping[str, str] = _NONE,
    cwd: Path,
    user_home: Path,
    mode: Mode,
    strategies: tuple[str, ...] = STRATEGIES,
) -> LoadedDag:
    """Judge ``text``; raises ``InvalidDag`` with every problem, in the order of the file.

    ``source``: what messages call the file. ``stem``: the job's name if nothing else gives one.
    ``name``: the job's name, whatever the file says. ``task_names``: by position, what tasks are
    called that the file leaves unnamed; whether the others fit is the caller's to compare.
    ``envs``, ``secrets``: values for every task, over the file's. ``cwd``: where relative paths
    start. ``user_home``: what ``~`` is. ``mode``: for ``"validate"`` a missing local path or secret
    value is a warning, for ``"submit"`` an error. ``strategies``: the names that ``job_recovery``
    may give, in capitals.
    """
    from jobsched.dag.parsing import parse_text  # noqa: PLC0415 - see the module's docstring

    settings = Settings(
        source=source,
        stem=stem,
        name=name,
        task_names=task_names,
        envs=envs,
        secrets=secrets,
        cwd=cwd,
        user_home=user_home,
        mode=mode,
        strategies=strategies,
    )
    return parse_text(text, settings)


def schema() -> dict[str, Any]:
    """The JSON Schema of one document of a DAG file (header or task), for editors."""
    from jobsched.dag.shapes import json_schema  # noqa: PLC0415 - see the module's docstring

    return json_schema()
