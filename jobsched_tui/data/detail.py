"""All there is to see of one job, as values for the tabs that show it.

Owns the putting together, and what of it is kept; how time, DAG and processes are folded is in
modules of their own.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from pathlib import Path
from typing import Any

from jobsched.api import Watch
from jobsched.errors import NotFound
from jobsched_tui.data import dag, timeline
from jobsched_tui.data.frame import Detail, JobLine
from jobsched_tui.data.kept import Kept, Known
from jobsched_tui.data.news import Happened
from jobsched_tui.data.processes import Usage


class _Shown(Known):
    """What ``Watch.show`` says of a job, and its logs."""

    __slots__ = ("logs", "shown")

    def __init__(self, shown: Mapping[str, Any], logs: Sequence[tuple[str, Path]]) -> None:
        super().__init__(shown)
        self.shown, self.logs = shown, logs


class Details:
    """The job that is looked into: read again when it may have changed, folded anew each time."""

    def __init__(self, watch: Watch) -> None:
        self._watch = watch
        self._kept = Kept(watch, self._read)

    def note(self, happened: Happened) -> None:
        """Something has happened."""
        self._kept.note(happened)

    def of(
        self,
        job_id: int | None,
        now: float,
        told: Callable[[JobLine], JobLine],
        usage: Mapping[int, Usage],
        *,
        again: bool = True,
    ) -> Detail | None:
        """What there is to see of a job; ``None`` if there is none. ``told`` completes its row."""
        if job_id is None:
            return None
        found = self._kept.bring_up([job_id], again=again).get(job_id)
        if found is None:
            return None  # it was pruned while it was looked at
        line = told(found.line)
        return detail_of(found.shown, line, now, logs=found.logs, usage=usage.get(job_id))

    def _read(self, job_ids: Collection[int]) -> dict[int, _Shown]:
        found: dict[int, _Shown] = {}
        for job_id in job_ids:
            try:
                found[job_id] = _Shown(self._watch.show(job_id), self._watch.log_paths(job_id))
            except NotFound:
                continue
        return found


def detail_of(
    shown: Mapping[str, Any],
    line: JobLine,
    now: float,
    *,
    logs: Sequence[tuple[str, Path]] = (),
    usage: Usage | None = None,
) -> Detail:
    """What ``Watch.show`` says of a job, folded."""
    return Detail(
        line=line,
        timeline=timeline.fold(shown, now),
        graph=dag.graph_of(shown, shown["dag"], now),
        yaml=shown["yaml"],
        source=shown["source"],
        record=tuple(timeline.changes_of(shown)),
        logs=tuple(logs),
        usage=usage or Usage(),
    )
