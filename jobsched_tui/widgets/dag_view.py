"""The graph of one job's tasks: walked by arrow keys along its edges, redrawn in place."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from rich.style import Style
from textual.binding import Binding, BindingType
from textual.message import Message
from textual.strip import Strip

from jobsched_tui.data.dag import Graph, without_finished
from jobsched_tui.present.dag import Box, Drawing, Way, draw, walk
from jobsched_tui.present.glyphs import UNICODE, Pen
from jobsched_tui.present.spans import Line
from jobsched_tui.widgets.line_list import LineList

#: How the tasks look that the one under the cursor depends on, or that depend on it.
_HIGHLIGHT = Style(bold=True, underline=True)


class DagView(LineList):
    """Draws a :class:`Graph`; the cursor is a task, not a line."""

    class TaskChosen(Message):
        """The operator has opened a task."""

        def __init__(self, task_id: int) -> None:
            super().__init__()
            self.task_id = task_id

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("j,down", "walk('down')", "Down", id="nav.down", show=False),
        Binding("k,up", "walk('up')", "Up", id="nav.up", show=False),
        Binding("h,left", "walk('left')", "Left", id="nav.left", show=False),
        Binding("l,right", "walk('right')", "Right", id="nav.right", show=False),
        Binding("left_square_bracket", "highlight('up')", "Upstream", id="dag.upstream"),
        Binding("right_square_bracket", "highlight('down')", "Downstream", id="dag.downstream"),
        Binding("minus", "collapse", "Fold finished", id="dag.collapse"),
    ]

    def __init__(
        self,
        *,
        pen: Pen = UNICODE,
        id: str | None = None,  # noqa: A002 -- Textual's name
    ) -> None:
        super().__init__(pen=pen, id=id)
        self._whole: Graph = Graph(())
        self._graph: Graph = self._whole
        self._drawing = Drawing((), {})
        self._chosen: int | None = None
        self._collapsed = False
        self._highlighted: str | None = None

    def show(self, graph: Graph) -> None:
        """Draw this graph; the cursor stays on its task."""
        self._whole = graph
        self._redo()

    def choose(self, task_id: int) -> None:
        """Put the cursor on a task, if it is drawn."""
        if task_id in self._drawing.boxes:
            self._place(task_id)

    @property
    def chosen(self) -> int | None:
        """The task under the cursor."""
        return self._chosen

    @property
    def marked(self) -> frozenset[int]:
        """The tasks that are highlighted: up- or downstream of the one under the cursor."""
        if self._chosen is None or self._highlighted is None:
            return frozenset()
        if self._highlighted == "up":
            return self._graph.upstream(self._chosen)
        return self._graph.downstream(self._chosen)

    def lay(self, width: int) -> tuple[Sequence[Line], Sequence[int]]:
        """The drawing; every line with a box is a stop."""
        if width == 0:
            return (), ()
        self._drawing = draw(self._graph, width, self.pen)
        boxes = self._drawing.boxes
        if self._chosen not in boxes:
            self._chosen = min(boxes, key=lambda one: (boxes[one].x, boxes[one].y), default=None)
        return self._drawing.lines, sorted({box.y for box in boxes.values()})

    def name_at(self, index: int) -> object:
        """The cursor follows its task, wherever that is drawn."""
        box = self._box
        return self._chosen if box is not None and box.y == index else None

    def _find(self, key: object) -> int:
        del key
        return 0 if self._box is None else self._box.y

    @property
    def _box(self) -> Box | None:
        return None if self._chosen is None else self._drawing.boxes.get(self._chosen)

    def _redo(self) -> None:
        self._graph = without_finished(self._whole) if self._collapsed else self._whole
        self.relay(self._chosen)

    def _place(self, task_id: int) -> None:
        before, self._chosen = self.marked, task_id
        for one in before | self.marked:
            box = self._drawing.boxes.get(one)
            if box is not None:
                self._redraw(box.y)
        self.move_to(self._drawing.boxes[task_id].y)

    def action_walk(self, way: str) -> None:
        """To a neighbour."""
        if self._chosen is not None and self._chosen in self._drawing.boxes:
            self._place(walk(self._graph, self._drawing, self._chosen, Way(way)))

    def action_go(self, at: int) -> None:
        """To the first task, or the last."""
        if self._drawing.boxes:
            boxes = sorted(self._drawing.boxes, key=lambda one: self._drawing.boxes[one].y)
            self._place(boxes[at])

    def action_move(self, steps: int) -> None:
        """So many lines on: a page."""
        lines = sorted(self._drawing.boxes.items(), key=lambda item: (item[1].y, item[1].x))
        if lines and self._box is not None:
            wanted = self._box.y + steps
            self._place(min(lines, key=lambda item: abs(item[1].y - wanted))[0])

    def action_highlight(self, which: str) -> None:
        """Show what the task depends on, or what depends on it; again: no longer."""
        self._highlighted = None if self._highlighted == which else which
        self.refresh()

    def action_collapse(self) -> None:
        """Leave out the tasks that have succeeded, or show them again."""
        self._collapsed = not self._collapsed
        self._redo()
        self.refresh()

    def action_open(self) -> None:
        """Open the task."""
        if self._chosen is not None:
            self.post_message(self.TaskChosen(self._chosen))

    def click(self, x: int, index: int) -> bool:
        """The cursor goes to a box, not to a line."""
        for task_id, box in self._drawing.boxes.items():
            if box.y == index and box.x <= x < box.x + box.width:
                self._place(task_id)
                return True
        return False

    def render_line(self, y: int) -> Strip:
        """One line, with the cursor and the highlighted boxes upon it."""
        line = super().render_line(y)
        index, marked = y + self.scroll_offset.y, self.marked
        for task_id, box in self._drawing.boxes.items():
            if box.y == index and task_id in marked:
                line = _styled(line, box, _HIGHLIGHT)
            if box.y == index and task_id == self._chosen and self.has_focus:
                line = _styled(line, box, Style(reverse=True))
        return line

    def is_selected(self, index: int) -> bool:
        """No line is: a box is."""
        del index
        return False


def _styled(line: Strip, box: Box, style: Style) -> Strip:
    """The line with one box in another style."""
    before, inside, after = (
        line.crop(0, box.x),
        line.crop(box.x, box.x + box.width),
        line.crop(box.x + box.width, line.cell_length),
    )
    return Strip.join([before, inside.apply_style(style), after])
