"""The tasks of a job group, placed together or not at all.

Owns the loop of tries of a group: the same steps and decisions as for one task, with room for all
reserved before the first is launched, and all dropped again when one cannot be.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from functools import partial
from typing import TypeVar

from jobsched.errors import PrecheckFailed
from jobsched.models import Placement
from jobsched.recovery.base import Fail, Failure, Outcome, Succeed
from jobsched.recovery.executor import StrategyExecutor, has_room
from jobsched.recovery.steps import guarded

T = TypeVar("T")


def launch_group(members: Sequence[StrategyExecutor]) -> list[Outcome]:
    """Launch all members, trying until all of them started; their outcomes, in their order.

    They share backend, slot and clock, and pause together. A ``Fail`` is that of every member, but
    for one whose cluster of before turned out to hold its success. Raises like ``launch``.
    """
    settled: dict[int, Outcome] = {}
    while waiting := [member for member in members if member.task.task_id not in settled]:
        # A pause is stored for the first member first: after a crash that one remembers the most.
        waiting[0].rest(partial(has_room, waiting))
        settled |= _try(waiting)
    return [settled[member.task.task_id] for member in members]


def _try(members: Sequence[StrategyExecutor]) -> dict[int, Outcome]:
    """One try: what became of which member; those that it leaves out wait for the next."""
    left = {m.task.task_id: _named(m, m.steps.prove_gone()) for m in members}
    settled: dict[int, Outcome] = {
        task_id: end for task_id, end in left.items() if isinstance(end, Succeed)
    }
    rest = [member for member in members if member.task.task_id not in settled]
    failures = _failures(left.values()) or (_place(rest) if rest else ())
    if not failures:
        return settled | {member.task.task_id: member.started() for member in rest}
    decision = rest[0].decide(failures)
    if isinstance(decision, Fail):
        return settled | {member.task.task_id: decision for member in rest}
    for member in rest:
        member.steps.commit(member.row.waiting_like(decision.row))
    return settled


def _place(members: Sequence[StrategyExecutor]) -> tuple[Failure, ...]:
    """All members start, in one slot, or no cluster is left and this is why.

    A place that turns out never to serve a member is left out, as long as that has another one.
    """
    for member in members:
        member.refusals = []
    with members[0].effects.slot():
        while True:
            failures = _reserve(members)
            failed = None if failures else _start(members)
            if not failures and failed is None:
                return ()
            stuck = _failures([_named(member, member.steps.drop()) for member in members])
            if failed is None or stuck or not isinstance(failed[1].error, PrecheckFailed):
                return (*failures, *_failures(failed or ()), *stuck)
            member, refusal = failed
            member.refusals.append(refusal)


def _reserve(members: Sequence[StrategyExecutor]) -> tuple[Failure, ...]:
    """Room for all, under names that are stored first."""
    orders: list[tuple[StrategyExecutor, tuple[Placement, ...]]] = []
    failures: list[Failure] = []
    for member in members:
        refused = member.refusals
        places = _named(member, member.places())
        if isinstance(places, Failure):
            failures.append(places)
            continue
        live = [place for place in places if place not in {each.placement for each in refused}]
        if live:
            orders.append((member, member.order(live)))
        else:
            failures.extend(refused)
    if failures:
        return tuple(failures)
    wants = [(member.steps.name(None), member.task, order) for member, order in orders]
    backend, job_id = members[0].effects.backend, members[0].steps.job_id
    what = "reserving room for the group"
    chosen = guarded(what, None, lambda: backend.reserve(wants, job_id=job_id))
    if isinstance(chosen, Failure):
        return (chosen,)
    for member, placement in zip(members, chosen, strict=True):
        member.steps.commit(member.row.placed(placement))
    return ()


def _start(members: Sequence[StrategyExecutor]) -> tuple[StrategyExecutor, Failure] | None:
    """Launch one after the other; the one that could not be, and why."""
    for member in members:
        failed = _named(member, member.steps.start())
        if failed is not None:
            return member, failed
    return None


def _named(member: StrategyExecutor, result: T) -> T:
    """``result``, with the task's name on it if it is a failure."""
    if isinstance(result, Failure):
        return replace(result, task=member.task.name)
    return result


def _failures(results: Iterable[object]) -> tuple[Failure, ...]:
    return tuple(result for result in results if isinstance(result, Failure))
