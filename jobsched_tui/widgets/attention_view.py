"""The attention list: what a person should look at, with what is suggested, two lines each."""

from __future__ import annotations

from collections.abc import Sequence

from textual.message import Message

from jobsched_tui.data.failures import Cluster
from jobsched_tui.data.frame import Attention
from jobsched_tui.present import attention as words
from jobsched_tui.present.glyphs import UNICODE, Pen
from jobsched_tui.present.spans import Line
from jobsched_tui.widgets.line_list import LineList


class AttentionView(LineList):
    """Draws what was judged; Enter opens the job that it is about."""

    class Opened(Message):
        """The operator wants to see a job."""

        def __init__(self, job_id: int) -> None:
            super().__init__()
            self.job_id = job_id

    class CursorMoved(Message):
        """The cursor is on another trouble; ``None``: on one of no job, or on none."""

        def __init__(self, job_id: int | None) -> None:
            super().__init__()
            self.job_id = job_id

    def __init__(self, *, pen: Pen = UNICODE, id: str | None = None) -> None:  # noqa: A002 - Textual's name
        super().__init__(pen=pen, id=id)
        self._found: Sequence[Attention] = ()
        self._clusters: Sequence[Cluster] = ()
        self._now = 0.0
        self._head = 0

    def show(self, found: Sequence[Attention], clusters: Sequence[Cluster], now: float) -> None:
        """Draw these; the cursor stays on its trouble."""
        key = self.cursor_key
        self._found, self._clusters, self._now = found, clusters, now
        self.relay(key)

    @property
    def current(self) -> Attention | None:
        """What the cursor is on."""
        at = (self._cursor - self._head) // 2
        return self._found[at] if self._cursor in self._stops else None

    def go_to(self, job_id: int) -> None:
        """Put the cursor on the first trouble of a job, if it has one."""
        at = next((at for at, one in enumerate(self._found) if one.job_id == job_id), None)
        if at is not None:
            self.move_to(self._head + 2 * at)

    def lay(self, width: int) -> tuple[Sequence[Line], Sequence[int]]:
        """Failures that are alike first, then each trouble with its command."""
        if width == 0:
            return (), ()
        if not self._found:
            return [words.none_found(width, self.pen)], ()
        head: list[Line] = [words.cluster(one, width, self.pen) for one in self._clusters]
        head += [()] if head else []
        lines = list(head)
        for one in self._found:
            lines.append(words.row(one, self._now, width, self.pen))
            lines.append(words.command(one, width, self.pen))
        self._head = len(head)
        return lines, range(self._head, len(lines), 2)

    def name_at(self, index: int) -> object:
        """A trouble is known by its kind and its job."""
        at = index - self._head
        if at < 0 or at // 2 >= len(self._found):
            return None
        one = self._found[at // 2]
        return one.trouble, one.job_id

    def cursor_moved(self) -> None:
        """Tell whose it is."""
        self.post_message(self.CursorMoved(None if self.current is None else self.current.job_id))

    def action_open(self) -> None:
        """See the job."""
        if self.current is not None and self.current.job_id is not None:
            self.post_message(self.Opened(self.current.job_id))
