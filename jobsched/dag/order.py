"""Which task waits for which, and what a job group's header says of its tasks."""

from __future__ import annotations

import graphlib
from collections.abc import Mapping, Sequence
from typing import Final

from jobsched.dag.documents import Document
from jobsched.dag.outline import Draft, Outline
from jobsched.dag.report import Path, Report
from jobsched.dag.words import did_you_mean, listed, shown

_DEFAULT: Final = "default"


def dependencies(parts: Outline, report: Report) -> list[tuple[int, ...]]:
    """Per task the ids of those that must have succeeded before it starts.

    A chain, unless a task has ``depends_on`` or the job is a group.
    """
    drafts = parts.drafts
    if parts.is_group:
        _refuse_depends_on(drafts, report)
        return [()] * len(drafts)
    if all(draft.shape.depends_on is None for draft in drafts):
        return [(task_id - 1,) if task_id else () for task_id in range(len(drafts))]
    ids = {draft.name: draft.task_id for draft in drafts}
    graph = []
    for draft in drafts:
        wanted = draft.shape.depends_on or []
        if parts.names_known:
            for index, name in enumerate(wanted):
                _check_reference(draft.document, ("depends_on", index), name, ids, report)
        graph.append(tuple(dict.fromkeys(ids[name] for name in wanted if name in ids)))
    _check_cycles(drafts, graph, report)
    return graph


def auxiliary_tasks(parts: Outline, report: Report) -> dict[int, float]:
    """The tasks of a group that do not count for its outcome: those that are not primary.

    Task id to the seconds it may go on after the last primary task ended. Empty for a pipeline,
    whose header may not speak of such tasks.
    """
    header, document = parts.header, parts.header_document
    if not parts.is_group:
        _refuse_group_fields(parts, report)
        return {}
    for draft in parts.drafts:
        if draft.shape.name is None and not draft.is_misnamed:
            message = "a task of a job group needs a name"
            report.error(draft.document.start, message, "add `name: ...`; the others find it by it")
    ids = {draft.name: draft.task_id for draft in parts.drafts}
    primary = header.primary_tasks or list(ids)
    delays = header.termination_delay or {}
    if parts.names_known:
        for index, name in enumerate(primary if header.primary_tasks else ()):
            _check_reference(document, ("primary_tasks", index), name, ids, report)
        for name in delays:
            if name != _DEFAULT:
                _check_reference(document, ("termination_delay", name), name, ids, report)
    return {
        task_id: delays.get(name, delays.get(_DEFAULT, 0.0))
        for name, task_id in ids.items()
        if name not in primary
    }


def _refuse_depends_on(drafts: Sequence[Draft], report: Report) -> None:
    for draft in drafts:
        if draft.shape.depends_on is not None:
            message = "depends_on: the tasks of a job group start together"
            hint = "use execution: serial, or leave depends_on away"
            report.error(draft.document.at_key("depends_on"), message, hint)


def _refuse_group_fields(parts: Outline, report: Report) -> None:
    document = parts.header_document
    if ("execution",) in document.keys and parts.header.execution is None:
        return  # meant to be a group, perhaps: the wrong value is reported already
    for name in ("primary_tasks", "termination_delay"):
        if parts.header.given(name):
            message = f"{name} is for job groups alone"
            report.error(document.at_key(name), message, "add `execution: parallel`")


def _check_reference(
    document: Document, path: Path, name: str, known: Mapping[str, int], report: Report
) -> None:
    """Report a ``name`` that no task has."""
    if name in known:
        return
    hint = did_you_mean(name, known) or f"the tasks are {listed(map(shown, known), 'and')}"[:200]
    place = document.at_key(*path) if path in document.keys else document.at(*path)
    report.error(place, f"{path[0]}: there is no task {shown(name)}", hint)


def _check_cycles(
    drafts: Sequence[Draft], graph: Sequence[tuple[int, ...]], report: Report
) -> None:
    """Report every cycle once, with the tasks it goes through."""
    left = dict(enumerate(graph))
    while True:
        try:
            graphlib.TopologicalSorter(left).prepare()
        except graphlib.CycleError as error:
            cycle: list[int] = error.args[1][:0:-1]  # the sorter lists what waits last
        else:
            return
        first = cycle.index(min(cycle))
        cycle = [*cycle[first:], *cycle[:first]]
        way = " -> ".join(shown(drafts[task_id].name) for task_id in (*cycle, cycle[0]))
        message = f"depends_on goes in a circle: {way}"
        place = drafts[cycle[0]].document.at("depends_on")
        report.error(place, message, "a task can only wait for tasks that do not wait for it")
        left = {
            task_id: tuple(other for other in others if other not in cycle)
            for task_id, others in left.items()
            if task_id not in cycle
        }
