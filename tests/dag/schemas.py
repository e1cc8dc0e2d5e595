"""As much of JSON Schema as the schema of a DAG file uses, for tests to judge documents by it."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import Any

_TYPES: dict[str, type | tuple[type, ...]] = {
    "object": dict, "array": list, "string": str, "integer": int, "number": (int, float),
    "boolean": bool, "null": type(None),
}  # fmt: skip


def fits(value: object, schema: Mapping[str, Any], root: Mapping[str, Any]) -> bool:
    """Whether ``value`` is valid; a keyword that is not known here is an error of the test."""
    return all(
        _KEYWORDS[keyword](value, said, schema, root)
        for keyword, said in schema.items()
        if keyword not in _ANNOTATIONS
    )


def _is(value: object, name: str) -> bool:
    is_bool = isinstance(value, bool)
    return is_bool if name == "boolean" else not is_bool and isinstance(value, _TYPES[name])


def _type(value: Any, said: Any, *_: object) -> bool:
    return any(_is(value, name) for name in ([said] if isinstance(said, str) else said))


def _ref(value: Any, said: str, _: object, root: Mapping[str, Any]) -> bool:
    return fits(value, root["$defs"][said.removeprefix("#/$defs/")], root)


def _if(value: Any, said: Any, schema: Mapping[str, Any], root: Mapping[str, Any]) -> bool:
    return fits(value, schema["then" if fits(value, said, root) else "else"], root)


def _properties(value: Any, said: Any, _: object, root: Mapping[str, Any]) -> bool:
    return not isinstance(value, dict) or all(
        fits(value[name], one, root) for name, one in said.items() if name in value
    )


def _others(value: Any, said: Any, schema: Mapping[str, Any], root: Mapping[str, Any]) -> bool:
    if not isinstance(value, dict) or said is True:
        return True
    others = [value[name] for name in value if name not in schema.get("properties", {})]
    return not others if said is False else all(fits(other, said, root) for other in others)


def _bound(kind: type | tuple[type, ...], holds: Callable[[Any, Any], bool]) -> Callable[..., bool]:
    return lambda value, said, *_: not isinstance(value, kind) or holds(value, said)


_NUMBER = (int, float)
_ANNOTATIONS = {"$schema", "$defs", "title", "description", "default", "then", "else"}
_KEYWORDS: dict[str, Callable[..., bool]] = {
    "type": _type,
    "$ref": _ref,
    "if": _if,
    "properties": _properties,
    "additionalProperties": _others,
    "anyOf": lambda value, said, _, root: any(fits(value, one, root) for one in said),
    "items": lambda value, said, _, root: (
        not isinstance(value, list) or all(fits(one, said, root) for one in value)
    ),
    "enum": lambda value, said, *_: value in said,
    "required": _bound(dict, lambda value, said: all(name in value for name in said)),
    "pattern": _bound(str, lambda value, said: re.search(said, value) is not None),
    "minLength": _bound(str, lambda value, said: len(value) >= said),
    "maxLength": _bound(str, lambda value, said: len(value) <= said),
    "minItems": _bound(list, lambda value, said: len(value) >= said),
    "minimum": _bound(_NUMBER, lambda value, said: value >= said),
    "maximum": _bound(_NUMBER, lambda value, said: value <= said),
    "exclusiveMinimum": _bound(_NUMBER, lambda value, said: value > said),
}
