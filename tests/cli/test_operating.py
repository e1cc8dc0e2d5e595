"""What an operator does to jobs, limits and the home, besides ending jobs."""

from __future__ import annotations

import json
import os
import signal
import sqlite3

import pytest

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


@pytest.mark.parametrize(
    ("words", "reason"),
    [("cancel 1", "two\nlines"), ("done 1 -y", "\x1b[2J"), ("hold 1", "a\u202eb"),
     ("priority 1 5", "x" * 1001), ("requeue 1", "a\tb")],
)  # fmt: skip
def test_a_reason_is_a_line_of_text(idle: Cli, words: str, reason: str) -> None:
    """What could pass for something else in a listing is refused, and nothing is done."""
    idle.submit()
    ended = idle.fails(2, *words.split(), "--reason", reason)
    assert ended.err.startswith("error: a reason must be at most 1000 printable characters, not ")
    job = idle.job(1)
    assert (job["schedule_state"], job["held"], job["priority"], job["cancel_requested"]) == (
        "WAITING", False, 0, False,
    )  # fmt: skip
    assert job["actions"] == []


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
    assert "automatic" not in text
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


def test_requeue_of_a_job_that_is_being_cancelled(cli: Cli) -> None:
    """It says that the cancel stands, not that tasks go on."""
    job_id = cli.submit("run: trap '' TERM; echo up; while :; do sleep 0.1; done\n")
    wait_until(lambda: cli.run("logs", job_id).out == "up\n", 30, "the task to begin")
    os.kill(cli.job(job_id)["controller_pid"], signal.SIGSTOP)
    cli.ok("cancel", job_id)
    said = cli.ok("requeue", job_id).out
    assert said in {
        f"Job {job_id} requeued; it stays cancelled, and its tasks are ended\n",
        f"Job {job_id} requeued; it has ended CANCELLED\n",
    }
    cli.until(job_id, lambda job: job["schedule_state"] == "DONE", "DONE")
    assert cli.job(job_id)["status"] == "CANCELLED"


def test_a_dead_controller_is_shown_and_a_sweep_says_that_it_started_the_next(
    unwatched: Cli,
) -> None:
    """In the listing, though the task runs on; then by number, and no more in the listing."""
    cli = unwatched
    job_id = cli.submit()
    cli.until_status(job_id, "RUNNING")
    assert "dead" not in cli.ok("queue").out
    os.kill(cli.job(job_id)["controller_pid"], signal.SIGKILL)
    cli.until(job_id, lambda job: job["controller_alive"] is False, "without a controller")
    assert "its controller is dead; the next pass" in cli.ok("queue").out
    assert cli.ok("queue", "--json").json[0]["waiting_reason"] is None
    ended = cli.ok("sweep", "--json")
    assert (ended.json, ended.err) == ([], f"Started the controller of job {job_id}\n")
    assert "dead" not in cli.ok("queue").out
    assert cli.ok("sweep").out == "Swept; no orphan clusters\n"


def test_preempt_loses_a_cluster_and_the_job_recovers(cli: Cli) -> None:
    """The task runs again on another cluster, counted as one recovery."""
    runs = cli.folder / "runs"
    job_id = cli.submit(TICKS, "--env", f"RUNS={runs}")
    cli.until_status(job_id, "RUNNING")
    wait_until(runs.exists, 20, "the task to begin")
    cluster = cli.job(job_id)["tasks"][0]["cluster"]
    assert cli.ok("preempt", cluster).out == f"Cluster {cluster} is lost\n"
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


def test_config_tells_the_limits_of_the_database(idle: Cli) -> None:
    """Once there is one, neither the file nor a variable counts; both by hand and automatic."""

    def found() -> dict[str, tuple[object, str]]:
        rows = idle.ok("config", "--json", env={"JOBSCHED_LIMITS_LAUNCH": "9"}).json
        return {row["key"]: (row["value"], row["whence"]) for row in rows[:2]}

    assert found() == {"launch": (9, "JOBSCHED_LIMITS_LAUNCH"), "alive": (0, "config.toml")}
    idle.ok("limits", "--launch", 3)
    assert found() == {"launch": (3, "jobsched limits"), "alive": (0, "jobsched limits")}
    idle.ok("limits", "--launch", "auto", "--alive", 5)
    assert found() == {"launch": ("auto", "jobsched limits"), "alive": (5, "jobsched limits")}


