"""What has become red since the operator looked last: each trouble is told once.

Owns which troubles were told. How they are told (bell, notification of the terminal) is the app's.
"""

from __future__ import annotations

from jobsched_tui.data.frame import Attention, Frame, Link, Trouble
from jobsched_tui.present.spans import clip

#: Cells of a notification.
_CELLS = 160


class News:
    """The troubles of one console."""

    def __init__(self) -> None:
        self._known: set[tuple[Trouble, int | None]] | None = None

    def fresh(self, frame: Frame) -> list[Attention]:
        """Troubles that were not there before; those of the first frame are no news."""
        if frame.health.link not in (Link.LIVE, Link.POLLING):
            return []
        now = {(one.trouble, one.job_id) for one in frame.attention}
        known, self._known = self._known, now
        if known is None:
            return []
        return [one for one in frame.attention if (one.trouble, one.job_id) not in known]


def told(news: list[Attention]) -> str:
    """One harmless line about them."""
    first, more = news[0], len(news) - 1
    rest = f" (and {more} more)" if more else ""
    return clip(f"jobsched: {first.trouble.value} {first.text}", _CELLS) + rest
