"""The kinds of value that fields take: from what YAML gives to what jobsched works with.

Each kind is a parser that raises :class:`Unfit` with what was expected, and its JSON Schema for
editors. Owns the spelling of single values; knows no field by name and no place in a file.
"""

from __future__ import annotations

import json
import math
import re
from typing import Annotated, Any, Final, NamedTuple

from pydantic import AfterValidator, BeforeValidator, Field, PlainValidator, WithJsonSchema

from jobsched.dag.durations import FORMAT, parse_duration
from jobsched.dag.loaded import RENAMED_STRATEGIES, STRATEGIES
from jobsched.dag.words import Unfit, did_you_mean
from jobsched.errors import InvalidInput
from jobsched.models import MAX_NAME
from jobsched.text import is_printable

#: The name of an environment variable.
VARIABLE: Final = re.compile(r"[a-zA-Z_][a-zA-Z0-9_]*", re.ASCII)

_NUMBER: Final = re.compile(r"([0-9]+(?:\.[0-9]+)?)\s*([a-zA-Z]*)\+?", re.ASCII)
#: GiB in one of each unit; "x" is counted per CPU.
_GIB: Final = {"": 1.0, "k": 2**-20, "m": 2**-10, "g": 1.0, "t": 2.0**10, "p": 2.0**20}
#: No machine has more of anything; keeps arithmetic on the values exact and finite.
_MOST: Final = 1e9
EXECUTIONS: Final = ("serial", "parallel")
_MODES: Final = ("MOUNT", "COPY", "MOUNT_CACHED")


class Memory(NamedTuple):
    """An amount of memory: GiB, or GiB for each CPU."""

    amount: float
    per_cpu: bool = False


class Accelerators(NamedTuple):
    """Alternatives, each one name and its count per node."""

    choices: tuple[tuple[str, float], ...]
    #: Whether their order is a preference.
    ordered: bool = False


class Infra(NamedTuple):
    """Where to run; ``None`` is anywhere."""

    cloud: str | None = None
    region: str | None = None
    zone: str | None = None


def check_name(text: str) -> str:
    """``text`` if it can name a job or task: printable, not blank, not too long."""
    if not text.strip():
        raise Unfit("a name that is not blank")
    if len(text) > MAX_NAME:
        raise Unfit(f"a name of at most {MAX_NAME:,} characters", f"it has {len(text):,}")
    if not is_printable(text):
        position = next(i for i, character in enumerate(text) if not is_printable(character))
        where = f"its character {position + 1} is U+{ord(text[position]):04X}"
        raise Unfit("a name of printable characters", where)
    return text


def duration(value: object) -> float:
    """Seconds, as :func:`parse_duration` reads them."""
    try:
        return parse_duration(value)
    except InvalidInput as error:
        raise Unfit(f"a duration, seconds or {FORMAT}", "such as 90, 90s or 2h") from error


def deadline(value: object) -> float:
    """A duration of more than nothing."""
    seconds = duration(value)
    if not seconds:
        raise Unfit("a duration of more than 0 seconds", "leave it out for no limit")
    return seconds


def cpus(value: object) -> float:
    """A number of CPUs: ``4``, ``0.5``, ``"4+"``."""
    expected = 'a number of CPUs, such as 4 or "4+"'
    amount, unit = _measured(value, expected)
    if unit:
        raise Unfit(expected)
    return amount


def memory(value: object) -> Memory:
    """GiB: ``16``, ``"16+"``, ``"16GB"``, ``"512MB"``; ``"4x"``: GiB per CPU."""
    expected = 'an amount of GiB, such as 16, "16+" or "512MB"'
    amount, unit = _measured(value, expected)
    if unit == "x":
        return Memory(amount, per_cpu=True)
    prefix = unit[:-2] if unit.endswith("ib") else unit[:-1] if unit[-1:] in {"b", "i"} else unit
    if prefix not in _GIB or unit == "b":
        raise Unfit(expected)
    return Memory(amount * _GIB[prefix])


