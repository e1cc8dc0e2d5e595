"""What is wrong with a draft, and what it would become: one line each, harmless to a terminal."""

from __future__ import annotations

from typing import Final

from jobsched.models import DagSpec
from jobsched_tui.data.drafts import Finding, Report, Severity
from jobsched_tui.present.formats import plural
from jobsched_tui.present.spans import Line, Span, Tone, span

_TONES: Final = {Severity.ERROR: Tone.BAD, Severity.WARNING: Tone.WARN}
#: Steps that a tree is indented at most: deeper ones would leave no room for names.
_DEEPEST: Final = 8


def finding_line(finding: Finding) -> Line:
    """``12:5 error unknown task 'prep' (did you mean 'prepare'?)``."""
    place = f"{finding.line}:{finding.column} " if finding.line else ""
    hint = f" ({finding.suggestion})" if finding.suggestion else ""
    return [
        span(place, Tone.MUTED),
        span(f"{finding.severity} ", _TONES[finding.severity]),
        span(finding.message),
        span(hint, Tone.MUTED),
    ]


def verdict(report: Report) -> Line:
    """Whether it can be submitted, in few words."""
    if report.errors:
        return [span(f"invalid: {_counted(report)}", Tone.BAD)]
    tasks = 0 if report.dag is None else len(report.dag.tasks)
    said = f", {_counted(report)}" if report.warnings else ""
    return [span("valid", Tone.GOOD), span(f": {plural(tasks, 'task')}{said}")]


def _counted(report: Report) -> str:
    parts = ((report.errors, "error"), (report.warnings, "warning"))
    return ", ".join(plural(number, word) for number, word in parts if number)


def task_tree(dag: DagSpec) -> list[Line]:
    """Each task once, below what it waits for; who waits for several names them."""
    lines: list[Line] = [[span(dag.name, Tone.TITLE)]]
    depths: dict[int, int] = {}
    for task in sorted(dag.tasks, key=lambda one: (_depth(dag, one.task_id, depths), one.task_id)):
        depth = depths[task.task_id]
        line = [Span("  " * min(depth, _DEEPEST) + "- "), span(task.name)]
        if len(task.depends_on) > 1 or depth > _DEEPEST:
            names = ", ".join(dag.tasks[other].name for other in task.depends_on)
            line.append(span(f" after {names}", Tone.MUTED))
        if not task.counts:
            line.append(span(" auxiliary", Tone.MUTED))
        lines.append(line)
    return lines


def _depth(dag: DagSpec, task_id: int, known: dict[int, int]) -> int:
    """How many tasks one after the other must succeed before this one. A DAG has no circle."""
    ahead = [task_id]
    while ahead:
        current = ahead[-1]
        before = dag.tasks[current].depends_on
        unknown = [one for one in before if one not in known]
        if unknown:
            ahead += unknown
        else:
            known[current] = 1 + max((known[one] for one in before), default=-1)
            ahead.pop()
    return known[task_id]
