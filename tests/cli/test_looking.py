"""``queue``, ``show``, ``why``, ``clusters``: what there is, for people and for programs."""

from __future__ import annotations

import json
import re
from typing import Any

import pytest

from tests.cli.running import SLEEP, Cli

JOB_KEYS = {
    "job_id", "name", "schedule_state", "status", "priority", "attempt", "controller_pid",
    "controller_alive", "submitted_at", "started_at", "ended_at", "recovery_count",
    "restart_count", "failure_reason", "waiting_reason", "waiting_text", "held",
    "cancel_requested", "tasks",
}  # fmt: skip
TASK_KEYS = {
    "task_id", "name", "status", "cluster", "region", "exit_code", "recovery_count",
    "restart_count", "started_at", "ended_at", "failure_reason", "cleanup_error", "log_path",
}  # fmt: skip
MOVE_KEYS = {"seq", "at", "task_id", "from", "to", "attempt", "actor", "reason"}
ACTION_KEYS = {"seq", "at", "subject", "from", "to", "attempt", "actor", "reason"}

EMPTY: list[tuple[tuple[object, ...], int, object]] = [
    (("queue", "--json"), 0, []),
    (("ls", "--all", "--json"), 0, []),
    (("clusters", "--json"), 0, []),
    (("check", "--json"), 0, []),
]


@pytest.mark.parametrize(("words", "code", "expected"), EMPTY)
def test_readers_of_a_missing_home_answer_as_for_an_empty_one(
    nowhere: Cli, words: tuple[object, ...], code: int, expected: object
) -> None:
    """The same answer as for a home without jobs, and nothing is made on disk."""
    ended = nowhere.run(*words)
    assert (ended.code, ended.json) == (code, expected)
    assert not nowhere.home.root.exists()


def test_limits_of_a_missing_home_are_those_that_would_hold(nowhere: Cli) -> None:
    """Used 0, automatic, above 0, not paused; and what the alive limit follows from."""
    found = nowhere.ok("limits", "--json").json
    assert set(found) == {"launch", "alive", "paused"}
    for one in (found["launch"], found["alive"]):
        assert set(one) == {"limit", "auto", "used"}
        assert one["limit"] >= 1
        assert (one["auto"], one["used"]) == (True, 0)
    assert found["paused"] is False
    assert re.search(r"\nalive is automatic: [0-9,]+.* kept", nowhere.ok("limits").out)
    assert nowhere.ok("queue").out == "No jobs in progress\n"
    assert not nowhere.home.root.exists()


@pytest.mark.parametrize(
    "words",
    ["show 1", "why 1", "logs 1", "logs 1 -f", "priority 1 5", "requeue 1", "rerun 1", "hold 1",
     "cancel 1", "done 1 -y", "wait 1"],
)  # fmt: skip
def test_nothing_is_found_in_a_missing_home(nowhere: Cli, words: str) -> None:
    """The job is not found, and looking for it makes no home."""
    code = 102 if words in {"wait 1", "logs 1 -f"} else 1
    ended = nowhere.fails(code, *words.split())
    assert ended.err == "error: job 1 not found\n"
    assert not nowhere.home.root.exists()


def test_home_is_taken_before_and_after_the_command(nowhere: Cli) -> None:
    """``--home`` works in both places and counts over JOBSCHED_HOME, also with ~."""
    nowhere.file("job.yaml", SLEEP)
    other = nowhere.folder / "other"
    other.mkdir()
    (other / "config.toml").write_text("[limits]\nalive = 0\n")
    nowhere.ok("--home", other, "submit", "job.yaml")
    nowhere.ok("submit", "--home", "other", "job.yaml")
    for words in (("queue", "--home", "~/other"), ("--home", "other", "queue")):
        assert len(nowhere.ok(*words, "--json").json) == 2
    assert not nowhere.home.root.exists()
    assert other.stat().st_mode & 0o777 == 0o700


