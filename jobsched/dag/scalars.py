"""One scalar of a YAML file as a plain Python value: text, number, boolean or nothing.

Owns what YAML 1.1 makes of a word. Dates stay text: no field takes one, and in an environment
variable the text is what was meant.
"""

from __future__ import annotations

from typing import Final

import yaml

from jobsched.dag.words import Unfit

Scalar = str | int | float | bool | None

_CORE: Final = "tag:yaml.org,2002:"
_TEXT: Final = {_CORE + kind for kind in ("str", "timestamp", "merge", "value")}
_CONSTRUCT: Final = yaml.constructor.SafeConstructor()


def scalar(node: yaml.ScalarNode) -> Scalar:
    """The value of ``node``; raises ``Unfit`` for what no field could take."""
    kind = node.tag.removeprefix(_CORE)
    if node.tag in _TEXT:
        return _text(node.value)
    if kind == "null":
        return None
    if kind == "bool":
        return _CONSTRUCT.bool_values[node.value.lower()]
    try:
        if kind == "int":
            return _CONSTRUCT.construct_yaml_int(node)
        if kind == "float":
            return _CONSTRUCT.construct_yaml_float(node)
    except (ValueError, OverflowError) as error:
        raise Unfit("a number that can be read", "quote it if it is text") from error
    raise Unfit("a plain value")


def _text(text: str) -> str:
    for character in text:
        if character == "\0" or "\ud800" <= character <= "\udfff":
            hint = f"it holds U+{ord(character):04X}, which no program or file name can be given"
            raise Unfit("text", hint)
    return text
