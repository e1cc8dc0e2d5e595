"""The tasks of a job group, placed together or not at all.

Owns the loop of tries of a group: the same steps and decisions as for one task, with room for all
reserved before the first is launched, and all taken down again when one cannot be. Only a success
stays. A try that a dead controller has begun is gone on with: what runs of it is adopted.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import replace
from functools import partial
from typing import TypeAlias, TypeVar

from jobsched.errors import PrecheckFailed
from jobsched.models import Placement
from jobsched.recovery.base import Fail, Failure, Outcome, Succeed
from jobsched.recovery.executor import StrategyExecutor, has_room
from jobsched.recovery.steps import guarded

T = TypeVar("T")
#: Called with the id of a task and its outcome.
Settle: TypeAlias = Callable[[int, Outcome], None]
_Members: TypeAlias = Sequence[StrategyExecutor]
_Outcomes: TypeAlias = dict[int, Outcome]


def launch_group(
    members: _Members, running: Collection[int] = (), settle: Settle = lambda *_: None
) -> list[Outcome]:
    """Launch all members, trying until all of them started; their outcomes, in their order.

    They share backend, slot and clock, and pause together. A ``Fail`` is that of every member, but
    for those that turned out to have succeeded. ``running``: ids of the tasks that run on the
    cluster which their row names, or have ended there by themselves, fenced for this attempt.
    ``settle`` hears of each outcome as soon as there is one. Raises like ``launch``.
    """
    settled: _Outcomes = {}
    while waiting := _without(members, settled):
        # A pause is stored for the first member first: after a crash that one remembers the most.
        # One that runs has none.
        waiting.sort(key=lambda member: member.task.task_id in running)
        waiting[0].rest(partial(has_room, _without(waiting, running)))
        for task_id, outcome in _try(waiting, running).items():
            settled[task_id] = outcome
            settle(task_id, outcome)
        running = ()
    return [settled[member.task.task_id] for member in members]


def _try(members: _Members, running: Collection[int]) -> _Outcomes:
    """One try: what became of which member; those that it leaves out wait for the next."""
    settled, failures = ({}, ()) if running else _prove_gone(members)
    rest = _without(members, settled)
    if not failures and _without(rest, running):
        ended, failures = _place(rest, running)
        settled |= ended
        rest = _without(rest, ended)
    if not failures:
        return settled | {member.task.task_id: member.started() for member in rest}
    if not rest:
        return settled
    decision = rest[0].decide(failures)
    if isinstance(decision, Fail):
        return settled | {member.task.task_id: decision for member in rest}
    for member in rest:
        member.steps.commit(member.row.waiting_like(decision.row))
    return settled


def _prove_gone(members: _Members) -> tuple[_Outcomes, tuple[Failure, ...]]:
    """Take down what there may be of each; who had succeeded, and what could not be taken down."""
    left = {member.task.task_id: _named(member, member.steps.prove_gone()) for member in members}
    succeeded = {task_id: end for task_id, end in left.items() if isinstance(end, Succeed)}
    return {**succeeded}, _failures(left.values())


def _place(members: _Members, running: Collection[int]) -> tuple[_Outcomes, tuple[Failure, ...]]:
    """All members start, in one slot; or none is left but who had succeeded, and this is why.

    A place that turns out never to serve a member is left out, as long as that has another one.
    """
    settled: _Outcomes = {}
    for member in members:
        member.refusals = []
    with members[0].effects.slot():
        while rest := _without(members, settled):
            fresh = _without(rest, running)
            # What has a name here already was left by a dead controller: with its room, if any.
            left = [member for member in fresh if member.row.has_cluster]
            failures = _reserve(fresh)
            failed = None if failures else _start(fresh, left)
            if not failures and failed is None:
                break
            running = ()
            ended, stuck = _prove_gone(rest)
            settled |= ended
            if failed is None or stuck or not isinstance(failed[1].error, PrecheckFailed):
                return settled, (*failures, *_failures(failed or ()), *stuck)
            member, refusal = failed
            member.refusals.append(refusal)
    return settled, ()


def _reserve(members: _Members) -> tuple[Failure, ...]:
    """Room for all, under names that are stored first."""
    orders: list[tuple[StrategyExecutor, Sequence[Placement]]] = []
    failures: list[Failure] = []
    for member in members:
        refused = member.refusals
        places = _named(member, member.places())
        if isinstance(places, Failure):
            failures.append(places)
            continue
        live = [place for place in places if place not in {each.placement for each in refused}]
        if live:
            orders.append((member, _order(member, live)))
        else:
            failures.extend(refused)
    if failures:
        return tuple(failures)
    wants = [(_name(member), member.task, order) for member, order in orders]
    backend, job_id = members[0].effects.backend, members[0].steps.job_id
    what = "reserving room for the group"
    chosen = guarded(what, None, lambda: backend.reserve(wants, job_id=job_id))
    if isinstance(chosen, Failure):
        return (chosen,)
    for member, placement in zip(members, chosen, strict=True):
        member.steps.commit(member.row.placed(placement))
    return ()


def _order(member: StrategyExecutor, live: Sequence[Placement]) -> Sequence[Placement]:
    """Where the member may go: to the place that a dead controller has reserved for it, if any."""
    place = member.row.placement
    if place is None or place not in live or not member.row.has_cluster:
        return member.order(live)
    return [place]


def _name(member: StrategyExecutor) -> str:
    """What the member's cluster is called: as it was when a dead controller reserved its room."""
    cluster = member.row.cluster
    return cluster if cluster and member.row.has_cluster else member.steps.name(None)


def _start(members: _Members, left: _Members) -> tuple[StrategyExecutor, Failure] | None:
    """Launch one after the other; the one that could not be, and why."""
    for member in members:
        failed = member.steps.start()
        if failed is not None and member in left:
            failed = _start_anew(member)
        if failed is not None:
            return member, _named(member, failed)
    return None


def _start_anew(member: StrategyExecutor) -> Failure | None:
    """Launch a member in the same place under another name: the old one has served."""
    place, gone = member.row.placement, member.steps.prove_gone()
    if gone is not None:
        return gone if isinstance(gone, Failure) else None
    member.steps.name(place)
    return member.steps.start()


def _without(members: _Members, task_ids: Collection[int]) -> list[StrategyExecutor]:
    return [member for member in members if member.task.task_id not in task_ids]


def _named(member: StrategyExecutor, result: T) -> T:
    """``result``, with the task's name on it if it is a failure."""
    if isinstance(result, Failure):
        return replace(result, task=member.task.name)
    return result


def _failures(results: Iterable[object]) -> tuple[Failure, ...]:
    return tuple(result for result in results if isinstance(result, Failure))