def test_queue_and_show_have_exactly_these_keys(cli: Cli) -> None:
    """The shapes that programs outside rely on, with times as numbers and absent as null."""
    done = _failed(cli)
    held = cli.submit(SLEEP, "--hold")
    jobs = cli.ok("queue", "--all", "--json").json
    assert [job["job_id"] for job in jobs] == [held, done]
    for job in jobs:
        assert set(job) == JOB_KEYS
        assert [set(task) for task in job["tasks"]] == [TASK_KEYS]
    shown = cli.ok("show", done, "--json").json
    assert set(shown) == JOB_KEYS | {"history", "actions"}
    assert {frozenset(row) for row in shown["history"]} == {frozenset(MOVE_KEYS)}
    assert {frozenset(row) for row in cli.job(held)["actions"]} == {frozenset(ACTION_KEYS)}
    _check_the_failed(shown)
    waiting = jobs[0]
    assert (waiting["controller_pid"], waiting["controller_alive"]) == (None, False)
    assert (waiting["waiting_reason"], waiting["held"]) == ("HELD", True)
    assert (waiting["started_at"], waiting["ended_at"], waiting["attempt"]) == (None, None, 0)


def _failed(cli: Cli) -> int:
    cli.file("failing.yaml", "run: exit 3\n")
    assert cli.run("submit", "failing.yaml", "--wait").code == 100
    return 1


def _check_the_failed(job: dict[str, Any]) -> None:
    assert (job["schedule_state"], job["status"], job["waiting_reason"]) == ("DONE", "FAILED", None)
    assert (job["attempt"], job["controller_alive"]) == (1, False)
    assert isinstance(job["controller_pid"], int)
    assert "3" in job["failure_reason"]
    for key in ("submitted_at", "started_at", "ended_at"):
        assert isinstance(job[key], float)
    task = job["tasks"][0]
    assert (task["exit_code"], task["status"], task["recovery_count"]) == (3, "FAILED", 0)
    assert task["log_path"].endswith("/logs/tasks/1-0.log")
    moves = [(row["from"], row["to"]) for row in job["history"] if row["task_id"] is None]
    assert moves == [
        (None, "INACTIVE"), ("INACTIVE", "WAITING"), ("WAITING", "LAUNCHING"),
        ("LAUNCHING", "ALIVE"), ("ALIVE", "DONE"),
    ]  # fmt: skip
    statuses = [row["to"] for row in job["history"] if row["task_id"] == 0]
    assert statuses == ["PENDING", "STARTING", "RUNNING", "FAILED"]
    assert [row["seq"] for row in job["history"]] == sorted(row["seq"] for row in job["history"])


def test_show_tells_a_person_everything(cli: Cli) -> None:
    """Controller, reason, tasks, failure and history of one job are there to read."""
    _failed(cli)
    text = cli.ok("show", 1).out
    for word in ("Job 1: failing", "FAILED", "DONE, attempt 1, priority 0", "gone", "ended",
                 "1-0.log", "LAUNCHING", "task 0: "):  # fmt: skip
        assert word in text
    running = cli.submit(SLEEP)
    cli.until_status(running, "RUNNING")
    text = cli.ok("show", running).out
    assert "alive" in text
    assert "runs task job in here" in text


def test_no_reason_can_pass_for_another_line(idle: Cli) -> None:
    """Further lines of a reason that a program gave stand below its first, wherever it is shown."""
    job_id = idle.submit()
    forged = "gave up\n  status          SUCCEEDED\n  task 0: fine\nJob 2: other\x1b[2J"
    with idle._door() as door:
        door.job_done(job_id, status="FAILED", reason=forged)
    lines = idle.ok("show", job_id).out.splitlines()
    assert [line for line in lines if line.startswith("Job ")] == ["Job 1: job"]
    assert [line for line in lines if line.startswith("  status ")] == ["  status          FAILED"]
    assert [line for line in lines if line.startswith("  task 0: ")] == ["  task 0: gave up"]
    assert "  failure         gave up" in lines
    assert f"{'':18}  task 0: fine" in lines
    assert idle.job(job_id)["failure_reason"] == forged


