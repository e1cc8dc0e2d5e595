"""The fields that a filter knows: one table of names, kinds and who answers.

Owns what may stand behind a field's name. What it does to a list is for others to say.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Final, TypeAlias

from jobsched.api import Field, Op, OrderBy
from jobsched.states import FAILURES, ScheduleState, TaskStatus
from jobsched_tui.data.filters import values
from jobsched_tui.data.filters.local import STANDINGS
from jobsched_tui.data.filters.query import LocalField

Value: TypeAlias = str | float


@dataclass(frozen=True, slots=True, kw_only=True)
class Kind:
    """What a field is compared with."""

    #: What may stand between field and value, and how it compares; the first is the usual one.
    ops: Mapping[str, Op]
    #: A value from what was typed; raises ``Unfit``.
    read: Callable[[str], Value]
    #: Words that stand for several values, behind ``:`` alone.
    families: Mapping[str, tuple[Value, ...]] = field(default_factory=dict)
    #: All values there are, for completion; empty: any number of them.
    words: tuple[str, ...] = ()
    #: The one spelling of what was typed.
    spell: Callable[[str], str] = str.lower


_COMPARED: Final = {">": Op.MORE, "<": Op.LESS, ">=": Op.AT_LEAST, "<=": Op.AT_MOST}
_COUNTED: Final = {":": Op.IS, "=": Op.IS, **_COMPARED}


def _words(known: Mapping[str, str], families: Mapping[str, tuple[str, ...]]) -> Kind:
    return Kind(
        ops={":": Op.IS, "=": Op.IS},
        read=lambda text: known[values.one_of(text, known)],
        families=families,
        words=tuple(known),
        spell=values.spelled,
    )


_TEXT: Final = Kind(ops={":": Op.CONTAINS, "=": Op.IS, "~": Op.MATCHES}, read=str, spell=str)
_STATE: Final = _words({state.lower(): str(state) for state in ScheduleState}, {})
_STATUS: Final = _words(
    {status.lower(): str(status) for status in TaskStatus},
    {"failed": tuple(sorted(str(status) for status in FAILURES))},
)
_NUMBER: Final = Kind(ops=_COUNTED, read=values.number)
_COUNT: Final = Kind(ops=_COUNTED, read=values.whole)
_SPAN: Final = Kind(ops=_COMPARED, read=values.span)
_SIZE: Final = Kind(ops=_COMPARED, read=values.size)
_PERCENT: Final = Kind(ops=_COMPARED, read=values.percent)
_IS: Final = _words({word: word for word in STANDINGS[LocalField.IS]}, {})
_HAS: Final = _words({word: word for word in STANDINGS[LocalField.HAS]}, {})

#: By name: who is asked, and what it is compared with.
FIELDS: Final[Mapping[str, tuple[Field | LocalField, Kind]]] = MappingProxyType(
    {
        "state": (Field.STATE, _STATE),
        "status": (Field.STATUS, _STATUS),
        "name": (Field.NAME, _TEXT),
        "id": (Field.ID, _COUNT),
        "dag": (Field.SOURCE, _TEXT),
        "is": (LocalField.IS, _IS),
        "has": (LocalField.HAS, _HAS),
        "age": (Field.AGE, _SPAN),
        "runtime": (Field.RUNTIME, _SPAN),
        "rss": (LocalField.RSS, _SIZE),
        "cpu": (LocalField.CPU, _PERCENT),
        "pid": (LocalField.PID, _COUNT),
        "prio": (Field.PRIORITY, _NUMBER),
        "attempt": (Field.ATTEMPT, _COUNT),
        "recoveries": (Field.RECOVERIES, _COUNT),
        "restarts": (Field.RESTARTS, _COUNT),
        "reason": (Field.REASON, _TEXT),
        "why": (LocalField.WHY, _TEXT),
        "log": (LocalField.LOG, _TEXT),
    }
)
#: Words that stand where a field does, and say how the list is made.
SORT: Final = "sort"
LIMIT: Final = "limit"

#: By name: what a list can be sorted by.
SORTS: Final[Mapping[str, OrderBy]] = MappingProxyType(
    {"prio" if by is OrderBy.PRIORITY else str(by): by for by in OrderBy}
)

#: Other names of the same.
ALIASES: Final[Mapping[str, str]] = MappingProxyType(
    {"priority": "prio", "source": "dag", "file": "dag"}
)
#: Fields of other consoles, and why this one has none.
ABSENT: Final[Mapping[str, str]] = MappingProxyType(
    {
        "user": "there is no user to ask for: all jobs of a home are one user's",
        "owner": "there is no owner to ask for: all jobs of a home are one user's",
    }
)
ABSENT_WORDS: Final[Mapping[str, str]] = MappingProxyType(
    {"mine": "all jobs of a home are one user's: they are all yours"}
)
#: Known of the rows that are looked at, so no list can be sorted by them.
UNSORTED: Final = frozenset({"cpu", "rss", "pid", "log"})
