"""Why an action cannot be done where it was asked for.

Owns these sentences. What a job's state forbids is said by an action's plan (``data.actions``).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from jobsched_tui.data.keymap import BY_ID, Context
from jobsched_tui.present.hints import ACTING

if TYPE_CHECKING:
    from jobsched_tui.app import Console

#: Actions about the job under the cursor.
_OF_JOB: Final = frozenset(
    {
        "job.cancel", "job.done", "job.retry", "job.requeue", "job.hold", "job.priority",
        "job.log", "job.timeline", "job.dag", "job.processes", "job.yaml", "job.events",
        "copy.menu", "copy.report",
    }
)  # fmt: skip


def why_not(console: Console, name: str) -> str | None:
    """The reason, in a sentence; ``None``: it may be done."""
    what = BY_ID[name].description if name in BY_ID else name
    if name == "app.demo" and not console.is_homeless:
        return "a demonstration begins where there is no database: jobsched-tui --demo"
    if name in ACTING and console.options.read_only:
        return f"{what}: not possible, this console is read only"
    if name in ACTING - {"op.undo"} and console.freshness.is_stale:
        return f"{what}: not possible while the database cannot be read"
    if name in ACTING and console.sight.is_past:
        return f"{what}: not possible, this is the past; Esc leads back to now"
    if name in _OF_JOB and not console.chosen():
        return f"{what}: there is no job under the cursor"
    return None


def elsewhere(name: str) -> str:
    """That it is heard in other panes than the one with the keys."""
    key = BY_ID.get(name)
    if key is None:
        return f"there is no action {name}"
    panes = sorted(_PLACES[one] for one in key.contexts)
    return f"{key.description}: possible only in {' or '.join(panes)}"


_PLACES: Final = {
    Context.LIST: "the job list",
    Context.DETAIL: "a job",
    Context.LOG: "a log",
    Context.DAG: "a DAG",
    Context.EVERYWHERE: "a pane",
    Context.LIMITS: "the limits dialog",
    Context.SUBMIT: "the submit dialog",
    Context.CONFIRM: "a question",
    Context.CHOOSE: "a choice",
    Context.PROMPT: "a prompt",
    Context.READING: "help",
}
