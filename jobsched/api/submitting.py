"""From files, or from text that stands for one, to new jobs: all of them or none.

Owns what is told of each file. A text is judged and submitted as if it were the content of the file
that it is said to be, which need not be there: what an editor holds and nobody has saved.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TypeAlias

from jobsched import config as settings
from jobsched import dag as dags
from jobsched.api.foresight import foresee
from jobsched.context import Context
from jobsched.dag import LoadedDag, Mode
from jobsched.dag.reading import read_text
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
    judged = [_judge(file, given, "submit", context) for file in files]
    problems = [problem for _, found in judged for problem in found]
    if problems:
        raise InvalidDag(problems)
    return _store(
        context,
        [(file, dag) for file, (dag, _) in zip(files, judged, strict=True) if dag is not None],
        given,
    )


def submit_text(
    context: Context, text: str, file: Path, given: Given, *, copies: int = 1
) -> list[Submitted]:
    """Submit ``text`` as if ``file`` held it, ``copies`` times, all or none.

    Raises ``InvalidDag``, or ``NotFound`` for an id in ``given.after``.
    """
    dag, problems = _judge_text(text, file, given, "submit", context)
    if dag is None:
        raise InvalidDag(problems)
    return _store(context, [(file, dag)] * copies, given)


def _store(
    context: Context, loaded: Sequence[tuple[Path, LoadedDag]], given: Given
) -> list[Submitted]:
    env = submission.stored_env(context)
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


def validate(context: Context, files: Sequence[Path], given: Given) -> list[FileReport]:
    """Judge files without storing anything."""
    return [_report(file, _judge(file, given, "validate", context)) for file in files]


def validate_text(
    text: str, file: Path, given: Given, *, mode: Mode = "validate", context: Context | None = None
) -> FileReport:
    """Judge ``text`` as if ``file`` held it; for ``mode`` "submit" as :func:`submit_text` would.

    ``context``: whose backend is asked what it cannot do; ``None``: none is.
    """
    return _report(file, _judge_text(text, file, given, mode, context))


def read(file: Path) -> str:
    """The text of a file that may be a DAG: regular, not too large, UTF-8. Never waits.

    Raises ``InvalidDag``.
    """
    return read_text(file)


_Judged: TypeAlias = tuple[LoadedDag | None, tuple[Problem, ...]]


def _report(file: Path, judged: _Judged) -> FileReport:
    dag, problems = judged
    if dag is None:
        return FileReport(file, None, problems)
    return FileReport(file, dag.spec, (), dag.warnings)


def _judge_text(
    text: str, file: Path, given: Given, mode: Mode, context: Context | None
) -> _Judged:
    """The DAG, or else what is wrong with the text, as of this process's directory and HOME."""
    try:
        dag = dags.parse(
            text, source=str(file), stem=file.stem, name=given.name, envs=given.envs,
            secrets=given.secrets, cwd=Path.cwd(),
            user_home=Path(settings.environ().get("HOME") or "/"), mode=mode,
        )  # fmt: skip
    except InvalidDag as invalid:
        return None, invalid.problems
    return dag if context is None else _with_foresight(context, dag, file), ()


def _judge(file: Path, given: Given, mode: Mode, context: Context) -> _Judged:
    """The DAG, or else what is wrong with the file."""
    try:
        dag = submission.load(
            file, name=given.name, envs=given.envs, secrets=given.secrets, mode=mode
        )
    except InvalidDag as invalid:
        return None, invalid.problems
    return _with_foresight(context, dag, file), ()


def _with_foresight(context: Context, dag: LoadedDag, file: Path) -> LoadedDag:
    """``dag``, warning also of what the backend cannot do."""
    warnings = [*dag.warnings, *foresee(context, dag, str(file))]
    return replace(dag, warnings=tuple(sorted(warnings, key=lambda one: (one.line, one.column))))
