"""The files of a task: ``workdir`` and ``file_mounts``.

Owns how a path in the file becomes an absolute one, and asks the disk only whether it exists.
"""

from __future__ import annotations

import os
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from typing import Final, NamedTuple

from jobsched.dag.documents import Document
from jobsched.dag.explain import label
from jobsched.dag.loaded import Settings
from jobsched.dag.report import KeyPath, Place, Report
from jobsched.dag.shapes import MountShape, TaskShape
from jobsched.dag.substitute import references, substitute
from jobsched.dag.words import listed, shown
from jobsched.models import FileMount
from jobsched.text import is_storable

#: A path is of use only with its end.
_PATH_SHOWN: Final = 300
_NOTED: Final = ("config", "mount_options", "type")


class Mounted(NamedTuple):
    """A file mount, and where the file names its target."""

    mount: FileMount
    place: Place


@dataclass(frozen=True, slots=True, kw_only=True)
class Files:
    """Reads the paths of one task, with its variables put in."""

    document: Document
    settings: Settings
    report: Report
    envs: Mapping[str, str]
    secrets: Collection[str]

    def workdir(self, task: TaskShape) -> str | None:
        """The absolute path of the task's workdir."""
        place = self.document.at("workdir")
        if isinstance(task.workdir, dict):
            hint = "clone it in setup, or check it out and name its directory"
            self.report.error(place, "workdir: a git repository is not supported", hint)
            return None
        if task.workdir is None:
            return None
        path = self._local(self._expand(task.workdir, "workdir"), "workdir")
        if not os.path.isdir(path):  # noqa: PTH112 - Path.is_dir raises for what it may not see
            self._missing(place, "workdir", path, "directory")
        return path

    def mounts(self, task: TaskShape) -> tuple[Mounted, ...]:
        """The task's file mounts, in the order of the file."""
        by_target: dict[str, Mounted] = {}
        for written, shape in (task.file_mounts or {}).items():
            path: KeyPath = ("file_mounts", written)
            place = self.document.at_key(*path)
            target = self._expand(written, *path)
            if not target:
                self.report.error(place, "file_mounts: a target is empty")
            elif target in by_target:
                self.report.error(place, f"file_mounts: {shown(target)} is filled twice")
            else:
                by_target[target] = Mounted(self._mount(target, shape, path), place)
        return tuple(by_target.values())

    def _mount(self, target: str, shape: MountShape, path: KeyPath) -> FileMount:
        for field in _NOTED:
            if shape.given(field):
                message = f"{label((*path, field))} is noted, not acted upon"
                self.report.warn(self.document.at_key(*path, field), message)
        name = self._optional(shape.name, *path, "name")
        source = self._source(shape, (*path, "source"))
        if not name and source is None and not self._was_refused(path):
            message = f"{label(path)}: expected a source, or a bucket's name"
            self.report.error(self.document.at(*path), message)
        return FileMount(
            target=target,
            source=source,
            name=name,
            mode=shape.mode,
            store=shape.store,
            persistent=shape.persistent is not False,
        )

    def _was_refused(self, path: KeyPath) -> bool:
        """Whether the file gives the mount a source or a name, but one that did not fit."""
        written = self.document.data["file_mounts"][path[-1]]
        fields = ("source", "name") if isinstance(written, dict) else ()
        return any(written.get(field) is not None for field in fields)

    def _source(self, shape: MountShape, path: KeyPath) -> str | None:
        """The absolute local path, or the URI, that a mount copies."""
        if not shape.source:
            return None
        sources = [self._expand(source, *path) for source in shape.source]
        if len(sources) > 1:
            message = f"{label(path)}: only the first of {len(sources)} sources is noted"
            self.report.warn(self.document.at(*path), message)
        if "://" in sources[0]:
            return sources[0]
        local = self._local(sources[0], *path)
        if not os.path.exists(local):  # noqa: PTH110 - as for the workdir
            self._missing(self.document.at(*path), label(self.document.known(path)), local, "path")
        return local

    def _optional(self, text: str | None, *path: str | int) -> str | None:
        return None if text is None else self._expand(text, *path)

    def _expand(self, text: str, *path: str | int) -> str:
        """``text`` with the task's variables; a path is stored and shown, so it takes no secret."""
        if hidden := sorted(references(text) & set(self.secrets)):
            field = label(self.document.known(path))
            message = f"{field}: a path cannot contain the secret {listed(hidden, 'and')}"
            hint = "a path is stored and shown; give the value as an env"
            self.report.error(self.document.at(*path), message, hint)
        return substitute(text, self.envs)

    def _local(self, text: str, *path: str | int) -> str:
        """``text``, found at ``path``, as an absolute path of this machine."""
        if not text.strip():
            field = label(self.document.known(path))
            self.report.error(self.document.at(*path), f"{field}: the path is empty")
        in_home = text == "~" or text.startswith("~/")
        start, rest = (self.settings.user_home, text[2:]) if in_home else (self.settings.cwd, text)
        local = os.path.normpath(start / rest)
        if not is_storable(local):
            field = label(self.document.known(path))
            message = f"{field}: the path {shown(local, _PATH_SHOWN)} is not UTF-8 text"
            hint = "it is stored and shown; give the directory another name"
            self.report.error(self.document.at(*path), message, hint)
        return local

    def _missing(self, place: Place, field: str, path: str, what: str) -> None:
        unknown = sorted(references(path) - set(self.envs))
        here = str(self.settings.cwd)
        hint = f"no env gives ${unknown[0]} a value" if unknown else ""
        if not hint and path.startswith(here):
            hint = f"relative paths start at {here}"
        self.report.unmet(place, f"{field}: there is no {what} {shown(path, _PATH_SHOWN)}", hint)
