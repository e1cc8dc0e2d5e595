from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime

import pytest

from jobsched.states import ScheduleState, TaskStatus
from jobsched_tui.data.attention import LockHolder, Sample, Samples, Thresholds, judge
from jobsched_tui.data.failures import Cluster, clusters, normalise
from jobsched_tui.data.frame import Attention, JobLine, TaskLine, Trouble
from jobsched_tui.data.pulse import Pulse, beat
from jobsched_tui.present import attention as words
from jobsched_tui.present.glyphs import ASCII
from jobsched_tui.present.spans import plain, width

S, T = ScheduleState, TaskStatus
NOW = 1_800_000_000.0


def clock(moment: float) -> str:
    """A time of day as sentences name it."""
    return datetime.fromtimestamp(moment, UTC).astimezone().strftime("%H:%M:%S")


ALIVE = JobLine(job_id=7, name="train", state=S.ALIVE, status=T.RUNNING, pid=4321, alive=True)
DONE = replace(ALIVE, state=S.DONE, status=T.SUCCEEDED, alive=False, ended_at=NOW - 600)
FAILED = replace(DONE, status=T.FAILED, failure_reason="run ended with exit code 3")


QUIET = Pulse(log_at=NOW - 700, busy_at=NOW - 650)
BROKEN = TaskLine(task_id=0, name="a", status=T.SUCCEEDED, cleanup_error="rm: busy", ended_at=NOW)

#: What is seen, and what is said of it: trouble, sentence, command.
TROUBLES: dict[str, tuple[JobLine, Sample | None, Samples, Trouble, str, str]] = {
    "dead": (
        replace(ALIVE, alive=False), None, Samples(), Trouble.DEAD,
        f"job 7 is ALIVE, but its controller, pid 4321, is gone (known since {clock(NOW)})",
        "jobsched requeue 7",
    ),
    "reused": (
        replace(ALIVE, alive=False), Sample(usurper="bash"), Samples(), Trouble.REUSED,
        (f"job 7 is ALIVE, but its controller, pid 4321, is gone (known since {clock(NOW)}):"
        " pid 4321 now belongs to bash"),
        "jobsched requeue 7",
    ),
    "unknown": (
        replace(ALIVE, alive=None), None, Samples(), Trouble.UNKNOWN,
        f"whether the controller of job 7 lives cannot be told, since {clock(NOW)}",
        "jobsched requeue 7",
    ),
    "unknown, in the library's words": (
        replace(ALIVE, alive=None, why="its lock cannot be seen"), None, Samples(),
        Trouble.UNKNOWN, "its lock cannot be seen", "jobsched requeue 7",
    ),
    "stopped": (
        ALIVE, Sample(process_state="T", process_state_since=NOW - 1), Samples(), Trouble.STOPPED,
        f"the controller of job 7, pid 4321, is stopped since {clock(NOW - 1)}; the job is ALIVE",
        "kill -CONT 4321",
    ),
    "in the kernel": (
        ALIVE, Sample(process_state="D", process_state_since=NOW - 31), Samples(), Trouble.STOPPED,
        (f"the controller of job 7, pid 4321, hangs in the kernel since {clock(NOW - 31)};"
        " the job is ALIVE"),
        "jobsched why 7",
    ),
    "zombie": (
        ALIVE, Sample(process_state="Z", process_state_since=NOW - 31), Samples(), Trouble.STOPPED,
        ("the controller of job 7, pid 4321, has ended, but was not collected by its parent,"
        f" since {clock(NOW - 31)}; the job is ALIVE"),
        "jobsched requeue 7",
    ),
    "slot": (
        replace(ALIVE, state=S.LAUNCHING), Sample(state_since=NOW - 121), Samples(), Trouble.SLOT,
        f"job 7 holds a launch slot since {clock(NOW - 121)}",
        "jobsched logs 7 --controller",
    ),
    "slot, against the median": (
        replace(ALIVE, state=S.LAUNCHING), Sample(state_since=NOW - 501),
        Samples(median_launch=100.0), Trouble.SLOT,
        f"job 7 holds a launch slot since {clock(NOW - 501)}; the median launch here takes 100 s",
        "jobsched logs 7 --controller",
    ),
    "orphan processes": (
        DONE, Sample(left_pids=(1, 2, 3, 4, 5)), Samples(), Trouble.ORPHAN,
        f"job 7 is DONE since {clock(NOW - 600)}, but left pid 1, pid 2, pid 3 and 2 more",
        "jobsched sweep",
    ),
    "orphan cluster": (
        DONE, Sample(left_clusters=("7-0-1",)), Samples(), Trouble.ORPHAN,
        f"job 7 is DONE since {clock(NOW - 600)}, but left cluster 7-0-1",
        "jobsched sweep",
    ),
    "stuck": (
        ALIVE, Sample(pulse=QUIET), Samples(), Trouble.STUCK,
        f"job 7 prints nothing and computes nothing since {clock(NOW - 650)}",
        "jobsched logs 7 -n 50",
    ),
    "stuck, against its own gaps": (
        ALIVE, Sample(pulse=replace(QUIET, gaps=(10.0, 200.0, 900.0))), Samples(), Trouble.STUCK,
        (f"job 7 prints nothing and computes nothing since {clock(NOW - 650)};"
        " it used to print every 200 s"),
        "jobsched logs 7 -n 50",
    ),
    "blocked by a failure": (
        replace(ALIVE, state=S.WAITING, status=T.PENDING, alive=False, pid=None),
        Sample(blockers={3: T.RUNNING, 4: T.FAILED}), Samples(), Trouble.BLOCKED,
        "job 7 waits for job 4, which ended FAILED", "jobsched cancel 7",
    ),
    "blocked by what is not there": (
        replace(ALIVE, state=S.WAITING, status=T.PENDING, alive=False, pid=None),
        Sample(blockers={4: None}), Samples(), Trouble.BLOCKED,
        "job 7 waits for job 4, which is no longer known", "jobsched cancel 7",
    ),
    "cleanup": (
        replace(ALIVE, tasks=(BROKEN,)), None, Samples(), Trouble.CLEANUP,
        "job 7, task a: rm: busy", "jobsched sweep",
    ),
    "failed": (
        FAILED, Sample(ended_seq=11), Samples(seen_seq=10), Trouble.FAILED,
        f"job 7 ended FAILED at {clock(NOW - 600)}: run ended with exit code 3",
        "jobsched logs 7 -n 50",
    ),
    "failed, one of several tasks": (
        replace(FAILED, tasks=(BROKEN, TaskLine(task_id=3, name="b", status=T.FAILED_SETUP))),
        Sample(ended_seq=11), Samples(seen_seq=10), Trouble.FAILED,
        f"job 7 ended FAILED at {clock(NOW - 600)}: run ended with exit code 3",
        "jobsched logs 7 --task 3 -n 50",
    ),
}  # fmt: skip


