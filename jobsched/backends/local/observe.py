"""What is known of a cluster: read from its records and locks, never guessed.

Owns the order of the evidence: an end that is written down, then runners that live, then the loss.
"""

from __future__ import annotations

from pathlib import Path
from typing import Final

from jobsched import lock, process
from jobsched.backends.local import fence, record
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
        return ABSENT  # removed while we looked
    except OSError as error:
        what = Path(str(error.filename or folder.path)).name
        return Observation(state=ClusterState.UNKNOWN, reason=f"{what}: {error.strerror}")


def _observe(folder: Folder, *, durable: bool, fenced: bool) -> Observation:
    facts = folder.facts()
    if facts is None:
        return ABSENT
    nodes = record.read_all(folder, facts.num_nodes)
    ends = [(node.index, node.end) for node in nodes if node.end is not None]
    if tells_the_outcome(folder, ends, facts.num_nodes):
        if durable:
            record.make_durable(folder, nodes)
        return _outcome(ends, facts.num_nodes)
    unfinished = [node for node in nodes if node.end is None]
    if unfinished and all(node.alive for node in unfinished):
        return Observation(state=ClusterState.UP, pids=tuple(record.runner_pids(nodes)))
    if not fenced and is_being_launched(folder):
        return Observation(state=ClusterState.UNKNOWN, reason="its launch is under way")
    return Observation(state=ClusterState.GONE, reason=_why_gone(folder, facts, unfinished))


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
        return folder.lost.read_text("utf-8").strip()
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
