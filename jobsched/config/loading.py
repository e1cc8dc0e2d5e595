"""Puts together what is in force: defaults < ``config.toml`` < ``JOBSCHED_<SECTION>_<KEY>``.

Owns that order and the words of a refusal: every error names the file and line, or the variable,
and all of them are told in one go. Writes nothing.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from itertools import takewhile
from pathlib import Path
from typing import Any, Final, NamedTuple

from jobsched.config.environment import RESERVED, environ
from jobsched.config.kinds import Fault, Unfit, did_you_mean, fit, nearest
from jobsched.config.settings import FILE, SETTINGS, Config, Setting
from jobsched.errors import ConfigError
from jobsched.home import Home

_VARIABLES: Final = {setting.variable: setting for setting in SETTINGS}


class Provenance(NamedTuple):
    """One setting as it is in force."""

    section: str
    key: str
    #: As ``config.toml`` would write it.
    value: object
    #: ``default``, ``config.toml``, or the name of an environment variable.
    whence: str


class Loaded(NamedTuple):
    """What can be used of the file and the overrides, and what cannot."""

    #: What cannot be used has its default.
    config: Config
    errors: tuple[ConfigError, ...]


def load(home: Home, variables: Mapping[str, str] | None = None) -> Config:
    """What is in force. Raises ``ConfigError`` saying what was expected where, of every mistake."""
    config, errors = load_what_can_be_used(home, variables)
    _require_none(errors)
    return config


def load_what_can_be_used(home: Home, variables: Mapping[str, str] | None = None) -> Loaded:
    """As :func:`load`, with the mistakes beside the rest instead of in its stead."""
    found = _gather(home, environ() if variables is None else variables)
    config, errors = _build(home, found)
    return Loaded(config, (*found.errors, *errors))


def provenance(home: Home, variables: Mapping[str, str] | None = None) -> list[Provenance]:
    """Every setting with its value and whence it comes. Raises ``ConfigError`` as ``load``."""
    found = _gather(home, environ() if variables is None else variables)
    _require_none([*found.errors, *_build(home, found)[1]])
    return [
        Provenance(
            setting.section,
            setting.key,
            found.raw.get(setting.section, {}).get(setting.key, setting.default),
            _whence(setting, found.raw, found.overrides),
        )
        for setting in SETTINGS
    ]


def _require_none(errors: Sequence[ConfigError]) -> None:
    """Raise one error that says all of them, a line each."""
    if errors:
        first = errors[0].where
        lines = "\n".join(str(error) for error in errors)
        raise ConfigError(first, lines.removeprefix(f"{first}: "))


def _whence(setting: Setting, raw: dict[str, Any], overrides: frozenset[str]) -> str:
    if setting.variable in overrides:
        return setting.variable
    return "config.toml" if setting.key in raw.get(setting.section, {}) else "default"


class _Gathered(NamedTuple):
    """The file with the overrides laid over it, unchecked."""

    raw: dict[str, Any]
    #: Names of variables.
    overrides: frozenset[str]
    #: Of what cannot even be read.
    errors: tuple[ConfigError, ...]


def _gather(home: Home, variables: Mapping[str, str]) -> _Gathered:
    raw: dict[str, Any] = {}
    overrides: set[str] = set()
    errors: list[ConfigError] = []
    try:
        raw = _read_file(home.config_file)
    except ConfigError as error:
        errors.append(error)
    for name, text in variables.items():
        try:
            if not _is_override(name):
                continue
            setting = _VARIABLES[name]
            value = _parse(setting, text)
        except ConfigError as error:
            errors.append(error)
            continue
        overrides.add(name)
        section = raw.setdefault(setting.section, {})
        if isinstance(section, dict):  # else the file is refused for it
            section[setting.key] = value
    return _Gathered(raw, frozenset(overrides), tuple(errors))


def _is_override(name: str) -> bool:
    """Whether the variable overrides a setting. Raises if it seems to be meant to and does not."""
    if name in _VARIABLES or not name.startswith("JOBSCHED_") or name in RESERVED:
        return name in _VARIABLES
    section = [variable for variable in _VARIABLES if name.startswith(_prefix(variable))]
    if section or nearest(name, _VARIABLES, likeness=0.9):
        raise ConfigError(name, f"there is no such key{did_you_mean(name, section or _VARIABLES)}")
    return False


def _prefix(variable: str) -> str:
    return f"JOBSCHED_{_VARIABLES[variable].section}_".upper()


def _parse(setting: Setting, text: str) -> object:
    if setting.kind.parse is None:
        where = f"[{setting.section}] {setting.key} in config.toml"
        raise ConfigError(setting.variable, f"a table cannot be given here; use {where}")
    try:
        return setting.kind.parse(text)
    except ValueError:
        expected = f"expected {setting.kind.expected}, found {text!r}"
        raise ConfigError(setting.variable, expected) from None


def _read_file(path: Path) -> dict[str, Any]:
    """The file as it is written; empty where there is none."""
    try:
        text = path.read_bytes().decode()
    except FileNotFoundError:
        return {}
    except OSError as error:
        raise ConfigError(str(path), f"cannot be read: {error.strerror}") from error
    except UnicodeDecodeError as error:
        raise ConfigError(str(path), f"not UTF-8 at byte {error.start}") from error
    import tomllib  # noqa: PLC0415 - most homes have no such file

    try:
        return tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        line = re.search(r"line (\d+)", str(error))
        where = f"{path}:{line[1] if line else text.count(chr(10)) + 1}"
        raise ConfigError(where, f"not TOML: {error}") from error


def _build(home: Home, found: _Gathered) -> tuple[Config, list[ConfigError]]:
    """The settings, and a refusal of each that was left at its default for it."""
    try:
        config: Config = fit(FILE, found.raw)
    except Unfit as unfit:
        faults = unfit.faults
    else:
        return config, []
    refusals = [_refusal(home, fault, found.overrides) for fault in faults]
    errors = [error for _, error in sorted(refusals, key=lambda refusal: refusal[0])]
    for fault in faults:
        _take_out(found.raw, fault.path)
    config, more = _build(home, found)
    return config, errors + more


def _refusal(home: Home, fault: Fault, overrides: frozenset[str]) -> tuple[int, ConfigError]:
    """The line in the file, 0 for a variable, and the error that names it."""
    variable = f"JOBSCHED_{'_'.join(fault.path[:2])}".upper()
    if variable in overrides:
        return 0, ConfigError(variable, fault.message)
    line = _line_of(home.config_file, fault.path)
    message = f"{'.'.join(fault.path)}: {fault.message}"
    return line, ConfigError(f"{home.config_file}:{line}", message)


def _take_out(raw: dict[str, Any], path: tuple[str, ...]) -> None:
    """Delete what ``path`` leads to; done twice, it is gone all the same."""
    *above, last = path
    inside: Any = raw
    for key in above:
        inside = inside.get(key, {})
    inside.pop(last, None)


def _line_of(path: Path, keys: tuple[str, ...]) -> int:
    """The line that names most of ``keys``, by a look at headers and keys; the first if none."""
    table: tuple[str, ...] = ()
    best, best_line = 0, 1
    for number, line in enumerate(path.read_text(errors="replace").splitlines(), start=1):
        if header := re.match(r"\s*\[+([^\]]+)\]", line):
            table = named = _split(header[1])
        elif key := re.match(r"\s*([^=#]+)=", line):
            named = (*table, *_split(key[1]))
        else:
            continue
        same = takewhile(lambda pair: pair[0] == pair[1], zip(named, keys, strict=False))
        common = len(list(same))
        if common > best:
            best, best_line = common, number
    return best_line


def _split(dotted: str) -> tuple[str, ...]:
    return tuple(a or b or c for a, b, c in re.findall(r'"([^"]*)"|\'([^\']*)\'|([^\s.]+)', dotted))
