"""The graph of a job's tasks: who follows whom, in layers and in an order with few crossings.

Owns the graph and its places on a grid of layers and rows. Knows no character and no width.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from statistics import fmean
from typing import Any, Final, NamedTuple

from jobsched.models import DagSpec
from jobsched.states import TaskStatus

#: Times that the order inside the layers is improved, to the right and back.
_SWEEPS: Final = 4


@dataclass(frozen=True, slots=True, kw_only=True)
class Node:
    """One task as the graph shows it."""

    task_id: int
    name: str
    status: TaskStatus
    #: How long it has run, or ran; ``None``: it has not started.
    seconds: float | None = None
    #: False for an auxiliary task of a group.
    counts: bool = True


@dataclass(frozen=True, slots=True)
class Graph:
    """Tasks and edges ``(before, after)`` between them; a group's tasks have none."""

    nodes: tuple[Node, ...]
    edges: frozenset[tuple[int, int]] = frozenset()
    is_group: bool = False
    #: How many succeeded tasks are left out.
    hidden: int = 0

    def before(self, task_id: int) -> list[int]:
        """The tasks that it follows directly, in order."""
        return sorted(source for source, target in self.edges if target == task_id)

    def after(self, task_id: int) -> list[int]:
        """The tasks that follow it directly, in order."""
        return sorted(target for source, target in self.edges if source == task_id)

    def upstream(self, task_id: int) -> frozenset[int]:
        """All that must have succeeded before it."""
        return _reach(task_id, ((target, source) for source, target in self.edges))

    def downstream(self, task_id: int) -> frozenset[int]:
        """All that wait for it, directly or not."""
        return _reach(task_id, self.edges)


class Stop(NamedTuple):
    """A task, or (in a layer to its right) a place where edges from it only pass through."""

    task_id: int
    layer: int


@dataclass(frozen=True, slots=True)
class Grid:
    """Every task's place, and the edges cut into pieces from one layer to the next."""

    rows: Mapping[Stop, int]
    #: Targets of the pieces that leave a stop.
    pieces: Mapping[Stop, Sequence[Stop]] = field(default_factory=dict)
    layers: Sequence[Sequence[Stop]] = ()


def _reach(start: int, edges: Iterable[tuple[int, int]]) -> frozenset[int]:
    following: dict[int, list[int]] = {}
    for source, target in edges:
        following.setdefault(source, []).append(target)
    found: set[int] = set()
    waiting = [start]
    while waiting:
        new = set(following.get(waiting.pop(), ())) - found
        found |= new
        waiting += new
    return frozenset(found)


def graph_of(job: Mapping[str, Any], spec: DagSpec | None, now: float) -> Graph:
    """The graph of a ``show`` object and its DAG; without one a chain is not known, nor drawn."""
    specs = {task.task_id: task for task in spec.tasks} if spec else {}
    nodes = []
    for task in job["tasks"]:
        started, ended = task["started_at"], task["ended_at"]
        known = specs.get(task["task_id"])
        nodes.append(
            Node(
                task_id=task["task_id"],
                name=str(task["name"]),
                status=TaskStatus(task["status"]),
                seconds=None if started is None else (now if ended is None else ended) - started,
                counts=known is None or known.counts,
            )
        )
    edges = frozenset((before, one.task_id) for one in specs.values() for before in one.depends_on)
    return Graph(tuple(nodes), edges, is_group=spec is not None and spec.is_group)


def without_finished(graph: Graph) -> Graph:
    """The graph without the tasks that have succeeded. Failures stay: they are looked for."""
    kept = tuple(node for node in graph.nodes if node.status is not TaskStatus.SUCCEEDED)
    ids = {node.task_id for node in kept}
    edges = frozenset((a, b) for a, b in graph.edges if a in ids and b in ids)
    return Graph(kept, edges, graph.is_group, hidden=len(graph.nodes) - len(kept))


def depths(graph: Graph) -> dict[int, int]:
    """How many tasks stand before each on the longest way to it; edges of a cycle are ignored."""
    before: dict[int, list[int]] = {node.task_id: [] for node in graph.nodes}
    for source, target in sorted(graph.edges):
        if source in before and target in before and source != target:
            before[target].append(source)
    found: dict[int, int] = {}
    waiting = list(before)
    while waiting:
        ready = [one for one in waiting if all(source in found for source in before[one])]
        for one in ready or waiting:  # a submitted DAG has no cycle; draw whatever else is given
            found[one] = max((found[b] + 1 for b in before[one] if b in found), default=0)
        waiting = [one for one in waiting if one not in found]
    return found


