"""The documents of a file as plain Python data, with the place of every key and value.

Owns duplicate keys, tags, merge keys and the shape of a document (a mapping). What it refuses it
leaves out of the data, so that the rest can be judged too. Knows no field of a task.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any, Final

import yaml

from jobsched.dag.report import KeyPath, Place, Report
from jobsched.dag.scalars import scalar
from jobsched.dag.scan import Scan, scan
from jobsched.dag.syntax import LOADER, report_syntax
from jobsched.dag.words import Unfit, describe, shown

_MERGE: Final = "tag:yaml.org,2002:merge"

#: Characters of a text that is worth remembering: most are far shorter.
_REMEMBERED: Final = 16 * 1024
#: The nodes of a key and of its value.
_Entry = tuple[yaml.Node, yaml.Node]


@dataclass(slots=True)
class Document:
    """One document: a mapping of text to plain values, and where in the file all of it stands."""

    text: str
    start: Place
    data: dict[str, Any] = field(default_factory=dict)
    #: Where a value stands; an empty one stands where its key does.
    values: dict[KeyPath, Place] = field(default_factory=dict)
    keys: dict[KeyPath, Place] = field(default_factory=dict)
    #: All that an alias can repeat elsewhere.
    anchored: list[Place] = field(default_factory=list)

    def known(self, path: KeyPath) -> KeyPath:
        """The longest part of ``path`` that the file has."""
        while path and path not in self.values:
            path = path[:-1]
        return path

    def at(self, *path: str | int) -> Place:
        """The place of a value, else of what it would be in."""
        return self.values.get(self.known(path), self.start)

    def at_key(self, *path: str | int) -> Place:
        """The place of a key, else of what it would be in."""
        return self.keys.get(path) or self.at(*path)

    def written(self, *path: str | int) -> str:
        """How the file spells the value."""
        place = self.values[path]
        return self.text[place.start : place.end]


@dataclass(frozen=True, slots=True)
class Documents:
    """All documents of a file but the empty ones."""

    documents: Sequence[Document]
    #: Whether these are all that the file has; if not, no document may be missed in another.
    whole: bool


def read_documents(text: str, report: Report) -> Documents:
    """Build what can be built of ``text``; everything else is reported.

    Programs submit one file again and again, with other variables, and its syntax says the same
    each time: nobody changes what is returned. What may hold a secret is not kept for that.
    """
    if len(text) > _REMEMBERED or "secrets" in text:
        return _read(text, report)
    return _faultless(text) or _read(text, report)


@lru_cache(maxsize=8)
def _faultless(text: str) -> Documents | None:
    """The documents of a text of which nothing is to be reported."""
    report = Report("", "submit")
    read = _read(text, report)
    return read if report.is_empty else None


def _read(text: str, report: Report) -> Documents:
    seen = scan(text, report)
    documents: list[Document] = []
    whole = seen.whole
    try:
        for node in _nodes(text, seen.complete):
            if isinstance(node, yaml.MappingNode):
                documents.append(_Builder(text, seen, report).document(node))
            elif not (isinstance(node, yaml.ScalarNode) and node.tag.endswith(":null")):
                _refuse_document(node, report)
                whole = False
    except yaml.YAMLError as error:  # composing may find what parsing alone did not
        report_syntax(error, report)
        whole = False
    return Documents(documents, whole)


def _nodes(text: str, count: int) -> Iterator[yaml.Node]:
    return itertools.islice(yaml.compose_all(text, Loader=LOADER), count)


def _place(node: yaml.Node) -> Place:
    return Place.of_marks(node.start_mark, node.end_mark)


def _refuse_document(node: yaml.Node, report: Report) -> None:
    found = "a list" if isinstance(node, yaml.SequenceNode) else f"the text {shown(node.value)}"
    hint = "a task looks like `run: echo hello`, several are separated by a line ---"
    report.error(_place(node), f"a document is a mapping of fields, found {found}", hint)


class _Left(Exception):
    """Ends the building of one value: the problem is reported, the value left out."""


class _Builder:
    """Builds one document. Depth and size are bounded before it starts, by the scan."""

    def __init__(self, text: str, seen: Scan, report: Report) -> None:
        self._text, self._seen, self._report = text, seen, report

    def document(self, node: yaml.MappingNode) -> Document:
        self._document = Document(self._text, _place(node))
        try:
            self._note(node)
            self._document.data = self._mapping(node, ())
        except _Left:
            self._document.data = {}
        return self._document

    def _value(self, node: yaml.Node, path: KeyPath) -> Any:
        self._note(node)
        if isinstance(node, yaml.ScalarNode):
            try:
                return scalar(node)
            except Unfit as unfit:
                message = f"expected {unfit.expected}"
                raise self._left(_place(node), message, unfit.hint) from None
        if isinstance(node, yaml.SequenceNode):
            return [self._item(item, (*path, index)) for index, item in enumerate(node.value)]
        return self._mapping(node, path)

    def _item(self, node: yaml.Node, path: KeyPath) -> Any:
        self._document.values[path] = _place(node)
        return self._value(node, path)

    def _mapping(self, node: yaml.Node, path: KeyPath) -> dict[str, Any]:
        built: dict[str, Any] = {}
        for name, (key, value) in self._entries(node, path).items():
            inner = (*path, name)
            empty = value.start_mark.index == value.end_mark.index
            self._document.keys[inner] = _place(key)
            self._document.values[inner] = _place(key if empty else value)
            try:
                built[name] = self._value(value, inner)
            except _Left:
                continue
        return built

    def _entries(self, node: yaml.Node, path: KeyPath) -> dict[str, _Entry]:
        """The entries of a mapping by name, those that ``<<`` merges into it last."""
        own: dict[str, _Entry] = {}
        for key, value in node.value:
            name = _MERGE if key.tag == _MERGE else self._name(key)
            if name in own:
                first = _place(own[name][0])
                message = f"the key {shown(key.value)} is given twice"
                hint = f"it was given first in line {first.line}; keep one of them"
                self._report.error(_place(key), message, hint)
            elif name is not None:
                own[name] = (key, value)
        merged: dict[str, _Entry] = {}
        if _MERGE in own:
            key, value = own.pop(_MERGE)
            for source in self._sources(key, value):
                merged = self._entries(source, path) | merged  # the first of several wins
            self._refuse_merged_secrets(key, merged, path)
        return own | {name: entry for name, entry in merged.items() if name not in own}

    def _sources(self, key: yaml.Node, value: yaml.Node) -> list[yaml.Node]:
        sources = value.value if isinstance(value, yaml.SequenceNode) else [value]
        for source in (value, *sources):
            self._note(source)
        if all(isinstance(source, yaml.MappingNode) for source in sources):
            return sources
        self._report.error(_place(key), "<< merges a mapping or a list of mappings, nothing else")
        return []

    def _refuse_merged_secrets(
        self, key: yaml.Node, entries: dict[str, Any], path: KeyPath
    ) -> None:
        if path == ("secrets",) or (path == () and "secrets" in entries):
            message = "secrets cannot come from a merge (<<)"
            self._report.error(_place(key), message, "write them in the task's own `secrets`")

    def _name(self, key: yaml.Node) -> str | None:
        """The name that a key is; ``None`` if it is none, which is then reported."""
        try:
            self._note(key)
            value = scalar(key) if isinstance(key, yaml.ScalarNode) else key.value
        except _Left:
            return None
        except Unfit as unfit:
            self._report.error(_place(key), f"expected {unfit.expected}", unfit.hint)
            return None
        if isinstance(value, str):
            return value
        hint = "" if isinstance(value, list) else f"quote it if it is meant: {key.value[:20]!r}"
        found = describe(value) if not isinstance(value, list) else "a list or mapping"
        self._report.error(_place(key), f"a key must be a name, found {found}", hint)
        return None

    def _note(self, node: yaml.Node) -> None:
        """Refuse a tag, remember an anchor."""
        place = _place(node)
        if place.start in self._seen.anchored:
            self._document.anchored.append(place)
        if place.start in self._seen.tagged:
            message = "tags (like !name or !!str) are not allowed"
            raise self._left(place, message, "leave it away; quotes make text of a value")

    def _left(self, place: Place, message: str, hint: str) -> _Left:
        self._report.error(place, message, hint)
        return _Left()
