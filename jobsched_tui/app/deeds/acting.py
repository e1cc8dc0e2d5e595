"""Deeds that change something: each plans from rows as they are now, and asks.

Owns which question comes up for which key.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING, Final

from jobsched_tui.data import actions, signals
from jobsched_tui.data.actions import Kind, Planned
from jobsched_tui.data.applying import apply
from jobsched_tui.data.frame import JobLine
from jobsched_tui.data.proctable import Identity
from jobsched_tui.data.signals import Sent
from jobsched_tui.data.whatif import Machine, queue_of
from jobsched_tui.present.spans import Tone, span
from jobsched_tui.screens.choose import Choice, ChooseScreen
from jobsched_tui.screens.limits_dialog import Committed, LimitsDialog
from jobsched_tui.screens.prompt import PromptScreen

if TYPE_CHECKING:
    from jobsched.api import Submitted
    from jobsched_tui.app import Console

_PLANS: Final[Mapping[Kind, Callable[[Sequence[JobLine]], Planned]]] = {
    Kind.CANCEL: actions.plan_cancel,
    Kind.DONE: actions.plan_done,
    Kind.REQUEUE: actions.plan_requeue,
    Kind.RERUN: actions.plan_rerun,
}


def on_chosen(console: Console, plan: Callable[[Sequence[JobLine]], Planned]) -> None:
    """Plan something for the jobs that are chosen, as they are now, and ask."""
    chosen = console.chosen()
    console.look_up(
        lambda live: (live.lines(chosen), live.followers(chosen)),
        lambda found: console.acting.propose(plan(found[0]), *found),
    )


def _act(kind: Kind) -> Callable[[Console], None]:
    return lambda console: on_chosen(console, _PLANS[kind])


def _hold(console: Console) -> None:
    """Hold; release where all that are chosen are held."""

    def plan(lines: Sequence[JobLine]) -> Planned:
        held = bool(lines) and all(line.held for line in lines)
        return actions.plan_release(lines) if held else actions.plan_hold(lines)

    on_chosen(console, plan)


def _priority(console: Console) -> None:
    def given(text: str | None) -> None:
        if text:
            on_chosen(console, lambda lines: actions.plan_priority(lines, int(text)))

    prompt = PromptScreen(
        "priority", check=_priority_problem, hint=" -1000 to 1000, higher first",
        pen=console.options.pen,
    )  # fmt: skip
    console.push_screen(prompt, given)


def _priority_problem(text: str) -> str | None:
    try:
        number = int(text or 0)
    except ValueError:  # also for more digits than any number needs
        return "a priority is a whole number"
    return None if -1000 <= number <= 1000 else "a priority is -1000 to 1000"  # noqa: PLR2004 - the contract's


def _limits(console: Console) -> None:
    frame = console.frame
    if frame is None or not frame.limits.known:
        console.say([span("the limits are not known yet", Tone.WARN)])
        return
    limits = frame.limits

    def ask(lines: Sequence[JobLine]) -> None:
        screen = LimitsDialog(
            limits, queue_of(lines), _machine(console), partial(apply, console.door),
            home=console.named_home, pen=console.options.pen,
        )  # fmt: skip
        console.push_screen(screen, done)

    def done(committed: Committed | None) -> None:
        if committed is not None:
            console.acting.did(committed.plan, committed.result)

    console.look_up(lambda live: live.queue(), ask)


def _machine(console: Console) -> Machine:
    capacity = console.door.capacity()
    return Machine(
        auto_launch=capacity.auto_launch,
        auto_alive=capacity.auto_alive,
        controller_bytes=capacity.controller_bytes,
        free_bytes=capacity.available_bytes,
        alive_sum=capacity.alive_sum,
    )


def _submit(console: Console) -> None:
    frame = console.frame
    if frame is None:
        return
    limits = frame.limits
    # An editor is dear to load, and the list is to be seen at once.
    from jobsched_tui.screens.submit import SubmitScreen  # noqa: PLC0415 -- see above

    def ask(lines: Sequence[JobLine]) -> None:
        screen = SubmitScreen(
            console.door, console.shelf, limits=limits, queue=queue_of(lines),
            recent=_recent(console), home=console.named_home, pen=console.options.pen,
            editor=lambda file: console.run_program([*console.options.editor, str(file)]),
        )  # fmt: skip
        console.push_screen(screen, done)

    def done(made: tuple[Submitted, ...] | None) -> None:
        if made:
            ids = ", ".join(str(one.job_id) for one in made)
            console.say([span(f"submitted job {ids}", Tone.GOOD)])
            console.reader.wake()

    console.look_up(lambda live: live.queue(), ask)


def _recent(console: Console) -> tuple[str, ...]:
    """Files that were submitted, the newest first."""
    lines = console.frame.lines if console.frame is not None else ()
    return tuple(dict.fromkeys(line.source for line in lines if line.source))


def signal(console: Console, identity: Identity, kind: str) -> None:
    """Ask which signal a process is to get."""
    choices = signals.menu(kind)

    def chosen(names: tuple[str, ...] | None) -> None:
        for one in choices:
            if names and one.name in names:
                sent = signals.send(identity, one.signal)
                tone = Tone.GOOD if sent is Sent.SENT else Tone.BAD
                console.say([span(f"{one.name} to pid {identity.pid}: {sent.value}", tone)])

    listed = [
        Choice(key=one.name, label=f"{one.name:<4}  {one.meaning}", detail=one.warning or "")
        for one in choices
    ]
    console.push_screen(
        ChooseScreen(f"Signal to pid {identity.pid}", listed, pen=console.options.pen), chosen
    )


DEEDS: Final[Mapping[str, Callable[[Console], None]]] = {
    "job.submit": _submit,
    "job.cancel": _act(Kind.CANCEL),
    "job.done": _act(Kind.DONE),
    "job.requeue": _act(Kind.REQUEUE),
    "job.retry": _act(Kind.RERUN),
    "job.hold": _hold,
    "job.priority": _priority,
    "limits.edit": _limits,
    "op.undo": lambda console: console.acting.undo(),
    "op.sweep": lambda console: console.acting.propose(actions.plan_sweep()),
}
