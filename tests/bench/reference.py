"""The reference and its peers, measured beside us in the same run by scripts of their own.

Owns which script gives which number, and which numbers stand for one that was not run. The scripts
are run as they are, once for each repeat; each writes one JSON document.
"""

from __future__ import annotations

import json
import subprocess
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from tests.bench.child import environment

#: Seconds that a script may take.
_PATIENCE: Final = 1200.0


@dataclass(frozen=True, slots=True)
class Script:
    """One script: what it is called with, and the rows that its result has numbers for."""

    name: str
    arguments: str
    numbers: Callable[[Any], dict[str, float]]


def _middle(found: Mapping[str, Any], scale: float = 1.0) -> float:
    return scale * float(found["median"])


def _end_to_end(result: Any) -> dict[str, float]:
    real = result["real"]
    rate, cpu = _middle(real["jobs_per_s"]), _middle(real["cpu_s_per_job"], 1000)
    starting = _middle(result["stub"]["submit_ms_p50"])
    return {
        "disk.rate": rate, "tmpfs.rate": rate, "disk.cpu": cpu, "tmpfs.cpu": cpu,
        "start.p50": starting,
    }  # fmt: skip


def _memory(result: Any) -> dict[str, float]:
    each = _middle(result["idle_real"]["pss_mb_per_job"])
    importing = _middle(result["sky.jobs.controller"]["import_cpu_ms"])
    return {
        "watching.memory": each, "waiting.memory": each, "help.cpu": importing,
        "queue.cpu": importing,
    }  # fmt: skip


def _submit(result: Any) -> dict[str, float]:
    found = {}
    for one in result:
        where = {0: "new", 100_000: "old"}.get(one.get("existing_rows"))
        if where is not None and one["existing_kind"] == "done":
            for ours in ("", "file "):  # it has but the two calls
                found[f"{where}.{ours}p50"] = _middle(one["total_p50_ms_by_run"])
                found[f"{where}.{ours}p99"] = _middle(one["total_p99_ms_by_run"])
    return found


def _contention(result: Any) -> dict[str, float]:
    active = result["active_8procs"]
    return {
        "contention.p50": _middle(active["lat_ms_p50"]),
        "contention.p99": _middle(active["lat_ms_p99"]),
    }


def _waking(result: Any) -> dict[str, float]:
    woken = result["wake_ms_from_job_done_call"]
    waiting = result["idle_500_waiting_forked"]
    return {
        "waking.p50": _middle(woken),
        "waking.p99": float(woken["p99"]),
        "waiting.cpu": _middle(waiting["cpu_cores"], 100),
    }


def _listing(result: Any) -> dict[str, float]:
    (found,) = result
    return {
        "page.wall": _middle(found["dump_managed_job_queue_ms"]),
        "page.memory": _middle(found["maxrss_mb"]),
    }


RUNS: Final = {
    "end to end": Script("a2_sky_e2e", "--variants stub real --n 40 --real-n 40", _end_to_end),
    "memory": Script("a3_sky_import_mem", "--many 30 --many-repeats 1", _memory),
    "submit": Script("a1_sky_submit", "--rows 0 100000 --n 100 --cli-n 1", _submit),
    "contention": Script("a6_sky_contend", "", _contention),
    "waking": Script("a4_sky_wake", "--waiters 50 500 --secs 10", _waking),
    "listing": Script("a5_sky_list", "--rows 100000", _listing),
}


@dataclass(frozen=True, slots=True)
class Peer:
    """Another queue with a process for each job, and what the difference buys."""

    name: str
    run: Script
    #: Jobs a second and CPU in ms for each, as measured before.
    rate: float
    cpu: float
    buys: str


def _peer(variant: str | None) -> Callable[[Any], dict[str, float]]:
    def numbers(result: Any) -> dict[str, float]:
        found = result if variant is None else result[variant]
        return {
            "rate": _middle(found["jobs_per_s"]),
            "cpu": _middle(found["cpu_s_per_job"], 1000),
        }

    return numbers


PEERS: Final = (
    Peer("task-spooler", Script("c_tsp", "", _peer(None)), 959, 1.51,
         "its queue is in the memory of one server: gone with that; no record, no recovery"),
    Peer("nq", Script("c_nq", "", _peer(None)), 718, 1.9,
         "one job after the other in each queue; files for a record, nobody who notices a death"),
    Peer("GNU parallel", Script("c_parallel", "", _peer("parallel")), 355, 4.19,
         "one run whose jobs end with it; nothing can be submitted later, nothing is durable"),
    Peer("RQ", Script("c_rq", "--n 200", _peer(None)), 102, 13.0,
         "needs a Redis server; a job is lost or orphaned with the worker that runs it"),
    Peer("Slurm", Script("c_slurm", "--kinds single_fast --n 60 --queued 5", _peer("single_fast")),
         7.95, 19.5, "three daemons that schedule a cluster, here one node, tuned for speed"),
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Reference:
    """The folder with the scripts, its environments already made."""

    folder: Path

    def prepare(self) -> None:
        """Make what the scripts need, if it is not there. Raises ``CalledProcessError``."""
        if not (self.folder / "venv-sky" / ".ok").exists():
            subprocess.run(["bash", str(self.folder / "setup.sh")], check=True, env=environment())

    def measure(self, run: Script, scratch: Path) -> dict[str, float]:
        """Run a script once; its numbers by row. What it wrote stays in ``scratch``.

        Raises ``RuntimeError`` with the last thing that it said, or ``LookupError`` where the
        result is not what was expected.
        """
        output = scratch / f"{run.name}.json"
        command = ["python3", f"{run.name}.py", "--repeats", "1", "--out", str(output)]
        variables = {**environment(), "BENCH_TMP": str(scratch), "BENCH_KEEP": "1"}
        ran = subprocess.run(
            [*command, *run.arguments.split()], cwd=self.folder, env=variables, check=False,
            stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True, timeout=_PATIENCE,
        )  # fmt: skip
        if ran.returncode or not output.exists():
            said = ran.stderr.strip().splitlines() or ["nothing was said"]
            raise RuntimeError(f"{run.name} has ended with {ran.returncode}: {said[-1]}")
        return run.numbers(json.loads(output.read_text("utf-8"))["result"])
