"""All there is to see of one job, as values for the tabs that show it.

Owns the putting together; how time, DAG and processes are folded is in modules of their own.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from jobsched_tui.data import dag, timeline
from jobsched_tui.data.frame import Detail, JobLine
from jobsched_tui.data.processes import Usage


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
