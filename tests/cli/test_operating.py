"""What an operator does to jobs, limits and the home, besides ending jobs."""

from __future__ import annotations

import json
import os
import signal
import sqlite3

from jobsched import process
from tests.cli.running import SLEEP, Cli
from tests.support import wait_until

TICKS = 'run: |\n  echo begun >> "$RUNS"\n  exec sleep 300\nenvs: {RUNS: null}\n'


def test_hold_and_release(cli: Cli) -> None:
    """A held job does not start and says so; released, it does. Both are in its record."""
    cli.ok("limits", "--pause")
    job_id = cli.submit("run: 'true'\n")
    assert cli.ok("hold", job_id).out == f"Job {job_id} held; what runs of it goes on\n"
    cli.ok("limits", "--resume")
    assert cli.job(job_id)["waiting_reason"] == "HELD"
    assert cli.ok("release", job_id).out == f"Job {job_id} released\n"
    assert cli.run("wait", job_id).code == 0
    subjects = [row["subject"] for row in cli.job(job_id)["actions"]]
    assert subjects == ["HOLD", "RELEASE"]


def test_what_is_done_cannot_be_operated(idle: Cli) -> None:
    """Exit 1 with the reason, for each job that is DONE or missing; the others are held."""
    idle.file("x.yaml", SLEEP)
    idle.ok("submit", "x.yaml", "x.yaml")
    idle.ok("cancel", 1)
    ended = idle.run("hold", 1, 2, 99)
    assert ended.code == 1
    assert ended.out.startswith("Job 2 held")
    assert [line.split()[2] for line in ended.err.splitlines()] == ["1", "99"]
    assert idle.job(2)["held"] is True
    idle.fails(1, "release", 1)
    assert "DONE" in idle.fails(1, "priority", 1, 5).err
    assert "DONE" in idle.fails(1, "requeue", 1).err
    assert "never started" in idle.fails(1, "requeue", 2).err


def test_priority_decides_who_is_next(idle: Cli) -> None:
    """Read at decision time; a change is recorded with both values."""
    idle.file("x.yaml", SLEEP)
    idle.ok("submit", "x.yaml", "x.yaml")
    assert idle.ok("priority", 2, -10).out == "Job 2 has priority -10\n"
    assert "job 1" in idle.ok("why", 2).out
    idle.ok("priority", 2, 1000)
    assert "next in line" in idle.ok("why", 2).out
    assert "in front of it: job 2" in idle.ok("why", 1).out
    rows = [(row["from"], row["to"]) for row in idle.job(2)["actions"]]
    assert rows == [("0", "-10"), ("-10", "1000")]


def test_limits_are_shown_and_set(cli: Cli) -> None:
    """By number or auto; the answer is what is in force then; a pause is told."""
    found = cli.ok("limits", "--launch", 3, "--alive", 0, "--pause", "--json").json
    assert found == {
        "launch": {"limit": 3, "auto": False, "used": 0},
        "alive": {"limit": 0, "auto": False, "used": 0}, "paused": True,
    }  # fmt: skip
    assert cli.ok("limits", "--json").json == found
    text = cli.ok("limits").out
    assert "by hand" in text
    assert "Paused: no new job starts" in text
    job_id = cli.submit()
    assert cli.job(job_id)["waiting_reason"] == "PAUSED"
    cli.ok("limits", "--resume")
    assert cli.job(job_id)["waiting_reason"] == "ALIVE_LIMIT"
    found = cli.ok("limits", "--launch", "AUTO", "--alive", "auto", "--json").json
    assert (found["launch"]["auto"], found["alive"]["auto"]) == (True, True)
    cli.until(job_id, lambda job: job["attempt"] == 1, "started")
    cli.until_status(job_id, "RUNNING")
    assert cli.ok("limits", "--json").json["alive"]["used"] == 1


def test_requeue_replaces_a_stopped_controller_and_the_task_goes_on(cli: Cli) -> None:
    """A controller under SIGSTOP is ended, the next adopts the task: begun once, never twice."""
    runs = cli.folder / "runs"
    job_id = cli.submit(TICKS, "--env", f"RUNS={runs}")
    cli.until_status(job_id, "RUNNING")
    wait_until(runs.exists, 20, "the task to begin")
    pid = cli.job(job_id)["controller_pid"]
    os.kill(pid, signal.SIGSTOP)
    assert cli.ok("requeue", job_id).out == f"Job {job_id} requeued; its tasks go on\n"
    job = cli.until(
        job_id, lambda job: job["attempt"] == 2 and job["schedule_state"] == "ALIVE", "adopted"
    )
    assert job["controller_pid"] != pid
    assert process.identify(pid) is None
    assert job["status"] == "RUNNING"
    assert runs.read_text() == "begun\n"


def test_preempt_loses_a_cluster_and_the_job_recovers(cli: Cli) -> None:
    """The task runs again on another cluster, counted as one recovery."""
    runs = cli.folder / "runs"
    job_id = cli.submit(TICKS, "--env", f"RUNS={runs}")
    cli.until_status(job_id, "RUNNING")
    wait_until(runs.exists, 20, "the task to begin")
    cluster = cli.job(job_id)["tasks"][0]["cluster"]
    assert cli.ok("preempt", cluster).out == f"Cluster {cluster} is lost; its job recovers\n"
    job = cli.until(
        job_id, lambda job: job["recovery_count"] == 1 and job["status"] == "RUNNING", "recovered"
    )
    wait_until(lambda: runs.read_text() == "begun\nbegun\n", 20, "the task to begin again")
    assert job["restart_count"] == 0


