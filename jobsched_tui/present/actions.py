"""What a person is told before and after an action: the question, what it hits, what became of it.

Owns the sentences, and what has to be typed before the answer counts. Decides on values alone.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import Final

from jobsched_tui.data.actions import Kind, Pending, Plan, Refusal, Setting
from jobsched_tui.data.applying import Result
from jobsched_tui.data.blast import Blast, Controller
from jobsched_tui.data.frame import JobLine
from jobsched_tui.present.formats import brief, cpu, plural
from jobsched_tui.present.spans import Line, Span, Tone, clip, span

#: Jobs, ids and names that a dialog lists; of more it says how many.
MOST_NAMED: Final = 10
_NAME_CELLS: Final = 40
#: Of what is less serious.
_FEW: Final = 3

#: What an action is called in a sentence, and what its button says.
VERBS: Final[Mapping[Kind, str]] = MappingProxyType(
    {
        Kind.CANCEL: "cancel",
        Kind.DONE: "force-done",
        Kind.REQUEUE: "requeue",
        Kind.RERUN: "rerun",
        Kind.HOLD: "hold",
        Kind.RELEASE: "release",
        Kind.PRIORITY: "priority of",
        Kind.LIMITS: "set limits",
        Kind.PAUSE: "pause starts",
        Kind.RESUME: "resume starts",
        Kind.SWEEP: "sweep",
    }
)
_QUESTIONS: Final[Mapping[Kind, str]] = MappingProxyType(
    {
        Kind.CANCEL: "Cancel {jobs}?",
        Kind.DONE: "End {jobs} by force, without cleanup?",
        Kind.REQUEUE: "End the controller of {jobs} and start the next?",
        Kind.RERUN: "Submit {jobs} once more?",
        Kind.HOLD: "Hold {jobs}?",
        Kind.RELEASE: "Release {jobs}?",
        Kind.PRIORITY: "Change the priority of {jobs}?",
        Kind.LIMITS: "Set the limits?",
        Kind.PAUSE: "Pause starts of new jobs?",
        Kind.RESUME: "Start new jobs again?",
        Kind.SWEEP: "Take back what the dead left, and remove orphan clusters?",
    }
)


def question(plan: Plan) -> str:
    """What a dialog asks."""
    return _QUESTIONS[plan.kind].format(jobs=_jobs(plan.job_ids))


def _jobs(job_ids: Sequence[int]) -> str:
    return f"job {job_ids[0]}" if len(job_ids) == 1 else plural(len(job_ids), "job")


@dataclass(frozen=True, slots=True, kw_only=True)
class Demand:
    """What has to be typed before "yes" counts."""

    #: ``None``: nothing.
    word: str | None = None
    reason: bool = False
    #: Whether a cancel is the better thing to do, and is offered first.
    cancel_first: bool = False

    def is_met(self, word: str, reason: str) -> bool:
        """Whether this was typed."""
        typed = self.word is None or word.strip() == self.word
        return typed and bool(reason.strip() or not self.reason)


def demand(plan: Plan, hit: Blast) -> Demand:
    """What is asked for: only force cannot be had without typing."""
    if plan.kind is not Kind.DONE:
        return Demand()
    word = "done" if len(plan.targets) == 1 else str(len(plan.targets))
    lives = hit.has_live_controller
    return Demand(word=word, reason=lives, cancel_first=lives)


def job_lines(jobs: Sequence[JobLine]) -> list[Line]:
    """The first jobs by number, name and state, and how many more there are."""
    digits = max((len(str(job.job_id)) for job in jobs), default=0)
    lines: list[Line] = [
        [
            span(f"{job.job_id:>{digits}}  ", Tone.STRONG),
            span(clip(job.name, _NAME_CELLS)),
            span(f"  {job.state} {job.status}", Tone.MUTED),
        ]
        for job in jobs[:MOST_NAMED]
    ]
    if len(jobs) > MOST_NAMED:
        lines.append([span(f"and {len(jobs) - MOST_NAMED} more", Tone.MUTED)])
    return lines


def blast_lines(plan: Plan, hit: Blast, now: float) -> list[Line]:
    """What it takes with it, the most serious first; a line each."""
    lines = _controllers(plan.kind, hit.controllers, now)
    if hit.running:
        named = [f"{name} (job {job_id})" for job_id, name in hit.running]
        effect = _ON_TASKS.get(plan.kind)
        lines += [] if effect is None else [_listed("task", named, effect, Tone.WARN)]
    lines += _tell("cluster", hit.orphans, "is left to the sweep", "are left to the sweep")
    lines += _tell("job", hit.doomed, "follows and ends CANCELLED", "follow and end CANCELLED")
    lines += _tell("job", hit.freed, "no longer waits for it", "no longer wait for it")
    if hit.launch_slots or hit.alive_slots:
        slots = (
            f"releases {plural(hit.launch_slots, 'launch slot')}"
            f" and {plural(hit.alive_slots, 'alive slot')}"
        )
        lines.append([span(slots)])
    return lines


_ON_TASKS: Final[Mapping[Kind, tuple[str, str]]] = MappingProxyType(
    {
        Kind.CANCEL: ("runs and is stopped", "run and are stopped"),
        Kind.DONE: ("runs", "run"),
        Kind.REQUEUE: ("runs, and goes on", "run, and go on"),
        Kind.HOLD: ("runs, and goes on", "run, and go on"),
    }
)


def _tell(what: str, items: Sequence[object], one: str, many: str) -> list[Line]:
    return [_listed(what, items, (one, many), Tone.WARN)] if items else []


def _listed(what: str, items: Sequence[object], effect: tuple[str, str], tone: Tone) -> Line:
    named = ", ".join(clip(str(item), _NAME_CELLS) for item in items[:_FEW])
    more = f" and {len(items) - _FEW} more" if len(items) > _FEW else ""
    says = effect[0] if len(items) == 1 else effect[1]
    return [span(f"{plural(len(items), what)} {says}: ", tone), span(f"{named}{more}")]


def _controllers(kind: Kind, found: Sequence[Controller], now: float) -> list[Line]:
    """Each by itself where it is ended by force; of others the first few, then all together."""
    named = MOST_NAMED if kind is Kind.DONE else _FEW
    lines = [_controller(kind, one, now) for one in found[:named]]
    rest = found[named:]
    if rest:
        load = sum(one.cpu or 0.0 for one in rest)
        says = f"and {plural(len(rest), 'more controller')}, using {cpu(load)}% CPU together"
        lines.append([span(says, Tone.BAD if kind is Kind.DONE else Tone.WARN)])
    return lines


def _controller(kind: Kind, one: Controller, now: float) -> Line:
    log = "" if one.log_at is None else f", its log was written {brief(now - one.log_at)} ago"
    if one.alive is None:
        says = f"whether the controller of job {one.job_id} lives cannot be told"
    else:
        load = "" if one.cpu is None else f" and using {cpu(one.cpu)}% CPU"
        says = f"controller {one.pid} of job {one.job_id} is ALIVE{load}{log}"
    if kind is not Kind.DONE:
        return [span(says, Tone.WARN)]
    force = ": force-done fences and stops it, its cluster is left to the sweep"
    return [Span("! ", Tone.BAD), span(says + force, Tone.BAD)]


def change_lines(plan: Plan) -> list[Line]:
    """From what to what, for actions that set a value; none for others."""
    lines: list[Line] = [[span(text)] for text in setting_changes(plan.before, plan.setting)]
    for one in plan.targets[:MOST_NAMED] if plan.priorities else ():
        change = f"  priority {one.priority} -> {plan.priorities[one.job_id]}"
        name = span(clip(one.name, _NAME_CELLS))
        lines.append([span(f"{one.job_id}  ", Tone.STRONG), name, span(change)])
    more = len(plan.targets) - MOST_NAMED
    return [*lines, [span(f"and {more} more", Tone.MUTED)]] if lines and more > 0 else lines


def setting_changes(before: Setting, after: Setting) -> list[str]:
    """``launch 3 -> 6``, for each that is set."""
    pairs = (
        ("launch", before.launch, after.launch),
        ("alive", before.alive, after.alive),
        ("starts paused", _yes(before.paused), _yes(after.paused)),
    )
    return [f"{name} {old} -> {new}" for name, old, new in pairs if new is not None]


def _yes(flag: bool | None) -> str | None:  # noqa: FBT001 -- a value to be shown
    return None if flag is None else ("yes" if flag else "no")


def refusal_lines(refusals: Sequence[Refusal]) -> list[Line]:
    """Whom it cannot be done to, and why."""
    lines: list[Line] = [
        [span("left out: ", Tone.WARN), span(refusal.why)] for refusal in refusals[:MOST_NAMED]
    ]
    if len(refusals) > MOST_NAMED:
        lines.append([span(f"and {len(refusals) - MOST_NAMED} more", Tone.MUTED)])
    return lines


def described(plan: Plan) -> str:
    """The action in few words: ``force-done 1039``, ``cancel 12 jobs``."""
    ids = plan.job_ids
    if not ids:
        changes = setting_changes(plan.before, plan.setting) if plan.kind is Kind.LIMITS else []
        return " ".join([VERBS[plan.kind], ", ".join(changes)]).strip()
    return f"{VERBS[plan.kind]} {ids[0] if len(ids) == 1 else plural(len(ids), 'job')}"


def pending_line(pending: Pending, monotonic: float, key: str = "U") -> Line:
    """An action that is held, and how to drop it: ``force-done 1039 in 4s  U:undo``."""
    left = -int(-pending.seconds_left(monotonic) // 1)
    return [
        span(f"{described(pending.plan)} in {left}s  ", Tone.WARN),
        span(key, Tone.KEY),
        span(":undo"),
    ]


def result_lines(plan: Plan, result: Result) -> list[Line]:
    """What became of it: one line, then what went wrong."""
    lines: list[Line] = [[_outcome(plan, result)]]
    lines += [[span(failure.why, Tone.BAD)] for failure in result.failures[:MOST_NAMED]]
    if len(result.failures) > MOST_NAMED:
        lines.append([span(f"and {len(result.failures) - MOST_NAMED} more", Tone.BAD)])
    if result.error is not None:
        lines.append([span(f"not applied: {result.error}", Tone.BAD)])
    lines += [[span(note, Tone.MUTED)] for note in result.notes[:MOST_NAMED]]
    return lines


def _outcome(plan: Plan, result: Result) -> Span:
    if result.is_whole:
        made = f": job {', '.join(map(str, result.made))}" if result.made else ""
        return span(f"done: {described(plan)}{made}", Tone.GOOD)
    parts = [
        f"{len(result.done)} of {len(plan.targets)}" if plan.targets else "",
        f"{len(result.failures)} refused" if result.failures else "",
        f"{len(result.left)} not tried" if result.left else "",
    ]
    said = "; ".join(part for part in parts if part)
    return span(f"{described(plan)}: {said}" if said else described(plan), Tone.WARN)
