"""Looking for trouble: all jobs that are alive or ended lately, their processes and their logs.

Owns what is looked at for the attention list and what is remembered from look to look; the
judgement is in ``attention``. Belongs to one thread.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final

from jobsched.api import Change, ProcessGroup, Seen, Watch
from jobsched.clock import Clock
from jobsched.errors import BackendError
from jobsched.states import ALIVE_STATES, ScheduleState, TaskStatus
from jobsched_tui.data.attention import LockHolder, Sample, Samples, judge
from jobsched_tui.data.frame import Attention, JobLine
from jobsched_tui.data.kept import Kept, Known
from jobsched_tui.data.lately import Lately
from jobsched_tui.data.listing import TABS
from jobsched_tui.data.news import Happened
from jobsched_tui.data.processes import Sampler, Usage
from jobsched_tui.data.pulse import Pulse, beat
from jobsched_tui.data.tails import Tails

#: Where the holders of the scheduler lock stand among the processes of jobs, whose ids begin at 1.
_LOCK: Final = 0
_MIB: Final = 1024 * 1024


@dataclass(frozen=True, slots=True)
class Looked:
    """What a look has found."""

    #: Jobs that are alive, ended lately, left something behind, or wait in vain.
    lines: Mapping[int, JobLine]
    usage: Mapping[int, Usage]
    attention: tuple[Attention, ...]

    def told(self, line: JobLine) -> JobLine:
        """A row with what it uses and its trouble."""
        known = self.lines.get(line.job_id)
        line = _with_usage(line, self.usage.get(line.job_id))
        return line if known is None else replace(line, trouble=known.trouble)


class Troubles:
    """The looks of one console at one home."""

    def __init__(self, watch: Watch, clock: Clock, seen_seq: int) -> None:
        self._watch, self._clock = watch, clock
        self._sampler, self._tails = Sampler(clock), Tails()
        self._lately = Lately(watch, seen_seq)
        self._kept = Kept(watch, self._read)
        #: Of what is DONE the history tells everything, and the logs are as they are.
        self._ended = Kept(watch, self._read_with_logs)
        self._alive: list[int] = []
        self._blocked: Mapping[int, Mapping[int, TaskStatus | None]] = {}
        self._outdated = True
        self._pulses: dict[int, Pulse] = {}
        self._states: dict[int, tuple[str, float]] = {}
        self._found: tuple[Attention, ...] = ()

    def seen(self, seq: int) -> None:
        """The operator has seen everything up to that row of the history."""
        self._lately.seen(seq)

    def note(self, changes: Sequence[Change]) -> None:
        """Take note of what has happened, row by row."""
        self._lately.note(changes)

    def note_all(self, happened: Happened) -> None:
        """Take note of which jobs it has happened to."""
        self._outdated = self._outdated or happened.committed
        self._kept.note(happened)
        self._ended.note(happened)

    def look(self, also: Collection[int] = ()) -> Looked:
        """Look at everything that may be in trouble, and at some jobs more."""
        now = self._clock.now()
        self._lately.read_back(now)
        clusters = self._clusters()
        known = self._known(clusters, also)
        lock = self._watch.scheduler_lock()
        roots = dict(_roots(known, clusters))
        if lock is not None and lock.pids:
            roots[_LOCK] = [_controller("lock", lock.pids[0], Seen.SAME)]
        usage = self._sampler.sample(roots) if roots else {}
        lines = {job_id: _with_usage(one.line, usage.get(job_id)) for job_id, one in known.items()}
        samples = Samples(
            jobs={
                job_id: self._sample(
                    line,
                    known[job_id].seen,
                    usage.get(job_id, Usage()),
                    clusters.get(job_id, ()) if line.state is ScheduleState.DONE else (),
                    now,
                )
                for job_id, line in lines.items()
            },
            lock=None if lock is None else _holder(usage.pop(_LOCK, Usage()), lock.since),
            median_launch=self._lately.median_launch,
            seen_seq=self._lately.seen_seq,
        )
        self._found = judge(list(lines.values()), samples, now, previous=self._found)
        self._forget(lines)
        return Looked(_with_trouble(lines, self._found), usage, self._found)

    # What is looked at.

    def _known(self, clusters: Collection[int], also: Collection[int]) -> Mapping[int, Known]:
        if self._outdated:
            self._alive = [job_id for _, job_id in self._watch.listing(TABS["active"])]
            self._blocked = self._watch.blocked()
            self._outdated = False
        wanted = {*self._alive, *self._blocked, *clusters, *also}
        known = self._kept.bring_up(wanted, again=True)
        for one in known.values():
            one.line = self._tails.complete(one.line)
        ended = self._ended.bring_up(self._lately.news - wanted, again=False)
        failed = {job_id: one for job_id, one in ended.items() if _went_wrong(one.line)}
        return {**failed, **known}

    def _read(self, job_ids: Collection[int]) -> dict[int, Known]:
        return {job_id: Known(row) for job_id, row in self._watch.rows(job_ids).items()}

    def _read_with_logs(self, job_ids: Collection[int]) -> dict[int, Known]:
        found = self._read(job_ids)
        for known in found.values():
            known.line = self._tails.complete(known.line)
        return found

    def _clusters(self) -> dict[int, list[ProcessGroup]]:
        try:
            found = self._watch.clusters()
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

    # What is seen.

    def _sample(
        self,
        line: JobLine,
        seen: Seen | None,
        used: Usage,
        left: Sequence[ProcessGroup],
        now: float,
    ) -> Sample:
        """``left``: clusters that it should not have any more."""
        job_id = line.job_id
        usurpers = [tree.usurper.program for tree in used.trees if tree.usurper is not None]
        state, since = self._process_state(job_id, used, now)
        return Sample(
            usurper=usurpers[0] if usurpers and seen is Seen.REUSED else None,
            process_state=state,
            process_state_since=since,
            state_since=self._lately.launching_since(job_id),
            left_pids=tuple(pid for group in left for pid in group.pids),
            left_clusters=tuple(group.name for group in left),
            pulse=self._pulse(line, used, now),
            blockers=self._blocked.get(job_id, {}),
            ended_seq=self._lately.ended(job_id),
        )

    def _process_state(
        self, job_id: int, used: Usage, now: float
    ) -> tuple[str, float] | tuple[None, None]:
        """Of its controller, and since when."""
        controller = used.controller
        if controller is None:
            self._states.pop(job_id, None)
            return None, None
        before = self._states.get(job_id)
        if before is None or before[0] != controller.state:
            before = self._states[job_id] = (controller.state, now)
        return before

    def _pulse(self, line: JobLine, used: Usage, now: float) -> Pulse:
        before = self._pulses.get(line.job_id, Pulse())
        pulse = beat(before, log_at=line.log_at, cpu=used.cpu, now=now)
        self._pulses[line.job_id] = pulse
        return pulse

    def _forget(self, lines: Mapping[int, JobLine]) -> None:
        """What belongs to jobs that are not looked at any more."""
        for memory in (self._pulses, self._states):
            for job_id in memory.keys() - lines.keys():
                del memory[job_id]


def _went_wrong(line: JobLine) -> bool:
    return line.status.is_failure or any(task.cleanup_error for task in line.tasks)


def _controller(name: str, pid: int, seen: Seen) -> ProcessGroup:
    return ProcessGroup(kind="controller", name=name, pids=(pid,), seen=seen, started_at=0.0)


def _roots(
    known: Mapping[int, Known], clusters: Mapping[int, Sequence[ProcessGroup]]
) -> Iterator[tuple[int, list[ProcessGroup]]]:
    for job_id, one in known.items():
        groups = list(clusters.get(job_id, ()))
        line = one.line
        if line.pid is not None and one.seen is not None and line.state in ALIVE_STATES:
            groups.insert(0, _controller(f"attempt {line.attempt}", line.pid, one.seen))
        if groups:
            yield job_id, groups


def _holder(used: Usage, since: float) -> LockHolder | None:
    process = used.controller
    if process is None:
        return None
    return LockHolder(
        pid=process.pid, since=since, state=process.state, command=process.command
    )  # fmt: skip


def _with_usage(line: JobLine, used: Usage | None) -> JobLine:
    """In steps that can be seen, so that nothing is drawn anew for less."""
    if used is None or used.rss is None:
        return line
    cpu = None if used.cpu is None else float(round(used.cpu))
    rss = used.rss // _MIB * _MIB
    return line if (line.cpu, line.rss) == (cpu, rss) else replace(line, cpu=cpu, rss=rss)


def _with_trouble(lines: Mapping[int, JobLine], found: Sequence[Attention]) -> dict[int, JobLine]:
    worst: dict[int | None, Attention] = {}
    for one in found:
        worst.setdefault(one.job_id, one)
    return {
        job_id: replace(line, trouble=worst[job_id]) if job_id in worst else line
        for job_id, line in lines.items()
    }
