"""One job: its tasks in the order of their DAG, its cancel, its end.

Owns the threads of a controller. The main thread reads messages and follows ``plan``. A task that
is alone it drives itself; of several, each gets a thread of its own, and the main thread waits for
nothing but news.
"""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final

from jobsched.controller.bell import Listener, Waits
from jobsched.controller.ear import LONGEST_SECONDS, LOOK_SECONDS, Ear, Stop
from jobsched.controller.journal import Journal
from jobsched.controller.lifeline import Lifeline
from jobsched.controller.plan import Plan, plan
from jobsched.controller.rest import Resting
from jobsched.controller.task import Slot, Surroundings, TaskDriver
from jobsched.errors import Cancelled
from jobsched.logfiles.sources import all_paths
from jobsched.logfiles.trim import Trimmer
from jobsched.recovery.group import launch_group
from jobsched.scheduler.slot import scheduled_launch, withdraw
from jobsched.states import ScheduleState, TaskStatus
from jobsched.store.rows import TaskRow
from jobsched.wake import Inbox

log = logging.getLogger(__name__)

#: Seconds between looks for a cancel while another task of the job is being launched.
_TURN_SECONDS: Final = 0.2
_MIB: Final = 1024 * 1024


class JobDriver:
    """Drives one job as one attempt. ``run`` returns when all that is left to do is DONE."""

    def __init__(self, around: Surroundings, inbox: Inbox, lifeline: Lifeline) -> None:
        self._around, self._inbox, self._lifeline = around, inbox, lifeline
        self._journal = around.journal
        self._threads: dict[int, threading.Thread] = {}
        self._drivers: dict[int, TaskDriver] = {}
        self._ended: set[threading.Thread] = set()
        self._failure: BaseException | None = None
        context, logs = self._journal.context, _logs(around)
        most = context.config.logs.max_mib * _MIB
        self._trimmer = Trimmer(logs, most, context.clock)
        resting = Resting(self._journal, [str(path) for path in logs], most)
        self._ear = Ear(
            inbox, lifeline, self._trimmer, context.clock,
            rest=resting.begin, patience=context.config.controller.rest_after_seconds,
        )  # fmt: skip
        self._longest = LOOK_SECONDS / 2

    def run(self) -> None:
        """Bring every task to its outcome and remove every cluster. Raises ``StaleAttempt``."""
        with self._around.bell.listen() as listener:
            while (pause := self._act()) is not None:
                self._trimmer.look()  # as often as this loop turns anyway, and never oftener
                if pause:
                    self._wait(listener, pause)
        self._trimmer.look_now()  # nobody does it after us

    def _wait(self, listener: Listener, seconds: float) -> None:
        """Wait for news, and pass on what there is."""
        self._lifeline.has_begun()
        listener.wait(seconds, [self._inbox.fileno(), *self._lifeline.descriptors()])
        self._lifeline.look()
        if self._inbox.drain():
            self._around.bell.ring()
        self._collect()

    def _act(self) -> float | None:
        """Do what is due; seconds until the next look, or ``None`` if nothing is left to do."""
        job, rows = self._journal.job_and_tasks()
        if self._failure is not None:
            raise self._failure
        now = self._journal.context.clock.now()
        if job.cancel_at is not None:
            return None if self._cancel(rows) else LOOK_SECONDS
        next_steps = plan(self._around.spec, rows)
        if next_steps.finished and not self._threads:
            return None
        runs = any(row.status is TaskStatus.RUNNING for row in rows)
        self._longest = LOOK_SECONDS if runs else min(2 * self._longest, LONGEST_SECONDS)
        pause = self._follow(next_steps, rows, now)
        if pause:
            self._give_back_slot(job.schedule_state)
        return pause

    def _follow(self, steps: Plan, rows: list[TaskRow], now: float) -> float:
        """Act on a plan that was made of ``rows``; seconds until the next moment that it names."""
        for task_id, reason in steps.skip:
            self._journal.move(task_id, TaskStatus.CANCELLED, reason)
        if steps.skip:
            return 0.0
        fresh, left = self._without_thread(steps.drive), self._without_thread(steps.tidy)
        if len(fresh) == 1 and not (left or self._threads or steps.together or steps.end_at):
            self._drive_here(next(row for row in rows if row.task_id == fresh[0]))
            return 0.0
        if steps.together and len(fresh) == len(steps.drive):
            self._start_group(fresh)
            fresh = []
        for task_id in fresh + left:
            self._start_driver(self._driver(task_id))
        pause = self._longest
        for task_id, at in steps.end_at:
            if at <= now:
                self._end_early(task_id, "the tasks that count have ended")
            else:
                pause = min(pause, at - now)
        return pause

    def _without_thread(self, task_ids: Iterable[int]) -> list[int]:
        return [task_id for task_id in task_ids if task_id not in self._threads]

    def _drive_here(self, row: TaskRow) -> None:
        """Drive the one task that there is to drive, in this thread."""
        stop = Stop(self._ear, lambda: self._journal.job().cancel_at is not None)
        TaskDriver(self._around, self._around.spec.tasks[row.task_id], stop).run(self._ear, row)

    def _start_driver(self, driver: TaskDriver) -> None:
        def run() -> None:
            with self._around.bell.listen() as listener:
                driver.run(listener)

        self._start(driver.task.task_id, run)

    def _driver(self, task_id: int) -> TaskDriver:
        driver = TaskDriver(self._around, self._around.spec.tasks[task_id])
        self._drivers[task_id] = driver
        return driver

    def _start(self, task_id: int, target: Callable[[], None]) -> None:
        thread = threading.Thread(
            target=self._guarded, args=(target,), name=f"task-{task_id}", daemon=True
        )
        self._threads[task_id] = thread
        thread.start()

    def _start_group(self, task_ids: list[int]) -> None:
        """All tasks of a job group: one thread places them, then each has its own."""
        drivers = [self._driver(task_id) for task_id in task_ids]

        def launch_all() -> None:
            with self._around.bell.listen() as listener:
                try:
                    self._launch_together(drivers, listener)
                except Cancelled:
                    log.info("the group was cancelled before all of it ran")

        self._start(task_ids[0], launch_all)
        for task_id in task_ids[1:]:
            self._threads[task_id] = self._threads[task_ids[0]]

    def _launch_together(self, drivers: list[TaskDriver], listener: Listener) -> None:
        running = [driver.task.task_id for driver in drivers if driver.rejoins(listener)]
        rows = [self._journal.move(one.task.task_id, TaskStatus.STARTING) for one in drivers]
        members = [
            driver.executor(listener, row) for driver, row in zip(drivers, rows, strict=True)
        ]
        launch_group(members, running, lambda task_id, end: self._drivers[task_id].finish(end))

    def _guarded(self, target: Callable[[], None]) -> None:
        """Run in a thread: an error there ends the whole controller, in the main thread."""
        try:
            target()
        except BaseException as error:  # noqa: BLE001 -- handed to the main thread, which raises it
            self._failure = error
        finally:
            self._ended.add(threading.current_thread())  # it is still alive when the bell rings
            self._around.bell.ring()

    def _collect(self) -> None:
        """Forget threads that have ended."""
        ended = set(self._ended)
        self._threads = {
            task_id: thread for task_id, thread in self._threads.items() if thread not in ended
        }
        self._ended -= ended

    def _end_early(self, task_id: int, reason: str) -> None:
        driver = self._drivers.get(task_id)
        if driver is not None and not driver.stop.is_set():
            driver.end_early(reason)
            self._around.bell.ring()

    def _cancel(self, rows: list[TaskRow]) -> bool:
        """Stop everything; whether nothing is left."""
        for driver in self._drivers.values():
            driver.stop.set()
        self._around.bell.ring()
        self._collect()
        left = False
        for row in rows:
            if row.task_id in self._threads:
                left = True
            elif not row.status.is_terminal or row.has_cluster:
                driver = self._driver(row.task_id)
                driver.stop.set()
                self._start_driver(driver)
                left = True
        return not left

    def _give_back_slot(self, state: ScheduleState) -> None:
        """A first attempt begins with the slot; without anything to launch it must not keep it."""
        if state is ScheduleState.LAUNCHING and not self._launches_soon():
            withdraw(self._journal.context, self._journal.job_id, self._journal.attempt)

    def _launches_soon(self) -> bool:
        return bool(self._threads) or self._journal.job_id in self._journal.context.in_slot


def _logs(around: Surroundings) -> list[Path]:
    """Every log of the job: each is kept within ``[logs] max_mib``."""
    return list(all_paths(around.journal.context.home, around.journal.job_id, around.spec))


def make_slot(journal: Journal) -> Slot:
    """The job's one launch slot, shared by its tasks: their launches follow one another."""
    turn = threading.Lock()

    @contextmanager
    def slot(listener: Waits) -> Iterator[None]:
        while not turn.acquire(timeout=_TURN_SECONDS):
            journal.check()
        try:
            with scheduled_launch(
                journal.context, journal.job_id, waiter=listener.wait_for_message
            ):
                yield
        finally:
            turn.release()

    return slot
