"""``--env``, ``--secret`` and their files: from words and lines to names and values.

Owns the form of a variables file. No message shows a value, since it may be a secret.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Final

from jobsched.errors import InvalidInput, Problem

_NAME: Final = re.compile("[A-Za-z_][A-Za-z0-9_]*")
_COMMENT: Final = re.compile(r"(?:^|\s+)#.*")
_ESCAPE: Final = re.compile(r"\\(.)")
_ESCAPED: Final = {"n": "\n", "t": "\t", "r": "\r"}
_DOUBLE: Final = re.compile(r'"((?:[^"\\]|\\.)*)"')
_SINGLE: Final = re.compile(r"'([^']*)'")
_LARGEST: Final = 1024 * 1024


def envs(words: Sequence[str], file: str | None, environ: Mapping[str, str]) -> dict[str, str]:
    """What ``--env K=V``, ``--env K`` and ``--env-file`` give; words count over the file.

    Raises ``InvalidInput`` with everything that is wrong.
    """
    return _gather("--env", words, file, environ, _env)


def secrets(words: Sequence[str], file: str | None, environ: Mapping[str, str]) -> dict[str, str]:
    """What ``--secret K`` and ``--secret-file`` give; words count over the file.

    Raises ``InvalidInput`` with everything that is wrong, ``--secret K=V`` among it.
    """
    return _gather("--secret", words, file, environ, _secret)


_Reader = Callable[[str, Mapping[str, str]], tuple[str, str]]


def _gather(
    option: str, words: Sequence[str], file: str | None, environ: Mapping[str, str], read: _Reader
) -> dict[str, str]:
    found = {} if file is None else read_file(file)
    wrong: list[str] = []
    for word in words:
        try:
            name, value = read(word, environ)
        except ValueError as error:
            wrong.append(f"{option} {error}")
        else:
            found[name] = value
    if wrong:
        raise InvalidInput("\n".join(wrong))
    return found


def _env(word: str, environ: Mapping[str, str]) -> tuple[str, str]:
    name, given, value = word.partition("=")
    if not _NAME.fullmatch(name):
        raise ValueError(_bad_name(name))
    if given:
        return name, value
    if name not in environ:
        raise ValueError(f"{name}: not set in your environment; set it, or give --env {name}=VALUE")
    return name, environ[name]


def _secret(word: str, environ: Mapping[str, str]) -> tuple[str, str]:
    name, given, _ = word.partition("=")
    if given:
        raise ValueError(
            f"{name[:40]}=...: refused, because everybody on this machine can see the arguments of"
            f" a program; set {name[:40]} in your environment and give --secret {name[:40]},"
            " or use --secret-file"
        )
    if not _NAME.fullmatch(name):
        raise ValueError(_bad_name(name))
    if name not in environ:
        raise ValueError(f"{name}: not set in your environment; set it, or use --secret-file")
    return name, environ[name]


def _bad_name(name: str) -> str:
    return (
        f"{name[:40]!r}: no name of a variable, which is letters, digits and _,"
        " not beginning with a digit"
    )


def read_file(path: str) -> dict[str, str]:
    r"""The variables of a file; a later line counts over an earlier one.

    A line is ``KEY=VALUE`` (``export KEY=VALUE`` too), empty, or a comment after ``#``. A value in
    single quotes is taken as it stands, one in double quotes knows ``\n``, ``\t``, ``\r``,
    ``\"`` and ``\\``; one without quotes ends before a blank and ``#``. Raises ``InvalidInput``
    with every problem, as ``file:line:column``.
    """
    try:
        with Path(path).open("rb") as file:
            content = file.read(_LARGEST + 1)
        text = content.decode("utf-8-sig")
    except OSError as error:
        raise InvalidInput(f"{path}: {error.strerror}") from error
    except UnicodeDecodeError as error:
        raise InvalidInput(f"{path}: not UTF-8 at byte {error.start}") from None
    if len(content) > _LARGEST:
        raise InvalidInput(f"{path}: larger than 1 MiB; is it a file of KEY=VALUE lines?")
    return _read_lines(path, text.split("\n"))


def _read_lines(path: str, lines: Iterable[str]) -> dict[str, str]:
    found: dict[str, str] = {}
    problems: list[Problem] = []
    for number, line in enumerate(lines, start=1):
        text = line.strip()
        if not text or text.startswith("#"):
            continue
        try:
            name, value = _read_line(text.removeprefix("export "))
        except ValueError as error:
            problems.append(Problem(path, number, 1, str(error)))
        else:
            found[name] = value
    if problems:
        raise InvalidInput("\n".join(str(problem) for problem in problems))
    return found


def _read_line(text: str) -> tuple[str, str]:
    name, given, rest = text.partition("=")
    name = name.strip()
    if not given:
        raise ValueError("expected KEY=VALUE, found no =")
    if not _NAME.fullmatch(name):
        # What stands before the = may be half a secret: only what is no name is described.
        raise ValueError("expected a name before the =: letters, digits and _, no digit first")
    if "\0" in rest:
        raise ValueError(f"{name}: a value cannot hold a NUL character")
    return name, _read_value(name, rest.strip())


def _read_value(name: str, text: str) -> str:
    if not text.startswith(("'", '"')):
        return _COMMENT.sub("", text)
    quoted = (_SINGLE if text[0] == "'" else _DOUBLE).match(text)
    if quoted is None:
        raise ValueError(f"{name}: the quote {text[0]} is not closed on this line")
    left = text[quoted.end() :]
    if left and not _COMMENT.fullmatch(left):
        raise ValueError(f"{name}: there is more after the closing quote")
    if text[0] == "'":
        return quoted[1]
    return _ESCAPE.sub(lambda match: _ESCAPED.get(match[1], match[1]), quoted[1])