def test_a_cluster_that_there_is_not_cannot_be_lost(idle: Cli) -> None:
    """One line that names it, also where it looks like a path."""
    idle.submit()
    for name in ("ghost", "../home", "a/b", "x" * 1000):
        assert name[:20] in idle.fails(1, "preempt", name).err


def test_sweep_and_check_of_a_healthy_home(cli: Cli) -> None:
    """Nothing to take back, nothing broken; both also as JSON."""
    cli.submit("run: exit 3\n")
    cli.until(1, lambda job: job["schedule_state"] == "DONE", "DONE")
    assert cli.ok("sweep").out == "Swept; no orphan clusters\n"
    assert cli.ok("sweep", "--json").json == []
    assert cli.ok("check").out.startswith("Clean: every invariant holds over ")
    assert cli.ok("check", "--json").json == []


def test_sweep_removes_what_a_forced_done_leaves(cli: Cli) -> None:
    """The cluster that nobody owns any more is removed and named, by whoever sweeps first."""
    job_id = cli.submit()
    cli.until_status(job_id, "RUNNING")
    cluster = cli.job(job_id)["tasks"][0]["cluster"]
    cli.ok("done", job_id, "-y")
    removed = cli.ok("sweep", "--json").json
    assert cli.ok("clusters", "--json").json == []
    for one in removed:
        assert (one["cluster"], one["job_id"], one["error"]) == (cluster, job_id, None)


def test_check_finds_what_was_written_past_the_program(idle: Cli) -> None:
    """A state without its history row is found: exit 1, one entry each, and no change."""
    job_id = idle.submit()
    with sqlite3.connect(idle.home.database) as database:
        database.execute("UPDATE jobs SET status = 'FAILED' WHERE job_id = ?", (job_id,))
    database.close()
    ended = idle.run("check", "--json")
    assert ended.code == 1
    assert ended.json
    assert all(set(one) == {"invariant", "text"} for one in ended.json)
    ended = idle.run("check")
    assert ended.code == 1
    assert "nothing was changed" in ended.err
    assert f"job {job_id}" in ended.out


def test_prune_forgets_what_is_done(idle: Cli) -> None:
    """By age and number; what others wait for stays; a number is never given again."""
    idle.file("x.yaml", SLEEP)
    idle.ok("submit", *["x.yaml"] * 4)
    idle.ok("cancel", 1, 2, 3, "-y")
    assert idle.ok("prune").out == "Pruned 0 jobs\n"
    assert idle.ok("prune", "--older-than", "1h").out == "Pruned 0 jobs\n"
    assert idle.ok("prune", "--keep", 2).out == "Pruned 1 job\n"
    assert idle.fails(1, "show", 1).err == "error: job 1 not found\n"
    assert idle.ok("prune", "--older-than", 0).out == "Pruned 2 jobs\n"
    assert [job["job_id"] for job in idle.jobs(all=True)] == [4]
    assert idle.submit() == 5
    assert idle.ok("check", "--json").json == []


def test_prune_of_a_missing_home_makes_none(nowhere: Cli) -> None:
    """There is nothing to forget."""
    assert nowhere.ok("prune").out == "Pruned 0 jobs\n"
    assert not nowhere.home.root.exists()


def test_config_tells_what_is_in_force_and_whence(idle: Cli) -> None:
    """From the file, the environment, or by default; also as JSON."""
    found = idle.ok("config", "--json", env={"JOBSCHED_BACKEND_STOP_GRACE_SECONDS": "7"}).json
    whence = {f"{one['section']}.{one['key']}": (one["value"], one["whence"]) for one in found}
    assert all(set(one) == {"section", "key", "value", "whence"} for one in found)
    value, where = whence["backend.stop_grace_seconds"]
    assert value == 7
    assert "JOBSCHED_BACKEND_STOP_GRACE_SECONDS" in where
    value, where = whence["recovery.retry_gap_seconds"]
    assert value == 0.2
    assert "config.toml" in where
    assert whence["recovery.probe_seconds"] == (15, "default")
    ended = idle.ok("config", env={"COLUMNS": "200"})
    assert "recovery.retry_gap_seconds" in ended.out
    assert str(idle.home.root) in ended.err


def test_a_config_that_cannot_be_used_is_told_with_its_place(idle: Cli) -> None:
    """Every command ends with 2, naming the file and the key."""
    idle.home.config_file.write_text("[limits]\nlaunch = 'many'\n")
    ended = idle.fails(2, "queue")
    assert "config.toml" in ended.err
    assert "launch" in ended.err
    idle.home.config_file.write_text("[limits\n")
    assert "config.toml" in idle.fails(2, "submit", "x.yaml").err


def test_schema_is_a_json_schema(nowhere: Cli) -> None:
    """One document that names the fields of a task; it needs no home."""
    found = nowhere.ok("schema").json
    assert "$schema" in found
    assert "depends_on" in json.dumps(found)
    assert not nowhere.home.root.exists()


def test_completion_is_printed(nowhere: Cli) -> None:
    """Also while the settings cannot be read."""
    assert "jobsched" in nowhere.ok("--print-completion", "bash").out
