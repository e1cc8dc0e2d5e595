"""``logs``: what tasks and controllers have printed, to pipes as it was written."""

from __future__ import annotations

import signal
import subprocess

from tests.cli.running import Cli
from tests.support import wait_until

TWO = "name: two\n---\nrun: echo one\n---\nrun: |\n  for i in 1 2 3; do echo two $i; done\n"
GATED = """
name: gated
---
run: |
  echo first
  while [ ! -e "$GATE" ]; do sleep 0.05; done
envs: {GATE: null}
---
run: echo second; exit 7
"""


def test_what_a_job_has_printed(cli: Cli) -> None:
    """All tasks one after the other, one by name or number, only the last lines."""
    cli.file("two.yaml", TWO)
    assert cli.run("submit", "two.yaml", "--wait").code == 0
    whole = cli.ok("logs", 1)
    assert (whole.out, whole.err) == ("one\ntwo 1\ntwo 2\ntwo 3\n", "")
    assert cli.ok("logs", 1, "--task", 0).out == "one\n"
    assert cli.ok("logs", 1, "--task", "two-1", "-n", 2).out == "two 2\ntwo 3\n"
    assert cli.ok("logs", 1, "-n", 1).out == "two 3\n"
    assert "DONE" in cli.ok("logs", 1, "--controller").out
    assert cli.run("logs", 1, "-f", "--task", 1).out == "two 1\ntwo 2\ntwo 3\n"


def test_what_cannot_be_shown(idle: Cli) -> None:
    """A job or task that there is not, and two logs at once; to follow them is 102."""
    idle.submit()
    assert idle.fails(1, "logs", 99).err == "error: job 99 not found\n"
    assert idle.fails(102, "logs", 99, "-f").err == "error: job 99 not found\n"
    missing = "error: job 1 has no task ghost; its only task is 0 (job)\n"
    assert idle.fails(1, "logs", 1, "--task", "ghost").err == missing
    assert idle.fails(102, "logs", 1, "--task", "ghost", "-f").err == missing
    idle.submit(TWO, name="two")
    said = "error: job 2 has no task 9; its tasks are 0 (two-0), 1 (two-1)\n"
    assert idle.fails(1, "logs", 2, "--task", 9).err == said
    idle.fails(2, "logs", 1, "--task", 0, "--controller")


def test_a_job_that_has_printed_nothing(idle: Cli) -> None:
    """Exit 0, nothing on standard output, and the reason as a note."""
    job_id = idle.submit()
    ended = idle.ok("logs", job_id)
    assert ended.out == ""
    assert ended.err.startswith(f"job {job_id} has not started yet: ")
    said = idle.ok("logs", job_id, "--controller").err
    assert said.startswith(f"the controller of job {job_id} has not started yet: ")
    idle.ok("cancel", job_id)
    said = idle.ok("logs", job_id, "--controller").err
    assert said.startswith(f"the controller of job {job_id} has printed nothing: ")
    assert "ended CANCELLED" in idle.ok("logs", job_id).err
    assert idle.run("logs", job_id, "-f").code == 103


def test_following_goes_from_task_to_task_and_ends_with_the_job(cli: Cli) -> None:
    """Output comes while the first task runs; at the end the code is that of the outcome."""
    gate = cli.folder / "gate"
    job_id = cli.submit(GATED, "--env", f"GATE={gate}")
    out = cli.folder / "followed"
    with out.open("wb") as file:
        child = cli.start("logs", job_id, "-f", stdout=file, stderr=subprocess.PIPE)
        wait_until(lambda: b"first\n" in out.read_bytes(), 20, "the first line")
        assert child.poll() is None
        gate.touch()
        _, said = child.communicate(timeout=30)
    assert child.returncode == 100
    assert out.read_bytes() == b"first\nsecond\n"
    assert f"Job {job_id} finished: FAILED" in said.decode()


def test_following_a_job_before_it_starts(cli: Cli) -> None:
    """It waits with the job, and what is printed then comes."""
    job_id = cli.submit("run: echo late\n", "--hold")
    child = cli.start("logs", job_id, "-f", stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    assert child.stderr is not None
    assert child.stderr.readline().startswith(b"job 1 has not started yet: ")
    cli.ok("release", job_id)
    out, said = child.communicate(timeout=30)
    assert (child.returncode, out) == (0, b"late\n")
    assert said == b"Job 1 finished: SUCCEEDED\n"


def test_piped_bytes_are_those_that_were_written(cli: Cli) -> None:
    """No decoding and no line ends of our own: what is no text comes through as well."""
    cli.file("raw.yaml", r"""run: printf 'a\377b\rc\000\033[2Jd\r\nno end'""" + "\n")
    assert cli.run("submit", "raw.yaml", "--wait").code == 0
    expected = b"a\xffb\rc\x00\x1b[2Jd\r\nno end"
    assert cli.raw("logs", 1).stdout == expected
    assert cli.raw("logs", 1, "-f", env={"LC_ALL": "C"}).stdout == expected


def test_a_terminal_gets_only_colours(cli: Cli) -> None:
    """What could act on a terminal is made visible, unless raw output is asked for."""
    cli.file("raw.yaml", r"""run: printf '\033[31mred\033[0m \033[2J\377\n'""" + "\n")
    assert cli.run("submit", "raw.yaml", "--wait").code == 0
    shown = cli.terminal("logs", 1).out
    assert "\x1b[31mred" in shown
    assert "\x1b[2J" not in shown
    assert "␛[2J\\xff" in shown
    assert "\x1b[2J" in cli.terminal("logs", 1, "--raw").out


def test_a_note_begins_a_line_of_its_own(cli: Cli) -> None:
    """At a terminal, also after output without an end of line; no empty line otherwise."""
    for text, shown in (("printf here", "here\r\n"), ("echo here", "here\r\n")):
        job_id = cli.submit(f"run: {text}\n")
        assert cli.run("wait", job_id).code == 0
        ended = cli.terminal("logs", job_id, "-f", env={"NO_COLOR": "1"})
        assert ended.out == f"{shown}Job {job_id} finished: SUCCEEDED\r\n"


def test_an_interrupt_leaves_the_job_running(cli: Cli) -> None:
    """Ctrl-C while following ends the following: 130, and it says that the job goes on."""
    job_id = cli.submit("run: echo up; exec sleep 300\n")
    child = cli.start("logs", job_id, "-f", stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    assert child.stdout is not None
    assert child.stdout.readline() == b"up\n"
    child.send_signal(signal.SIGINT)
    _, said = child.communicate(timeout=30)
    assert child.returncode == 130
    # Before it: why there was nothing to follow yet, if that took a while.
    assert said.decode().splitlines()[-1] == f"interrupted; job {job_id} keeps running"
    assert cli.job(job_id)["status"] == "RUNNING"


def test_whoever_reads_may_leave(cli: Cli) -> None:
    """A closed pipe ends the command quietly."""
    cli.file("much.yaml", "run: seq 200000\n")
    assert cli.run("submit", "much.yaml", "--wait").code == 0
    child = cli.start("logs", 1, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    assert child.stdout is not None
    assert child.stderr is not None
    assert child.stdout.readline() == b"1\n"
    child.stdout.close()
    assert child.wait(30) == 141
    assert child.stderr.read() == b""
    child.stderr.close()
