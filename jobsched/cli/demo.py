"""``demo``: a scratch home, a few jobs that succeed, fail and survive, and a look at each of them.

Owns the stage: the home, the clock that ends it, the verdict. ``demo_cast`` owns the play.
"""

from __future__ import annotations

import shlex
import tempfile
from pathlib import Path
from typing import Final

from jobsched.api import Scheduler
from jobsched.cli import admin
from jobsched.cli.audience import Audience, audience
from jobsched.cli.call import Call
from jobsched.cli.demo_cast import CAST, Act, Job, Part
from jobsched.cli.formatting import span
from jobsched.cli.tables import Column, Listing
from jobsched.context import open_context, operator
from jobsched.errors import JobschedError
from jobsched.scheduler.ticker import Ticker
from jobsched.states import ScheduleState

#: Seconds after which the play is over, whatever has become of it.
_LONGEST: Final = 110.0
_INTERVAL: Final = 0.2
_CONFIG: Final = """\
# The home of a demonstration: three small regions, and little patience.
[recovery]
retry_gap_seconds = 1
retry_gap_max_seconds = 5
[backend]
stop_grace_seconds = 3
[local.regions.north]
cpus = 8
[local.regions.east]
cpus = 8
[local.regions.south]
cpus = 8
"""


def demo(call: Call) -> int:
    """Play it in a home of its own; 0 if each job ended as it should."""
    root = Path(tempfile.mkdtemp(prefix="jobsched-demo-")).resolve()
    (root / "config.toml").write_text(_CONFIG)
    call.terminal.say(f"Home of this demonstration: {root}")
    call.terminal.out.flush()
    call.on_interrupt = "interrupted; the demonstration's jobs were cancelled"
    # Settings of the user's, and being a controller, are not for this home.
    plain = {k: v for k, v in call.terminal.environ.items() if not k.startswith("JOBSCHED_")}
    context = open_context(root, actor=operator("demo"), environ=plain)
    began = context.clock.monotonic()
    with audience(call.terminal) as watching:
        play = Play(Scheduler(context=context), watching, root / "scratch")
        play.perform()
    return _verdict(call, play, context.clock.monotonic() - began)


class Play:
    """One performance; the ``Stage`` of ``demo_cast``."""

    def __init__(self, door: Scheduler, watching: Audience, scratch: Path) -> None:
        self.door, self.scratch = door, scratch
        self._audience, self._clock = watching, door.context.clock
        self._acts: dict[int, Act] = {}
        self.parts: dict[int, Part] = {}
        self.jobs: dict[int, Job] = {}
        #: What was demanded and was not so.
        self.broken: list[str] = []

    def tell(self, text: str) -> None:
        """Tell the audience what happens."""
        self._audience.hear(text)

    def demand(self, text: str, *, fulfilled: bool) -> None:
        """Note something that must be so."""
        if not fulfilled:
            self.broken.append(f"not so: {text}")

    def perform(self) -> None:
        """Submit all jobs, do to each what its act says, and go on until all are DONE."""
        self.scratch.mkdir(mode=0o700)
        deadline = self._clock.monotonic() + _LONGEST
        self._submit()
        ticker = Ticker(self.door.context).start()
        try:
            while not self._go_on() and self._clock.monotonic() < deadline:
                self._clock.sleep(_INTERVAL)
        finally:
            left = self.door.unfinished_ids()
            if left:
                self.door.cancel(left, reason="the demonstration is over")
            ticker.stop()

    def _submit(self) -> None:
        folder = Path(__file__).with_name("demo_jobs")
        made = self.door.submit(
            [folder / part.file for part in CAST], envs={"DEMO_SCRATCH": str(self.scratch)}
        )
        self.parts = {job.job_id: part for job, part in zip(made, CAST, strict=True)}
        self._look()
        for job_id, part in self.parts.items():
            if part.act is not None:
                self._acts[job_id] = part.act(self, self.jobs[job_id])
                self._resume(job_id, None)

    def _look(self) -> None:
        found = self.door.queue(all=True)
        self.jobs = {job["job_id"]: job for job in reversed(found)}
        self._audience.see(found, self._clock.now())

    def _go_on(self) -> bool:
        """Look at the jobs and let the acts go on; whether all is over."""
        self._look()
        for job_id in list(self._acts):
            self._resume(job_id, self.jobs[job_id])
        return all(job["schedule_state"] == ScheduleState.DONE for job in self.jobs.values())

    def _resume(self, job_id: int, job: Job | None) -> None:
        """Let one act go on to where it waits again, or to its end."""
        try:
            self._acts[job_id].send(job)
        except StopIteration:
            del self._acts[job_id]
        except (JobschedError, OSError) as error:
            self.broken.append(f"job {job_id}: {error}")
            del self._acts[job_id]

    def shortcomings(self) -> list[str]:
        """Everything that is not as it should be at the end."""
        unplayed = [f"job {job_id}: what was to be done to it never came" for job_id in self._acts]
        unlike = [
            f"job {job_id} ({part.name}): expected {part.expected()}, ended {found}"
            for job_id, part in self.parts.items()
            if (found := part.found(self.jobs[job_id])) != part.expected()
        ]
        return [*self.broken, *unplayed, *unlike]


def _verdict(call: Call, play: Play, seconds: float) -> int:
    terminal = call.terminal
    terminal.say(f"\nAfter {span(seconds)}:")
    rows = [
        (str(job_id), part.name, part.expected(), part.found(play.jobs[job_id]))
        for job_id, part in play.parts.items()
    ]
    columns = (Column("ID", right=True), Column("JOB"), Column("EXPECTED"), Column("ENDED"))
    Listing(columns, rows).show(terminal)
    shortcomings = play.shortcomings()
    for text in shortcomings:
        terminal.error(text)
    terminal.say("\nVerifying the invariants:")
    clean = admin.report_check(call, play.door) == 0
    home = shlex.quote(str(play.door.context.home.root))
    terminal.say(f"\nLook around:  jobsched --home {home} queue --all")
    terminal.say(f"Remove it:    rm -r {home}")
    return 0 if clean and not shortcomings else 1
