"""The environment of a task: ``envs``, and ``secrets`` with their values kept apart.

Owns how a value becomes text, and that no message ever shows the value of a secret.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

from jobsched.dag.documents import Document
from jobsched.dag.explain import label
from jobsched.dag.fields import VARIABLE
from jobsched.dag.loaded import Settings
from jobsched.dag.report import TOP, Place, Report
from jobsched.dag.shapes import TaskShape
from jobsched.dag.words import describe, shown

_NAMING: Final = "letters, digits and _, not beginning with a digit"


@dataclass(frozen=True, slots=True)
class Secrets:
    """The secrets of one task."""

    #: In the order of the file, then those of the arguments.
    names: tuple[str, ...]
    #: Of those whose value is known.
    values: Mapping[str, str]
    #: Where the file spells a value out.
    inline: tuple[Place, ...]


def check_arguments(settings: Settings, report: Report) -> None:
    """Report names and values given beside the file that no environment can hold."""
    for kind, given in (("env", settings.envs), ("secret", settings.secrets)):
        for name, value in given.items():
            if not VARIABLE.fullmatch(name):
                report.error(TOP, f"--{kind}: {shown(name)} cannot name a variable", _NAMING)
            elif "\0" in value or any("\ud800" <= c <= "\udfff" for c in value):
                report.error(TOP, f"--{kind}: the value of {shown(name)} is not UTF-8 text")
    for name in settings.envs:
        if name in settings.secrets:
            message = (
                f"--env: {shown(name)} is given as a secret too, and an env is stored in clear"
            )
            report.error(TOP, message, "keep one of the two")


def envs(
    task: TaskShape, document: Document, given: Mapping[str, str], report: Report
) -> dict[str, str]:
    """The task's variables; ``given`` ones count over the file's."""
    values: dict[str, str] = {}
    for name, value in (task.envs or {}).items():
        if not VARIABLE.fullmatch(name):
            message = f"envs: {shown(name)} cannot name a variable"
            report.error(document.at_key("envs", name), message, _NAMING)
        elif name not in given and value is None:
            message = f"envs: {name} has no value"
            hint = f'give it with --env {name}=..., or write "" for an empty one'
            report.error(document.at("envs", name), message, hint)
        elif name not in given:
            values[name] = _as_text(name, value, document, report)
    return {**values, **given}


def _as_text(name: str, value: object, document: Document, report: Report) -> str:
    """``value`` as the variable's text, with a warning if that is not what the file shows."""
    text = str(value)
    if not isinstance(value, str) and text != document.written("envs", name):
        message = f"envs: {name} becomes {shown(text)}, as YAML reads it"
        report.warn(document.at("envs", name), message, "quote the value to keep it as written")
    return text


def secrets(task: TaskShape, document: Document, settings: Settings, report: Report) -> Secrets:
    """The task's secrets; those of the arguments count over the file's.

    One that the arguments give as an env is refused: envs are stored, and shown, in clear.
    """
    given = settings.secrets
    names: dict[str, None] = {}
    values: dict[str, str] = {}
    inline: list[Place] = []
    for key, name, value in _entries(task.secrets, document, report):
        names[name] = None
        if name in settings.envs and name not in given:
            message = f"secrets: {name} is given with --env, which stores it in clear"
            hint = f"set it in your environment and give --secret {name}, or use --secret-file"
            report.error(document.at("secrets", key), message, hint)
        elif value is not None:
            values[name] = str(value)
            inline.append(document.at("secrets", key))
            if not isinstance(value, str) and str(value) != document.written("secrets", key):
                message = f"secrets: {name} is not taken as it is written but as YAML reads it"
                report.warn(document.at("secrets", key), message, "quote the value")
        elif name not in given:
            message = f"secrets: {name} has no value"
            hint = f"set it in your environment and give --secret {name}"
            report.unmet(document.at("secrets", key), message, hint)
    for place in inline:
        if any(place.touches(anchored) for anchored in document.anchored):
            message = "secrets: a value cannot be part of an anchor, which could show it elsewhere"
            report.error(place, message, "write the secret without & and *")
    return Secrets((*names, *(n for n in given if n not in names)), {**values, **given}, (*inline,))


def _entries(
    written: Any, document: Document, report: Report
) -> list[tuple[str | int, str, str | int | float | None]]:
    """Key in the file, name and value of each secret; shows no values, nor what may hold one."""
    match written:
        case None:
            return []
        case dict():
            pairs: list[tuple[str | int, Any, Any]] = [(n, n, v) for n, v in written.items()]
        case list():
            pairs = [(index, name, None) for index, name in enumerate(written)]
        case _:
            message = "secrets: expected NAME: VALUE lines or a list of names"
            report.error(document.at("secrets"), message)
            return []
    entries = []
    for key, name, value in pairs:
        bare = name.removeprefix("secrets:") if isinstance(name, str) else ""
        place = document.at("secrets", key)
        if not VARIABLE.fullmatch(bare):
            report.error(place, f"{label(('secrets', key))[:40]}: no name of a variable", _NAMING)
        elif isinstance(value, dict | list):
            report.error(place, f"secrets: expected text for {bare}, found {describe(value)}")
        else:
            entries.append((key, bare, value))
    return entries
