"""From files to new jobs: all of them or none.

Owns what is told of each file.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from jobsched.context import Context
from jobsched.dag import LoadedDag, Mode
from jobsched.errors import InvalidDag, Problem
from jobsched.models import DagSpec
from jobsched.scheduler import submission


@dataclass(frozen=True, slots=True)
class Submitted:
    """A job that was just submitted, and what its file made us warn of."""

    job_id: int
    name: str
    warnings: tuple[Problem, ...] = ()


@dataclass(frozen=True, slots=True)
class FileReport:
    """What is to be said of one file. ``spec`` is ``None`` where there are problems."""

    file: Path
    spec: DagSpec | None
    problems: tuple[Problem, ...] = ()
    warnings: tuple[Problem, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Given:
    """What the submitter says beside the files; the same for all of them."""

    #: Of the jobs, whatever the files say.
    name: str | None = None
    envs: Mapping[str, str] = field(default_factory=dict)
    secrets: Mapping[str, str] = field(default_factory=dict, repr=False)
    priority: int | None = None
    after: Sequence[int] = ()
    hold: bool = False


def submit(context: Context, files: Sequence[Path], given: Given) -> list[Submitted]:
    """Submit each file as a job, all or none. Raises ``InvalidDag`` with all their problems."""
    judged = [_judge(file, given, "submit") for file in files]
    problems = [problem for _, found in judged for problem in found]
    if problems:
        raise InvalidDag(problems)
    env = submission.stored_env(context)
    loaded = [(file, dag) for file, (dag, _) in zip(files, judged, strict=True) if dag is not None]
    ids = submission.submit_new(
        context,
        [
            submission.Submission(
                loaded=dag, source=str(file), priority=given.priority, after=given.after,
                hold=given.hold, env=env,
            )
            for file, dag in loaded
        ],
    )  # fmt: skip
    return [
        Submitted(job_id, dag.spec.name, dag.warnings)
        for job_id, (_, dag) in zip(ids, loaded, strict=True)
    ]


def validate(files: Sequence[Path], given: Given) -> list[FileReport]:
    """Judge files without storing anything."""
    reports = []
    for file in files:
        dag, problems = _judge(file, given, "validate")
        if dag is None:
            reports.append(FileReport(file, None, problems))
        else:
            reports.append(FileReport(file, dag.spec, (), dag.warnings))
    return reports


def _judge(file: Path, given: Given, mode: Mode) -> tuple[LoadedDag | None, tuple[Problem, ...]]:
    """The DAG, or else what is wrong with the file."""
    try:
        dag = submission.load(
            file, name=given.name, envs=given.envs, secrets=given.secrets, mode=mode
        )
    except InvalidDag as invalid:
        return None, invalid.problems
    return dag, ()
