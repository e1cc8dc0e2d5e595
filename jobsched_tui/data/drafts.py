"""A job that is being written: its text and what is said beside it, judged while it is typed.

Owns the draft, the form of what is typed into its fields, and where it is kept between two tries.
The text is judged by the library alone; secrets are kept nowhere.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum, unique
from pathlib import Path
from typing import Any, Final

from jobsched.api import Scheduler, Submitted, submitting
from jobsched.api.submitting import Given
from jobsched.errors import InvalidDag, InvalidInput, Problem
from jobsched.models import DagSpec
from jobsched_tui.data.actions import PRIORITIES
from jobsched_tui.data.files import expanded

#: Jobs that one draft makes at most.
MOST_COPIES: Final = 1000
#: What a draft is called that was not read from a file.
UNNAMED: Final = "untitled.yaml"

_NAME: Final = re.compile("[A-Za-z_][A-Za-z0-9_]*")
_WHOLE: Final = re.compile("[+-]?[0-9]{1,9}")


@dataclass(frozen=True, slots=True, kw_only=True)
class Draft:
    """What somebody has typed so far, as typed."""

    path: str = ""
    text: str = ""
    #: The file's text when it was read; ``None``: no file was.
    read: str | None = None
    #: ``NAME=VALUE``, a line each.
    envs: str = ""
    secrets: str = field(default="", repr=False)
    priority: str = ""
    copies: str = "1"
    hold: bool = False

    @property
    def file(self) -> Path:
        """What the text is judged as the content of."""
        return expanded(self.path.strip() or UNNAMED)

    @property
    def is_edited(self) -> bool:
        """Whether the text is not what the file holds."""
        return self.text != self.read

    @property
    def is_empty(self) -> bool:
        """Whether nothing of it would be missed."""
        return not self.text.strip() and not self.path.strip()


@unique
class Severity(StrEnum):
    """Whether a finding keeps the text from being submitted."""

    ERROR = "error"
    WARNING = "warning"


@dataclass(frozen=True, slots=True, kw_only=True)
class Finding:
    """One thing to be said of a text. Lines and columns count from 1; line 0: not in the text."""

    line: int
    column: int
    severity: Severity
    message: str
    suggestion: str = ""


@dataclass(frozen=True, slots=True)
class Report:
    """Everything that is to be said of a text; ``dag`` where it could be understood."""

    findings: tuple[Finding, ...] = ()
    dag: DagSpec | None = None

    @property
    def errors(self) -> int:
        """How many findings keep it from being submitted."""
        return sum(one.severity is Severity.ERROR for one in self.findings)

    @property
    def warnings(self) -> int:
        """How many are only worth knowing."""
        return len(self.findings) - self.errors


def check(
    text: str,
    path: Path,
    envs: Mapping[str, str],
    secrets: Mapping[str, str],
    door: Scheduler | None = None,
) -> Report:
    """Judge ``text`` as what is submitted from ``path``; stores nothing, never raises.

    With a ``door`` it is said, too, what its backend cannot do. What only a submission needs (a
    secret's value, a local file) is an error here, too, but does not hide the tasks.
    """
    try:
        given = Given(envs=envs, secrets=secrets)
        return _check(text, path, given, None if door is None else door.context)
    except OSError as error:
        return Report((_of_fields(f"the current directory: {error.strerror}"),))


def _check(text: str, path: Path, given: Given, context: Any) -> Report:
    found = submitting.validate_text(text, path, given, mode="submit", context=context)
    if found.spec is not None:
        return Report(_findings(found.warnings, Severity.WARNING), found.spec)
    errors = _findings(found.problems, Severity.ERROR)
    lenient = submitting.validate_text(text, path, given, context=context)
    known = {(one.line, one.column, one.message) for one in errors}
    warnings = [
        one
        for one in _findings(lenient.warnings, Severity.WARNING)
        if (one.line, one.column, one.message) not in known
    ]
    in_order = sorted([*errors, *warnings], key=lambda one: (one.line, one.column))
    return Report(tuple(in_order), lenient.spec)


def _findings(problems: tuple[Problem, ...], severity: Severity) -> tuple[Finding, ...]:
    return tuple(
        Finding(
            line=one.line, column=one.column, severity=severity, message=one.message,
            suggestion=one.hint,
        )
        for one in problems
    )  # fmt: skip


@dataclass(frozen=True, slots=True, kw_only=True)
class Options:
    """What a draft's fields mean; ``findings`` for those that mean nothing."""

    envs: Mapping[str, str] = field(default_factory=dict)
    secrets: Mapping[str, str] = field(default_factory=dict, repr=False)
    #: ``None``: the file's own.
    priority: int | None = None
    copies: int = 1
    findings: tuple[Finding, ...] = ()


def read_options(draft: Draft) -> Options:
    """What is said beside the text. Messages never show a value, since it may be a secret."""
    findings: list[Finding] = []
    envs = _variables("env", draft.envs, findings)
    secrets = _variables("secret", draft.secrets, findings)
    priority = _number(draft.priority)
    if draft.priority.strip() and priority not in PRIORITIES:
        findings.append(_of_fields("priority: expected a number from -1000 to 1000, or nothing"))
    copies = _number(draft.copies)
    if copies is None or not 1 <= copies <= MOST_COPIES:
        findings.append(_of_fields(f"copies: expected a number from 1 to {MOST_COPIES}"))
        copies = 1
    return Options(
        envs=envs, secrets=secrets, priority=priority, copies=copies, findings=tuple(findings)
    )


def _variables(what: str, text: str, findings: list[Finding]) -> dict[str, str]:
    found: dict[str, str] = {}
    for number, line in enumerate(text.split("\n"), start=1):
        name, given, value = line.partition("=")
        name = name.strip()
        if not line.strip():
            continue
        if not given or not _NAME.fullmatch(name):
            say = f"{what}, line {number}: expected NAME=VALUE; a name is letters, digits and _"
            findings.append(_of_fields(say))
        else:
            found[name] = value
    return found


def _number(typed: str) -> int | None:
    word = typed.strip()
    return int(word) if _WHOLE.fullmatch(word) else None


def _of_fields(message: str) -> Finding:
    return Finding(line=0, column=0, severity=Severity.ERROR, message=message)


def read(path: Path) -> str:
    """The text of a file. Raises ``InvalidInput``, in the library's words."""
    try:
        return submitting.read(path)
    except InvalidDag as invalid:
        raise InvalidInput(f"{path}: {invalid.problems[0].message}") from invalid


def submit(door: Scheduler, draft: Draft) -> list[Submitted]:
    """Submit it, as often as it says; all or none.

    What is submitted is the text that was looked at, not what its file may hold by now. Raises what
    ``Scheduler.submit`` does, and ``InvalidInput`` for fields that mean nothing.
    """
    options = read_options(draft)
    if options.findings:
        raise InvalidInput("\n".join(one.message for one in options.findings))
    given = Given(
        envs=options.envs, secrets=options.secrets, priority=options.priority, hold=draft.hold
    )
    return submitting.submit_text(
        door.context, draft.text, draft.file, given, copies=options.copies
    )
