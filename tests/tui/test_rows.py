"""What a row of the job list says."""

from __future__ import annotations

from datetime import UTC

import pytest
from hypothesis import given
from hypothesis import strategies as st

from jobsched.api import ReasonCode
from jobsched.scheduler.reasons import NOT_WAITING
from jobsched.states import ScheduleState, TaskStatus
from jobsched.text import is_printable
from jobsched_tui.data.frame import JobLine, Progress, Trouble
from jobsched_tui.present.columns import Col, layout
from jobsched_tui.present.glyphs import ASCII, UNICODE, Pen
from jobsched_tui.present.rows import AT_WORK, Look, header_row, missing_row, row, times, why
from jobsched_tui.present.spans import Tone, plain, width
from tests.tui.frames import NOW, dead, ended, job, running, tasks, trouble, waiting

LOOK = Look(now=NOW, zone=UTC)


def drawn(line: JobLine, cells: int = 118, *, selected: bool = False, marked: bool = False) -> str:
    """The row as it stands on the screen."""
    shown = row(line, layout(cells), NOW, zone=UTC, selected=selected, marked=marked)
    return plain(shown).rstrip()


def said(line: JobLine, cells: int = 60) -> str:
    """What stands in LAST LOG / WHY."""
    return plain(why(line, cells, LOOK))


def test_rows_at_120_columns() -> None:
    """The design, cell by cell."""
    assert drawn(running(), marked=True) == (
        " *  1042 train-resnet-s3   ● ALIVE         ● RUNNING    2/5     88123●  391 5.1G  2h04m"
        " step 4120/9000   ███▋      46%"
    )
    assert drawn(dead(), selected=True) == (
        "▶   1039 train-gpt-small   ✗ DEAD          ● RUNNING?   2/5     87640✗    -    -  2h04m"
        " pid 87640 gone 14m, database…"
    )
    full = "job 1037 waits: 3 of 3 launch slots are taken; in front of it: job 1040"
    assert drawn(waiting(1037, full)) == (
        "    1037 job-1037          ◔ WAITING       ◔ PENDING    0/4          -    -    -  2h04m"
        " launch 3/3; behind job 1040"
    )
    assert drawn(ended(1034, TaskStatus.SUCCEEDED)) == (
        "    1034 job-1034          ■ DONE          ✓ SUCCEEDED  1/1          -    -    -  2h04m"
        " done in 48m"
    )


def test_rows_at_80_columns() -> None:
    """The status is folded into the state; the progress keeps its bar."""
    assert drawn(running(), 80) == (
        "    1042 train-resnet-s3   ● ALIVE   2/5    2h04m step 4120/9000   ███▋      46%"
    )
    assert drawn(ended(7, TaskStatus.FAILED, failure_reason="exit 1: CUDA out of memory"), 80) == (
        "       7 job-7             ■ FAIL    1/1    2h04m exit 1: CUDA out of memory"
    )
    cancelling = job(
        8, status=TaskStatus.CANCELLING, reason="CANCELLING", why="job 8 was cancelled"
    )
    assert drawn(cancelling, 80) == (
        "       8 job-8             ⊘ CANC-G  2/5    2h04m was cancelled"
    )


def test_rows_in_ascii() -> None:
    """Letters for signs, and nothing that is not ASCII."""
    line = plain(row(running(), layout(80), NOW, pen=ASCII, selected=True, marked=True))
    assert line == (
        ">*  1042 train-resnet-s3   A ALIVE   2/5    2h04m step 4120/9000   ###.....  46%"
    )


REASONS = [
    ("waits: 3 of 3 launch slots are taken; it is next in line", "launch 3/3; next in line"),
    ("waits: 9 of 9 jobs that may be alive are; in front of it: jobs 1, 2, 3 and 5 more",
     "alive 9/9; behind jobs 1, 2, 3 and 5 more"),
    ("waits: starts of new jobs are paused (`jobsched limits --resume`)", "starts are paused"),
    ("is held; `jobsched release 7` lets it go on", "held"),
    ("may start once job 5 has succeeded; job 5 is FAILED",
     "may start once job 5 has succeeded; job 5 is FAILED"),
]  # fmt: skip


@pytest.mark.parametrize(("sentence", "short"), REASONS)
def test_what_waits_says_its_true_reason(sentence: str, short: str) -> None:
    """Without what the row says already; a sentence that has no short form stays whole."""
    assert said(waiting(7, f"job 7 {sentence}")) == short


