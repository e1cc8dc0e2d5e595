"""The first look at a file: one pass over the parser's events, before anything is built of them.

Owns the bounds on depth and number of nodes, aliases expanded, and finds where anchors and explicit
tags stand. Needs memory for the open collections alone, so that a small file that would unfold to
billions of nodes costs nothing.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Final

import yaml

from jobsched.dag.report import Place, Report
from jobsched.dag.syntax import LOADER, report_syntax
from jobsched.dag.words import shown

MAX_DEPTH: Final = 20
MAX_NODES: Final = 5_000


@dataclass(slots=True)
class Scan:
    """What one pass over the events found."""

    #: Documents that were seen to their end; only these may be built.
    complete: int = 0
    #: Whether the file was seen to its end.
    whole: bool = False
    #: Offsets in the text at which a node with an anchor, with an explicit tag, starts.
    anchored: set[int] = field(default_factory=set)
    tagged: set[int] = field(default_factory=set)


def scan(text: str, report: Report) -> Scan:
    """Look over ``text``; reports what ends the look early: bad syntax or a bound exceeded."""
    look = _Look(report)
    try:
        for event in yaml.parse(text, Loader=LOADER):
            if not look.accepts(event):
                return look.found
    except yaml.YAMLError as error:
        report_syntax(error, report)
        return look.found
    look.found.whole = True
    return look.found


@dataclass(slots=True)
class _Subtree:
    """A node with all below it: how many nodes, how many collections deep."""

    anchor: str | None
    size: int = 1
    depth: int = 0


class _Look:
    """The state of the pass."""

    def __init__(self, report: Report) -> None:
        self.found = Scan()
        self._report = report
        self._nodes = 0
        self._open: list[_Subtree] = []
        self._anchors: dict[str, _Subtree] = {}

    def accepts(self, event: Any) -> bool:
        """Count ``event``; reports and says no if it breaks a bound or an alias leads nowhere."""
        if isinstance(event, yaml.DocumentStartEvent):
            self._anchors.clear()
        elif isinstance(event, yaml.DocumentEndEvent):
            self.found.complete += 1
        elif isinstance(event, yaml.AliasEvent):
            return self._alias(event)
        elif isinstance(event, yaml.CollectionEndEvent):
            self._close(self._open.pop())
        elif isinstance(event, yaml.NodeEvent):
            return self._node(event)
        return True

    def _node(self, event: Any) -> bool:
        if event.anchor is not None:
            self.found.anchored.add(event.start_mark.index)
            if event.anchor in self._anchors or any(n.anchor == event.anchor for n in self._open):
                message = f"the anchor {shown(f'&{event.anchor}')} is given twice"
                self._report.error(_place(event), message)
                return False
        if event.tag is not None:
            self.found.tagged.add(event.start_mark.index)
        node = _Subtree(event.anchor)
        if isinstance(event, yaml.ScalarEvent):
            self._close(node)
        else:
            node.depth = 1
            self._open.append(node)
        return self._within_bounds(event, nodes=1, depth=len(self._open))

    def _alias(self, event: Any) -> bool:
        anchor = event.anchor
        if any(node.anchor == anchor for node in self._open):
            self._report.error(_place(event), f"the alias {shown(f'*{anchor}')} contains itself")
            return False
        target = self._anchors.get(anchor or "")
        if target is None:
            message = f"the alias {shown(f'*{anchor}')} has no anchor"
            hint = "an anchor (&name) serves its own document only, after its definition"
            self._report.error(_place(event), message, hint)
            return False
        self._close(_Subtree(None, target.size, target.depth))
        return self._within_bounds(event, nodes=target.size, depth=len(self._open) + target.depth)

    def _close(self, node: _Subtree) -> None:
        if node.anchor is not None:
            self._anchors[node.anchor] = node
        if self._open:
            parent = self._open[-1]
            parent.size += node.size
            parent.depth = max(parent.depth, node.depth + 1)

    def _within_bounds(self, event: Any, *, nodes: int, depth: int) -> bool:
        self._nodes += nodes
        if self._nodes > MAX_NODES:
            message = f"the file holds more than {MAX_NODES:,} values, aliases expanded"
            self._report.error(_place(event), message, "split it into several jobs")
        elif depth > MAX_DEPTH:
            message = f"values are nested more than {MAX_DEPTH} deep here"
            self._report.error(_place(event), message, "no field of a task needs that")
        return self._nodes <= MAX_NODES and depth <= MAX_DEPTH


def _place(event: Any) -> Place:
    return Place.of_marks(event.start_mark, event.end_mark)