@pytest.mark.parametrize("case", TROUBLES)
def test_each_trouble_is_found_and_put_into_words(case: str) -> None:
    """Evidence of one trouble gives it, with a sentence and the command that helps."""
    line, sample, samples, trouble, text, command = TROUBLES[case]
    samples = replace(samples, jobs={} if sample is None else {7: sample})
    one = next(one for one in judge([line], samples, NOW) if one.trouble is trouble)
    assert (one.text, one.command, one.job_id) == (text, command, 7)


#: What looks alike and is none.
HEALTHY: dict[str, tuple[JobLine, Sample | None, Samples]] = {
    "alive": (ALIVE, None, Samples()),
    "gone, and done": (replace(DONE, pid=4321), None, Samples()),
    "gone, and taken back": (replace(ALIVE, state=S.WAITING, alive=False), None, Samples()),
    "no controller was ever started": (
        replace(ALIVE, state=S.LAUNCHING, alive=False, pid=None), None, Samples(),
    ),
    "done, nobody can tell of its controller": (replace(DONE, alive=None), None, Samples()),
    "in the kernel for a moment": (
        ALIVE, Sample(process_state="D", process_state_since=NOW - 30), Samples(),
    ),
    "sleeping": (ALIVE, Sample(process_state="S", process_state_since=0.0), Samples()),
    "a long launch where launches are long": (
        replace(ALIVE, state=S.LAUNCHING), Sample(state_since=NOW - 500),
        Samples(median_launch=100.0),
    ),
    "a launch of two minutes": (
        replace(ALIVE, state=S.LAUNCHING), Sample(state_since=NOW - 120), Samples(),
    ),
    "just done, its processes are being stopped": (
        replace(DONE, ended_at=NOW - 20), Sample(left_pids=(1,)), Samples(),
    ),
    "silent, but computes": (
        ALIVE, Sample(pulse=Pulse(log_at=NOW - 9999, busy_at=NOW - 1)), Samples(),
    ),
    "idle, but prints": (
        ALIVE, Sample(pulse=Pulse(log_at=NOW - 1, busy_at=NOW - 9999)), Samples(),
    ),
    "silent, but nobody has looked at its load": (
        ALIVE, Sample(pulse=Pulse(log_at=NOW - 9999)), Samples(),
    ),
    "as silent as it always was": (
        ALIVE, Sample(pulse=replace(QUIET, gaps=(300.0,))), Samples(),
    ),
    "silent while it recovers": (
        replace(ALIVE, status=T.RECOVERING), Sample(pulse=QUIET), Samples(),
    ),
    "waits for one that runs, and one that succeeded": (
        replace(ALIVE, state=S.WAITING, alive=False, pid=None),
        Sample(blockers={1: T.RUNNING, 2: T.SUCCEEDED}), Samples(),
    ),
    "a failure that was seen": (FAILED, Sample(ended_seq=10), Samples(seen_seq=10)),
    "a cleanup that failed, and was seen": (
        replace(DONE, tasks=(BROKEN,)), Sample(ended_seq=10), Samples(seen_seq=10),
    ),
    "cancelled": (replace(DONE, status=T.CANCELLED), Sample(ended_seq=11), Samples(seen_seq=10)),
    "a lock held for a moment": (
        ALIVE, None, Samples(lock=LockHolder(pid=9, since=NOW - 10, command="python")),
    ),
}  # fmt: skip


