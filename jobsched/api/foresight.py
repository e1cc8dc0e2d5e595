"""What the configured backend would refuse at launch, told beforehand as warnings with a place.

Owns which part of a task a refusal is laid to. A file is judged by itself: nothing here is an
error, for the backend may be another one, or know more, by the time the task is launched.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from jobsched.backends.base import Backend
from jobsched.context import Context
from jobsched.dag import LoadedDag
from jobsched.errors import BackendError, ConfigError, PrecheckFailed, Problem
from jobsched.models import TaskSpec

_HINT = "as things are the task ends FAILED_PRECHECKS"


def foresee(context: Context, dag: LoadedDag, file: str) -> tuple[Problem, ...]:
    """A warning for each reason why the backend can never serve a task."""
    try:
        backend = context.backend()
    except ConfigError as error:
        return (Problem(file, 1, 1, str(error)),)
    return tuple(
        Problem(file, *position, reason, _HINT)
        for task, places in zip(dag.spec.tasks, dag.places, strict=True)
        if task.run is not None  # else it is never launched
        for position, reason in _refusals(backend, task, places.resources, places.mounts)
    )


_Position = tuple[int, int]


def _refusals(
    backend: Backend, task: TaskSpec, resources: _Position, mounts: tuple[_Position, ...]
) -> Iterator[tuple[_Position, str]]:
    """Each reason, with the place of what it is about: asked for that alone, it is still given."""
    if not _reasons(backend, task):
        return
    bare = replace(task, file_mounts=())
    of_resources = _reasons(backend, bare)
    for reason in of_resources:
        yield resources, f"resources: {reason}"
    for mount, position in zip(task.file_mounts, mounts, strict=True):
        for reason in _reasons(backend, replace(bare, file_mounts=(mount,))):
            if reason not in of_resources:
                yield position, reason


def _reasons(backend: Backend, task: TaskSpec) -> tuple[str, ...]:
    try:
        backend.placements(task)
    except PrecheckFailed as refusal:
        return refusal.reasons
    except BackendError:
        return ()  # it cannot say now, which a launch would try again
    return ()