def test_queue_shows_the_newest_of_those_that_were_asked_for(idle: Cli) -> None:
    """Unfinished only, unless all; by status, by name, so many."""
    idle.file("a.yaml", SLEEP)
    idle.file("b.yaml", SLEEP)
    idle.ok("submit", "a.yaml", "b.yaml", "a.yaml")
    idle.ok("cancel", 3)

    def ids(*words: object) -> list[int]:
        return [job["job_id"] for job in idle.ok("queue", *words, "--json").json]

    assert ids() == [2, 1]
    assert ids("--all") == [3, 2, 1]
    assert ids("--all", "--limit", 2) == [3, 2]
    assert ids("-s", "cancelled,running") == [3]
    assert ids("-n", "a") == [1]
    assert ids("-n", "a", "--all") == [3, 1]
    text = idle.ok("queue", "--limit", 1)
    assert "In progress: 1 PENDING" in text.out
    assert "the newest 1; --limit N shows more" in text.err


def test_queue_shows_each_task_and_why_a_job_waits(idle: Cli) -> None:
    """A job of several tasks has a row for each; whatever waits says what for."""
    idle.file("two.yaml", "name: pair\n---\nrun: x\n---\nrun: y\n")
    idle.ok("submit", "two.yaml")
    text = idle.ok("queue", env={"COLUMNS": "200"}).out
    assert "pair-0" in text
    assert "pair-1" in text
    assert "ALIVE_LIMIT" in text or "0 of 0 jobs" in text
    assert idle.ok("queue", "--json").json[0]["waiting_reason"] == "ALIVE_LIMIT"


def test_the_headline_says_what_the_table_shows(idle: Cli) -> None:
    """Jobs that ended are counted as such; where there is no table, why."""
    assert idle.ok("queue").out == "No jobs in progress\n"
    assert idle.ok("queue", "--all").out == "No jobs\n"
    idle.file("x.yaml", SLEEP)
    idle.ok("submit", "x.yaml", "x.yaml")
    assert idle.ok("queue", "-n", "ghost").out == "No such jobs\n"
    assert idle.ok("queue", "-s", "FAILED").out == "No such jobs\n"
    idle.ok("cancel", 1)
    assert idle.ok("queue", "--all").out.startswith("In progress: 1 PENDING\n")
    idle.ok("cancel", 2)
    assert idle.ok("queue", "--all").out.startswith("Ended: 2 CANCELLED\n")
    assert idle.ok("queue").out == "No jobs in progress\n"


def test_a_row_does_not_say_twice_which_job_it_is_about(idle: Cli) -> None:
    """What a job waits for stands alone in the table; ``why`` and JSON have the whole sentence."""
    idle.ok("limits", "--pause")
    paused, held = idle.submit(), idle.submit(SLEEP, "--hold")
    after = idle.submit(SLEEP, "--after", paused)
    rows = idle.ok("queue").out.splitlines()[2:]
    reasons = [re.split(r"  +", row.strip())[-1] for row in rows]
    assert reasons == [
        f"may start once job {paused} has succeeded; job {paused} is PENDING",
        f"is held; `jobsched release {held}` lets it go on",
        "starts of new jobs are paused (`jobsched limits --resume`)",
    ]
    for job, reason in zip(idle.ok("queue", "--json").json, reasons, strict=True):
        assert job["waiting_text"].startswith(f"job {job['job_id']} ")
        assert job["waiting_text"].endswith(reason)
    assert idle.ok("why", after).out.startswith(f"job {after} may start once")


def test_show_names_the_logs_that_there_are(cli: Cli) -> None:
    """None before a job starts; then the controller's and that of each node."""
    cli.file("gang.yaml", "num_nodes: 2\nrun: 'true'\n")
    cli.ok("submit", "gang.yaml", "--hold")
    assert "/logs/" not in cli.ok("show", 1).out
    cli.ok("release", 1)
    assert cli.run("wait", 1).code == 0
    logs = cli.home.root / "logs"
    shown = [line.split(maxsplit=2)[1:] for line in cli.ok("show", 1).out.splitlines()
             if line.startswith("  log ")]  # fmt: skip
    assert shown == [
        [str(logs / "controller" / "1.log"), "(controller)"],
        [str(logs / "tasks" / "1-0.log"), "(task 0 (gang), node 0)"],
        [str(logs / "tasks" / "1-0-1.log"), "(task 0 (gang), node 1)"],
    ]


