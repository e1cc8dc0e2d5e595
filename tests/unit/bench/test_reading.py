from __future__ import annotations

import os
import time
from pathlib import Path

import pytest

from tests.bench import machine, procfs
from tests.bench.measures.waking import between
from tests.bench.reference import PEERS, RUNS
from tests.bench.registry import MEASURES

STAT = (
    "42 (a ) (name) S 7 42 42 0 -1 4194304 100 200 0 0 150 50 30 20 20 0 1 0 99 1000 10"
    " 18446744073709551615 1 1 0 0 0 0 0 0 0 0 0 0 17 0 0 0 0 0 0"
)
SMAPS = """\
00400000-7ffd1000 ---p 00000000 00:00 0                                  [rollup]
Rss:               10240 kB
Pss:                3072 kB
Pss_Dirty:          1024 kB
"""
MOUNTS = """\
/dev/vda / ext4 rw,relatime 0 0
tmpfs /dev/shm tmpfs rw 0 0
/dev/vdb /home/with\\040blank xfs rw,noatime 0 0
overlay / overlay rw 0 0
"""


def test_the_name_of_a_process_may_hold_brackets() -> None:
    """What counts begins behind the last one."""
    ticks = os.sysconf("SC_CLK_TCK")
    found = procfs.parse_stat(STAT)
    assert (found.pid, found.name, found.state, found.parent) == (42, "a ) (name", "S", 7)
    assert (found.own, found.children) == (200 / ticks, 50 / ticks)
    assert not found.has_ended


def test_sums_of_memory_are_read_in_bytes() -> None:
    """By their names; the line with the addresses is none."""
    found = procfs.parse_smaps(SMAPS)
    assert found == {"Rss": 10240 * 1024, "Pss": 3072 * 1024, "Pss_Dirty": 1024 * 1024}


def test_waiting_for_a_disk_or_another_guest_is_not_busy() -> None:
    """User, nice, system and interrupts are; what guests use is in user already."""
    ticks = os.sysconf("SC_CLK_TCK")
    assert procfs.parse_busy("cpu  10 20 30 400 50 6 7 8 90 10") * ticks == pytest.approx(73)


@pytest.mark.parametrize(
    ("path", "wanted"),
    [
        ("/dev/shm/x", "tmpfs (tmpfs, rw)"),
        ("/dev/shmx", "overlay (overlay, rw)"),
        ("/home/with blank/x", "xfs (/dev/vdb, rw,noatime)"),
        ("/home", "overlay (overlay, rw)"),
    ],
)
def test_a_path_lies_where_the_longest_mount_is(path: str, wanted: str) -> None:
    """By whole names, the later of two at the same place, blanks as they are written there."""
    assert machine.filesystem(MOUNTS, Path(path)) == wanted


def test_the_clock_of_a_process_is_its_cpu_time() -> None:
    """To far less than a tick; here our own."""
    me = procfs.parse_stat(Path("/proc/self/stat").read_text())
    before = time.process_time()
    found = procfs.cpu_seconds(me._replace(children=0.0))
    assert before <= found <= time.process_time()


def test_the_first_turn_is_left_out() -> None:
    """The second controller was only started by it."""
    one = [[1.0, 5.0], [2.0, 6.0]]
    other = [[3.0, 6.25], [4.5, 7.0]]
    assert between(one, other) == [0.5, 0.25]


def spread(value: float) -> dict[str, float]:
    """As scripts write it."""
    return {"median": value, "min": value, "max": value, "n": 1}


RESULTS: dict[str, object] = {
    "end to end": {
        "real": {"jobs_per_s": spread(1.36), "cpu_s_per_job": spread(1.44)},
        "stub": {"submit_ms_p50": spread(300)},
    },
    "memory": {
        "idle_real": {"pss_mb_per_job": spread(116)},
        "sky.jobs.controller": {"import_cpu_ms": spread(373)},
    },
    "submit": [
        {"existing_rows": rows, "existing_kind": kind, "total_p50_ms_by_run": spread(rows + 1),
         "total_p99_ms_by_run": spread(rows + 2)}
        for kind in ("done", "waiting") for rows in (0, 100_000)
    ] + [{"cli": "a whole process"}],
    "contention": {"active_8procs": {"lat_ms_p50": spread(680), "lat_ms_p99": spread(5970)}},
    "waking": {
        "wake_ms_from_job_done_call": {**spread(263), "p99": 505},
        "idle_500_waiting_forked": {"cpu_cores": spread(0.29)},
    },
    "listing": [{"dump_managed_job_queue_ms": spread(1996), "maxrss_mb": spread(592)}],
}  # fmt: skip


@pytest.mark.parametrize("name", RUNS)
def test_what_a_script_gives_has_a_row(name: str) -> None:
    """And the measurement that the row belongs to has it run."""
    beside = {row.key: one.beside for one in MEASURES for row in one.rows}
    found = RUNS[name].numbers(RESULTS[name])
    assert found
    for key in found:
        assert name in beside[key], key


def test_units_are_those_of_the_table() -> None:
    """Milliseconds, and percents of a core."""
    assert RUNS["end to end"].numbers(RESULTS["end to end"])["disk.cpu"] == 1440
    assert RUNS["waking"].numbers(RESULTS["waking"])["waiting.cpu"] == pytest.approx(29)
    assert RUNS["submit"].numbers(RESULTS["submit"])["old.p99"] == 100_002


def test_peers_give_a_rate_and_what_a_job_costs() -> None:
    """Some below a name of their own."""
    found = {"jobs_per_s": spread(900), "cpu_s_per_job": spread(0.0015)}
    for peer in PEERS:
        nested = {"parallel": found, "single_fast": found, **found}
        assert peer.run.numbers(nested) == {"rate": 900, "cpu": pytest.approx(1.5)}