@pytest.mark.parametrize("case", HEALTHY)
def test_what_looks_alike_is_no_trouble(case: str) -> None:
    """Up to each threshold, and where the evidence is not complete, nothing is said."""
    line, sample, samples = HEALTHY[case]
    samples = replace(samples, jobs={} if sample is None else {7: sample})
    assert judge([line], samples, NOW) == ()


@pytest.mark.parametrize(
    ("holder", "text", "command"),
    [
        (
            LockHolder(pid=9, since=NOW - 11, command="python x.py"),
            (
                f"the scheduler lock is held since {clock(NOW - 11)} by pid 9 (python x.py):"
                " nothing can be scheduled"
            ),
            "ps -fp 9",
        ),
        (
            LockHolder(pid=9, since=NOW, state="T"),
            (
                f"the scheduler lock is held since {clock(NOW)} by pid 9 (unknown),"
                " which is stopped: nothing can be scheduled"
            ),
            "kill -CONT 9",
        ),
    ],
)
def test_a_lock_that_is_kept_is_a_trouble(holder: LockHolder, text: str, command: str) -> None:
    """It is one for whoever keeps it long, and at once for one that is stopped."""
    (one,) = judge([], Samples(lock=holder), NOW)
    assert (one.trouble, one.text, one.command, one.job_id) == (Trouble.LOCK, text, command, None)


def test_the_most_urgent_comes_first() -> None:
    """Troubles are in the order of their urgency, those of one kind in the order of jobs."""
    lines = [
        replace(FAILED, job_id=1),
        replace(ALIVE, job_id=2, alive=None),
        replace(ALIVE, job_id=4, alive=False),
        replace(ALIVE, job_id=3, alive=False),
    ]
    samples = Samples(jobs={1: Sample(ended_seq=1)}, lock=LockHolder(pid=9, since=0.0))
    assert [(one.trouble, one.job_id) for one in judge(lines, samples, NOW)] == [
        (Trouble.LOCK, None),
        (Trouble.DEAD, 3),
        (Trouble.DEAD, 4),
        (Trouble.UNKNOWN, 2),
        (Trouble.FAILED, 1),
    ]


def test_a_trouble_remembers_since_when_it_is_known() -> None:
    """The next judgement keeps the moment of the first; a trouble that went and came is new."""
    dead = [replace(ALIVE, alive=False)]
    first = judge(dead, Samples(), NOW)
    later = judge(dead, Samples(), NOW + 60, previous=first)
    assert later == first
    assert judge([ALIVE], Samples(), NOW + 61, previous=later) == ()
    assert judge(dead, Samples(), NOW + 62)[0].since == NOW + 62


def test_thresholds_can_be_set() -> None:
    """A lower threshold finds the same thing earlier."""
    line, sample = replace(ALIVE, state=S.LAUNCHING), Sample(state_since=NOW - 11)
    samples = Samples(jobs={7: sample})
    assert judge([line], samples, NOW) == ()
    (one,) = judge([line], samples, NOW, Thresholds(launching=10.0))
    assert one.trouble is Trouble.SLOT


def test_one_job_may_have_several_troubles() -> None:
    """A failed job that left a cluster behind has both."""
    line = replace(FAILED, tasks=(BROKEN,))
    samples = Samples(jobs={7: Sample(ended_seq=1, left_clusters=("7-0-1",))})
    assert [one.trouble for one in judge([line], samples, NOW)] == [
        Trouble.ORPHAN,
        Trouble.CLEANUP,
        Trouble.FAILED,
    ]


