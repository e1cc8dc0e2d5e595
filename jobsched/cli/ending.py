"""``cancel`` and ``done``: which jobs are meant, whether a person agrees, and what became of it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from jobsched.cli import waiting
from jobsched.cli.call import Call
from jobsched.cli.each import each
from jobsched.cli.formatting import listed, plural
from jobsched.cli.tables import Cell, Column, Listing, status_cell
from jobsched.errors import InvalidInput, NotFound
from jobsched.scheduler.ending import Cancelled
from jobsched.text import clip

#: Jobs that a question names, and ids that an answer names, at most.
_MOST_NAMED: Final = 10
_LONGEST_NAME: Final = 60


def cancel(call: Call) -> int:
    """Cancel the jobs that were selected, once somebody has agreed where that is called for."""
    asked = call.arguments
    selectors = [bool(asked.job_ids), asked.name is not None, asked.all]
    if sum(selectors) != 1:
        raise InvalidInput("say which jobs: either their numbers, or -n NAME, or --all")
    job_ids = _selected(call)
    if not job_ids:
        return _nothing_to_cancel(call)
    if not asked.job_ids or len(job_ids) > 1:
        _ask(call, "cancel", job_ids)
    call.on_interrupt = "interrupted; jobs that were cancelled go on ending"
    with call.terminal.busy(f"cancelling {plural(len(job_ids), 'job')}"):
        result = call.door.cancel(job_ids, reason=asked.reason)
    _report(call, result)
    if asked.wait and result.stopping:
        waiting.watch(call, result.stopping)
    return 1 if result.missing else 0


def _selected(call: Call) -> list[int]:
    asked = call.arguments
    if asked.all:
        return call.door.unfinished_ids()
    if asked.name is None:
        return list(dict.fromkeys(asked.job_ids))
    return call.door.ids_named(asked.name)


def _nothing_to_cancel(call: Call) -> int:
    """All of none are cancelled; but whoever names a job that there is not has made a mistake."""
    if call.arguments.all:
        call.terminal.note("no unfinished jobs: nothing to cancel")
        return 0
    call.terminal.error(f"no unfinished job is called {call.arguments.name}")
    return 1


def _report(call: Call, result: Cancelled) -> None:
    if result.ended:
        call.terminal.say(f"Cancelled: {_named(result.ended)}")
    if result.stopping:
        call.terminal.say(f"Being cancelled: {_named(result.stopping)}")
    if result.finished:
        call.terminal.note(f"finished before, left as it is: {_named(result.finished)}")
    for job_id in result.missing:
        call.terminal.error(str(NotFound("job", job_id)))


def _named(job_ids: Sequence[int]) -> str:
    if len(job_ids) == 1:
        return f"job {job_ids[0]}"
    if len(job_ids) <= _MOST_NAMED:
        return f"jobs {listed(job_ids)}"
    return f"{len(job_ids)} jobs, from {min(job_ids)} to {max(job_ids)}"


def done(call: Call) -> int:
    """End jobs by force."""
    job_ids = list(dict.fromkeys(call.arguments.job_ids))
    _ask(call, "end by force, without cleanup,", job_ids)

    def act(job_id: int) -> str:
        call.door.done(job_id, reason=call.arguments.reason)
        return f"Job {job_id} is DONE; `jobsched sweep` removes what it leaves"

    return each(call, job_ids, act, what="ended")


class Declined(InvalidInput):
    """Somebody was asked and did not agree."""

    exit_code = 1


def _ask(call: Call, what: str, job_ids: Sequence[int]) -> None:
    """Go on only if -y was given or a person says yes, having seen what it is about."""
    if call.arguments.yes:
        return
    deed = f"{what} {plural(len(job_ids), 'job')}"
    if not call.terminal.can_ask():
        raise InvalidInput(f"this would {deed}, and there is nobody here to ask; give -y to agree")
    _show_some(call, job_ids)
    if not call.terminal.confirm(f"{deed[0].upper()}{deed[1:]}?"):
        raise Declined("not confirmed; nothing was changed")


def _show_some(call: Call, job_ids: Sequence[int]) -> None:
    columns = (Column("ID", right=True), Column("NAME", flexible=True), Column("STATUS"))
    rows = [_row(call, job_id) for job_id in job_ids[:_MOST_NAMED]]
    Listing(columns, rows).show(call.terminal, error=True)
    if len(job_ids) > _MOST_NAMED:
        call.terminal.note(f"... and {len(job_ids) - _MOST_NAMED} more")


def _row(call: Call, job_id: int) -> tuple[str | Cell, ...]:
    try:
        job = call.door.show(job_id)
    except NotFound:
        return str(job_id), "-", "not found"
    return str(job_id), clip(job["name"], _LONGEST_NAME), status_cell(job["status"])