def accelerators(value: object) -> Accelerators:
    """``V100``, ``V100:4``, ``{V100: 4}``; several of them in a list or mapping: alternatives."""
    match value:
        case str():
            return Accelerators((_accelerator(value),))
        case dict():
            return Accelerators(tuple(_accelerator(name, count) for name, count in value.items()))
        case list():
            return Accelerators(tuple(_accelerator(name) for name in value), ordered=True)
        case _:
            raise Unfit("an accelerator, such as V100:4")


def infra(value: object) -> Infra:
    """``cloud[/region[/zone]]``, each part possibly ``*``."""
    expected = "cloud[/region[/zone]], such as aws/us-east-1, with * for any"
    if not isinstance(value, str):
        raise Unfit(expected)
    cloud, *rest = [part.strip() for part in value.strip().rstrip("/").split("/")]
    if cloud.lower() in {"kubernetes", "k8s", "ssh"}:  # names of contexts contain slashes
        rest = ["/".join(rest)] if rest else []
    if not all((cloud, *rest)) or len(rest) > len(("region", "zone")):
        raise Unfit(expected)
    parts = [None if part == "*" else part for part in (cloud.lower(), *rest)]
    return Infra(*parts)


def anywhere(value: object) -> object:
    """``*`` as the absence of a wish."""
    return None if value == "*" else value


def storage_mode(value: object) -> str:
    """How a bucket is brought to the task."""
    if not isinstance(value, str) or value.upper() not in _MODES:
        hint = did_you_mean(value, _MODES) if isinstance(value, str) else ""
        raise Unfit("MOUNT, COPY or MOUNT_CACHED", hint)
    return value.upper()


def execution(value: object) -> str:
    """How the tasks of a job relate: ``serial`` or ``parallel``."""
    if not isinstance(value, str) or value not in EXECUTIONS:
        hint = did_you_mean(value, EXECUTIONS) if isinstance(value, str) else ""
        raise Unfit("serial or parallel", hint)
    return value


def text_or_mapping(value: object) -> object:
    """``value`` if it is one of the two."""
    if not isinstance(value, str | dict):
        raise Unfit("text")
    return value


def sources(value: object) -> list[str]:
    """One local path or URI, or several."""
    texts = [value] if isinstance(value, str) else value
    if not isinstance(texts, list) or not texts or not all(isinstance(t, str) for t in texts):
        raise Unfit("a local path or a URI")
    return texts


def delays(value: object) -> object:
    """A single duration as the one for all."""
    return value if value is None or isinstance(value, dict) else {"default": value}


def storable(value: object) -> object:
    """``value`` if JSON can hold it."""
    try:
        json.dumps(value, allow_nan=False)
    except ValueError as error:
        raise Unfit("a finite number") from error
    return value


def one_as_list(value: object) -> object:
    """A single text or number as a list of one."""
    single = isinstance(value, str | int) and not isinstance(value, bool)
    return [value] if single else value


def _measured(value: object, expected: str) -> tuple[float, str]:
    """A positive amount and its unit, in small letters."""
    unit = ""
    if isinstance(value, str) and (match := _NUMBER.fullmatch(value.strip())):
        value, unit = float(match[1]), match[2].lower()
    if not isinstance(value, int | float) or isinstance(value, bool):
        raise Unfit(expected)
    if not 0 < value < _MOST:
        raise Unfit(expected, "more than 0, and no more than a machine can have")
    return float(value), unit


def _accelerator(name: object, count: object = None) -> tuple[str, float]:
    expected = "an accelerator, such as V100 or V100:4"
    if not isinstance(name, str):
        raise Unfit(expected)
    name, colon, written = name.strip().partition(":")
    if colon and count is None:
        count, unit = _measured(written, expected)
        if unit:
            raise Unfit(expected, "the count is a number")
    amount = 1.0 if count is None else _measured(count, expected)[0]
    if not name or not is_printable(name) or not math.isfinite(amount):
        raise Unfit(expected)
    return name, amount


