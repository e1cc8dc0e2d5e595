"""A process that launches a task, to be killed in the middle of it or to be short of something.

    python -m tests.process.launching '{"home": ..., "task": {...}, ...}'

Ends with exit code 0, or 3 and the error's class and text, after what ``step`` asks for.
"""

from __future__ import annotations

import json
import os
import resource
import signal
import subprocess
import sys
import threading
from pathlib import Path
from typing import Any

from jobsched.errors import JobschedError
from jobsched.home import Home
from tests.process.machines import Machine, a_task
from tests.support import measured

ROOT = Path(__file__).parents[2]


def launch(
    home: Home,
    task: dict[str, object],
    *,
    step: str | None = None,
    limits: dict[str, int] | None = None,
    spare_files: int | None = None,
) -> subprocess.CompletedProcess[str]:
    """Launch cluster 7-0-1 in a process of its own.

    It kills itself at ``step``, and has these ``limits`` or just so many descriptors to spare.
    """
    told = {"home": str(home.root), "task": task, "step": step,
            "limits": limits or {}, "spare_files": spare_files}  # fmt: skip
    return subprocess.run(
        [sys.executable, "-m", "tests.process.launching", json.dumps(told)],
        cwd=ROOT,
        env=measured({"PATH": os.environ["PATH"]}),
        capture_output=True,
        text=True,
        timeout=50,
        check=False,
    )


def _main(told: dict[str, Any]) -> int:
    def at(step: str) -> None:
        if step == told["step"]:
            os.kill(os.getpid(), signal.SIGKILL)

    machine = Machine(Home(Path(told["home"])))
    request = machine.request(a_task(**told["task"]))
    backend = machine.another(hook=at)
    for name, value in told["limits"].items():
        kind = getattr(resource, f"RLIMIT_{name}")
        resource.setrlimit(kind, (value, resource.getrlimit(kind)[1]))
    if told["spare_files"] is not None:
        lowest_free = os.dup(0)
        os.close(lowest_free)
        hard = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
        resource.setrlimit(resource.RLIMIT_NOFILE, (lowest_free + told["spare_files"], hard))
    try:
        backend.launch(request, threading.Event())
    except JobschedError as error:
        sys.stdout.write(f"{type(error).__name__}: {error}\n")
        return 3
    return 0


if __name__ == "__main__":
    sys.exit(_main(json.loads(sys.argv[1])))
