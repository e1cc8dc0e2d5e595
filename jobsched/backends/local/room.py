"""Regions and their room: which places could ever serve a task, and what is free now.

Owns the arithmetic; pure. What a task does not ask for it does not hold, what a region does not
declare is unlimited, and a declared accelerator is handed out by index: no two clusters share one,
but for those that ask for a fraction.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Final, NamedTuple

from jobsched.backends.local.folder import Facts
from jobsched.config import RegionConfig
from jobsched.config.kinds import did_you_mean
from jobsched.errors import PrecheckFailed
from jobsched.models import Placement, Resources, TaskSpec

#: The one region where none is declared.
HERE: Final = "here"
_ANY: Final = (None, "*")
_IMAGE: Final = (
    "image_id {}: the local backend runs tasks as they are, without images; only a backend that"
    " makes virtual machines or containers could, and jobsched has none yet"
)
#: Fractions of an accelerator are added up; this much is no difference.
_NOISE: Final = 1e-6


@dataclass(frozen=True, slots=True)
class Ask:
    """What a task asks of a region."""

    num_nodes: int
    #: Of one node.
    each: Resources | Facts


class Lack(NamedTuple):
    """Something that a region does not have enough of. Amounts are of all nodes together."""

    what: str
    asked: float
    free: float
    declared: float

    @property
    def for_ever(self) -> str:
        """Why the region can never serve it."""
        return f"{self.asked:g} {self.what} asked, {self.declared:g} declared"

    @property
    def for_now(self) -> str:
        """Why the region cannot serve it now."""
        return f"{self.asked:g} {self.what} asked, {self.free:g} of {self.declared:g} free"


class Allotment(NamedTuple):
    """What a cluster would get in a region; it fits if nothing lacks."""

    gpus: tuple[tuple[int, ...], ...] = ()
    lacks: tuple[Lack, ...] = ()


class Room:
    """The declared regions. Without any there is one, ``here``, which has no limits."""

    def __init__(self, regions: Mapping[str, RegionConfig]) -> None:
        self.is_limited = bool(regions)
        self._regions = regions or {HERE: RegionConfig()}

    def placements(self, task: TaskSpec) -> tuple[Placement, ...]:
        """Every place that could serve ``task`` if all were free, in the order of preference.

        Raises ``PrecheckFailed`` with every reason if there is none.
        """
        places: list[Placement] = []
        reasons: list[str] = []
        for index, candidate in enumerate(task.candidates):
            prefix = f"candidate {index + 1}: " if len(task.candidates) > 1 else ""
            for region, reason in self._judge(candidate, task.num_nodes):
                if reason:
                    reasons.append(prefix + reason)
                else:
                    places.append(Placement(region=region, candidate=index))
        if not places:
            raise PrecheckFailed(reasons)
        return tuple(places)

    def allot(self, region: str, ask: Ask, used: Iterable[Facts]) -> Allotment:
        """What ``ask`` would get in ``region`` beside the clusters ``used``.

        Raises ``PrecheckFailed`` if there is no such region.
        """
        if region not in self._regions:
            raise PrecheckFailed([self._unknown(region)])
        if not self.is_limited:
            return Allotment()
        has = self._regions[region]
        there = [facts for facts in used if facts.region == region]
        lacks = [
            *_lack("CPUs", has.cpus, ask.num_nodes, ask.each.cpus, _sum(there, "cpus")),
            *_lack(
                "GiB of memory", has.memory_gib, ask.num_nodes, ask.each.memory_gib,
                _sum(there, "memory_gib"),
            ),
            *_lack("clusters", has.clusters, 1, 1, len(there)),
        ]  # fmt: skip
        gpus: list[list[int]] = [[] for _ in range(ask.num_nodes)]
        for name, count in ask.each.accelerators.items():
            declared = _find(has.accelerators, name)
            if declared is None or count <= 0:
                continue
            shelf = _Shelf(declared, self._indexes(region, declared), there)
            free, total = shelf.free, has.accelerators[declared]
            if not all(shelf.take(count, into=node) for node in gpus):
                lacks.append(Lack(declared, count * ask.num_nodes, min(free, total), total))
        if lacks:
            return Allotment(lacks=tuple(lacks))
        return Allotment(gpus=tuple(tuple(node) for node in gpus) if any(gpus) else ())

    def _judge(self, candidate: Resources, num_nodes: int) -> Iterator[tuple[str, str]]:
        """Each region that the candidate may go to, and why it cannot ("" if it can)."""
        if candidate.image_id is not None:
            yield "", _IMAGE.format(candidate.image_id)
            return
        wanted = candidate.region
        if self.is_limited and wanted not in _ANY and wanted not in self._regions:
            yield "", self._unknown(str(wanted))
            return
        for region in self._regions:
            if not self.is_limited or wanted in (*_ANY, region):
                lacks = self.allot(region, Ask(num_nodes, candidate), ()).lacks
                reason = ", ".join(lack.for_ever for lack in lacks)
                yield region, f"region {region}: {reason}" if reason else ""

    def _unknown(self, region: str) -> str:
        hint = did_you_mean(region, self._regions)
        return f"region {region} is not declared in [local.regions]{hint}"

    def _indexes(self, region: str, accelerator: str) -> range:
        """Declared accelerators are numbered through, over all regions: they are of one machine."""
        first = 0
        for name, has in self._regions.items():
            for kind, count in has.accelerators.items():
                if (name, kind) == (region, accelerator):
                    return range(first, first + math.ceil(count))
                first += math.ceil(count)
        return range(0)


class _Shelf:
    """The accelerators of one kind in one region, and how much of each is taken."""

    def __init__(self, kind: str, indexes: range, used: Sequence[Facts]) -> None:
        self._taken = dict.fromkeys(indexes, 0.0)
        for facts in used:
            name = _find(facts.accelerators, kind)
            share = min(1.0, facts.accelerators[name]) if name is not None else 1.0
            for index in (index for node in facts.gpus for index in node):
                if index in self._taken:
                    self._taken[index] += share

    @property
    def free(self) -> float:
        return sum(max(0.0, 1 - taken) for taken in self._taken.values())

    def take(self, count: float, *, into: list[int]) -> bool:
        """Take ``count`` for one node; a fraction is put where it leaves least unused."""
        if count < 1:
            fit = [index for index, taken in self._taken.items() if taken + count <= 1 + _NOISE]
            chosen = sorted(fit, key=lambda index: -self._taken[index])[:1]
        else:
            unused = [index for index, taken in self._taken.items() if taken <= _NOISE]
            chosen = unused[: math.ceil(count)]
        if len(chosen) < math.ceil(count):
            return False
        for index in chosen:
            self._taken[index] += min(count, 1.0)
        into += chosen
        return True


def _lack(
    what: str, declared: float | None, num_nodes: int, each: float | None, used: float
) -> Iterator[Lack]:
    if declared is None or each is None:
        return
    if num_nodes * each > declared - used + _NOISE:
        yield Lack(what, num_nodes * each, max(0.0, declared - used), declared)


def _sum(used: Sequence[Facts], amount: str) -> float:
    return sum(facts.num_nodes * (getattr(facts, amount) or 0) for facts in used)


def _find(declared: Mapping[str, float], name: str) -> str | None:
    """The declared accelerator that ``name`` means; nobody keeps their case apart."""
    return next((kind for kind in declared if kind.casefold() == name.casefold()), None)