def test_a_reason_that_names_another_job_first_stays_whole() -> None:
    """Only this job's own name is left out."""
    text = "task train of job 7 waits: no room; try 3 at 12:00:00 on 2026-01-01, in 50 s"
    assert said(job(7, reason="NO_ROOM", why=text), 100) == text
    assert said(waiting(7, "job 77 is in front")) == "job 77 is in front"
    assert said(waiting(7, "job 7: task train is being ended")) == "task train is being ended"
    assert said(waiting(7, "")) == "-"


def test_the_log_never_hides_why_something_waits() -> None:
    """A last line or a progress of earlier is no answer while a job waits."""
    line = waiting(
        7,
        "job 7 waits: 3 of 3 launch slots are taken; it is next in line",
        state=ScheduleState.ALIVE_WAITING,
        last_line="step 9",
        progress=Progress(done=1, total=2, text="step 1/2"),
    )
    assert said(line) == "launch 3/3; next in line"
    assert said(job(7, reason="BACKOFF", why="job 7 rests", last_line="step 9")) == "rests"


def test_only_reasons_that_keep_a_job_from_nothing_give_way_to_its_log() -> None:
    """The words are the scheduler's own."""
    assert {"", ReasonCode.STARTING, *NOT_WAITING} == AT_WORK


def test_what_runs_says_its_progress_else_its_last_line_else_its_reason() -> None:
    """From the most telling to the least."""
    assert said(running()).endswith("███▋      46%")
    assert said(job(7, last_line="  Creating\tenv ...\n")) == "Creating␉env ..."
    assert said(job(7)) == "runs task task-2 in here"


def test_progress_without_room_for_a_bar_is_words_and_a_percent() -> None:
    """The percent is never cut."""
    assert said(running(), 16) == "step 4120/…  46%"


@pytest.mark.parametrize(
    ("line", "text", "tone"),
    [
        (ended(1, TaskStatus.SUCCEEDED), "done in 48m", Tone.MUTED),
        (ended(1, TaskStatus.FAILED, failure_reason="exit 1"), "exit 1", Tone.BAD),
        (ended(1, TaskStatus.FAILED_SETUP), "failed setup after 48m", Tone.MUTED),
        (ended(1, TaskStatus.CANCELLED), "cancelled after 48m", Tone.MUTED),
        (ended(1, TaskStatus.CANCELLED, failure_reason="by alice"), "by alice", Tone.MUTED),
        (ended(1, TaskStatus.SUCCEEDED, started_at=None), "done in -", Tone.MUTED),
    ],
)
def test_what_is_done_says_how_it_ended(line: JobLine, text: str, tone: Tone) -> None:
    """A failure by its reason, a success by how long it took."""
    (piece,) = why(line, 60, LOOK)
    assert (piece.text, piece.tone) == (text, tone)


def test_a_trouble_comes_before_everything_else() -> None:
    """In SCHED as a sign and a word of alarm, in WHY as a sentence; named there if SCHED is not."""
    pieces = {piece.text.strip(): piece.tone for piece in row(dead(), layout(118), NOW)}
    assert pieces["✗ DEAD"] is Tone.ALARM
    assert pieces["pid 87640 gone 14m, database…"] is Tone.BAD
    without = row(dead(), layout(80, ["id", "why"]), NOW)
    assert plain(without).rstrip() == "    1039 ✗ DEAD pid 87640 gone 14m, database says ALIVE"


def test_a_failure_nobody_has_looked_at_keeps_its_state() -> None:
    """Its status says it already; the alarm stands before the reason."""
    failed = ended(7, TaskStatus.FAILED, trouble=trouble(Trouble.FAILED, "exit 1", 7))
    assert drawn(failed).split()[:6] == ["7", "job-7", "■", "DONE", "✗", "FAILED"]
    assert said(failed) == "✗ FAILED exit 1"


@pytest.mark.parametrize(
    ("alive", "state", "expected"),
    [
        (True, ScheduleState.ALIVE, "88123●"),
        (None, ScheduleState.ALIVE, "88123?"),
        (False, ScheduleState.ALIVE, "88123✗"),
        (False, ScheduleState.WAITING, "-"),
        (True, ScheduleState.WAITING, "88123●"),
        (False, ScheduleState.DONE, "-"),
    ],
)
def test_a_pid_says_whether_it_lives(
    alive: bool | None, state: ScheduleState, expected: str
) -> None:
    """A word that nothing is wrong is not needed where no controller should be."""
    line = job(7, pid=88123, alive=alive, state=state)
    assert plain(row(line, layout(20, ["id", "pid"]), NOW)).split() == ["7", expected]


