"""``python -m tests.bench.driver HOME``: submits and looks as a program that embeds jobsched does.

Owns what is timed in such a program. It reads one request a line and answers with one; its own
start is over when it says that it is ready.
"""

from __future__ import annotations

import json
import random
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any, Final

from jobsched import Scheduler
from jobsched.states import ScheduleState

_GLANCE: Final = 0.003


class Driver:
    """The requests, by name."""

    def __init__(self, home: Path) -> None:
        self._door = Scheduler(home, actor="bench")

    def limits(self, **wanted: Any) -> None:
        """Set limits; makes the home."""
        self._door.set_limits(**wanted)

    def submit(
        self, file: str, count: int, *, by_file: bool = False, alone: bool = False, seed: int = 0
    ) -> dict[str, Any]:
        """Submit ``count`` jobs: seconds of each, and when the first began.

        In the two calls that embedding programs make, or ``by_file`` in one that makes as many
        jobs as there are files. ``alone``: each once the one before it is DONE and a while has
        passed.
        """
        name = Path(file).stem
        took, began = [], time.monotonic()
        chance = random.Random(seed)  # noqa: S311 - pauses, not secrets
        for _ in range(count):
            at = time.perf_counter()
            if by_file:
                job_id = self._door.submit([Path(file)])[0].job_id
            else:
                job_id = self._door.create_job(name, [name])
                self._door.submit_job(job_id, file)
            took.append(time.perf_counter() - at)
            if alone:
                self._until_done(job_id)
                time.sleep(0.03 + 0.04 * chance.random())
        return {"began": began, "took": took}

    def validate(self, file: str) -> None:
        """Look at a file as a submit does, and make nothing of it."""
        self._door.validate([Path(file)])

    def _until_done(self, job_id: int) -> None:
        while self._door.get_job_schedule_state(job_id) is not ScheduleState.DONE:
            time.sleep(_GLANCE)

    def passes(self, count: int) -> list[float]:
        """Seconds of each of ``count`` scheduling passes."""
        return [_timed(self._door.maybe_schedule_next_jobs) for _ in range(count)]

    def pages(self, count: int) -> list[float]:
        """Seconds of each of ``count`` looks at the newest page of all jobs."""
        return [_timed(lambda: self._door.queue(all=True)) for _ in range(count)]


def _timed(action: Callable[[], object]) -> float:
    at = time.perf_counter()
    action()
    return time.perf_counter() - at


def main() -> None:
    """Answer until nothing more is asked."""
    driver = Driver(Path(sys.argv[1]))
    print(json.dumps("ready"), flush=True)  # noqa: T201 - what it is for
    for line in sys.stdin:
        what, values = json.loads(line)
        print(json.dumps(getattr(driver, what)(**values)), flush=True)  # noqa: T201


if __name__ == "__main__":
    main()
