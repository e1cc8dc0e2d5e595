"""From the errors of a model to sentences with a place; and what is left of a document after them.

Owns the wording of everything that a single field can get wrong. A value that does not fit is taken
out and the rest is judged again, so that one mistake hides no other.
"""

from __future__ import annotations

import copy
from collections.abc import Iterable
from typing import Any, Final, TypeVar

from pydantic import ValidationError

from jobsched.dag.documents import Document
from jobsched.dag.report import KeyPath, Report
from jobsched.dag.shapes import (
    CandidateShape,
    HeaderShape,
    JobRecoveryShape,
    MountShape,
    ResourcesShape,
    Shape,
    TaskShape,
)
from jobsched.dag.words import Unfit, describe, did_you_mean, listed, shown

ShapeT = TypeVar("ShapeT", bound=Shape)

_EXPECTED: Final = {
    "string_type": "text",
    "int_type": "a whole number",
    "bool_type": "true or false",
    "dict_type": "a mapping",
    "list_type": "a list",
    "too_short": "at least one entry",
}
_EXPECTED_SHAPE: Final = {
    "JobRecoveryShape": "a strategy's name or a mapping",
    "MountShape": "a local path, a URI or a mapping",
}
_OLD_NAMES: Final = {"spot_recovery": "job_recovery"}
_OTHER_PRODUCTS: Final = {
    "service": "jobsched runs jobs that end, it serves nothing",
    "pool": "jobsched has no worker pools; submit one job for each piece of work",
}


def fit(shape: type[ShapeT], document: Document, report: Report) -> ShapeT:
    """``document`` as ``shape``, as far as it fits; what does not is reported and left out."""
    data = copy.deepcopy(document.data)
    while True:
        try:
            return shape.model_validate(data)
        except ValidationError as error:
            for problem in error.errors(include_url=False):
                _report(shape, document, problem, report)
                _take_out(data, problem["loc"])


def label(path: KeyPath) -> str:
    """``resources.any_of[0].cpus``: how a message names a field."""
    parts = []
    for part in path:
        if isinstance(part, int):
            parts.append(f"[{part}]")
        elif part.isidentifier() and len(part) <= len("accelerator_args") * 2:
            parts.append(f".{part}")
        else:
            parts.append(f"[{shown(part)}]")
    return "".join(parts).removeprefix(".")


def _report(shape: type[Shape], document: Document, problem: Any, report: Report) -> None:
    path: KeyPath = problem["loc"]
    if problem["type"] == "extra_forbidden":
        message, hint = _unknown(shape, path)
        report.error(document.at_key(*path), message, hint)
        return
    expected, hint = _expected(problem)
    known = document.known(path)
    found = describe(problem["input"])
    message = f"{label(known)}: expected {expected}, found {found}"
    report.error(document.at(*path), message, hint or _confusion(expected, problem["input"]))


def _expected(problem: Any) -> tuple[str, str]:
    """What the field takes, and a hint."""
    kind, context = problem["type"], problem.get("ctx", {})
    if isinstance(unfit := context.get("error"), Unfit):
        return unfit.expected, unfit.hint
    if kind == "model_type":
        return _EXPECTED_SHAPE.get(context["class_name"], "a mapping"), ""
    if kind == "greater_than_equal":
        return f"a whole number of at least {context['ge']}", ""
    if kind == "less_than_equal":
        return f"a whole number of at most {context['le']}", ""
    return _EXPECTED.get(kind, problem["msg"]), ""


def _confusion(expected: str, value: object) -> str:
    """What the author probably did."""
    match expected, value:
        case "text", bool():
            return "quote the word to make it text"
        case "text", int() | float():
            return f'quote it to make it text: "{str(value)[:20]}"'
        case "text", list():
            return "write several lines after a bar: |"
        case "a whole number", str() if value.strip().isdecimal():
            return "take the quotes away"
        case "a mapping", list():
            return "write NAME: VALUE lines, without dashes"
        case _:
            return ""


def _unknown(shape: type[Shape], path: KeyPath) -> tuple[str, str]:
    """The sentence and the hint for a field that ``shape`` does not have at ``path``."""
    *above, name = path
    inner = _shape_at(shape, tuple(above))
    word = str(name)
    message = f"unknown field {shown(word)}" + (f" in {label(tuple(above))}" if above else "")
    if inner is TaskShape and word in _OTHER_PRODUCTS:
        return f"{word} is not supported", _OTHER_PRODUCTS[word]
    if word in _OLD_NAMES and (new := _OLD_NAMES[word]) in inner.model_fields:
        return message, f"did you mean {shown(new)}?"
    return message, _where_it_belongs(inner, word) or _near(inner, word)


def _where_it_belongs(inner: type[Shape], word: str) -> str:
    """For a field that exists, but in another mapping."""
    if inner in (TaskShape, HeaderShape) and word in ResourcesShape.model_fields:
        return f"{word} belongs under resources"
    if inner is TaskShape and word in HeaderShape.model_fields:
        return f"{word} belongs in the header, the first document of the file"
    if inner is HeaderShape and word in TaskShape.model_fields:
        return f"this is the header; {word} belongs in a task, after it and a line ---"
    if inner is not TaskShape and word in TaskShape.model_fields:
        return f"{word} belongs in the task's document itself"
    if word in JobRecoveryShape.model_fields:
        return f"{word} belongs under resources.job_recovery"
    return ""


def _near(inner: type[Shape], word: str) -> str:
    known = _fields(inner)
    if inner is TaskShape:  # the first document may be a header with a slip of the pen
        return did_you_mean(word, [*known, *_fields(HeaderShape)])
    return did_you_mean(word, known) or f"it takes {listed(sorted(known))}"


def _fields(shape: type[Shape]) -> Iterable[str]:
    return [field.alias or name for name, field in shape.model_fields.items()]


def _shape_at(shape: type[Shape], path: KeyPath) -> type[Shape]:
    """The model of the mapping at ``path``."""
    match path:
        case (*_, "job_recovery"):
            return JobRecoveryShape
        case ("resources",):
            return ResourcesShape
        case ("resources", *_):
            return CandidateShape
        case ("file_mounts", _):
            return MountShape
        case _:
            return shape


def _take_out(data: dict[str, Any], path: KeyPath) -> None:
    """Delete the innermost mapping entry that ``path`` leads through; all, if there is none."""
    inside: Any = data
    holder, key = None, ""
    for part in path:
        if isinstance(inside, dict) and part in inside:
            holder, key = inside, str(part)
            inside = inside[part]
        elif isinstance(inside, list) and isinstance(part, int) and part < len(inside):
            inside = inside[part]
        else:
            break
    if holder is None:
        data.clear()
    else:
        holder.pop(key, None)
