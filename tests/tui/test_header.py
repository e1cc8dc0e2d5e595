"""The lines around the job list."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from jobsched.api import Scheduler
from jobsched.text import is_printable
from jobsched_tui.data.frame import Frame, Gauge, Health, LimitsLine, Link, Trouble
from jobsched_tui.present import header
from jobsched_tui.present.glyphs import ASCII, UNICODE, Pen
from jobsched_tui.present.header import Drawing, Looking
from jobsched_tui.present.spans import Line, Span, Tone, plain, width
from tests.tui.frames import LIMITS, NOW, dead, frame, job, trouble

WIDE = Drawing(width=120, zone=UTC)
NARROW = Drawing(width=80, zone=UTC)
PATH = "/home/alice/.local/state/jobsched"
LOOKING = Looking(filter_text="age<4h name~train", marked=2)
ALARM = (trouble(Trouble.DEAD, "pid 87640 gone 14m", 1039), trouble(Trouble.LOCK, "held 4m"))


def texts(lines: list[Line]) -> list[str]:
    """The lines as they stand on the screen, without what fills them up."""
    return [plain(line).rstrip() for line in lines]


def test_four_lines_at_120_columns() -> None:
    """The design, line by line."""
    shown = frame([job(1)] * 41, home=PATH, attention=ALARM)
    assert texts(header.summary(shown, LOOKING, NOW, WIDE)) == [
        (
            " jobsched  /home/alice/.local/state/jobsched  ● live 0.1s   host gpu-01  load 3.1/16"
            "  mem 41G/128G     RW  alice  22:13"
        ),
        (
            " LAUNCH 3/3 [██████████] FULL ▁▃▆█████  ALIVE 48/64 [███████▌  ] ▂▃▄▅▅▆▇▆"
            "  WAITING 132 oldest 4m12s            L:limits"
        ),
        (
            "[1 All 10412] 2 Active 183  3 Waiting 132  4 Failed 7  5 Done 10212  6 ⚠ Attention 2"
            "                p:pause  F:lock-row"
        ),
        (
            " /age<4h name~train                                                                   "
            "41 of 10412   sort -id   2 marked"
        ),
    ]


def test_three_lines_at_80_columns() -> None:
    """Tabs and filter share one; gauges become numbers with three cells of history."""
    shown = frame([job(1)] * 41, home=PATH, attention=ALARM)
    assert texts(header.summary(shown, LOOKING, NOW, NARROW)) == [
        " jobsched  /home/…te/jobsched  ● live 0.1s                            RW  22:13",
        " LAUNCH 3/3 FULL ▃██  ALIVE 48/64 ▃▅▇  WAIT 132 (4m12s)                       ⚠2",
        "[1All] 2Act  3Wait  4Fail  5Done  6⚠2   /age<4h name~train         41/10412  2*",
    ]


@pytest.mark.parametrize(
    ("health", "text", "tone"),
    [
        (Health(at=NOW - 0.1), "● live 0.1s", Tone.GOOD),
        (Health(at=NOW - 75), "● live 1m15s", Tone.GOOD),
        (Health(link=Link.POLLING, at=NOW), "● poll 1s", Tone.WARN),
        (Health(link=Link.POLLING, at=NOW, cause="nfs"), "● poll 1s: nfs", Tone.WARN),
        (Health(link=Link.FROZEN, at=NOW), "● frozen", Tone.WARN),
        (Health(link=Link.PAST, at=NOW - 3600), "PAST 21:13:20 Esc:now", Tone.ALARM),
        (Health(link=Link.MISSING), "✗ no database", Tone.WARN),
        (Health(link=Link.STALE, at=NOW - 12, cause="locked"), "✗ stale 12s: locked", Tone.ALARM),
    ],
)
def test_the_link_says_whether_what_is_shown_is_true(health: Health, text: str, tone: Tone) -> None:
    """In words, whatever the colours are."""
    line = header.link(health, NOW, WIDE)
    assert plain(line) == text
    assert line[0].tone is tone


def test_read_only_cannot_be_overlooked() -> None:
    """It stands in reverse at the right end, whatever is cut."""
    line = header.header_line(frame(read_only=True, home="/x" * 200), NOW, NARROW)
    assert Span("RO", Tone.ALARM) in line
    assert plain(line).endswith("RO  22:13 ")


@pytest.mark.parametrize(
    ("gauge", "drawn"),
    [
        (Gauge(limit=10, used=3), "LAUNCH 3/10 [███       ] "),
        (Gauge(limit=10, used=7), "LAUNCH 7/10 [███████   ] "),
        (Gauge(limit=3, used=3), "LAUNCH 3/3 [██████████] FULL "),
        (Gauge(limit=40, used=48), "LAUNCH 48/40 [██████████] draining 8 "),
        (Gauge(limit=0, used=0), "LAUNCH PAUSED(0)"),
        (Gauge(limit=0, used=2), "LAUNCH PAUSED(0) draining 2"),
    ],
)
def test_gauges(gauge: Gauge, drawn: str) -> None:
    """Full, over full and nothing allowed are words, never only a bar."""
    assert plain(header.gauge("LAUNCH", gauge, WIDE)) == drawn


def test_gauges_warn_before_they_are_full() -> None:
    """From seventy percent on."""
    tones = [
        header.gauge("ALIVE", Gauge(limit=10, used=used), WIDE)[3].tone for used in (6, 7, 10, 11)
    ]
    assert tones == [Tone.MUTED, Tone.WARN, Tone.BAD, Tone.WARN]


def test_a_change_of_the_limit_is_marked_in_its_history() -> None:
    """Cause and effect line up."""
    line = header.gauge(
        "ALIVE", Gauge(limit=8, used=8, history=(1, 2, 8), changes=(2,)), NARROW, 0, 3
    )
    assert [(piece.text, piece.tone) for piece in line[-3:]] == [
        ("▂", Tone.MUTED),
        ("▃", Tone.MUTED),
        ("█", Tone.KEY),
    ]


def test_the_past_of_the_gauges_gives_way_to_what_waits() -> None:
    """Where a pause takes the room, bars and sparklines are left out; no word is cut."""
    busy = Gauge(limit=3, used=3, history=(1, 2, 3) * 8)
    limits = LimitsLine(
        launch=busy, alive=Gauge(limit=64, used=48, history=(1, 2, 3) * 8), paused=True,
        paused_by="bob via cli", paused_at=NOW, waiting=132, waiting_since=NOW - 252,
    )  # fmt: skip
    line = plain(header.limits_line(frame(limits=limits), WIDE))
    assert "WAITING 132 oldest 4m12s" in line
    assert "…" not in line
    assert "▃" not in line


def test_a_pause_says_who_and_when() -> None:
    """Waiting rows wait for that."""
    limits = LimitsLine(
        launch=Gauge(limit=3, used=0),
        alive=Gauge(limit=8, used=0),
        paused=True,
        paused_by="alice",
        paused_at=NOW,
    )
    shown = frame(limits=limits)
    assert "STARTS PAUSED by alice 22:13  WAITING 0 " in plain(header.limits_line(shown, WIDE))
    assert "  PAUSED  WAIT 0 " in plain(header.limits_line(shown, NARROW))


def test_the_tab_that_is_shown_stands_in_brackets() -> None:
    """No colour is needed to see it, and no neighbour moves."""
    first = plain(header.tabs_line(frame(), Looking(tab="all"), WIDE))
    third = plain(header.tabs_line(frame(), Looking(tab="waiting"), WIDE))
    assert "[3 Waiting 132]" in third
    assert third.replace("[", " ").replace("]", " ") == first.replace("[", " ").replace("]", " ")
    alarm = plain(header.tabs_line(frame(), Looking(tab=header.ATTENTION, locked=True), WIDE))
    assert "[6 ⚠ Attention 0]" in alarm
    assert "F:locked" in alarm


@pytest.mark.parametrize(
    ("x", "tab"),
    [(0, "all"), (12, "all"), (13, "active"), (40, "waiting"), (80, "attention"), (110, None)],
)
def test_a_click_finds_its_tab(x: int, tab: str | None) -> None:
    """By where it is drawn."""
    assert header.tab_at(frame(), Looking(), WIDE, x) == tab


def test_a_filter_that_was_not_applied_says_why() -> None:
    """In its place, while the old result stays."""
    shown = frame(complaint="unknown field `stat`; did you mean `state`?")
    line = header.filter_line(shown, LOOKING, WIDE)
    assert plain(line).startswith(" ✗ unknown field `stat`; did you mean `state`?  ")
    assert "complaint" not in plain(header.filter_line(frame(), Looking(), WIDE))


def test_several_orders_and_no_filter() -> None:
    """The order is always said."""
    looking = Looking(sort=(("status", False), ("id", True)))
    assert texts([header.filter_line(frame(), looking, WIDE)])[0].split() == [
        *("/filter", "0", "of", "10412", "sort", "status", "-id")
    ]


def test_the_most_urgent_trouble_with_its_remedy() -> None:
    """One line: what, since when, whose, and the command that is suggested."""
    assert texts([header.attention_line(frame(attention=ALARM), WIDE)]) == [
        (
            " ⚠ DEAD  21:59:20 job 1039: pid 87640 gone 14m  jobsched requeue 1039"
            "                                       a:next of 2"
        )
    ]
    assert texts([header.attention_line(frame(), WIDE)]) == [""]


@pytest.mark.parametrize(
    ("path", "cells", "shown"),
    [
        ("/srv/jobs", 18, "/srv/jobs"),
        ("/home/alice/.local/state/jobsched", 18, "/home/…te/jobsched"),
        ("/home/alice", 3, "/…e"),
    ],
)
def test_a_long_path_loses_its_middle(path: str, cells: int, shown: str) -> None:
    """Its ends tell the most."""
    assert header.shortened(path, cells) == shown


def test_no_database() -> None:
    """Where it was looked for, that nothing need be done, and what else can be."""
    lines = texts(header.empty_list(frame(health=Health(link=Link.MISSING), counts={}), ""))
    assert lines[0] == "No database yet in /srv/jobs"
    assert [line.split("  ")[0] for line in lines[2:]] == [
        "jobsched-tui --home DIR",
        "jobsched-tui --demo",
    ]


def test_a_newcomer_gets_a_file_that_runs_as_it_stands(tmp_path: Path) -> None:
    """What is shown can be copied and is valid."""
    lines = header.empty_list(frame(counts={"all": 0}), "")
    shown = [plain(line)[4:] for line in lines[1:7]]
    path = tmp_path / "hello.yaml"
    path.write_text("\n".join(shown), encoding="utf-8")
    (report,) = Scheduler(tmp_path / "home").validate([path])
    assert report.problems == ()
    assert plain(lines[-1]) == "S submits a file  ? shows the keys"


def test_a_filter_that_hides_all_is_named() -> None:
    """An empty list is never unexplained."""
    assert texts(header.empty_list(frame(), "state:alive name~foo")) == [
        "0 of 10412 match state:alive name~foo",
        "esc clears the filter  / edits it",
    ]
    assert texts(header.empty_list(frame(), "")) == ["none of 10412 jobs is here", "1 shows all"]


def test_what_cannot_be_read_is_not_called_empty() -> None:
    """The cause, and what the person can do."""
    health = Health(link=Link.STALE, cause="not a database", remedy="jobsched check")
    assert texts(header.empty_list(frame(health=health, counts={}), "")) == [
        "not a database",
        "jobsched check",
    ]


@given(
    cells=st.integers(1, 240),
    pen=st.sampled_from([UNICODE, ASCII]),
    text=st.text(max_size=60),
    link=st.sampled_from(Link),
    used=st.integers(0, 2000),
    limit=st.integers(0, 2000),
)
def test_every_line_is_exactly_as_wide_as_asked(
    *, cells: int, pen: Pen, text: str, link: Link, used: int, limit: int
) -> None:
    """Whatever the texts hold; in ASCII nothing else is written."""
    drawing = Drawing(width=cells, pen=pen, zone=UTC)
    gauge = Gauge(limit=limit, used=used, history=(used, limit), changes=(1,))
    shown: Frame = frame(
        [dead()],
        home=text,
        user=text,
        complaint=text or None,
        health=Health(link=link, at=NOW - 5, cause=text),
        limits=LimitsLine(launch=gauge, alive=LIMITS.alive, paused=True, paused_by=text),
        attention=(trouble(Trouble.DEAD, text),),
    )
    lines = [
        *header.summary(shown, Looking(filter_text=text), NOW, drawing),
        header.attention_line(shown, drawing),
    ]
    for line in lines:
        assert width(line) == cells
        assert is_printable(plain(line))
        assert pen is UNICODE or plain(line).isascii()


def test_limits_that_are_not_known() -> None:
    """A home that could not be read yet has no limits, and no pause."""
    nothing = Gauge(limit=0, used=0)
    unknown = replace(frame(), limits=LimitsLine(launch=nothing, alive=nothing, known=False))
    line = header.limits_line(unknown, Drawing(width=60))
    assert plain(line).strip() == "the limits are not known"


def test_a_long_cause_is_told_to_its_end() -> None:
    """However long the path in it: it is broken, never cut."""
    cause = f"/{'x' * 200}/jobsched.db was written by a newer jobsched (schema 999)"
    stale = replace(frame(), matched=0, counts={}, health=Health(link=Link.STALE, cause=cause))
    lines = [plain(line) for line in header.empty_list(stale, "")]
    assert "".join(lines).replace(" ", "") == cause.replace(" ", "")
    assert max(map(len, lines)) <= 76
