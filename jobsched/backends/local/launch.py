"""One launch: from nothing to a task whose programs are starting, or back to nothing.

Owns the order of the steps, which makes it safe to die between any two of them: the fence before
the lock, the lock before the runners, and no runner goes on before all are ready and the launcher
says so. What a launcher that died has left runs nothing, and whoever removes the cluster finds it.
"""

from __future__ import annotations

import fcntl
import os
import signal
import threading
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from typing import Final

from jobsched import process, wake
from jobsched.backends.local import fence, record, runner, trash
from jobsched.backends.local.folder import Facts, folder_of, write_fresh
from jobsched.backends.local.ledger import Ledger
from jobsched.backends.local.mounts import needs_home
from jobsched.clock import Clock
from jobsched.errors import BackendError, Cancelled, Fenced
from jobsched.models import LaunchRequest, Phase
from jobsched.process import Identity

#: Seconds that runners may take to come up, at most.
_PATIENCE: Final = 60.0
#: Seconds between two looks at whether the launch is still wanted.
_GLANCE: Final = 0.05
#: Seconds within which whoever only asked about the workload lock has let go of it.
_ASKING: Final = 1.0

#: What is called at each named step of a launch, for tests that end the process there.
Hook = Callable[[str], None]


class Launch:
    """One request, carried out once."""

    def __init__(
        self,
        request: LaunchRequest,
        *,
        home: Path,
        root: Path,
        ledger: Ledger,
        clock: Clock,
        stop: threading.Event,
        shell: str,
        hook: Hook,
    ) -> None:
        self._request, self._folder = request, folder_of(root, request.cluster)
        self._home, self._root, self._ledger, self._clock = home, root, ledger, clock
        self._stop, self._shell, self._hook = stop, shell, hook
        self._began = False
        #: Whether there may be something of a launch that was cut.
        self._goes_on = False
        #: PIDs of the runners, and who they are: ``None`` for one that ended at once.
        self._runners: dict[int, Identity | None] = {}

    def run(self) -> list[int]:
        """Launch; PIDs of the runners, which are children of this process.

        Raises as ``Backend.launch`` does, and ``OSError``; then nothing is left, unless the cluster
        belongs to somebody else.
        """
        if len(self._request.log_paths) != self._request.task.num_nodes:
            raise ValueError("a launch needs one log path for each node")
        try:
            bash = runner.find_bash({**self._request.base_env, **self._request.env})
            facts = self._begin()
            with ExitStack() as opened:
                lock = self._lock(opened)
                self._lay_out()
                self._hook("prepared")
                self._start(facts, bash, lock)
        except BaseException:
            self._undo()
            raise
        return list(self._runners)

    def _begin(self) -> Facts:
        """Make the cluster ours: fence, room, and the file whose existence says "launched"."""
        with self._ledger.guard():
            facts = self._ledger.allot(self._request)
            trash.prepare(self._root)
            state = fence.raise_to(self._folder, self._request.attempt, self._clock, sync=False)
            self._hook("fenced")
            if state.stopped:
                raise BackendError(f"cluster {self._folder.name} was stopped before its launch")
            self._folder.make()
            self._take_name()
            self._began = True
            self._folder.write_facts(facts)
        self._hook("begun")
        return facts

    def _take_name(self) -> None:
        """Mark the cluster as launched: by its name once, unless an older attempt was cut in it.

        That one is fenced, and where there is no record it came to start no runner.
        """
        try:
            self._folder.lock.touch(mode=0o600, exist_ok=False)
        except FileExistsError:
            cut = self._folder.facts()
            is_older = cut is None or cut.attempt < self._request.attempt
            if not is_older or record.count(self._folder):
                raise BackendError(
                    f"cluster {self._folder.name} was launched before; a name serves once"
                ) from None
            self._goes_on = True

    def _lock(self, opened: ExitStack) -> int:
        """Mark ourselves as the launcher, then take the workload lock; its descriptor."""
        mark = os.open(self._folder.facts_file, os.O_RDONLY | os.O_CLOEXEC)
        opened.callback(os.close, mark)
        fcntl.flock(mark, fcntl.LOCK_EX)
        lock = os.open(self._folder.lock, os.O_RDWR | os.O_NOFOLLOW | os.O_CLOEXEC)
        opened.callback(os.close, lock)
        deadline = self._clock.monotonic() + _ASKING
        while not _flock(lock):
            if self._clock.monotonic() > deadline:
                raise BackendError(f"a copy of the task already runs in {self._folder.name}")
            self._clock.sleep(0.001)
        self._hook("locked")
        return lock

    def _lay_out(self) -> None:
        """Write the programs and lay out each node's files."""
        task = self._request.task
        if self._goes_on:
            trash.clear(self._root, self._folder)
        self._folder.path.mkdir(mode=0o700)
        if task.setup is not None:
            write_fresh(self._folder.program(Phase.SETUP), task.setup)
        write_fresh(self._folder.program(Phase.RUN), task.run or "")
        if task.workdir is None and not task.file_mounts:
            for node in range(task.num_nodes):
                self._check()
                self._folder.workdir(node).mkdir(mode=0o700)
            return
        from jobsched.backends.local.copying import Layout  # noqa: PLC0415 -- pathspec is dear

        for node, log_path in enumerate(self._request.log_paths):
            with _notes(log_path) as note:
                Layout(self._folder, task, home=self._home, check=self._check, note=note).make(node)

    def _start(self, facts: Facts, bash: str, lock: int) -> None:
        """Start all runners, wait until each is ready, then let them go on."""
        with ExitStack() as ours:
            with ExitStack() as theirs:
                ready, tell_ready = _pipe(reader=ours, writer=theirs)
                go, tell_go = _pipe(reader=theirs, writer=ours)
                for node, log_path in enumerate(self._request.log_paths):
                    self._check()
                    home = self._folder.home(node) if needs_home(self._request.task) else None
                    gpus = facts.gpus[node] if facts.gpus else ()
                    env = runner.task_env(self._request, node, gpus, home)
                    runner.check_env(env)
                    with ExitStack() as given:
                        log = _closing(given, runner.open_log(log_path))
                        written = _closing(given, record.create(self._folder, node))
                        what = runner.Descriptors(log, lock, written, tell_ready, go)
                        self._start_node(node, bash, env, what)
            self._hook("spawned")
            self._await(ready)
            self._hook("ready")
            os.write(tell_go, b"\n" * len(self._runners))
        self._hook("started")

    def _start_node(
        self, node: int, bash: str, env: dict[str, str], given: runner.Descriptors
    ) -> None:
        folder, attempt = self._folder, str(self._request.attempt)
        paths = [str(path) for path in (folder.workdir(node), folder.fence)]
        arguments = [str(folder.kept), attempt, bash, *paths]
        pid = runner.start(self._shell, arguments, env, given)
        who = process.identify(pid)
        self._runners[pid] = who
        if who is not None:
            record.name_runner(given.record, who)

    def _await(self, ready: int) -> None:
        """Return when every runner has said that it is ready."""
        heard = b""
        deadline = self._clock.monotonic() + _PATIENCE
        while heard.count(b"ready\n") < len(self._runners):
            self._check()
            if self._clock.monotonic() > deadline:
                raise BackendError(f"the runners did not come up within {_PATIENCE:g} s")
            if not wake.wait([ready], _GLANCE):
                continue
            said = os.read(ready, 4096)
            heard += said
            if b"fenced\n" in heard:
                raise self._overtaken()
            if not said:
                raise BackendError(
                    "a runner ended before it was ready; the end of"
                    f" {self._request.log_paths[0]} may say why"
                )

    def _overtaken(self) -> BackendError:
        """Why the runners found another fence than ours."""
        state = fence.read(self._folder)
        if state.attempt > self._request.attempt:
            return Fenced(self._folder.name, self._request.attempt, state.attempt)
        return BackendError(f"cluster {self._folder.name} was stopped during its launch")

    def _check(self) -> None:
        if self._stop.is_set():
            raise Cancelled(self._request.job_id)

    def _undo(self) -> None:
        """Leave nothing of what we made, but for what is a newer attempt's."""
        for pid, who in self._runners.items():
            if who is not None:
                process.signal(who, signal.SIGKILL)
            with suppress(ChildProcessError):
                os.waitpid(pid, 0)
        with suppress(OSError):  # what led here is what the caller is told
            if not self._began:
                self._folder.kept.rmdir()  # does nothing to one that is not empty
            elif fence.read(self._folder).attempt <= self._request.attempt:
                trash.discard(self._root, self._folder)


@contextmanager
def _notes(path: Path) -> Iterator[Callable[[str], None]]:
    """A way to put lines into a task's log."""
    descriptor = runner.open_log(path)
    try:
        yield lambda line: _append(descriptor, f"[jobsched] {line}\n")
    finally:
        os.close(descriptor)


def _append(descriptor: int, line: str) -> None:
    os.write(descriptor, line.encode("utf-8", "surrogateescape"))


def _pipe(*, reader: ExitStack, writer: ExitStack) -> tuple[int, int]:
    read, write_ = os.pipe()
    return _closing(reader, read), _closing(writer, write_)


def _closing(stack: ExitStack, descriptor: int) -> int:
    stack.callback(os.close, descriptor)
    return descriptor


def _flock(descriptor: int) -> bool:
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True