def test_why_is_one_sentence_and_one_object(idle: Cli) -> None:
    """The text for people and the code for programs say the same."""
    job_id = idle.submit()
    text = idle.ok("why", job_id).out
    assert text.count("\n") == 1
    assert idle.ok("why", job_id, "--json").json == {
        "reason": "ALIVE_LIMIT", "text": text.rstrip("\n"),
    }  # fmt: skip
    assert idle.fails(1, "why", 99).err == "error: job 99 not found\n"


def test_clusters_are_listed_while_they_exist(cli: Cli) -> None:
    """Each cluster with its job, place and processes; none when it is gone."""
    job_id = cli.submit()
    cli.until_status(job_id, "RUNNING")
    found = cli.ok("clusters", "--json").json
    assert [set(one) for one in found] == [
        {"name", "job_id", "task_id", "attempt", "region", "num_nodes", "state", "created_at",
         "pids"}
    ]  # fmt: skip
    assert (found[0]["job_id"], found[0]["region"], found[0]["num_nodes"]) == (job_id, "here", 1)
    assert found[0]["name"] == cli.job(job_id)["tasks"][0]["cluster"]
    assert all(isinstance(pid, int) for pid in found[0]["pids"])
    text = cli.ok("clusters").out
    assert text.startswith("1 cluster\n")
    assert found[0]["name"][:20] in text
    cli.ok("cancel", job_id, "--wait")
    assert cli.ok("clusters").out == "No clusters\n"


def test_no_name_does_harm_in_any_listing(idle: Cli) -> None:
    """Markup, paths and 1,000 characters are shown as they are; no escape sequence comes out."""
    names = ["[red]bold[/red]", "[/]", "../../x", "naïve 日本", "$(id) `id` %s {0}", "x" * 1000]
    for number, name in enumerate(names):
        idle.file(f"{number}.yaml", f"name: {json.dumps(name)}\n{SLEEP}")
    idle.ok("submit", *[f"{number}.yaml" for number in range(len(names))])
    listed = [job["name"] for job in reversed(idle.ok("queue", "--json").json)]
    assert listed == names
    wide = {"COLUMNS": "400"}
    text = idle.ok("queue", env=wide).out
    assert "\x1b" not in text
    for name in names[:-1]:
        assert name in text
    for number in (1, 2, len(names)):
        assert names[number - 1] in idle.ok("show", number, env=wide).out
    assert idle.ok("cancel", "-n", "[/]", "-y").out == "Cancelled: job 2\n"


REFUSED = ["a\x1b[2J", "two\nlines", "bell\x07", "", "x" * 1001, "\u202ex"]


def test_a_name_that_could_act_on_a_terminal_is_refused(idle: Cli) -> None:
    """Exit 2 in one line for each, with its place, that shows it harmlessly; nothing is stored."""
    for number, name in enumerate(REFUSED):
        idle.file(f"{number}.yaml", f"name: {json.dumps(name)}\n{SLEEP}")
    ended = idle.run("submit", *[f"{number}.yaml" for number in range(len(REFUSED))])
    assert (ended.code, ended.out) == (2, "")
    places = [line.partition(":1:")[0] for line in ended.err.splitlines()]
    assert places == [f"error: {number}.yaml" for number in range(len(REFUSED))]
    for option in (REFUSED[0], REFUSED[1], ""):
        idle.file("job.yaml", SLEEP)
        ended = idle.fails(2, "submit", "job.yaml", "-n", option)
        assert "\x1b" not in ended.err
    assert idle.jobs() == []


def test_a_json_document_is_ascii(idle: Cli) -> None:
    """Nothing in it can act on a terminal, and every encoding can carry it."""
    idle.submit(SLEEP, "-n", "日本")
    done = idle.raw("queue", "--json", env={"LANG": "C", "LC_ALL": "C", "PYTHONUTF8": "0"})
    assert done.stdout.isascii()
    assert json.loads(done.stdout)[0]["name"] == "日本"
    table = idle.raw("queue", env={"PYTHONIOENCODING": "ascii", "COLUMNS": "200"})
    assert table.returncode == 0
    assert b"\\u65e5" in table.stdout
