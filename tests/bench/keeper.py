"""``python keeper.py TURNS FILE DAG --job-id N``: a controller that takes turns with another one.

Owns one half of the game: of two jobs and one launch slot, whoever holds it waits until the other
one asks for it, and a while longer, and gives it back. FILE.N then says when, on the clock that all
processes share: when each turn was had, and when it was given back.
"""

from __future__ import annotations

import json
import random
import sys
import time
from pathlib import Path
from typing import Final

from jobsched import Scheduler
from jobsched.states import ScheduleState

#: Where the other one can be while it does not ask for the slot: it has it, or is on its way.
_BUSY: Final = (ScheduleState.LAUNCHING, ScheduleState.ALIVE)
_GLANCE: Final = 0.002


def main() -> None:
    """Play, then end the job."""
    turns, job_id = int(sys.argv[1]), int(sys.argv[-1])
    other, door = 3 - job_id, Scheduler()
    chance = random.Random(job_id)  # noqa: S311 - pauses, not secrets
    had, given = [], []
    for _ in range(turns):
        with door.scheduled_launch(job_id):
            had.append(time.monotonic())
            while door.get_job_schedule_state(other) in _BUSY:
                time.sleep(_GLANCE)
            time.sleep(0.03 + 0.05 * chance.random())
            given.append(time.monotonic())
    Path(f"{sys.argv[2]}.{job_id}").write_text(json.dumps([had, given]), encoding="utf-8")
    door.job_done(job_id, status="SUCCEEDED")


if __name__ == "__main__":
    main()
