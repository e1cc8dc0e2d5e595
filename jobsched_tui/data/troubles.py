"""Looking for trouble: all jobs that are alive or failed lately, their processes and their logs.

Owns what is looked at for the attention list and what is remembered from look to look; the
judgement is in ``attention``. Belongs to one thread.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from statistics import median
from typing import Final, Protocol

from jobsched.api import Change, ProcessGroup, Scheduler, Seen, Watch
from jobsched.clock import Clock
from jobsched.errors import BackendError
from jobsched.states import ALIVE_STATES, ScheduleState
from jobsched_tui.data.attention import Sample, Samples, judge
from jobsched_tui.data.frame import Attention, JobLine
from jobsched_tui.data.lines import job_line
from jobsched_tui.data.listing import TABS
from jobsched_tui.data.processes import Sampler, Usage
from jobsched_tui.data.pulse import Pulse, beat
from jobsched_tui.data.tails import Tails

#: Rows of the history that are read back for what ended lately and how long launches take.
_BACK: Final = 2_000
#: Seconds: how far back a failure is news where nobody has looked before.
_NEWS: Final = 86_400.0
_STATES: Final = {str(state) for state in ALIVE_STATES}


class Cluster(Protocol):
    """A cluster that exists, as ``Scheduler.clusters`` tells it."""


@dataclass(frozen=True, slots=True)
class Looked:
    """What a look has found."""

    #: Jobs that are alive, failed lately, or left something behind.
    lines: Mapping[int, JobLine]
    usage: Mapping[int, Usage]
    attention: tuple[Attention, ...]


class Troubles:
    """The looks of one console at one home."""

    def __init__(self, watch: Watch, door: Scheduler, clock: Clock, seen_seq: int) -> None:
        self._watch, self._door, self._clock = watch, door, clock
        self._seen_seq = seen_seq
        self._sampler, self._tails = Sampler(clock), Tails()
        self._ended: dict[int, int] = {}
        self._launching: dict[int, float] = {}
        self._launches: list[float] = []
        self._pulses: dict[int, Pulse] = {}
        self._states: dict[int, tuple[str, float]] = {}
        self._found: tuple[Attention, ...] = ()
        self._read_back = False

    def seen(self, seq: int) -> None:
        """The operator has seen everything up to that row of the history."""
        self._seen_seq = max(self._seen_seq, seq)

    def note(self, changes: Sequence[Change]) -> None:
        """Take note of what has happened: who ended, and how long launches take."""
        for change in changes:
            if change.kind != "SCHEDULE" or change.job_id is None:
                continue
            if change.to_value == ScheduleState.DONE:
                self._ended[change.job_id] = change.seq
            began = self._launching.pop(change.job_id, None)
            if change.to_value == ScheduleState.LAUNCHING:
                self._launching[change.job_id] = change.at
            elif began is not None:
                self._launches = [*self._launches[-99:], change.at - began]

    def look(self, also: Collection[int] = ()) -> Looked:
        """Look at everything that may be in trouble, and at the processes of some jobs more."""
        now = self._clock.now()
        if not self._read_back:
            self._remember(now)
        clusters = self._clusters()
        alive = [job_id for _, job_id in self._watch.listing(TABS["active"])]
        news = [job_id for job_id, seq in self._ended.items() if seq > self._seen_seq]
        rows = self._watch.rows({*alive, *news, *clusters, *also})
        usage = self._sampler.sample(dict(_roots(rows, clusters)))
        lines = {job_id: self._line(job_line(row), usage) for job_id, row in rows.items()}
        samples = {
            job_id: self._sample(line, rows[job_id], usage.get(job_id, Usage()), clusters, now)
            for job_id, line in lines.items()
        }
        self._found = judge(
            list(lines.values()),
            Samples(
                jobs=samples,
                median_launch=median(self._launches) if self._launches else None,
                seen_seq=self._seen_seq,
            ),
            now,
            previous=self._found,
        )
        self._forget(lines)
        return Looked(_with_trouble(lines, self._found), usage, self._found)

    def _remember(self, now: float) -> None:
        """Read back what happened before the console came."""
        latest = self._watch.latest()
        back = self._watch.changes_before(latest + 1, most=_BACK, kinds=("SCHEDULE",))
        self.note(list(reversed(back)))
        if not self._seen_seq:
            self._seen_seq = self._watch.moment(now - _NEWS)
        self._read_back = True

    def _clusters(self) -> dict[int, list[ProcessGroup]]:
        try:
            found = self._door.clusters()
        except BackendError:
            return {}  # what cannot be looked at is no trouble of a job's
        by_job: dict[int, list[ProcessGroup]] = {}
        for one in found:
            group = ProcessGroup(
                kind="cluster", name=one["name"], pids=tuple(one["pids"]),
                seen=Seen.SAME if one["pids"] else Seen.GONE, started_at=one["created_at"],
            )  # fmt: skip
            by_job.setdefault(one["job_id"], []).append(group)
        return by_job

    def _line(self, line: JobLine, usage: Mapping[int, Usage]) -> JobLine:
        used = usage.get(line.job_id, Usage())
        return replace(self._tails.complete(line), cpu=used.cpu, rss=used.rss)

    def _sample(
        self,
        line: JobLine,
        row: Mapping[str, object],
        used: Usage,
        clusters: Mapping[int, Sequence[ProcessGroup]],
        now: float,
    ) -> Sample:
        controller = used.controller
        state = None if controller is None else controller.state
        before = self._states.get(line.job_id)
        if state is not None and (before is None or before[0] != state):
            before = (state, now)
            self._states[line.job_id] = before
        pulse = beat(
            self._pulses.get(line.job_id, Pulse()), log_at=line.log_at, cpu=line.cpu, now=now
        )
        self._pulses[line.job_id] = pulse
        left = clusters.get(line.job_id, ()) if line.state is ScheduleState.DONE else ()
        usurpers = [tree.usurper.program for tree in used.trees if tree.usurper is not None]
        return Sample(
            usurper=usurpers[0] if usurpers and row["controller_seen"] == Seen.REUSED else None,
            process_state=state,
            process_state_since=None if before is None else before[1],
            state_since=self._launching.get(line.job_id),
            left_pids=tuple(pid for group in left for pid in group.pids),
            left_clusters=tuple(group.name for group in left),
            pulse=pulse,
            ended_seq=self._ended.get(line.job_id),
        )

    def _forget(self, lines: Mapping[int, JobLine]) -> None:
        """What belongs to jobs that are not looked at any more."""
        for memory in (self._pulses, self._states):
            for job_id in memory.keys() - lines.keys():
                del memory[job_id]


def _roots(
    rows: Mapping[int, Mapping[str, object]], clusters: Mapping[int, Sequence[ProcessGroup]]
) -> Iterator[tuple[int, list[ProcessGroup]]]:
    for job_id, row in rows.items():
        groups = list(clusters.get(job_id, ()))
        pid, seen = row["controller_pid"], row["controller_seen"]
        if isinstance(pid, int) and isinstance(seen, Seen) and row["schedule_state"] in _STATES:
            groups.insert(
                0,
                ProcessGroup(
                    kind="controller", name=f"attempt {row['attempt']}", pids=(pid,), seen=seen,
                    started_at=0.0,
                ),
            )  # fmt: skip
        if groups:
            yield job_id, groups


def _with_trouble(lines: Mapping[int, JobLine], found: Sequence[Attention]) -> dict[int, JobLine]:
    worst: dict[int | None, Attention] = {}
    for one in found:
        worst.setdefault(one.job_id, one)
    return {
        job_id: replace(line, trouble=worst[job_id]) if job_id in worst else line
        for job_id, line in lines.items()
    }
