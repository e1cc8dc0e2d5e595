"""An expression that backtracks for ever: it is given up, and nothing else waits for it."""

from __future__ import annotations

import os
import signal
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Final

import psutil
import pytest
from textual.pilot import Pilot

from jobsched.api import Field, Op, Order, OrderBy, Scheduler, Term
from jobsched_tui.data.elsewhere.asking import Helper, TooLong, Unanswered
from jobsched_tui.data.elsewhere.safety import is_quick
from jobsched_tui.data.filters import parse
from jobsched_tui.data.judging import Judge
from jobsched_tui.data.live import Live
from jobsched_tui.data.logs.file import LogFile
from jobsched_tui.data.logs.patterns import compile_pattern
from jobsched_tui.data.logs.session import Session
from jobsched_tui.data.logs.values import Request, Update
from jobsched_tui.data.source import View
from jobsched_tui.widgets.log_view import LogView
from tests.support import wait_until
from tests.tui import log_stage
from tests.tui.stand import home_with

TOO_LONG: Final = "pattern took too long: simplify it"
EVIL: Final = "(a+)+$"
#: What it never ends with.
VICTIM: Final = "a" * 64 + "!"


@pytest.fixture(name="helper")
def _helper() -> Iterator[Helper]:
    helper = Helper(seconds=0.2)
    yield helper
    helper.stop()


@pytest.mark.parametrize(
    ("expression", "is_sure"),
    [
        ("train", True), ("^train$", True), ("[Ee]rror.", True), ("a\\.b", True), ("", True),
        ("a+", False), ("a*", False), ("a?b", False), ("a{9}", False), ("a|b", False),
        ("(a)", False), (EVIL, False),
    ],
)  # fmt: skip
def test_what_is_sure_to_be_quick(expression: str, is_sure: bool) -> None:
    """No repetition, no choice, no group; a plain text is, whatever signs are in it."""
    assert is_quick(expression) is is_sure
    assert compile_pattern(expression, literal=True).is_quick


def test_a_helper_answers_until_it_is_stopped(helper: Helper) -> None:
    """With the same process; what the function raises is told."""
    first = helper.ask(os.getpid)
    assert first not in (os.getpid(), -1)
    assert helper.ask(os.getpid) == first
    helper.rest()
    assert not psutil.pid_exists(first)
    first = helper.ask(os.getpid)
    with pytest.raises(Unanswered, match="No such file"):
        helper.ask(os.stat, "/nonexistent")
    helper.stop()
    wait_until(lambda: not psutil.pid_exists(first), 10.0, "the end of the process")
    with pytest.raises(Unanswered):
        helper.ask(os.getpid)


def test_a_helper_dies_of_what_takes_too_long_and_comes_back(helper: Helper) -> None:
    """It is the CPU's time that counts, and the next question is answered again."""
    first = helper.ask(os.getpid)
    with pytest.raises(TooLong, match=TOO_LONG):
        helper.ask(compile_pattern(EVIL).text_regex.search, VICTIM)
    helper.ask(time.sleep, 0.4)
    assert helper.ask(os.getpid) != first


def test_a_helper_ends_with_whoever_asks(tmp_path: Path) -> None:
    """Also if that was killed: there is nobody left to answer to."""
    said = tmp_path / "pid"
    child = os.fork()
    if child == 0:
        said.write_text(str(Helper(seconds=5.0).ask(os.getpid)))
        os.kill(os.getpid(), signal.SIGKILL)
    os.waitpid(child, 0)
    pid = int(said.read_text())
    wait_until(lambda: not psutil.pid_exists(pid), 10.0, "the end of the helper")


# Logs.


@pytest.fixture(name="log")
def _log(tmp_path: Path) -> Path:
    path = tmp_path / "task.log"
    path.write_text(f"begin\n{VICTIM}\nend aaa\n")
    return path


def finished(session: Session, request: Request) -> Update:
    """The answer when no work is left."""
    update = session.step(request)
    while update.more:
        update = session.step(request)
    return update


def test_a_search_is_given_up(log: Path) -> None:
    """It says why; the lines are shown all the same, and another search works."""
    session = Session(LogFile(log))
    try:
        given_up = finished(session, Request(None, 10, search=compile_pattern(EVIL)))
        assert given_up.search is not None
        assert given_up.search.failure == TOO_LONG
        assert [row.line.text for row in given_up.rows.values()] == ["begin", VICTIM, "end aaa"]
        found = finished(session, Request(None, 10, search=compile_pattern("a+$")))
        assert found.search is not None
        assert (found.search.count, found.search.failure) == (1, "")
        assert [row.marks for row in found.rows.values()] == [(), (), ((4, 7),)]
    finally:
        session.close()


