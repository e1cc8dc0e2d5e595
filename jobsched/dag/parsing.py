"""From text to a ``LoadedDag``: the order in which the parts of a file are judged.

Owns no rule of its own; each part reports what it finds, and the report decides at the end.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

from jobsched.dag.blank import blank
from jobsched.dag.documents import read_documents
from jobsched.dag.loaded import LoadedDag, Settings, TaskPlaces
from jobsched.dag.mounts import Files
from jobsched.dag.order import auxiliary_tasks, dependencies
from jobsched.dag.outline import Draft, Outline, outline
from jobsched.dag.reading import check_text
from jobsched.dag.report import TOP, Report
from jobsched.dag.resources import wishes
from jobsched.dag.shapes import NOTED
from jobsched.dag.variables import check_arguments, envs, secrets
from jobsched.models import DagSpec, TaskSpec

_BOM: Final = "\ufeff"


def parse_text(text: str, settings: Settings) -> LoadedDag:
    """Judge ``text`` whole; raises ``InvalidDag``. See :func:`jobsched.dag.parse`."""
    report = Report(settings.source, settings.mode)
    mark = _BOM if text.startswith(_BOM) else ""
    body = text.removeprefix(_BOM)
    check_text(body, report)
    report.raise_errors()
    check_arguments(settings, report)
    read = read_documents(body, report)
    if not read.documents:
        if read.whole:
            report.error(TOP, "the file holds no task", "a task needs little: `run: echo hello`")
        report.raise_errors()
    parts = outline(read, settings, report)
    judged = [_Judged(draft, settings, report) for draft in parts.drafts]
    spec = _spec(parts, judged, report)
    report.raise_errors()
    return LoadedDag(
        spec=spec,
        secrets={task.draft.task_id: task.secrets.values for task in judged},
        yaml=mark + blank(body, [place for task in judged for place in task.secrets.inline]),
        warnings=report.warnings,
        places=tuple(task.places for task in judged),
    )


class _Judged:
    """A task of which everything was looked at that is its own."""

    def __init__(self, draft: Draft, settings: Settings, report: Report) -> None:
        self.draft = draft
        shape, document = draft.shape, draft.document
        self.envs = envs(shape, document, settings.envs, report)
        self.secrets = secrets(shape, document, settings, report)
        files = Files(
            document=document,
            settings=settings,
            report=report,
            envs=self.envs,
            secrets=self.secrets.names,
        )
        self.workdir = files.workdir(shape)
        self.mounted = files.mounts(shape)
        self.wishes = wishes(shape, document, settings.strategies, report)
        _note(draft, report)

    @property
    def places(self) -> TaskPlaces:
        """Where the file says what the task needs."""
        return TaskPlaces(
            resources=self.draft.document.at_key("resources").position,
            mounts=tuple(one.place.position for one in self.mounted),
        )


def _note(draft: Draft, report: Report) -> None:
    """Warn about what is accepted and changes nothing."""
    for written, name in NOTED.items():
        if draft.shape.given(name):
            place = draft.document.at_key(written)
            report.warn(place, f"{written} is noted, not acted upon")
    if draft.shape.run is None:
        setup = ", and its setup is not run" if draft.shape.setup else ""
        message = f"the task has no run: it succeeds at once{setup}"
        report.warn(draft.document.start, message)


def _spec(parts: Outline, judged: Sequence[_Judged], report: Report) -> DagSpec:
    """The record of the whole job."""
    order = dependencies(parts, report)
    auxiliary = auxiliary_tasks(parts, report)
    tasks = [
        _task(task, depends_on, auxiliary) for task, depends_on in zip(judged, order, strict=True)
    ]
    if parts.header.given("inter_connection"):
        place = parts.header_document.at_key("inter_connection")
        report.warn(place, "inter_connection is noted, not acted upon")
    priority = judged[0].wishes.priority
    for task in judged[1:]:
        if task.wishes.priority not in {0, priority}:
            place = task.draft.document.at("resources", "priority")
            report.warn(place, "only the first task's priority counts, it is the job's")
    return DagSpec(name=parts.name, tasks=tuple(tasks), is_group=parts.is_group, priority=priority)


def _task(task: _Judged, depends_on: tuple[int, ...], auxiliary: Mapping[int, float]) -> TaskSpec:
    shape, task_id = task.draft.shape, task.draft.task_id
    return TaskSpec(
        task_id=task_id,
        name=task.draft.name,
        run=shape.run,
        setup=shape.setup,
        workdir=task.workdir,
        num_nodes=shape.num_nodes or 1,
        event_callback=shape.event_callback,
        envs=task.envs,
        secrets=task.secrets.names,
        file_mounts=tuple(one.mount for one in task.mounted),
        candidates=task.wishes.candidates,
        ordered=task.wishes.ordered,
        recovery=task.wishes.recovery,
        depends_on=depends_on,
        max_duration=shape.max_duration,
        counts=task_id not in auxiliary,
        termination_delay=auxiliary.get(task_id, 0.0),
    )
