"""What is known of a cluster: read from its records and locks, never guessed.

Owns the order of the evidence: an end that is written down, then runners that live, then the loss.
"""

from __future__ import annotations

import errno
from pathlib import Path
from typing import Final

from jobsched import lock, process
from jobsched.backends.local import fence, record, workload
from jobsched.backends.local.folder import Facts, Folder
from jobsched.backends.local.record import End, Node
from jobsched.lock import Grip
from jobsched.models import ClusterState, Observation

#: What is said where there is nothing at all.
ABSENT: Final = Observation(state=ClusterState.GONE, reason="there is no such cluster")


def observe(folder: Folder, *, durable: bool = True, fenced: bool = False) -> Observation:
    """The state of a cluster now. What cannot be read is UNKNOWN.

    ``durable``: an end is reported only once it would survive a loss of power. ``fenced``: the
    caller has just raised the fence, so that a launch that is under way can start nothing any more.
    """
    try:
        return _observe(folder, durable=durable, fenced=fenced)
    except FileNotFoundError:
        return _without_facts(folder)  # removed while we looked
    except OSError as error:
        what = Path(str(error.filename or folder.path)).name
        return Observation(state=ClusterState.UNKNOWN, reason=f"{what}: {error.strerror}")


def _observe(folder: Folder, *, durable: bool, fenced: bool) -> Observation:
    facts, damage = _facts(folder)
    # None has ended before there was a record for each, so they tell an end without the facts, too.
    num_nodes = record.count(folder) if facts is None else facts.num_nodes
    nodes = record.read_all(folder, num_nodes)
    record.raise_damaged(folder, nodes)
    ends = [(node.index, node.end) for node in nodes if node.end is not None]
    if ends and tells_the_outcome(folder, ends, num_nodes):
        if durable:
            record.make_durable(folder, nodes)
        return _outcome(ends, num_nodes)
    if damage is not None:
        raise damage
    if facts is None:
        return _without_facts(folder)
    unfinished = [node for node in nodes if node.end is None]
    if unfinished and all(node.alive for node in unfinished):
        return Observation(state=ClusterState.UP, pids=tuple(record.runner_pids(nodes)))
    launching = is_being_launched(folder)
    if launching and not fenced:
        return Observation(state=ClusterState.UNKNOWN, reason="its launch is under way")
    lost = [node for node in unfinished if not node.exists]
    if lost and not launching and workload.is_held(folder):
        return _still_there(folder, folder.record(lost[0].index).name)
    return Observation(state=ClusterState.GONE, reason=_why_gone(folder, facts, unfinished))


def _facts(folder: Folder) -> tuple[Facts | None, OSError | None]:
    """The facts, or what is wrong with them. Raises ``OSError`` where they cannot be looked at."""
    try:
        return folder.facts(), None
    except OSError as error:
        if error.errno != errno.EBADMSG:
            raise
        return None, error


def _without_facts(folder: Folder) -> Observation:
    """Never made, removed, or deleted by somebody under a task that runs: the lock tells."""
    if workload.is_held(folder):
        return _still_there(folder, folder.facts_file.name)
    return ABSENT


def _still_there(folder: Folder, what: str) -> Observation:
    pids = tuple(sorted(workload.holders(folder)))
    who = ", ".join(f"PID {pid}" for pid in pids) or "unseen from here"
    reason = f"{what} was deleted, but its task still runs: {who}"
    return Observation(state=ClusterState.UNKNOWN, reason=reason, pids=pids)


def is_being_launched(folder: Folder) -> bool:
    """Whether a living process is about to launch it."""
    return lock.probe(folder.facts_file) is Grip.HELD


def tells_the_outcome(folder: Folder, ends: list[tuple[int, End]], num_nodes: int) -> bool:
    """One failure is the end of all, success takes every node's; being stopped is neither."""
    failures = [end for _, end in ends if end.exit_code != 0]
    if all(end.told for end in failures) and failures and fence.read(folder).stopped:
        return False
    return bool(failures) or len(ends) == num_nodes


def _outcome(ends: list[tuple[int, End]], num_nodes: int) -> Observation:
    failures = [(index, end) for index, end in ends if end.exit_code != 0]
    if failures:
        index, end = min(failures, key=lambda failure: (failure[1].told, failure[1].at))
    else:
        index, end = max(ends, key=lambda success: success[1].at)
    what = f"{end.phase.value.lower()} ended with exit code {end.exit_code}"
    return Observation(
        state=ClusterState.ENDED,
        exit_code=end.exit_code,
        phase=end.phase,
        ended_at=end.at,
        reason=f"{what} on node {index}" if num_nodes > 1 and end.exit_code else what,
    )


def _why_gone(folder: Folder, facts: Facts, unfinished: list[Node]) -> str:
    try:
        return folder.lost.read_text("utf-8", errors="replace").strip()
    except FileNotFoundError:
        pass
    if facts.boot_id != process.boot_id():
        return "the machine was restarted"
    if not unfinished:
        return "it was stopped"
    if any(node.runner is None for node in unfinished):
        return "its launch came to no end"
    dead = next(node for node in unfinished if not node.alive)
    where = f" of node {dead.index}" if facts.num_nodes > 1 else ""
    return f"the runner{where} vanished without a word: killed, most likely"
