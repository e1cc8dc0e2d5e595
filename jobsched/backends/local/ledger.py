"""Who holds which room: reservations, added up over the clusters that exist.

Owns the lock that makes looking and taking one step. There is no second book: a cluster's own facts
are its reservation, and a cluster that is stopped or removed holds none.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import replace
from pathlib import Path
from typing import Final

from jobsched import lock, process
from jobsched.backends.local import fence
from jobsched.backends.local.folder import Facts, Folder, names_below, valid_name
from jobsched.backends.local.room import Ask, Room
from jobsched.clock import Clock
from jobsched.errors import NoCapacity
from jobsched.models import LaunchRequest, Placement, TaskSpec

#: A cluster, its task and the places where it may go, in order.
Want = tuple[str, TaskSpec, Sequence[Placement]]

#: Choices to go through, at most, before several clusters are said not to fit together.
_CHOICES: Final = 10_000


class Ledger:
    """The room that the clusters below ``root`` hold."""

    def __init__(self, root: Path, room: Room, clock: Clock) -> None:
        self._root, self._room, self._clock = root, room, clock

    @contextmanager
    def guard(self) -> Iterator[None]:
        """Between looking at the room and taking it, nobody else takes it."""
        if not self._room.is_limited:
            yield
            return
        with lock.hold(self._root / ".lock"):
            yield

    def allot(self, request: LaunchRequest) -> Facts:
        """What the cluster will hold: what it has reserved already, or what is free now.

        Call it under :meth:`guard`. Raises ``NoCapacity`` or ``PrecheckFailed``.
        """
        facts: Facts | str | None = self._reserved(request.cluster)
        if not isinstance(facts, Facts) or _place(facts) != request.placement:
            used = self._used(but=(request.cluster,))
            facts = self._facts(request.task, request.placement, used)
        if isinstance(facts, str):
            raise NoCapacity([facts], knows_room=True)
        return replace(
            facts, job_id=request.job_id, task_id=request.task.task_id, attempt=request.attempt
        )

    def has_room(self, wants: Sequence[tuple[TaskSpec, Sequence[Placement]]]) -> bool:
        """Whether new clusters for all of ``wants`` would find room together; takes none.

        Not under :meth:`guard`: it is asked by many who wait, and keeps nobody from taking room.
        """
        if not self._room.is_limited:
            return all(places for _, places in wants)
        unnamed = [("", task, places) for task, places in wants]  # which reserves nothing
        return self._choose(unnamed, self._used(but=()), [], [_CHOICES]) is not None

    def reserve(self, wants: Sequence[Want], job_id: int) -> list[Placement]:
        """Take room for all of ``wants`` or for none; the place of each. Raises ``NoCapacity``."""
        if not self._room.is_limited:
            return [places[0] for _, _, places in wants]
        with self.guard():
            reasons: list[str] = []
            used = self._used(but=[name for name, _, _ in wants])
            chosen = self._choose(wants, used, reasons, [_CHOICES])
            if chosen is None:
                raise NoCapacity(list(dict.fromkeys(reasons)), knows_room=True)
            self._write(wants, chosen, job_id)
        return [_place(facts) for facts in chosen]

    def _choose(
        self, wants: Sequence[Want], used: list[Facts], reasons: list[str], budget: list[int]
    ) -> list[Facts] | None:
        """A place for each such that all fit together, trying the preferred ones first."""
        if not wants:
            return []
        name, task, places = wants[0]
        reserved = self._reserved(name)
        for place in places if reserved is None else [_place(reserved)]:
            budget[0] -= 1
            if budget[0] < 0:
                return None
            facts = reserved or self._facts(task, place, used)
            if isinstance(facts, str):
                reasons.append(f"{task.name}: {facts}")
                continue
            rest = self._choose(wants[1:], [*used, facts], reasons, budget)
            if rest is not None:
                return [facts, *rest]
        return None

    def _write(self, wants: Sequence[Want], chosen: Sequence[Facts], job_id: int) -> None:
        made: list[Folder] = []
        try:
            for (name, _, _), facts in zip(wants, chosen, strict=True):
                folder = Folder(self._root / name)
                if self._reserved(name) is None:
                    folder.make()
                    made.append(folder)
                    folder.write_facts(replace(facts, job_id=job_id))
        except OSError:
            for folder in made:
                folder.facts_file.unlink(missing_ok=True)
            raise

    def _used(self, but: Collection[str]) -> list[Facts]:
        """What is held; where room has no limits nobody asks, and a launch costs no look at all."""
        if not self._room.is_limited:
            return []
        names = (name for name in names_below(self._root) if name not in but)
        return [facts for name in names if (facts := self._reserved(name)) is not None]

    def _reserved(self, name: str) -> Facts | None:
        """What the cluster holds now, if anything; nothing where that cannot be read.

        Nor where room has no limits: nobody asks then.
        """
        if not self._room.is_limited:
            return None
        folder = Folder(self._root / name)
        if not valid_name(name) or fence.read(folder).stopped:
            return None
        with suppress(OSError):
            return folder.facts()
        return None

    def _facts(self, task: TaskSpec, place: Placement, used: Sequence[Facts]) -> Facts | str:
        """What the cluster would hold at ``place``, or why it cannot now."""
        each = task.candidates[place.candidate]
        allotment = self._room.allot(place.region, Ask(task.num_nodes, each), used)
        if allotment.lacks:
            lacking = ", ".join(lack.for_now for lack in allotment.lacks)
            return f"region {place.region}: {lacking}"
        return Facts(
            job_id=0,
            task_id=task.task_id,
            attempt=0,
            region=place.region,
            candidate=place.candidate,
            num_nodes=task.num_nodes,
            created_at=self._clock.now(),
            boot_id=process.boot_id(),
            cpus=each.cpus,
            memory_gib=each.memory_gib,
            accelerators=dict(each.accelerators),
            gpus=allotment.gpus,
        )


def _place(facts: Facts) -> Placement:
    return Placement(region=facts.region, candidate=facts.candidate)
