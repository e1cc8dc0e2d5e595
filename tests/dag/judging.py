"""How the tests of this folder judge a text, and how they write down what they expect."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

import pytest

from jobsched import dag
from jobsched.dag import LoadedDag, Mode
from jobsched.errors import InvalidDag, Problem
from jobsched.models import TaskSpec

NOWHERE = Path("/nonexistent")


def judge(
    text: str,
    *,
    source: str = "file.yaml",
    stem: str = "file",
    name: str | None = None,
    task_names: Sequence[str] | None = None,
    envs: Mapping[str, str] | None = None,
    secrets: Mapping[str, str] | None = None,
    cwd: Path = NOWHERE,
    user_home: Path = NOWHERE / "home",
    mode: Mode = "validate",
) -> LoadedDag:
    """``text`` as the file ``source``."""
    return dag.parse(
        text,
        source=source,
        stem=stem,
        name=name,
        task_names=task_names,
        envs=envs or {},
        secrets=secrets or {},
        cwd=cwd,
        user_home=user_home,
        mode=mode,
    )


def only_task(text: str, **settings: str) -> TaskSpec:
    """The single task of ``text``, which is accepted."""
    (task,) = judge(text, **settings).spec.tasks  # type: ignore[arg-type] # names and stems
    return task


def errors(text: str, **settings: object) -> list[str]:
    """The errors for which ``text`` is refused, each as ``line:column: message (hint)``."""
    with pytest.raises(InvalidDag) as caught:
        judge(text, **settings)  # type: ignore[arg-type] # whatever judge takes
    return _short(caught.value.problems)


def warnings(text: str, **settings: object) -> list[str]:
    """The warnings with which ``text`` is accepted, written like errors."""
    return _short(judge(text, **settings).warnings)  # type: ignore[arg-type] # as above


def _short(problems: Sequence[Problem]) -> list[str]:
    assert {problem.file for problem in problems} <= {"file.yaml"}
    return [str(problem).removeprefix("file.yaml:") for problem in problems]
