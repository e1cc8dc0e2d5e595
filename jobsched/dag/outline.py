"""Which document of a file is the header, which are tasks, and what all of them are called."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from jobsched.dag.documents import Document, Documents
from jobsched.dag.explain import fit
from jobsched.dag.fields import check_name
from jobsched.dag.loaded import Settings
from jobsched.dag.report import TOP, Report
from jobsched.dag.shapes import HEADER_ONLY, HeaderShape, TaskShape
from jobsched.dag.words import Unfit, is_near, shown
from jobsched.models import MAX_NAME

_FALLBACK: Final = "job"


@dataclass(frozen=True, slots=True)
class Draft:
    """A task on its way to become a ``TaskSpec``."""

    task_id: int
    document: Document
    shape: TaskShape
    name: str

    @property
    def is_misnamed(self) -> bool:
        """Whether its own name was refused, so that ``name`` is made up."""
        written = ("name",) in self.document.keys and self.document.data.get("name", "") is not None
        return written and self.shape.name is None


@dataclass(frozen=True, slots=True)
class Outline:
    """The parts of a file."""

    header: HeaderShape
    #: Where the header stands, or would.
    header_document: Document
    name: str
    drafts: Sequence[Draft]
    #: Whether all tasks are here under the names their author meant; if not, a name that is not
    #: found is no mistake of whoever refers to it.
    names_known: bool
    #: Whether the tasks form a job group, or were meant to.
    is_group: bool


def outline(read: Documents, settings: Settings, report: Report) -> Outline:
    """Sort out the documents of a file, of which there is at least one."""
    first, *rest = read.documents
    header, tasks = HeaderShape(), list(read.documents)
    if set(first.data) == {"name"} or HEADER_ONLY & set(first.data):
        header, tasks = fit(HeaderShape, first, report), rest
    is_group = _is_group(header, first)
    shapes = [fit(TaskShape, document, report) for document in tasks]
    if not tasks:  # a header alone is one task that runs nothing
        tasks, shapes = [Document(first.text, first.start)], [TaskShape(name=header.name)]
        if is_group:
            hint = "add a document for each task, each after a line ---"
            report.error(first.start, "the job group has no tasks", hint)
    name = _job_name(header, shapes, settings, report)
    wanted = settings.task_names or ()
    names = _task_names(header, shapes, name, wanted, is_group=is_group)
    drafts = [Draft(*parts) for parts in zip(range(len(tasks)), tasks, shapes, names, strict=True)]
    _check_distinct(drafts, report)
    known = read.whole and not any(draft.is_misnamed for draft in drafts)
    return Outline(header, first, name, drafts, known, is_group)


def _is_group(header: HeaderShape, document: Document) -> bool:
    """Also where ``execution`` was refused but a group was meant.

    So that all else which is wrong with the group is found in the same go.
    """
    written = document.data.get("execution", "")  # left out by then: it could not be read at all
    is_given = ("execution",) in document.keys and written is not None
    if header.execution is not None or not is_given:
        return header.execution == "parallel"
    speaks_of_one = header.given("primary_tasks") or header.given("termination_delay")
    return speaks_of_one or (isinstance(written, str) and is_near(written, "parallel"))


def _job_name(
    header: HeaderShape, shapes: Sequence[TaskShape], settings: Settings, report: Report
) -> str:
    """The argument, else the header's, else that of the only task, else the file's stem."""
    only = shapes[0].name if len(shapes) == 1 else None
    in_file = header.name or only
    if settings.name is None and in_file is not None:
        return in_file
    try:
        return check_name(settings.stem if settings.name is None else settings.name)
    except Unfit as unfit:
        what = "the file's own name" if settings.name is None else "the job's name"
        message = f"{what}: expected {unfit.expected}"
        report.error(TOP, message, unfit.hint or "name the job in the file or with -n")
        return _FALLBACK


def _task_names(
    header: HeaderShape, shapes: Sequence[TaskShape], job: str, wanted: Sequence[str], *,
    is_group: bool,
) -> list[str]:  # fmt: skip
    """What each task is called; the only task of a pipeline goes by the header's name.

    ``wanted``, by position, counts for tasks without a name, and where it is one of the names that
    the file gives the only task.
    """
    if len(shapes) == 1 and not is_group:
        given = [name for name in (header.name, shapes[0].name) if name is not None]
        if wanted and (wanted[0] in given or not given):
            return [wanted[0]]
        return [*given, job][:1]
    room = job[: MAX_NAME - len(f"-{len(shapes)}")]
    made_up = [*wanted, *(f"{room}-{index}" for index in range(len(wanted), len(shapes)))]
    return [shape.name or other for shape, other in zip(shapes, made_up, strict=False)]


def _check_distinct(drafts: Sequence[Draft], report: Report) -> None:
    first: dict[str, Draft] = {}
    for draft in drafts:
        earlier = first.setdefault(draft.name, draft)
        if earlier is not draft:
            place = draft.document.at("name")
            line = earlier.document.at("name").line
            message = f"name: a second task is called {shown(draft.name)}"
            report.error(place, message, f"the first is in line {line}; task names are distinct")
