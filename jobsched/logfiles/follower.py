"""A job's logs from their beginning, or near their end, until the job is DONE.

Owns the order: a task's log is begun when the tasks before it have ended and their logs are read;
logs that are written at the same time take turns. Restarts and recoveries append to the same files,
so they follow by themselves. Reads database and files, changes nothing, and waits only in
:func:`stream`.

Looks rather than has itself woken: ten looks a second (a pragma, a few stats) cost less than half a
percent of a CPU, work on every file system and system, need no watch of which a user has only so
many, and nothing that happens between two of them (a move, a deletion) can be missed.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final, NamedTuple, Self

from jobsched import lock
from jobsched.clock import Clock
from jobsched.context import Context
from jobsched.errors import InvalidInput, NotFound
from jobsched.lock import Grip
from jobsched.logfiles.cursor import Cursor
from jobsched.logfiles.sources import Source, Sources, controller_log, find_task, task_logs
from jobsched.models import DagSpec
from jobsched.states import ScheduleState
from jobsched.store import reads, record
from jobsched.store.database import Database
from jobsched.store.record import Progress

#: Seconds between two looks: while something comes, and when nothing has come for a while.
_SOON, _LATER, _GROWTH = 0.02, 0.1, 1.5
#: Seconds that a controller may take to say its last words after the job is DONE.
_LAST_WORDS: Final = 2.0


class Chunk(NamedTuple):
    """Some bytes of one log."""

    source: Source
    data: bytes


class Follower:
    """Reads a job's logs. Each :meth:`step` gives what is new; ``ended`` tells when that was all.

    ``lines``: begin with so many lines before the end (of each log, where several are written at
    the same time). Raises ``NotFound`` at once for a job or task that there is not.
    """

    def __init__(
        self,
        context: Context,
        job_id: int,
        task: int | str | None = None,
        *,
        controller: bool = False,
        lines: int | None = None,
    ) -> None:
        if controller and task is not None:
            raise InvalidInput("a controller has one log for all tasks: ask for it or for a task")
        self.ended = False
        #: What was seen of the job last; ``None`` before the first step and once it was pruned.
        self.progress: Progress | None = None
        self._context, self._job_id = context, job_id
        self._task, self._controller, self._lines = task, controller, lines
        self._db = Database(context.home.database)
        self._version = -1
        self._sources: Sources | None = None
        self._cursors: list[tuple[Source, Cursor]] = []
        self._done_at: float | None = None
        self._check()

    def step(self, *, in_turn: bool = True) -> Iterator[Chunk]:
        """What has come since the last step, and was there when this one began.

        ``in_turn``: what is written before its turn (a task before it has not ended) is left for a
        later step.
        """
        over = self._look()
        unfinished = set() if self.progress is None else self.progress.unfinished
        for source, cursor in self._cursors:
            if not in_turn or not source.after & unfinished:
                for data in cursor.drain():
                    yield Chunk(source, data)
        self.ended = over

    @property
    def overlap(self) -> bool:
        """Whether logs are written at the same time, so that a reader must be told which is which.

        Known after the first step of a job that was submitted.
        """
        return self._sources is not None and self._sources.overlap

    def close(self) -> None:
        """Let go of files and database."""
        for _, cursor in self._cursors:
            cursor.close()
        self._db.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _check(self) -> None:
        if not self._context.db.exists():
            raise NotFound("job", self._job_id)
        with self._context.db.read() as tx:
            if reads.job(tx, self._job_id) is None:
                raise NotFound("job", self._job_id)
            if self._task is not None:
                find_task(self._job_id, reads.tasks_of(tx, self._job_id), self._task)

    def _look(self) -> bool:
        """Look at the job if anything has changed; whether all that will come is there now."""
        version = self._db.version()
        if version != self._version:
            with self._db.read() as tx:
                self.progress = record.progress(tx, self._job_id)
            self._version = version
        if self._sources is None:
            self._find_sources()
        if self.progress is not None and self.progress.state is not ScheduleState.DONE:
            return False
        return not (self._controller and self._may_still_speak())

    def _find_sources(self) -> None:
        """Which logs there are is known once the job was submitted."""
        if self._controller:
            self._sources = controller_log(self._context.home, self._job_id)
        elif self.progress is not None and self.progress.state is not ScheduleState.INACTIVE:
            with self._db.read() as tx:
                rows, stored = reads.tasks_of(tx, self._job_id), reads.snapshot(tx, self._job_id)
            spec = None if stored is None else DagSpec.from_json(stored["dag"])
            self._sources = task_logs(self._context.home, self._job_id, rows, spec, self._task)
        if self._sources is not None:
            self._cursors = [(source, Cursor(source.path)) for source in self._sources.all]
            self._skip()

    def _skip(self) -> None:
        if self._lines is None:
            return
        left = self._lines
        for _, cursor in reversed(self._cursors):
            count = cursor.skip(left)
            left -= 0 if self.overlap else count

    def _may_still_speak(self) -> bool:
        """Whether the controller of a DONE job lives: its last lines come after that."""
        now = self._context.clock.monotonic()
        self._done_at = now if self._done_at is None else self._done_at
        if self.progress is None or now - self._done_at > _LAST_WORDS:
            return False
        path = self._context.home.attempt_lock(self._job_id, self.progress.attempt)
        return lock.probe(path) is Grip.HELD


def stream(follower: Follower, clock: Clock, *, labels: bool | None = None) -> Iterator[bytes]:
    """Everything that a follower gives until it ends, waiting in between; closes it.

    ``labels``: whether a line names each log where it goes on after another; ``None``: where
    several are written at the same time.
    """
    label = _Labels(follower, wanted=labels)
    pause = _SOON
    with follower:
        while not follower.ended:
            came = False
            for chunk in follower.step():
                came = True
                yield label(chunk)
            pause = _SOON if came else min(pause * _GROWTH, _LATER)
            if not follower.ended:
                clock.sleep(pause)


def once(follower: Follower, *, labels: bool | None = None) -> Iterator[bytes]:
    """What a follower gives now; closes it. ``labels`` as for :func:`stream`."""
    label = _Labels(follower, wanted=labels)
    with follower:
        for chunk in follower.step(in_turn=False):
            yield label(chunk)


class _Labels:
    """Puts a line before a chunk that is of another log than the last, if that is wanted."""

    def __init__(self, follower: Follower, *, wanted: bool | None) -> None:
        self._follower, self._wanted = follower, wanted
        self._last: Source | None = None
        self._within_line = False

    def __call__(self, chunk: Chunk) -> bytes:
        """The chunk, with its label if it needs one."""
        wanted = self._follower.overlap if self._wanted is None else self._wanted
        label = b""
        if wanted and chunk.source != self._last:
            label = b"\n" if self._within_line else b""
            label += f"==> {chunk.source.label} <==\n".encode()
        self._last, self._within_line = chunk.source, not chunk.data.endswith(b"\n")
        return label + chunk.data