MISTAKES = "[limits]\nalive = 0\nlaunch = 'many'\n[lcal]\nx = 1\n"
TOLERANT = [
    "queue --json", "show 1 --json", "why 1 --json", "logs 1", "logs 1 --controller",
    "clusters --json", "limits --json", "check --json", "validate job.yaml", "cancel 1",
    "done 2 -y",
]  # fmt: skip
STRICT = [
    "submit job.yaml", "rerun 1", "logs 1 -f", "wait 1", "cancel 1 --wait", "requeue 1", "hold 1",
    "release 1", "priority 1 1", "limits --launch 0", "limits --resume", "preempt x", "sweep",
    "prune", "config",
]  # fmt: skip


def test_mistakes_in_the_settings_keep_nobody_from_looking_and_stopping(idle: Cli) -> None:
    """Each mistake is a warning, on standard error alone; everything else is refused for it."""
    idle.file("job.yaml", SLEEP)
    idle.ok("submit", "job.yaml", "job.yaml", "job.yaml")
    idle.home.config_file.write_text(MISTAKES)
    places = [f"{idle.home.config_file}:{line}: " for line in (3, 4)]
    for words in STRICT:
        ended = idle.run(*words.split())
        assert (ended.code, ended.out) == (2, ""), words
        lines = ended.err.splitlines()
        assert len(lines) == 2, words
        for line, place in zip(lines, places, strict=True):
            assert line.startswith(f"error: {place}"), words
    assert [job["job_id"] for job in _with_good_settings(idle)] == [3, 2, 1]
    for words in TOLERANT:
        ended = idle.ok(*words.split())
        for line, place in zip(ended.err.splitlines(), places, strict=False):
            assert line.startswith(f"warning: {place}"), words
        assert "have their defaults here" in ended.err.splitlines()[2], words
        assert "--json" not in words or isinstance(ended.json, dict | list)
    assert [job["job_id"] for job in _with_good_settings(idle)] == [3]


def _with_good_settings(cli: Cli) -> list[dict[str, object]]:
    mistaken = cli.home.config_file.read_text()
    cli.home.config_file.write_text("")
    jobs = cli.jobs()
    cli.home.config_file.write_text(mistaken)
    return jobs


def test_nothing_is_started_with_settings_that_have_mistakes(cli: Cli) -> None:
    """A cancel makes room, but what waits for it starts only once the file is mended."""
    cli.ok("limits", "--alive", 1)
    running, waiting = cli.submit(), cli.submit("run: 'true'\n")
    cli.until_status(running, "RUNNING")
    good = cli.home.config_file.read_text()
    cli.home.config_file.write_text(good + MISTAKES)
    assert cli.ok("done", running, "-y").out.startswith(f"Job {running} is DONE")
    cli.home.config_file.write_text(good)
    job = cli.job(waiting)
    assert (job["schedule_state"], job["status"], job["controller_pid"]) == (
        "WAITING", "PENDING", None,
    )  # fmt: skip
    cli.ok("sweep")  # of what the forced end has left
    assert cli.run("wait", waiting).code == 0


def test_settings_that_are_no_toml(idle: Cli) -> None:
    """Told in one line by whoever is refused, and by whoever goes on with the defaults."""
    idle.home.config_file.write_text("[limits\n")
    assert f"{idle.home.config_file}:1: not TOML" in idle.fails(2, "submit", "x.yaml").err
    ended = idle.ok("queue")
    assert ended.err.startswith(f"warning: {idle.home.config_file}:1: not TOML")


@pytest.mark.parametrize("words", ["submit x.yaml", "limits --pause", "sweep"])
def test_a_directory_with_other_things_becomes_no_home(nowhere: Cli, words: str) -> None:
    """Named by option or variable: refused in one line, neither filled nor closed to others."""
    nowhere.file("x.yaml", SLEEP)
    nowhere.home.root.mkdir(mode=0o755)
    nowhere.home.root.chmod(0o755)
    (nowhere.home.root / "thesis.tex").touch()
    for option in ((), ("--home", nowhere.home.root)):
        ended = nowhere.fails(1, *words.split(), *option)
        assert "holds other things and is no home of jobsched" in ended.err
    assert [path.name for path in nowhere.home.root.iterdir()] == ["thesis.tex"]
    assert nowhere.home.root.stat().st_mode & 0o777 == 0o755
    assert nowhere.ok("queue", "--json").json == []


def test_schema_is_a_json_schema(nowhere: Cli) -> None:
    """One document that names the fields of a task; it needs no home."""
    found = nowhere.ok("schema").json
    assert "$schema" in found
    assert "depends_on" in json.dumps(found)
    assert not nowhere.home.root.exists()


def test_completion_is_printed(nowhere: Cli) -> None:
    """Also while the settings cannot be read."""
    assert "jobsched" in nowhere.ok("--print-completion", "bash").out
