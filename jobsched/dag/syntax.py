"""What the YAML parser complains about, said so that its user knows what to change."""

from __future__ import annotations

from typing import Final

import yaml

from jobsched.dag.report import TOP, Place, Report

#: The fast parser where PyYAML was built with it. Both mark every node alike.
LOADER: Final = getattr(yaml, "CSafeLoader", yaml.SafeLoader)

#: Part of the parser's complaint to what usually mends it.
_HINTS: Final = {
    "cannot start any token": (
        "indent with spaces, not tabs; quote a value that starts with @, ` or %"
    ),
    "mapping values are not allowed": (
        'quote a value that contains ": ", or check the indentation of this line'
    ),
    "did not find expected key": "check the indentation of this line against the one above",
    "did not find expected '-' indicator": "check the indentation of this list",
    "could not find expected ':'": "a key is followed by a colon and a space, like `run: ...`",
    "unexpected end of stream": "a quote is opened and never closed",
    "unknown escape character": "write a backslash as \\\\, or use single quotes",
    "did not find expected ',' or": "a bracket is opened and never closed",
    "expected <document start>": "documents are separated by a line of three dashes: ---",
    "did not find expected <document start>": "documents are separated by a line ---",
    "maximum nesting depth": "flatten the value, or keep it in a file of its own",
}


def report_syntax(error: yaml.YAMLError, report: Report) -> None:
    """Report a complaint of the parser where it stands."""
    mark = getattr(error, "problem_mark", None)
    if mark is None:
        report.error(TOP, f"this is not YAML: {error}")
        return
    problem = getattr(error, "problem", None) or "it cannot be read"
    context, begun = getattr(error, "context", None), getattr(error, "context_mark", None)
    where = f" {context}" if context else ""
    if begun is not None and (begun.line, begun.column) != (mark.line, mark.column):
        where += f" that began at line {begun.line + 1}, column {begun.column + 1}"
    hint = next((hint for part, hint in _HINTS.items() if part in problem), "")
    report.error(Place.of_marks(mark, mark), f"this is not YAML: {problem}{where}", hint)