def test_the_columns_that_must_be_chosen() -> None:
    """Each says what it is for; the source by its last two parts."""
    line = job(
        7,
        priority=-5,
        started_at=NOW - 3600,
        recovery_count=2,
        restart_count=1,
        source="/home/alice/work/jobs/train.yaml",
        tasks=tasks(1, 2),
    )
    chosen = ["id", "prio", "started", "runtime", "recov", "restarts", "region", "source"]
    assert plain(row(line, layout(130, chosen), NOW, zone=UTC)).split() == [
        *("7", "-5", "21:13:20", "1h00m", "2", "1", "here", "jobs/train.yaml")
    ]
    nothing = plain(row(job(7, tasks=()), layout(130, chosen), NOW, zone=UTC)).split()
    assert nothing == ["7", "0", "-", "-", "0", "0", "-", "-"]


def test_what_lies_in_the_future_is_a_question() -> None:
    """Clocks may differ; an age is never negative."""
    assert times(job(7, submitted_at=NOW + 60), layout(80), NOW) == ["?"]


def test_ages_are_all_that_time_changes() -> None:
    """What is compared at each tick tells exactly whether the row changes."""
    line, columns = job(7, started_at=NOW - 100), layout(160)
    assert times(line, columns, NOW) == ["2h04m", "1m40s"]
    assert times(line, columns, NOW + 1) == ["2h04m", "1m41s"]
    assert times(line, layout(80), NOW) == times(line, layout(80), NOW + 1)


def test_a_changed_row_is_stronger_in_words_that_have_no_tone() -> None:
    """For the moment of a flash."""
    tones = {piece.tone for piece in row(running(), layout(118), NOW, changed=True)}
    assert Tone.PLAIN not in tones
    assert Tone.STRONG in tones


def test_a_row_that_has_not_been_read_claims_nothing() -> None:
    """It is a dim dot for each column."""
    line = missing_row(layout(40), selected=True)
    assert plain(line) == "▶ ·      ·        ·         ·           "
    assert plain(missing_row(layout(40), ASCII)) == "  -      -        -         -           "


def test_titles_say_the_order() -> None:
    """A sign behind each title that sorts; it survives where the title is cut."""
    line = header_row(layout(80), [("state", False), ("id", True)])
    assert plain(line).rstrip() == (
        "     ID▼ NAME              SCHED▲    TASK     AGE LAST LOG / WHY"
    )
    assert "IDv" in plain(header_row(layout(80), [("id", True)], ASCII))


TEXTS = st.one_of(st.none(), st.text(max_size=40))


@given(
    name=st.text(max_size=40),
    reason=TEXTS,
    last_line=TEXTS,
    source=TEXTS,
    state=st.sampled_from(ScheduleState),
    status=st.sampled_from(TaskStatus),
    alarm=st.one_of(st.none(), st.sampled_from(Trouble)),
    cells=st.integers(1, 220),
    pen=st.sampled_from([UNICODE, ASCII]),
    chosen=st.one_of(st.none(), st.lists(st.sampled_from([*Col]), min_size=1)),
)
def test_a_row_is_exactly_as_wide_as_its_columns(
    *,
    name: str,
    reason: str | None,
    last_line: str | None,
    source: str | None,
    state: ScheduleState,
    status: TaskStatus,
    alarm: Trouble | None,
    cells: int,
    pen: Pen,
    chosen: list[Col] | None,
) -> None:
    """Whatever its texts hold, and nothing in it can do anything to a terminal."""
    line = job(
        7,
        name=name,
        failure_reason=reason,
        why=reason or "",
        last_line=last_line,
        source=source,
        state=state,
        status=status,
        trouble=None if alarm is None else trouble(alarm, name, 7),
    )
    columns = layout(cells, chosen)
    shown = row(line, columns, NOW, pen=pen, zone=UTC)
    assert width(shown) == columns.width == cells
    assert is_printable(plain(shown))
    assert pen is UNICODE or plain(shown).isascii()
    assert width(header_row(columns, [("id", True)], pen)) == cells
    assert width(missing_row(columns, pen)) == cells
