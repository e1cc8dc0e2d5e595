"""Which files are a job's logs, and in what order they are written.

Owns the way from a job and what was asked for to a list of files. Opens none of them.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from graphlib import TopologicalSorter
from pathlib import Path
from typing import Self

from jobsched.errors import NotFound
from jobsched.home import Home
from jobsched.models import DagSpec, TaskSpec
from jobsched.store.rows import TaskRow
from jobsched.text import safe


@dataclass(frozen=True, slots=True)
class Source:
    """One log file of a job."""

    path: Path
    #: For people: which task and node.
    label: str
    #: ``None``: the controller's.
    task_id: int | None = None
    #: Tasks that must have ended before anything is written here.
    after: frozenset[int] = frozenset()


@dataclass(frozen=True, slots=True)
class Sources:
    """The logs to read, in the order in which they are written as far as there is one."""

    all: tuple[Source, ...]
    #: Whether two of them may be written at the same time.
    overlap: bool = False


def controller_log(home: Home, job_id: int) -> Sources:
    """The controller's log alone."""
    return Sources((Source(home.controller_log(job_id), "controller"),))


def task_logs(
    home: Home,
    job_id: int,
    rows: Sequence[TaskRow],
    spec: DagSpec | None,
    task: int | str | None = None,
) -> Sources:
    """The logs of all tasks, or of one (by number or name).

    Without a DAG the tasks are taken for a chain of one node each. Raises ``NotFound`` for a task
    that there is not.
    """
    writers = _writers(rows) if spec is None else [_Writer.of(one) for one in spec.tasks]
    if task is not None:
        only = find_task(job_id, rows, task)
        writers = [replace(one, after=frozenset()) for one in writers if one.task_id == only]
    overlap = False
    found: list[Source] = []
    for generation in _generations(writers):
        beside = [source for writer in generation for source in writer.sources(home, job_id)]
        overlap = overlap or len(beside) > 1
        found += beside
    return Sources(tuple(found), overlap)


def find_task(job_id: int, rows: Sequence[TaskRow], task: int | str) -> int:
    """The id of the task that ``task`` (a name, or a number) means. Raises ``NotFound``."""
    wanted = str(task)
    by_name = [row.task_id for row in rows if row.name == task]
    by_number = [row.task_id for row in rows if str(row.task_id) == wanted]
    if not by_name and not by_number:
        raise NotFound(f"task of job {job_id}:", repr(wanted) if isinstance(task, str) else task)
    return (by_name or by_number)[0]


def all_paths(home: Home, job_id: int, spec: DagSpec) -> list[Path]:
    """Every log that a job may have: its controller's, its tasks', its callbacks'."""
    nodes = [
        home.task_log(job_id, task.task_id, node)
        for task in spec.tasks
        for node in range(task.num_nodes)
    ]
    callbacks = [home.callback_log(job_id, task.task_id) for task in spec.tasks]
    return [home.controller_log(job_id), *nodes, *callbacks]


@dataclass(frozen=True, slots=True)
class _Writer:
    """A task, as far as it writes logs."""

    task_id: int
    name: str
    num_nodes: int
    after: frozenset[int]

    @classmethod
    def of(cls, task: TaskSpec) -> Self:
        return cls(task.task_id, task.name, task.num_nodes, frozenset(task.depends_on))

    def sources(self, home: Home, job_id: int) -> Iterator[Source]:
        """One for each node."""
        for node in range(self.num_nodes):
            where = f", node {node}" if self.num_nodes > 1 else ""
            label = f"task {self.task_id} ({safe(self.name)}){where}"
            path = home.task_log(job_id, self.task_id, node)
            yield Source(path, label, self.task_id, self.after)


def _writers(rows: Sequence[TaskRow]) -> list[_Writer]:
    """A chain."""
    found: list[_Writer] = []
    for row in rows:
        before = frozenset(writer.task_id for writer in found[-1:])
        found.append(_Writer(row.task_id, row.name, 1, before))
    return found


def _generations(writers: Sequence[_Writer]) -> Iterator[list[_Writer]]:
    """Tasks that have nothing to wait for, then those that wait for these, and so on.

    One task in each means a chain: nothing runs beside anything.
    """
    by_id = {writer.task_id: writer for writer in writers}
    sorter = TopologicalSorter({writer.task_id: writer.after for writer in writers})
    sorter.prepare()
    while sorter.is_active():
        ready = sorted(sorter.get_ready())
        yield [by_id[task_id] for task_id in ready]
        sorter.done(*ready)