def test_a_pulse_remembers_silences() -> None:
    """Gaps are the times between writes; their median tells how long a job used to be silent."""
    pulse = Pulse()
    for log_at in (100.0, 100.0, 110.0, 140.0, 145.0):
        pulse = beat(pulse, log_at=log_at, cpu=50.0, now=log_at)
    assert pulse.gaps == (10.0, 30.0, 5.0)
    assert pulse.gap == 10.0
    assert pulse.quiet_since == 145.0


def test_a_pulse_is_quiet_from_the_last_load_or_write() -> None:
    """Load below one percent is none; before a load is known nothing is quiet."""
    pulse = beat(Pulse(), log_at=100.0, cpu=None, now=100.0)
    assert pulse.quiet_since is None
    pulse = beat(pulse, log_at=100.0, cpu=0.2, now=200.0)
    assert pulse.quiet_since == 200.0
    pulse = beat(pulse, log_at=100.0, cpu=0.9, now=300.0)
    assert pulse.quiet_since == 200.0
    pulse = beat(pulse, log_at=100.0, cpu=1.0, now=400.0)
    assert pulse.quiet_since == 400.0
    truncated = beat(pulse, log_at=50.0, cpu=0.0, now=500.0)
    assert (truncated.gaps, truncated.log_at) == ((), 50.0)


def test_a_trouble_in_one_line() -> None:
    """Sign, word, job, age and sentence; whatever a sentence holds is harmless."""
    one = Attention(
        trouble=Trouble.DEAD, text="gone \x1b[2J [b]x[/b]", command="jobsched requeue 7",
        job_id=7, since=NOW - 852,
    )  # fmt: skip
    assert plain(words.row(one, NOW, 80)) == ("✗ DEAD         7  14m12s  gone ␛[2J [b]x[/b]")
    assert plain(words.row(one, NOW, 20, ASCII)) == "! DEAD         7  1~"
    assert width(words.row(one, NOW, 20)) <= 20
    assert plain(words.command(one, 80)) == "$ jobsched requeue 7"
    assert plain(words.none_found(80)) == (
        "nothing needs attention: database, processes and logs agree"
    )


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("CUDA out of memory. Tried to allocate 2.50 GiB (GPU 3)",
         "CUDA out of memory. Tried to allocate # GiB (GPU #)"),
        ("run ended with exit code 3; restart 1 of 2",
         "run ended with exit code 3; restart # of #"),
        ("killed by signal 9 after 17 s", "killed by signal 9 after # s"),
        ("cannot open /home/a/b.txt: No such file", "cannot open PATH: No such file"),
        ("KeyError: 'lr_7'", "KeyError: '…'"),
        ('File "train.py", line 12, in run', "File '…', line #, in run"),
        ("object at 0x7f3a9c1b2d40", "object at #"),
        ("commit deadbeef42 not found", "commit # not found"),
        ("the facade of a decade", "the facade of a decade"),
        ("can't reach https://api.example.com/v1?x=2", "can't reach URL"),
        ("2026-11-30 08:19:58 \x1b[31mERROR\x1b[0m  boom", "# # ERROR boom"),
        ("", "no reason given"),
    ],
)  # fmt: skip
def test_an_error_without_its_details(text: str, kind: str) -> None:
    """Numbers, paths, addresses and quoted names go; exit codes and signals stay."""
    assert normalise(text) == kind


def test_failures_of_one_kind_are_put_together() -> None:
    """The most frequent kind comes first, with its jobs and a guess at what an exit code means."""
    found_ = clusters(
        [
            (1, "exit code 137"),
            (2, "CUDA out of memory: 2 GiB"),
            (3, "CUDA out of memory: 40 GiB"),
            (3, "CUDA out of memory: 41 GiB"),
            (4, None),
        ]
    )
    assert found_ == (
        Cluster("CUDA out of memory: # GiB", "CUDA out of memory: 2 GiB", (2, 3)),
        Cluster("exit code 137", "exit code 137", (1,), "killed, out of memory?"),
        Cluster("no reason given", "", (4,)),
    )
    assert plain(words.cluster(found_[0], 80)) == "2 jobs: CUDA out of memory: # GiB  2, 3"
    assert plain(words.cluster(found_[1], 80)) == "1 job: exit code 137 (killed, out of memory?)  1"
    many = Cluster("x", "x", tuple(range(1, 8)))
    assert plain(words.cluster(many, 80)) == "7 jobs: x  1, 2, 3, 4, 5 and 2 more"
