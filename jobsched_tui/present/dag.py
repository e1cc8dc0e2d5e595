"""The graph of a job's tasks, drawn: boxes in layers from left to right, or an indented tree.

Owns widths and characters, and how the arrow keys walk over what is drawn. The order and the rows
come from ``data.dag``, the lines between the layers from ``wires``.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import Enum, unique
from typing import Final

from rich.cells import cell_len

from jobsched_tui.data.dag import Graph, Grid, Node, Stop, depths, grid_of
from jobsched_tui.present import formats, glyphs, wires
from jobsched_tui.present.glyphs import UNICODE, Pen
from jobsched_tui.present.spans import Line, Span, Tone, clip_line, fit, span, width
from jobsched_tui.present.wires import Channel

#: Tasks that are drawn as boxes at most.
MOST_BOXES: Final = 60
#: Cells of a name: never fewer than these if it is longer, never more than those.
_LEAST_NAME: Final = 6
_MOST_NAME: Final = 32
#: A line with a branch to the right.
_BRANCH: Final = ("├", "+")
#: Cells of a tree's indentation that are shown.
_MOST_INDENT: Final = 24


@unique
class Way(Enum):
    """Where an arrow key leads."""

    LEFT = "left"
    RIGHT = "right"
    UP = "up"
    DOWN = "down"


@dataclass(frozen=True, slots=True)
class Box:
    """Where a task is drawn, in cells from the top left; one cell high."""

    x: int
    y: int
    width: int


@dataclass(frozen=True, slots=True)
class Drawing:
    """Lines, and where in them each task's box is."""

    lines: tuple[tuple[Span, ...], ...]
    boxes: Mapping[int, Box]
    is_tree: bool = False


def draw(graph: Graph, cells: int, pen: Pen = UNICODE) -> Drawing:
    """The graph in at most so many cells: as boxes if they fit and are not too many."""
    drawing = None if len(graph.nodes) > MOST_BOXES else _layered(graph, cells, pen)
    drawing = drawing or _tree(graph, cells, pen)
    notes = [tuple(clip_line([span(note, Tone.MUTED)], cells)) for note in _notes(graph)]
    lines = [*drawing.lines, *notes]
    if pen.is_ascii:
        lines = [tuple(glyphs.ascii_line(line)) for line in lines]
    return Drawing(tuple(lines), drawing.boxes, drawing.is_tree)


def walk(graph: Graph, drawing: Drawing, at: int, way: Way) -> int:
    """Which task an arrow key leads to: sideways along an edge, up and down to the next box."""
    here = drawing.boxes[at]
    if way in (Way.LEFT, Way.RIGHT):
        found = graph.before(at) if way is Way.LEFT else graph.after(at)
        shown = [one for one in found if one in drawing.boxes]
        return min(shown, key=lambda one: abs(drawing.boxes[one].y - here.y), default=at)
    step = 1 if way is Way.DOWN else -1
    others = {
        (box.y - here.y) * step: task_id
        for task_id, box in drawing.boxes.items()
        if (drawing.is_tree or box.x == here.x) and (box.y - here.y) * step > 0
    }
    return others[min(others)] if others else at


def _notes(graph: Graph) -> Iterator[str]:
    if graph.is_group and len(graph.nodes) > 1:
        yield "a group: all are placed together, or none"
    if graph.hidden:
        yield f"{formats.plural(graph.hidden, 'succeeded task')} not shown"


# --- boxes in layers ------------------------------------------------------------------------------


def _layered(graph: Graph, cells: int, pen: Pen) -> Drawing | None:
    """The graph as boxes; ``None`` if that takes more cells than there are."""
    grid = grid_of(graph)
    channels = [_channel(grid, layer) for layer in range(len(grid.layers) - 1)]
    margin = 2 if graph.is_group and len(graph.nodes) > 1 else 0
    columns = _columns(graph, grid, cells - margin - sum(one.width for one in channels))
    if columns is None:
        return None
    canvas = _Canvas(grid, channels, pen)
    x = margin
    for layer, (name_cells, time_cells) in enumerate(columns):
        nodes = {node.task_id: node for node in graph.nodes}
        column = _box_width(name_cells, time_cells)
        for stop in grid.layers[layer]:
            if _is_pass(stop, grid):
                canvas.line(stop, x, column)
            else:
                canvas.box(stop, x, _box(nodes[stop.task_id], name_cells, time_cells, pen))
        x += column
        if layer < len(channels):
            canvas.channel(channels[layer], x)
            x += channels[layer].width
    if margin:
        canvas.bracket()
    return canvas.drawing()


def _channel(grid: Grid, layer: int) -> Channel:
    return wires.route(
        {
            grid.rows[stop]: [grid.rows[target] for target in grid.pieces[stop]]
            for stop in grid.layers[layer]
            if stop in grid.pieces
        }
    )


def _is_pass(stop: Stop, grid: Grid) -> bool:
    """Whether it only leads edges through its layer: its task stands further left."""
    return stop.layer > 0 and Stop(stop.task_id, stop.layer - 1) in grid.rows


def _columns(graph: Graph, grid: Grid, cells: int) -> list[tuple[int, int]] | None:
    """Cells of names and of times in each layer, so that all layers fit; names are cut equally."""
    nodes = {node.task_id: node for node in graph.nodes}
    layers = [
        [nodes[stop.task_id] for stop in layer if not _is_pass(stop, grid)] for layer in grid.layers
    ]
    names = [max(cell_len(_name(node)) for node in layer) for layer in layers]
    times = [max(cell_len(_time(node)) for node in layer) for layer in layers]
    for most in range(_MOST_NAME, _LEAST_NAME - 1, -1):
        columns = [(min(name, most), time) for name, time in zip(names, times, strict=True)]
        if sum(_box_width(*column) for column in columns) <= cells:
            return columns
    return None


