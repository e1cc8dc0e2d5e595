"""What commands cost as whole processes: starting, asking, printing."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Final

from tests.bench.child import environment
from tests.bench.goals import at_most
from tests.bench.measures.submitting import OLD, long_past
from tests.bench.site import Bench, Site, console_script
from tests.bench.stats import median
from tests.bench.table import Measure, Numbers, Row

_LAUNCHER: Final = Path(__file__).resolve().parents[1] / "launcher.py"
_WAITING: Final = 50
_STARTS, _FEW = 7, 2
_MIB: Final = 1024 * 1024


def cost(bench: Bench, *words: str) -> dict[str, float]:
    """Medians of ``jobsched WORDS``: wall and CPU time in ms, and the most memory in MiB."""
    starts = bench.size(_STARTS, _FEW)
    program = [sys.executable, "-I", "-S", str(_LAUNCHER), str(starts + 1), console_script()]
    ran = subprocess.run(
        [*program, *words], check=True, capture_output=True, text=True, env=environment()
    )
    found = json.loads(ran.stdout)[1:]  # the first may have had to read from disk
    return {
        "wall": 1000 * median([one["wall"] for one in found]),
        "cpu": 1000 * median([one["cpu"] for one in found]),
        "memory": median([one["bytes"] for one in found]) / _MIB,
    }


def _page(bench: Bench) -> Numbers:
    with bench.kept("old", lambda site: long_past(bench, site)) as site:
        found = cost(bench, "--home", str(site.home), "queue", "--all")
    return {f"page.{name}": value for name, value in found.items()}


def _small(bench: Bench) -> Numbers:
    with bench.kept("small", _some_waiting) as site:
        asking = cost(bench, "--home", str(site.home), "queue")
        helping = cost(bench, "--help")
    return {
        "help.cpu": helping["cpu"],
        "queue.cpu": asking["cpu"],
        "help.memory": helping["memory"],
        "queue.memory": asking["memory"],
        "queue.wall": asking["wall"],
    }


def _some_waiting(site: Site) -> None:
    child = site.child()
    child.ask("limits", alive=0)
    child.ask("submit", file=site.noop, count=_WAITING)


MEASURES: Final = (
    Measure(
        "page",
        _page,
        (
            Row("page.wall", f"`jobsched queue --all`, one page of {OLD:,} jobs, wall", "ms",
                at_most(250), 2000),
            Row("page.cpu", "the same, CPU", "ms"),
            Row("page.memory", "the same, most memory", "MiB", at_most(60), 592),
        ),
        ("listing",),
    ),
    Measure(
        "commands",
        _small,
        (
            Row("help.cpu", "`jobsched --help`, CPU (reference: its import alone)", "ms",
                at_most(60), 370),
            Row("queue.cpu", f"`jobsched queue`, {_WAITING} jobs, CPU (the same)", "ms",
                at_most(250), 370),
        ),
        ("memory",),
    ),
)  # fmt: skip
