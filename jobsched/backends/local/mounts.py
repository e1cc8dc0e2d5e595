"""Where file mounts go: which targets the local backend can serve, and how each is meant.

Owns the reading of a target. Pure; copies nothing.
"""

from __future__ import annotations

from collections.abc import Iterator
from enum import StrEnum, unique
from typing import NamedTuple

from jobsched.models import FileMount, TaskSpec


@unique
class Base(StrEnum):
    """What a target is relative to."""

    WORKDIR = "the private working directory"
    HOME = "the private home"
    ROOT = "the machine's own root directory"


class Target(NamedTuple):
    """A place for a file mount: below which directory, and the names that lead there."""

    base: Base
    names: tuple[str, ...]


def target(mount: FileMount) -> Target:
    """Where the mount goes. Raises ``ValueError`` with the reason where that is nowhere."""
    text = mount.target
    if text.startswith("/"):
        base, rest = Base.ROOT, text
    elif text == "~" or text.startswith("~/"):
        base, rest = Base.HOME, text[1:]
    elif text.startswith("~"):
        raise ValueError(
            f"file_mounts: {text}: another user's home; write ~/... for the task's own"
        )
    else:
        base, rest = Base.WORKDIR, text
    names = tuple(name for name in rest.split("/") if name not in ("", "."))
    if ".." in names:
        raise ValueError(f"file_mounts: {text}: a target may not contain ..")
    return Target(base, names)


def problems(task: TaskSpec, *, allow_absolute: bool) -> list[str]:
    """Every reason for which this backend can never lay out the task's files."""
    return [reason for mount in task.file_mounts for reason in _problems(mount, allow_absolute)]


def _problems(mount: FileMount, allow_absolute: bool) -> Iterator[str]:  # noqa: FBT001 -- private
    if mount.is_bucket:
        bucket = mount.source or mount.name or "a bucket"
        yield (
            f"file_mounts: {mount.target}: {bucket} is object storage, which the local backend does"
            " not have; it takes a backend of a cloud, and jobsched has none yet: copy the data to"
            " this machine and give its path"
        )
        return
    try:
        place = target(mount)
    except ValueError as error:
        yield str(error)
        return
    if place.base is Base.ROOT and not allow_absolute:
        yield (
            f"file_mounts: {mount.target}: an absolute target would write outside the task's own"
            " directories; use a relative one or ~/..., or set allow_absolute_mounts = true in"
            " [local] of config.toml"
        )
    if place.base is Base.ROOT and not place.names:
        yield f"file_mounts: {mount.target}: the root directory cannot be a target"


def needs_home(task: TaskSpec) -> bool:
    """Whether the task gets a private home."""
    return any(mount.target.startswith("~") for mount in task.file_mounts)
