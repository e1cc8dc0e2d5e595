"""Keeping house: ``sweep``, ``check``, ``prune``, ``config``, ``schema``."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import asdict
from typing import Final

from jobsched import dag
from jobsched.api import Change, Scheduler
from jobsched.cli.call import Call
from jobsched.cli.formatting import listed, plural
from jobsched.cli.tables import Column, Listing
from jobsched.states import ALIVE_STATES, ScheduleState

_THIRTY_DAYS: Final = 30 * 86_400.0


def sweep(call: Call) -> int:
    """Take back what the dead left; 1 if something could not be removed."""
    watch = call.door.watch()
    before = watch.latest()
    with call.terminal.busy("sweeping"):
        removed = call.door.sweep()
    started = _started(watch.changes(before))
    failed = [one for one in removed if one.error is not None]
    if call.as_json:
        call.terminal.document([asdict(one) for one in removed])
    elif not removed and not started:
        call.terminal.say("Swept; no orphan clusters")
    if started:
        what = (
            "Started the controller of job" if len(started) == 1 else "Started controllers of jobs"
        )
        (call.terminal.note if call.as_json else call.terminal.say)(f"{what} {listed(started)}")
    for one in removed:
        if one.error is not None:
            call.terminal.error(f"cluster {one.cluster} could not be removed: {one.error}")
        elif not call.as_json:
            call.terminal.say(f"Removed cluster {one.cluster}, an orphan of job {one.job_id}")
    return 1 if failed else 0


def _started(changes: Sequence[Change]) -> list[int]:
    """The jobs that got a controller, by what history has of it."""
    started: dict[int, None] = {}
    for change in changes:
        if change.kind == "SCHEDULE" and change.job_id is not None:
            if change.from_value == ScheduleState.WAITING and change.to_value in ALIVE_STATES:
                started[change.job_id] = None
            elif change.to_value == ScheduleState.WAITING:
                started.pop(change.job_id, None)
    return list(started)


def check(call: Call) -> int:
    """Verify the invariants; 1 if one is broken."""
    return report_check(call, call.door)


def report_check(call: Call, door: Scheduler) -> int:
    """Verify the invariants of a home and say what was found."""
    with call.terminal.busy("verifying the invariants"):
        report = door.check()
    broken = [{"invariant": one.invariant, "text": one.text} for one in report.violations]
    if call.as_json:
        call.terminal.document(broken)
    elif not broken:
        call.terminal.say(f"Clean: every invariant holds over {plural(report.rows, 'history row')}")
    else:
        for one in report.violations:
            call.terminal.say(f"{one.invariant}: {one.text}")
        call.terminal.error(f"{plural(len(broken), 'broken invariant')}; nothing was changed")
    return 1 if broken else 0


def prune(call: Call) -> int:
    """Forget jobs that are DONE."""
    asked = call.arguments
    older_than = asked.older_than
    if older_than is None and asked.keep is None:
        older_than = _THIRTY_DAYS
    with call.terminal.busy("pruning"):
        pruned = call.door.prune(older_than=older_than, keep=asked.keep)
    call.terminal.say(f"Pruned {plural(pruned, 'job')}")
    return 0


def config(call: Call) -> int:
    """Show what is in force, and whence."""
    found = call.door.settings()
    if call.as_json:
        call.terminal.document([entry._asdict() for entry in found])
        return 0
    call.terminal.note(f"home: {call.door.context.home.root}")
    Listing(
        (Column("KEY"), Column("VALUE", flexible=True), Column("WHENCE")),
        [
            (f"{entry.section}.{entry.key}", json.dumps(entry.value, default=str), entry.whence)
            for entry in found
        ],
    ).show(call.terminal)
    return 0


def schema(call: Call) -> int:
    """Print the JSON Schema of a YAML file's documents."""
    call.terminal.document(dag.schema())
    return 0