def test_a_filter_of_lines_is_given_up(log: Path) -> None:
    """Then none are kept."""
    session = Session(LogFile(log))
    try:
        given_up = finished(session, Request(None, 10, keep=compile_pattern(EVIL)))
        assert given_up.keep is not None
        assert (given_up.keep.failure, given_up.total) == (TOO_LONG, 0)
    finally:
        session.close()


def test_whoever_leaves_a_log_waits_for_no_search(log: Path) -> None:
    """Closing takes no time, ends the step that is being made, and its process."""
    session = Session(LogFile(log))
    finished(session, Request(None, 10))
    request = Request(None, 10, search=compile_pattern(EVIL))
    process = psutil.Process()
    others = set(process.children())
    thread = threading.Thread(target=finished, args=(session, request))
    thread.start()
    try:
        children = wait_until(
            lambda: set(process.children()) - others, 10.0, "the process that searches"
        )
        began = time.monotonic()
        session.close()
        assert time.monotonic() - began < 0.5
    finally:
        thread.join(10.0)
    assert not thread.is_alive()
    assert not any(child.is_running() for child in children)


@pytest.mark.parametrize("look", [LogView.search, LogView.keep])
def test_the_screen_goes_on_while_a_search_does_not_end(
    log: Path, look: Callable[[LogView, str], None]
) -> None:
    """The loop is never held up; then the status says what to do, and all lines are there."""

    async def scene(stage: log_stage.Screen, pilot: Pilot[None]) -> None:
        await log_stage.until(pilot, lambda: "end aaa" in log_stage.shown(stage), "the log")
        look(stage.view, EVIL)
        longest, last = 0.0, time.monotonic()
        end = last + 3 * log_stage.DEADLINE
        while TOO_LONG not in log_stage.status(stage):
            assert last < end
            await pilot.pause(0.005)
            longest, last = max(longest, time.monotonic() - last), time.monotonic()
        assert longest < 0.9  # of a search that takes a second at least
        await log_stage.until(pilot, lambda: "end aaa" in log_stage.shown(stage), "all lines")
        assert stage.view.match_count is None

    log_stage.play(log, scene, size=(120, 19))


# Jobs.


@pytest.fixture(name="door")
def _door(tmp_path: Path) -> Scheduler:
    return home_with(tmp_path / "home", "train-1", VICTIM, "eval-2")


def test_the_judge_finds_what_the_database_finds(door: Scheduler) -> None:
    """Elsewhere or here: the same jobs in the same order, now, in part, and in the past."""
    watch = door.watch()
    judge = Judge(watch, door.home)
    sort = (Order(OrderBy.NAME),)
    past = watch.past(watch.latest())
    try:
        for expression in ("^train", "-[0-9]+$", "(a|b)+", "nope+"):
            terms = (Term(Field.NAME, Op.MATCHES, (expression,)),)
            asked = judge.listing(terms, sort), judge.matching([1, 3], terms)
            assert asked == (watch.listing(terms, sort), watch.matching([1, 3], terms))
            assert judge.past(past, terms, sort) == past.listing(terms, sort)
    finally:
        judge.close()
        past.close()
        watch.close()


def test_pairs_are_judged_together() -> None:
    """Quick expressions and others."""
    judge = Judge(Scheduler(Path("/nonexistent")).watch(), Path("/nonexistent"))
    try:
        pairs = {("^a", "ab"), ("^a", "ba"), ("b+", "abb"), ("b+", "a")}
        assert judge.found(pairs) == {("^a", "ab"), ("b+", "abb")}
    finally:
        judge.close()


def test_a_filter_of_jobs_is_given_up(door: Scheduler) -> None:
    """The list stays as it was and says why; it is not tried again until another is asked for."""
    live = Live(door, door.context.clock)
    try:
        usual = View(query=parse("sort:id"), height=10)
        assert live.frame(usual).complaint is None
        evil = View(query=parse("name~(a+)+b"), height=10)
        frame = live.frame(evil)
        assert (frame.complaint, [line.job_id for line in frame.lines]) == (TOO_LONG, [1, 2, 3])
        began = time.monotonic()
        assert live.frame(evil).complaint == TOO_LONG
        assert time.monotonic() - began < 0.5
        better = live.frame(View(query=parse("name~a{64}!"), height=10))
        assert (better.complaint, [line.job_id for line in better.lines]) == (None, [2])
        then = View(query=parse("name~(a+)+b"), height=10, past=frame.seq)
        assert live.frame(then).complaint == TOO_LONG
        assert live.frame(usual).complaint is None
    finally:
        live.close()
