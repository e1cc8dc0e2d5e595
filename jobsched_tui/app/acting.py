"""From a wish to a fact: plan, question, grace, deed, and what became of it.

Owns that course for every action. What an action is, whom it may hit and what it does are in
``data.actions`` and its neighbours. The library is called in threads of its own, never in the loop.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from types import MappingProxyType
from typing import Final, Protocol

from textual.screen import Screen

from jobsched.api import Scheduler
from jobsched.clock import Clock
from jobsched_tui.data import actions
from jobsched_tui.data.actions import Pending, Plan, Planned
from jobsched_tui.data.applying import Result, apply
from jobsched_tui.data.blast import blast
from jobsched_tui.data.frame import JobLine
from jobsched_tui.data.twins import twin
from jobsched_tui.present.actions import described, pending_line, refusal_lines, result_lines
from jobsched_tui.present.glyphs import Pen
from jobsched_tui.present.spans import Line, Span, Tone, joined, span
from jobsched_tui.screens.confirm import Answer, ConfirmScreen

#: Seconds that an action has to end once the console is left.
_PATIENCE: Final = 10.0
_NOBODY: Final[Mapping[int, Sequence[int]]] = MappingProxyType({})


class Stage(Protocol):
    """What the course of an action needs of the console."""

    door: Scheduler
    clock: Clock

    @property
    def grace(self) -> float:
        """Seconds in which an action can still be dropped."""
        ...

    @property
    def named_home(self) -> Path | None:
        """The home, where commands have to name it."""
        ...

    @property
    def pen(self) -> Pen:
        """What is drawn with."""
        ...

    def later(self, action: Callable[[], object]) -> None:
        """Do something in the loop; may be called in any thread."""
        ...

    def ask_operator(
        self, screen: Screen[Answer | None], then: Callable[[Answer | None], None]
    ) -> None:
        """Show a question."""
        ...

    def say(self, line: Line, *, alarming: bool = False) -> None:
        """Tell the operator."""
        ...

    def acted(self, plan: Plan, result: Result) -> None:
        """Something was done, or could not be."""
        ...


class Acting:
    """The actions of one console. All methods are for its loop."""

    def __init__(self, stage: Stage) -> None:
        self._stage = stage
        self._pending: list[Pending] = []
        self._running: list[threading.Thread] = []
        self._undo: Plan | None = None
        #: The command that does what was done last.
        self.twin = ""

    def propose(
        self,
        planned: Planned,
        lines: Sequence[JobLine] = (),
        followers: Mapping[int, Sequence[int]] = _NOBODY,
    ) -> None:
        """Ask whether it is meant; what is not possible is said.

        ``lines``: the jobs; ``followers``: by job, who waits for it.
        """
        plan = planned.plan
        if plan is None:
            why = refusal_lines(planned.refusals)
            self._stage.say(why[0] if why else (), alarming=True)
            return
        hit, now = blast(plan, lines, followers), self._stage.clock.now()
        question = ConfirmScreen(
            plan, hit, now=now, refusals=planned.refusals,
            home=self._stage.named_home, pen=self._stage.pen,
        )  # fmt: skip
        self._stage.ask_operator(question, lambda answer: self._answered(answer, lines, followers))

    def _answered(
        self,
        answer: Answer | None,
        lines: Sequence[JobLine],
        followers: Mapping[int, Sequence[int]],
    ) -> None:
        if answer is None:
            return
        if answer.cancel_first:
            chosen = [line for line in lines if line.job_id in answer.plan.job_ids]
            self.propose(actions.plan_cancel(chosen, answer.plan.reason), chosen, followers)
            return
        self.put_off(answer.plan)

    def put_off(self, plan: Plan) -> None:
        """Do it, after the time in which it can be dropped."""
        grace = self._stage.grace if plan.kind in actions.DESTRUCTIVE else 0.0
        self.twin = twin(plan, self._stage.named_home)
        self._pending.append(actions.put_off(plan, self._stage.clock.monotonic(), grace))
        self.tick()

    def undo(self) -> None:
        """Drop what has not been done yet; else take back the last deed, where that is truthful."""
        if self._pending:
            dropped, self.twin = self._pending.pop(), ""
            self._stage.say([span(f"not done: {described(dropped.plan)}", Tone.WARN)])
        elif self._undo is not None:
            plan, self._undo = self._undo, None
            self._do(plan)
        else:
            self._stage.say([span("there is nothing that can be taken back", Tone.MUTED)])

    def drop(self) -> None:
        """Do nothing of what has not been done yet, and take nothing back."""
        self._pending, self._undo, self.twin = [], None, ""

    def tick(self) -> None:
        """Do what is due."""
        now = self._stage.clock.monotonic()
        due = [one for one in self._pending if one.is_due(now)]
        self._pending = [one for one in self._pending if not one.is_due(now)]
        for one in due:
            self._do(one.plan)

    def flush(self) -> None:
        """The console is being left: do now what was meant, and wait for it a while."""
        for thread in self._running:
            thread.join(_PATIENCE)
        for one in self._pending:
            apply(self._stage.door, one.plan)
        self._pending = []

    @property
    def said(self) -> Line:
        """What is about to be done, and how to drop it."""
        if not self._pending:
            return ()
        return pending_line(self._pending[-1], self._stage.clock.monotonic())

    def _do(self, plan: Plan) -> None:
        self.twin = twin(plan, self._stage.named_home)

        def act() -> None:
            result = apply(self._stage.door, plan)
            self._stage.later(lambda: self._done(plan, result))

        thread = threading.Thread(target=act, name="action", daemon=True)
        self._running = [one for one in self._running if one.is_alive()] + [thread]
        thread.start()

    def did(self, plan: Plan, result: Result) -> None:
        """Something was done elsewhere, in a dialog."""
        self.twin = twin(plan, self._stage.named_home)
        self._done(plan, result)

    def _done(self, plan: Plan, result: Result) -> None:
        done = result.done if plan.targets else None
        self._undo = None if result.error else actions.inverse(plan, done)
        said = joined(result_lines(plan, result), Span("  "))
        self._stage.say(said, alarming=not result.is_whole)
        self._stage.acted(plan, result)