_TEXTS: Final = {"anyOf": [{"type": "string"}, {"type": "array", "items": {"type": "string"}}]}
_CODE: Final = {"type": "integer", "minimum": 0, "maximum": 255}
_CODES: Final = {"anyOf": [_CODE, {"type": "array", "items": _CODE}]}
_DECIMAL: Final = r"[0-9]+(\.[0-9]+)?"


def _number_or(pattern: str, **bounds: float) -> dict[str, Any]:
    """The JSON Schema of a number, or of a text that is ``pattern`` between blanks."""
    text = {"type": "string", "pattern": rf"^\s*{pattern}\s*$"}
    return {"anyOf": [{"type": "number", **bounds}, text]}


def _in_any_case(word: str) -> str:
    """The pattern of a word whose letters may be large or small: JSON Schema has no flag for it."""
    return "".join(f"[{c.upper()}{c.lower()}]" if c.isalpha() else c for c in word)


_SPAN: Final = rf"{_DECIMAL}[smhdwSMHDW]?"
_DURATION: Final = _number_or(_SPAN, minimum=0)
_DEADLINE: Final = _number_or(_SPAN, exclusiveMinimum=0)
_CPUS: Final = _number_or(rf"{_DECIMAL}\s*\+?", exclusiveMinimum=0)
_UNIT: Final = "([kKmMgGtTpP]?([iI][bB]?)?|[kKmMgGtTpP][bB]|[xX])"
_MEMORY: Final = _number_or(rf"{_DECIMAL}\s*{_UNIT}\+?", exclusiveMinimum=0)
#: The names first, for an editor to offer; then what else is understood.
_STRATEGY: Final = {
    "anyOf": [
        {"enum": [*STRATEGIES]},
        {
            "type": "string",
            "pattern": f"^({'|'.join(map(_in_any_case, (*STRATEGIES, *RENAMED_STRATEGIES)))})$",
        },
    ]
}
_CHOICES: Final = {
    "anyOf": [
        {"type": "string"},
        {"type": "object", "additionalProperties": {"type": ["number", "null"]}},
        {"type": "array", "items": {"type": "string"}},
    ]
}

Name = Annotated[
    str,
    AfterValidator(check_name),
    WithJsonSchema({"type": "string", "minLength": 1, "maxLength": MAX_NAME}),
]
Names = Annotated[list[str], BeforeValidator(one_as_list), WithJsonSchema(_TEXTS)]
ExitCodes = Annotated[
    list[Annotated[int, Field(ge=0, le=255)]],
    BeforeValidator(one_as_list),
    WithJsonSchema(_CODES),
]
Duration = Annotated[float, PlainValidator(duration), WithJsonSchema(_DURATION)]
Deadline = Annotated[float, PlainValidator(deadline), WithJsonSchema(_DEADLINE)]
CpuCount = Annotated[float, PlainValidator(cpus), WithJsonSchema(_CPUS)]
MemorySize = Annotated[Memory, PlainValidator(memory), WithJsonSchema(_MEMORY)]
StrategyName = Annotated[str, WithJsonSchema(_STRATEGY)]
AcceleratorChoice = Annotated[Accelerators, PlainValidator(accelerators), WithJsonSchema(_CHOICES)]
InfraName = Annotated[Infra, PlainValidator(infra), WithJsonSchema({"type": "string"})]
PlaceName = Annotated[str | None, BeforeValidator(anywhere)]
Delays = Annotated[
    dict[str, Duration],
    BeforeValidator(delays),
    WithJsonSchema(
        {"anyOf": [*_DURATION["anyOf"], {"type": "object", "additionalProperties": _DURATION}]}
    ),
]
Execution = Annotated[str, PlainValidator(execution), WithJsonSchema({"enum": [*EXECUTIONS]})]
TextOrMapping = Annotated[
    str | dict[str, Any],
    PlainValidator(text_or_mapping),
    WithJsonSchema({"type": ["string", "object"]}),
]
Sources = Annotated[list[str], PlainValidator(sources), WithJsonSchema(_TEXTS)]
StorageMode = Annotated[str, PlainValidator(storage_mode), WithJsonSchema({"enum": [*_MODES]})]
Kept = Annotated[Any, AfterValidator(storable)]