def _box_width(name_cells: int, time_cells: int) -> int:
    return 4 + name_cells + (1 + time_cells if time_cells else 0)


def _box(node: Node, name_cells: int, time_cells: int, pen: Pen) -> list[Span]:
    mark = glyphs.status(node.status)
    line = [
        Span("[", Tone.MUTED),
        Span(f"{mark.sign(pen)} ", mark.tone),
        span(fit(_name(node), name_cells), mark.tone),
    ]
    if time_cells:
        line.append(Span(" " + fit(_time(node), time_cells, right=True)))
    return [*line, Span("]", Tone.MUTED)]


def _name(node: Node) -> str:
    return span(node.name if node.counts else f"{node.name} (aux)").text


def _time(node: Node) -> str:
    return "" if node.seconds is None else formats.age(node.seconds)


class _Canvas:
    """Boxes and characters on doubled rows, of which the odd ones are kept only if used."""

    def __init__(self, grid: Grid, channels: Sequence[Channel], pen: Pen) -> None:
        used = {2 * row for row in grid.rows.values()}
        used |= {row for one in channels for row in wires.odd_rows(one)}
        self._rows = grid.rows
        self._line = {row: index for index, row in enumerate(sorted(used))}
        self._pieces: list[dict[int, list[Span]]] = [{} for _ in used]
        self._boxes: dict[int, Box] = {}
        self._pen = pen

    def box(self, stop: Stop, x: int, line: list[Span]) -> None:
        y = self._line[2 * self._rows[stop]]
        self._pieces[y][x] = line
        self._boxes[stop.task_id] = Box(x, y, width(line))

    def line(self, stop: Stop, x: int, cells: int) -> None:
        y = self._line[2 * self._rows[stop]]
        self._pieces[y][x] = [Span(self._pen.horizontal * cells, Tone.MUTED)]

    def channel(self, channel: Channel, x: int) -> None:
        for cell, mask in channel.cells.items():
            if cell.row in self._line:
                drawn = wires.character(mask, self._pen)
                self._pieces[self._line[cell.row]][x + cell.x] = [Span(drawn, Tone.MUTED)]

    def bracket(self) -> None:
        """What holds a group together."""
        corners, last = self._pen.corners, len(self._pieces) - 1
        for y, pieces in enumerate(self._pieces):
            corner = corners[0] if y == 0 else corners[2] if y == last else None
            text = _BRANCH[self._pen.is_ascii] if corner is None else corner
            pieces[0] = [Span(text + self._pen.horizontal, Tone.MUTED)]

    def drawing(self) -> Drawing:
        return Drawing(tuple(tuple(_laid(pieces)) for pieces in self._pieces), self._boxes)


def _laid(pieces: Mapping[int, Line]) -> Iterator[Span]:
    """The pieces of a line, each at its place."""
    x = 0
    for start, line in sorted(pieces.items()):
        if start > x:
            yield Span(" " * (start - x))
        yield from line
        x = start + width(line)


# --- an indented tree -----------------------------------------------------------------------------


def _tree(graph: Graph, cells: int, pen: Pen) -> Drawing:
    """Every task on a line, below the one that it follows last; what else it follows is named."""
    names = {node.task_id: _name(node) for node in graph.nodes}
    lines: list[tuple[Span, ...]] = []
    boxes: dict[int, Box] = {}
    for node, parent, indent in _descent(graph, pen):
        prefix = _indent(indent, min(_MOST_INDENT, cells // 3))
        box = _box(node, cell_len(names[node.task_id]), cell_len(_time(node)), pen)
        others = [names[one] for one in graph.before(node.task_id) if one != parent]
        also = [span(f"  also after {', '.join(others)}", Tone.MUTED)] if others else []
        head = clip_line([Span(prefix, Tone.MUTED), *box], cells)
        boxes[node.task_id] = Box(len(prefix), len(lines), max(1, width(head) - len(prefix)))
        lines.append(tuple(clip_line([*head, *also], cells)))
    return Drawing(tuple(lines), boxes, is_tree=True)


def _descent(graph: Graph, pen: Pen) -> Iterator[tuple[Node, int | None, str]]:
    """Each task once, with the one above it and its indentation, from the top."""
    depth = depths(graph)
    parents = {node.task_id: _parent(graph.before(node.task_id), depth) for node in graph.nodes}
    nodes = {node.task_id: node for node in graph.nodes}
    children: dict[int | None, list[int]] = {}
    for task_id, parent in parents.items():
        above = parent if parent is not None and depth[parent] < depth[task_id] else None
        children.setdefault(above, []).append(task_id)
    waiting = [(one, "", "") for one in reversed(children.get(None, []))]
    while waiting:
        task_id, indent, below = waiting.pop()
        yield nodes[task_id], parents[task_id], indent
        own = children.get(task_id, [])
        for one in reversed(own):
            is_last = one == own[-1]
            turn = pen.corners[2] if is_last else _BRANCH[pen.is_ascii]
            through = "  " if is_last else f"{pen.vertical} "
            waiting.append((one, f"{below}{turn}{pen.horizontal}", below + through))


def _parent(before: Collection[int], depth: Mapping[int, int]) -> int | None:
    """Of all that a task follows, the one that stands deepest."""
    known: Iterable[int] = (one for one in before if one in depth)
    return max(known, key=lambda one: (depth[one], -one), default=None)


def _indent(text: str, cells: int) -> str:
    """Its end, if it is too long: how deep a task stands is told by what is above it."""
    return text if len(text) <= cells else "…" + text[len(text) - cells + 1 :] if cells > 0 else ""