def grid_of(graph: Graph) -> Grid:
    """Layers by the longest way, an order with few crossings, and rows near the neighbours'."""
    depth = depths(graph)
    pieces = _pieces(graph, depth)
    layers: list[list[Stop]] = [[] for _ in range(max(depth.values(), default=-1) + 1)]
    for stop in {*(Stop(*item) for item in depth.items()), *pieces}:
        layers[stop.layer].append(stop)
    for layer in layers:  # what only passes through goes below what stands there
        layer.sort(key=lambda stop: (depth[stop.task_id] != stop.layer, stop.task_id))
    before: dict[Stop, list[Stop]] = {}
    for source, targets in pieces.items():
        for target in targets:
            before.setdefault(target, []).append(source)
    layers = _ordered(layers, before, pieces)
    return Grid(_rows(layers, before, pieces), pieces, layers)


def _pieces(graph: Graph, depth: Mapping[int, int]) -> dict[Stop, list[Stop]]:
    """Edges over several layers pass through them; those from one task do so together."""
    pieces: dict[Stop, set[Stop]] = {}
    for source, target in graph.edges:
        if not depth.get(source, 0) < depth.get(target, 0):
            continue  # part of a cycle, or of a task that is not shown
        stop = Stop(source, depth[source])
        while stop.layer + 1 < depth[target]:
            following = Stop(source, stop.layer + 1)
            pieces.setdefault(stop, set()).add(following)
            stop = following
        pieces.setdefault(stop, set()).add(Stop(target, depth[target]))
    return {stop: sorted(targets) for stop, targets in pieces.items()}


def _ordered(
    layers: list[list[Stop]],
    before: Mapping[Stop, Sequence[Stop]],
    after: Mapping[Stop, Sequence[Stop]],
) -> list[list[Stop]]:
    """The best order of some sweeps: each stop at the mean of its neighbours' positions."""
    best, least = layers, _crossings(layers, after)
    current = layers
    for sweep in range(_SWEEPS):
        rightwards = sweep % 2 == 0
        neighbours = before if rightwards else after
        current = [list(layer) for layer in current]
        order = current if rightwards else current[::-1]
        for fixed, moving in pairwise(order):
            position = {stop: float(index) for index, stop in enumerate(fixed)}
            means = {
                stop: _mean(stop, neighbours, position, index) for index, stop in enumerate(moving)
            }
            moving.sort(key=means.__getitem__)
        crossings = _crossings(current, after)
        if crossings < least:
            best, least = current, crossings
    return best


def _mean(
    stop: Stop,
    neighbours: Mapping[Stop, Sequence[Stop]],
    position: Mapping[Stop, float],
    default: float,
) -> float:
    found = [position[other] for other in neighbours.get(stop, ()) if other in position]
    return fmean(found) if found else default


def _crossings(layers: Sequence[Sequence[Stop]], after: Mapping[Stop, Sequence[Stop]]) -> int:
    """How many pairs of pieces cross."""
    count = 0
    for left, right in pairwise(layers):
        position = {stop: index for index, stop in enumerate(right)}
        seen: list[int] = []
        for stop in left:
            targets = [position[target] for target in after.get(stop, ())]
            count += sum(earlier > target for target in targets for earlier in seen)
            seen += targets
    return count


def _rows(
    layers: Sequence[Sequence[Stop]],
    before: Mapping[Stop, Sequence[Stop]],
    after: Mapping[Stop, Sequence[Stop]],
) -> dict[Stop, int]:
    """Rows that keep each layer's order and make most edges straight."""
    rows = {stop: float(index) for layer in layers for index, stop in enumerate(layer)}
    for neighbours, order in ((before, layers), (after, layers[::-1]), (before, layers)):
        for layer in order:
            wanted = [_mean(stop, neighbours, rows, rows[stop]) for stop in layer]
            rows.update(zip(layer, _settled(wanted), strict=True))
    top = min(rows.values(), default=0)
    return {stop: int(row - top) for stop, row in rows.items()}


def _settled(wanted: Iterable[float]) -> list[float]:
    """Whole rows in order, no two the same, as near as can be to what is wanted.

    Neighbours that want to be too near become a block, which lies at the mean of its wishes.
    """
    blocks: list[list[float]] = []
    for index, row in enumerate(wanted):
        blocks.append([row - index])
        while len(blocks) > 1 and fmean(blocks[-2]) > fmean(blocks[-1]):
            blocks[-2:] = [blocks[-2] + blocks[-1]]
    places = [fmean(block) for block in blocks for _ in block]
    return [float(round(place - 1e-6) + index) for index, place in enumerate(places)]
