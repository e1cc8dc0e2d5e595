"""What a scene is, and the source that plays it to a console in place of a home.

Owns the seam. Reads no file and no clock; every answer follows from the scene and the view alone.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Final

from jobsched.api import Change
from jobsched.states import ScheduleState
from jobsched_tui.data.drafts import Draft
from jobsched_tui.data.frame import Detail, Frame, Health, JobLine, Link
from jobsched_tui.data.source import View

_QUEUED: Final = frozenset({ScheduleState.WAITING, ScheduleState.ALIVE_WAITING})
#: Of a list that has no end: how many are looked at for those that wait.
_QUEUE: Final = 500


@dataclass(frozen=True, slots=True)
class Rows:
    """The jobs that match, in the order of the list; ``row`` makes one of them."""

    ids: Sequence[int] = ()
    row: Callable[[int], JobLine] = field(default=lambda _: _no_row())

    @classmethod
    def of(cls, lines: Sequence[JobLine]) -> Rows:
        """Those that are written down."""
        by_id = {line.job_id: line for line in lines}
        return cls(tuple(by_id), by_id.__getitem__)

    def index_of(self, job_id: int | None) -> int | None:
        """Where a job stands; ``None``: it is not among them."""
        return self.ids.index(job_id) if job_id in self.ids else None

    def window(self, top: int, height: int) -> tuple[JobLine, ...]:
        """So many rows from one on."""
        return tuple(self.row(job_id) for job_id in self.ids[top : top + height])


def _no_row() -> JobLine:
    raise KeyError("this scene has no jobs")


@dataclass(frozen=True, slots=True, kw_only=True)
class Scene:
    """One state of the console: what it is shown, and which keys lead there."""

    #: What it shows, in a sentence.
    says: str
    #: All but the rows, which the view picks from ``rows``.
    frame: Frame
    rows: Rows = field(default_factory=Rows)
    details: Mapping[int, Detail] = field(default_factory=dict)
    #: Jobs that wait for others to succeed, by those.
    followers: Mapping[int, Sequence[int]] = field(default_factory=dict)
    #: Pressed one after the other once the list is there.
    keys: tuple[str, ...] = ()
    #: Stands on the screen once all has arrived.
    until: str
    #: How the console was left: its filter, and a draft of a job.
    filter: str = ""
    draft: Draft | None = None
    #: Text of files, by path below the current directory: logs, and what the file picker lists.
    files: Mapping[str, str] = field(default_factory=dict)
    is_ascii: bool = False


class SceneSource:
    """Answers all that a console asks of ``Live`` from one scene."""

    def __init__(self, scene: Scene) -> None:
        self._scene = scene

    def has_changed(self) -> bool:
        """Never."""
        return False

    def frame(self, view: View) -> Frame:
        """The scene, with the rows that are in sight."""
        rows = self._scene.rows
        return replace(
            self._scene.frame,
            matched=len(rows.ids),
            top=view.top,
            lines=rows.window(view.top, view.height),
            cursor=view.cursor,
            cursor_index=rows.index_of(view.cursor),
            detail=None if view.detail is None else self.detail(view.detail),
        )

    def ids(self, first: int | None, last: int | None) -> list[int]:
        """All jobs of the list, or those from one to another."""
        ends = [self._scene.rows.index_of(job_id) for job_id in (first, last)]
        found = [end for end in ends if end is not None]
        ids = self._scene.rows.ids
        return list(ids[min(found) : max(found) + 1]) if found else list(ids)

    def index_of(self, job_id: int) -> int | None:
        """Where a job stands."""
        return self._scene.rows.index_of(job_id)

    def detail(self, job_id: int) -> Detail | None:
        """All there is to see of a job."""
        return self._scene.details.get(job_id)

    def lines(self, job_ids: Collection[int]) -> list[JobLine]:
        """Some rows."""
        rows = self._scene.rows
        return [rows.row(job_id) for job_id in job_ids if job_id in rows.ids]

    def queue(self) -> list[JobLine]:
        """The rows of those that wait for a slot."""
        rows = self._scene.rows.window(0, _QUEUE)
        return sorted(
            (line for line in rows if line.state in _QUEUED), key=lambda line: line.job_id
        )

    def followers(self, job_ids: Collection[int]) -> Mapping[int, Sequence[int]]:
        """The jobs that may start once one of these has succeeded."""
        after = self._scene.followers
        return {job_id: after[job_id] for job_id in job_ids if job_id in after}

    def changes_before(self, seq: int, most: int) -> list[Change]:
        """What operators did, the newest first."""
        found = [
            change
            for detail in self._scene.details.values()
            for change in detail.record
            if change.kind == "ACTION" and change.seq < seq
        ]
        return sorted(found, key=lambda change: -change.seq)[:most]

    def moment(self, at: float) -> int:
        """The row of the history up to which a moment goes."""
        del at
        return self._scene.frame.seq

    def seen(self, seq: int) -> None:
        """Nobody remembers."""

    def close(self) -> None:
        """Nothing is open."""


def health(frame: Frame, link: Link, at: float, cause: str | None = None) -> Frame:
    """The frame under another link with its database."""
    return replace(frame, health=Health(link=link, at=at, cause=cause))
