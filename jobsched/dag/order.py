"""Which task waits for which, and what a job group's header says of its tasks."""

from __future__ import annotations

import graphlib
from collections.abc import Mapping, Sequence
from typing import Final, NamedTuple

from jobsched.dag.documents import Document
from jobsched.dag.outline import Draft, Outline
from jobsched.dag.report import KeyPath, Report
from jobsched.dag.words import did_you_mean, listed, shown

_DEFAULT: Final = "default"
#: Tasks that a message names at most: of a circle, of all.
_STATIONS: Final = 12
_LISTED: Final = 8
#: Names for which the nearest is looked up: among thousands of tasks that takes its time.
_GUESSES: Final = 20


class _Reference(NamedTuple):
    """A place in the file that names a task."""

    document: Document
    path: KeyPath
    name: str


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
    wanted = [draft.shape.depends_on or [] for draft in drafts]
    if parts.names_known:
        references = [
            _Reference(draft.document, ("depends_on", index), name)
            for draft, names in zip(drafts, wanted, strict=True)
            for index, name in enumerate(names)
        ]
        _check_references(references, ids, report)
    graph = [tuple(dict.fromkeys(ids[n] for n in names if n in ids)) for names in wanted]
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
        named = [
            _Reference(document, ("primary_tasks", index), name)
            for index, name in enumerate(header.primary_tasks or ())
        ]
        delayed = [
            _Reference(document, ("termination_delay", name), name)
            for name in delays
            if name != _DEFAULT
        ]
        _check_references([*named, *delayed], ids, report)
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
    for name in ("primary_tasks", "termination_delay"):
        if parts.header.given(name):
            message = f"{name} is for job groups alone"
            report.error(document.at_key(name), message, "add `execution: parallel`")


def _check_references(
    references: Sequence[_Reference], known: Mapping[str, int], report: Report
) -> None:
    """Report the ``references`` to names that no task has."""
    unknown = [reference for reference in references if reference.name not in known]
    names = [shown(name) for name in known]
    more = [f"{len(names) - _LISTED} more"] if len(names) > _LISTED else []
    tasks = f"the tasks are {listed([*names[:_LISTED], *more], 'and')}"
    for count, (document, path, name) in enumerate(unknown):
        near = did_you_mean(name, known) if count < _GUESSES else ""
        place = document.at_key(*path) if path in document.keys else document.at(*path)
        report.error(place, f"{path[0]}: there is no task {shown(name)}", near or tasks)


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
        stations = [shown(drafts[task_id].name) for task_id in cycle]
        skipped = ["..."] if len(stations) > _STATIONS else []
        way = " -> ".join([*stations[:_STATIONS], *skipped, stations[0]])
        message = f"depends_on goes in a circle: {way}"
        place = drafts[cycle[0]].document.at("depends_on")
        report.error(place, message, "a task can only wait for tasks that do not wait for it")
        left = {
            task_id: tuple(other for other in others if other not in cycle)
            for task_id, others in left.items()
            if task_id not in cycle
        }
