"""``cancel``, ``done``, ``wait``: how jobs end, who is asked, and which exit code tells it."""

from __future__ import annotations

import pytest

from jobsched.cli.waiting import worst
from tests.cli.running import SLEEP, Cli

FAILS = "run: exit 3\n"
WORKS = "run: 'true'\n"


def test_exactly_one_selector_is_needed(idle: Cli) -> None:
    """Numbers, a name or all: none or two of them is wrong usage, and nothing is cancelled."""
    idle.submit(SLEEP, "-n", "x")
    for words in ("", "1 -n x", "1 --all", "--all -n x", "-y"):
        assert "-n NAME, or --all" in idle.fails(2, "cancel", *words.split()).err
    assert len(idle.jobs()) == 1


def test_nobody_can_be_asked_so_y_is_needed(idle: Cli) -> None:
    """Without a terminal and without -y nothing is changed; with it, it is done."""
    idle.file("x.yaml", SLEEP)
    idle.ok("submit", *["x.yaml"] * 4)
    for words in ("cancel -n x", "cancel --all", "cancel 1 2", "done 1", "done 1 2"):
        assert "give -y" in idle.fails(2, *words.split()).err
    assert idle.fails(2, "cancel", "--all").err == (
        "error: this would cancel 4 jobs, and there is nobody here to ask; give -y to agree\n"
    )
    assert len(idle.jobs()) == 4
    for words, left in (("done 1", 3), ("cancel 2 3", 1), ("cancel -n x", 0)):
        idle.ok(*words.split(), "-y")
        assert len(idle.jobs()) == left


def test_one_number_is_cancelled_without_asking(idle: Cli) -> None:
    """Also if it is given twice; a job that ended before gets a note and exit 0."""
    job_id = idle.submit()
    assert idle.ok("cancel", job_id, job_id).out == f"Cancelled: job {job_id}\n"
    job = idle.job(job_id)
    assert (job["schedule_state"], job["status"], job["attempt"]) == ("DONE", "CANCELLED", 0)
    ended = idle.ok("cancel", job_id)
    assert ended.out == ""
    assert ended.err == f"finished before, left as it is: job {job_id}\n"


def test_a_missing_job_does_not_keep_the_others(idle: Cli) -> None:
    """Exit 1 and its number; the rest is cancelled."""
    job_id = idle.submit()
    ended = idle.run("cancel", job_id, 99, "-y")
    assert (ended.code, ended.err) == (1, "error: job 99 not found\n")
    assert ended.out == f"Cancelled: job {job_id}\n"


def test_nothing_to_cancel(idle: Cli) -> None:
    """All of none is fine; a name that no unfinished job has is a mistake, which exit 1 tells."""
    assert idle.ok("cancel", "--all").err == "no unfinished jobs: nothing to cancel\n"
    ended = idle.fails(1, "cancel", "-n", "ghost", "-y")
    assert ended.err == "error: no unfinished job is called ghost\n"


def test_many_are_named_by_first_and_last(idle: Cli) -> None:
    """An answer stays one line, however many there were."""
    idle.file("x.yaml", SLEEP)
    idle.ok("submit", *["x.yaml"] * 12)
    assert idle.ok("cancel", "--all", "-y").out == "Cancelled: 12 jobs, from 1 to 12\n"


def test_a_running_job_is_gone_when_cancel_wait_returns(cli: Cli) -> None:
    """It says that the job is being cancelled, and ends with the job's processes."""
    job_id = cli.submit()
    cli.until_status(job_id, "RUNNING")
    ended = cli.ok("cancel", job_id, "--wait")
    assert ended.out == f"Being cancelled: job {job_id}\n"
    job = cli.job(job_id)
    assert (job["status"], job["schedule_state"]) == ("CANCELLED", "DONE")
    assert cli.ok("clusters", "--json").json == []


def test_done_ends_a_running_job_by_force(cli: Cli) -> None:
    """DONE at once with the reason kept; what it leaves is removed by a sweep."""
    job_id = cli.submit()
    cli.until_status(job_id, "RUNNING")
    ended = cli.ok("done", job_id, "-y", "--reason", "because")
    assert ended.out.startswith(f"Job {job_id} is DONE; ")
    job = cli.job(job_id)
    assert (job["status"], job["schedule_state"]) == ("CANCELLED", "DONE")
    assert "because" in {row["reason"] for row in job["history"]}
    assert job["attempt"] == 2
    cli.ok("sweep")
    assert cli.ok("clusters", "--json").json == []


