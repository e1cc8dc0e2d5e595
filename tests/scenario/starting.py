"""A program of the user's that submits jobs, stopped between its claims and its starts."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

from jobsched.store import reads
from tests.support import measured, wait_until
from tests.world import World, is_held

ROOT = Path(__file__).parents[2]

#: A program of the user's that is slow between the commit of its claims and the start of job 2.
PROGRAM = """
import sys, time
from pathlib import Path
from jobsched import Scheduler
from jobsched.scheduler.starter import Starter

class Slow(Starter):
    def start(self, claim, command, env):
        while claim.job_id == 2 and not Path(sys.argv[2]).exists():
            time.sleep(0.01)
        return super().start(claim, command, env)

door = Scheduler(sys.argv[1])
door.context.starter = Slow(door.context.home)
door.submit([Path(sys.argv[3])] * 3)
print("unharmed", flush=True)
"""


class Program:
    """A run of ``PROGRAM``, which has claimed three jobs and started the first of them."""

    def __init__(self, world: World, tmp_path: Path, yaml: str) -> None:
        self.may_go_on, dag = tmp_path / "go", tmp_path / "dag.yaml"
        dag.write_text(yaml)
        self.child = subprocess.Popen(
            [sys.executable, "-c", PROGRAM, str(world.root), str(self.may_go_on), str(dag)],
            cwd=ROOT, env=measured({"PATH": os.environ["PATH"]}),
            stdout=subprocess.PIPE, text=True,
        )  # fmt: skip
        wait_until(lambda: is_held(world.home, 3, 1), 20, "the jobs to be locked")
        wait_until(lambda: _is_alive(world, 3), 20, "the jobs to be claimed")

    def go_on(self) -> tuple[int, str]:
        """Start the others; how the program ended, and what it has said."""
        self.may_go_on.touch()
        said, _ = self.child.communicate(timeout=30)
        return self.child.returncode, said


def _is_alive(world: World, job_id: int) -> bool:
    """Whether there is such a job, and it has been claimed."""
    with world.context.db.read() as tx:
        job = reads.job(tx, job_id)
    return job is not None and job.is_alive