def test_done_of_what_cannot_be_ended(idle: Cli) -> None:
    """A job that is DONE, and one that there is not: exit 1, and the others are ended."""
    idle.file("x.yaml", SLEEP)
    idle.ok("submit", "x.yaml", "x.yaml")
    idle.ok("done", 1, "-y")
    ended = idle.run("done", 1, 99, 2, "-y")
    assert ended.code == 1
    assert ended.err.splitlines() == [
        "error: job 1 is DONE: it cannot be ended any more", "error: job 99 not found",
    ]  # fmt: skip
    assert idle.job(2)["schedule_state"] == "DONE"


def test_wait_tells_how_a_job_ended(cli: Cli) -> None:
    """0, 100, 103, 102 and 101 for one job each, and of several the first of 102, 101, 100, 103."""
    for name, text in (("good", WORKS), ("bad", FAILS), ("gone", SLEEP), ("held", SLEEP)):
        cli.file(f"{name}.yaml", text)
    cli.ok("submit", "gone.yaml", "held.yaml", "--hold")
    cli.ok("submit", "good.yaml", "bad.yaml")
    cli.ok("cancel", 1)
    gone, held, good, bad, missing = 1, 2, 3, 4, 99
    assert cli.run("wait", good).code == 0
    failed = cli.run("wait", bad)
    assert (failed.code, failed.out) == (100, "Job 4 finished: FAILED\n")
    assert "FAILED" not in failed.err  # it is told once
    assert cli.run("wait", gone).out == "Job 1 finished: CANCELLED\n"
    late = cli.run("wait", held, "--timeout", 0)
    assert (late.code, late.out) == (101, "Job 2 is not DONE yet: PENDING\n")
    ghost = cli.run("wait", missing)
    assert (ghost.code, ghost.err) == (102, "error: job 99 not found\n")
    for jobs, code in (
        ((good, gone), 103), ((gone, bad, good), 100), ((bad, held, gone), 101),
        ((held, missing, bad), 102),
    ):  # fmt: skip
        ended = cli.run("wait", *jobs, "--timeout", "0.1s" if held in jobs else 60)
        assert ended.code == code, (jobs, ended)
        assert ended.out.count("\n") == len(set(jobs) - {missing})


@pytest.mark.parametrize(
    ("codes", "expected"),
    [([], 0), ([0, 0], 0), ([0, 103], 103), ([103, 100], 100), ([100, 101], 101),
     ([101, 102, 100], 102)],
)  # fmt: skip
def test_the_worst_of_several(codes: list[int], expected: int) -> None:
    """Of several outcomes the first of 102, 101, 100, 103 is the exit code."""
    assert worst(codes) == expected


def test_submit_wait_ends_with_the_outcome(cli: Cli) -> None:
    """The worst of all files; with ``--json`` the document alone is on standard output."""
    cli.file("good.yaml", WORKS)
    cli.file("bad.yaml", FAILS)
    assert cli.run("submit", "good.yaml", "--wait").code == 0
    ended = cli.run("submit", "good.yaml", "bad.yaml", "--wait", "--json")
    assert ended.code == 100
    assert ended.json == [{"job_id": 2, "name": "good"}, {"job_id": 3, "name": "bad"}]
    assert "job 3: FAILED" in ended.err


def test_submit_wait_of_a_job_that_is_cancelled(cli: Cli) -> None:
    """A job that follows a failed one ends at once, as 103."""
    cli.file("bad.yaml", FAILS)
    assert cli.run("submit", "bad.yaml", "--wait").code == 100
    assert cli.run("submit", "bad.yaml", "--after", 1, "--wait").code == 103


def test_a_reason_is_kept_with_what_was_done_for_it(idle: Cli) -> None:
    """Of each command that takes one, in the job's record, and of an end in its outcome."""
    idle.file("x.yaml", SLEEP)
    idle.ok("submit", "x.yaml", "x.yaml")
    for words in ("hold 1", "priority 1 7", "release 1", "cancel 1"):
        idle.ok(*words.split(), "--reason", f"for {words}")
    job = idle.job(1)
    assert [(row["subject"], row["reason"]) for row in job["actions"]] == [
        ("HOLD", "for hold 1"), ("PRIORITY", "for priority 1 7"), ("RELEASE", "for release 1"),
        ("CANCEL", "for cancel 1"),
    ]  # fmt: skip
    assert job["failure_reason"] == "for cancel 1"
    idle.ok("done", 2, "-y", "--reason", "for done")
    assert idle.job(2)["failure_reason"] == "for done"
    for words in ("hold 1", "priority 1 7", "release 1", "requeue 1"):
        said = idle.fails(1, *words.split(), "--reason", "x").err
        assert said.startswith("error: job 1 is DONE: it cannot be ")
        assert said.endswith(" any more\n")
