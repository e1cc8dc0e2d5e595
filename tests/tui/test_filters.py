"""What is typed to see some of the jobs: what it means, what is refused, what Tab offers."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from jobsched.api import Field, Op, Order, OrderBy, Scheduler, Term
from jobsched.context import Context
from jobsched.states import ScheduleState, TaskStatus
from jobsched.store import moves
from jobsched.store.listing import listing
from jobsched_tui.data.filters import (
    HELP,
    FilterError,
    LocalField,
    LocalTerm,
    Query,
    complete,
    completed,
    matches_local,
    parse,
    patterns_in,
)
from jobsched_tui.data.filters.local import STANDINGS
from jobsched_tui.data.frame import Attention, JobLine, Progress, Trouble
from tests.store.filling import by, done, launching, waiting

S, T = ScheduleState, TaskStatus
FAILED = (
    "FAILED", "FAILED_CONTROLLER", "FAILED_NO_RESOURCE", "FAILED_PRECHECKS", "FAILED_SETUP",
)  # fmt: skip
ALIVE = ("ALIVE", "ALIVE_WAITING", "LAUNCHING")


def text(*values: str, negated: bool = False) -> Term:
    """What a bare word becomes."""
    return Term(Field.TEXT, Op.CONTAINS, values, negated)


@pytest.mark.parametrize(
    ("typed", "terms"),
    [
        ("", []),
        ("  train\t", [text("train")]),
        ("train eval", [text("train"), text("eval")]),
        ("train|eval,x", [text("train", "eval", "x")]),
        ("-train", [text("train", negated=True)]),
        ("!train|eval", [text("train", "eval", negated=True)]),
        ('"two words"', [text("two words")]),
        ('two" "words', [text("two words")]),
        ('"a|b,c"', [text("a|b,c")]),
        ('"-x"', [text("-x")]),
        ('"state:alive"', [text("state:alive")]),
        ('"say ""hi"""', [text('say "hi"')]),
        ("C:100%_\\", None),
        ("100%_\\*", [text("100%_\\*")]),
        ("--x", [text("-x", negated=True)]),
        ("state:alive,waiting", [Term(Field.STATE, Op.IS, ("ALIVE", "WAITING"))]),
        ("STATE:Alive-Waiting", [Term(Field.STATE, Op.IS, ("ALIVE_WAITING",))]),
        ("status:failed", [Term(Field.STATUS, Op.IS, FAILED)]),
        ("status=failed", [Term(Field.STATUS, Op.IS, ("FAILED",))]),
        ("-status:failed|running", [Term(Field.STATUS, Op.IS, (*FAILED, "RUNNING"), negated=True)]),
        ("name:res", [Term(Field.NAME, Op.CONTAINS, ("res",))]),
        ("name=res", [Term(Field.NAME, Op.IS, ("res",))]),
        ("name~^a{1,2}|b c$", [Term(Field.NAME, Op.MATCHES, ("^a{1,2}|b",)), text("c$")]),
        ('name~"^a|b c$"', [Term(Field.NAME, Op.MATCHES, ("^a|b c$",))]),
        ("name::", [Term(Field.NAME, Op.CONTAINS, (":",))]),
        ("dag:train.yaml", [Term(Field.SOURCE, Op.CONTAINS, ("train.yaml",))]),
        ("source:a file:b", [Term(Field.SOURCE, Op.CONTAINS, (one,)) for one in "ab"]),
        ("id:7,8", [Term(Field.ID, Op.IS, (7, 8))]),
        ("id>=7", [Term(Field.ID, Op.AT_LEAST, (7,))]),
        ("age>1h", [Term(Field.AGE, Op.MORE, (3600.0,))]),
        ("age<=1.5D", [Term(Field.AGE, Op.AT_MOST, (129_600.0,))]),
        ("runtime<90", [Term(Field.RUNTIME, Op.LESS, (90.0,))]),
        ("prio>-5", [Term(Field.PRIORITY, Op.MORE, (-5.0,))]),
        ("priority:0,10", [Term(Field.PRIORITY, Op.IS, (0.0, 10.0))]),
        ("attempt>1", [Term(Field.ATTEMPT, Op.MORE, (1,))]),
        ("recoveries>0 restarts:2",
         [Term(Field.RECOVERIES, Op.MORE, (0,)), Term(Field.RESTARTS, Op.IS, (2,))]),
        ('reason:"out of memory"', [Term(Field.REASON, Op.CONTAINS, ("out of memory",))]),
        ("has:error", [Term(Field.ERROR, Op.IS)]),
        ("-has:error", [Term(Field.ERROR, Op.IS, negated=True)]),
        ("has:recovery", [Term(Field.RECOVERIES, Op.MORE, (0,))]),
        ("is:held", [Term(Field.HELD, Op.IS)]),
        ("is:alive", [Term(Field.STATE, Op.IS, ALIVE)]),
        ("is:cancelling",
         [Term(Field.CANCEL, Op.IS), Term(Field.STATE, Op.IS, ("DONE",), negated=True)]),
    ],
)  # fmt: skip
def test_what_the_database_answers(typed: str, terms: Sequence[Term] | None) -> None:
    """Each field, comparison and way to quote becomes the term that it reads like."""
    if terms is None:
        with pytest.raises(FilterError, match="there is no field c"):
            parse(typed)
        return
    query = parse(typed)
    assert list(query.terms) == terms
    assert query.local == ()


@pytest.mark.parametrize(
    ("typed", "local"),
    [
        ("rss>4g", [LocalTerm(LocalField.RSS, Op.MORE, (4.0 * 2**30,))]),
        ("-rss<=1.5KiB", [LocalTerm(LocalField.RSS, Op.AT_MOST, (1536.0,), negated=True)]),
        ("cpu>50%", [LocalTerm(LocalField.CPU, Op.MORE, (50.0,))]),
        ("pid:123|4", [LocalTerm(LocalField.PID, Op.IS, (123, 4))]),
        ("log:oom why~LIMIT$", [LocalTerm(LocalField.LOG, Op.CONTAINS, ("oom",)),
                                LocalTerm(LocalField.WHY, Op.MATCHES, ("LIMIT$",))]),
        ("is:dead|stuck", [LocalTerm(LocalField.IS, Op.IS, ("dead", "stuck"))]),
        ("!is:marked", [LocalTerm(LocalField.IS, Op.IS, ("marked",), negated=True)]),
        # What the database knows too, but not in one term.
        ("is:held,dead", [LocalTerm(LocalField.IS, Op.IS, ("held", "dead"))]),
        ("-is:cancelling", [LocalTerm(LocalField.IS, Op.IS, ("cancelling",), negated=True)]),
    ],
)  # fmt: skip
def test_what_only_a_look_answers(typed: str, local: Sequence[LocalTerm]) -> None:
    """Processes, logs, marks, and alternatives that the database cannot put into one term."""
    query = parse(typed)
    assert list(query.local) == local
    assert query.terms == ()


def test_order_and_limit() -> None:
    """Both say how the list is made, and stand anywhere."""
    query = parse("sort:-age,NAME,priority x limit:100")
    assert query == Query(
        terms=(text("x"),),
        sort=(Order(OrderBy.AGE, descending=True), Order(OrderBy.NAME), Order(OrderBy.PRIORITY)),
        limit=100,
        text="sort:-age,name,prio x limit:100",
    )
    assert parse("") == Query()


@pytest.mark.parametrize(
    ("typed", "one_spelling"),
    [
        ("  A   b ", "A b"),
        ("STATE:Alive|WAITING", "state:alive,waiting"),
        ("!priority>5", "-prio>5"),
        ('"plain"', "plain"),
        ('"-x" a" "b', '"-x" "a b"'),
        ('-"-x"', '-"-x"'),
        ('"state:alive"', '"state:alive"'),
        ("name~a|b", "name~a|b"),
        ('name:"a|b"', 'name:"a|b"'),
        ("Sort:-AGE", "sort:-age"),
        ("prio:-5", "prio:-5"),
    ],
)
def test_one_spelling(typed: str, one_spelling: str) -> None:
    """Filters that mean the same are remembered once, and still mean the same."""
    assert parse(typed).text == one_spelling
    assert parse(one_spelling) == parse(typed)


@pytest.mark.parametrize(
    ("typed", "wrong", "message", "suggestion"),
    [
        ("x sttae:alive", "sttae", "there is no field sttae", "did you mean state?"),
        ("http://x", "http", "there is no field http", "stands in quotes"),
        ("-user:bob", "user", "all jobs of a home are one user's", ""),
        ("is:mine", "mine", "all jobs of a home are one user's", ""),
        ("state:alive,wating", "wating", "none of inactive, waiting, launching, alive", "waiting?"),
        ("status:faild", "faild", "'faild' is none of pending", "did you mean failed?"),
        ("is:ded", "ded", "is none of alive", "did you mean dead?"),
        ("has:luck", "luck", "is none of error, recovery, restart, progress", ""),
        ("age>1x", "1x", "'1x' is no span of time", "90s, 5m, 12h"),
        ("age>", "", "a value behind age> is missing here", ""),
        ("age:1h", "age:1h", "age is not compared by :", "it takes age> age< age>= age<="),
        ("state>alive", "state>alive", "state is not compared by >", "state: state="),
        ("age>1h,2h", "2h", "age> compares with one value", ""),
        ("rss>4q", "4q", "'4q' is no size", "4g"),
        ("cpu>much", "much", "no number of percent", ""),
        ("prio>high", "high", "'high' is no number", ""),
        ("pid:1.5", "1.5", "'1.5' is no whole number", ""),
        ("id:" + "9" * 400, "9" * 400, "is no whole number", ""),
        ("x name~a(b", "(", "no regular expression: missing ), unterminated", ""),
        ('name~"a b["', "[", "no regular expression: unterminated character set", ""),
        ("name~a{99999999999}", "a{99999999999}", "more than a regular expression can be", ""),
        ('x "y z', '"y z', "a quote is opened here and never closed", ""),
        ("state:alive,", "", "a value behind state: is missing here", ""),
        ("a||b", "", "a word is missing here", ""),
        ("x -", "", "a word is missing here", ""),
        ('""', '""', "a word is missing here", ""),
        ("sort:-siez", "-siez", "is none of id, name", ""),
        ("sort:cpu", "cpu", "cpu is known of the rows on the screen alone", ""),
        ("sort:age x sort:name", "sort:name", "this is the second", ""),
        ("limit:5 limit:5", "limit:5", "this is the second", ""),
        ("limit:0", "0", "from 1 to 1000000", ""),
        ("limit:9999999", "9999999", "from 1 to 1000000", ""),
        ("-limit:5", "-limit:5", "write it as limit:", ""),
        ("sort>age", "sort>age", "write it as sort:", ""),
        ("a\ud800b", "\ud800", "half a character", ""),
        ("x" * 1001, "x", "at most 1000 characters", ""),
    ],
)
def test_what_is_refused(typed: str, wrong: str, message: str, suggestion: str) -> None:
    """An error names the place, says what is wrong, and what may have been meant."""
    with pytest.raises(FilterError) as refused:
        parse(typed)
    error = refused.value
    assert error.text == typed
    assert typed[error.start : error.end] == wrong
    assert message in error.message
    assert suggestion in error.suggestion
    assert str(error) == "; ".join(part for part in (error.message, error.suggestion) if part)


PIECES = st.sampled_from(
    ["state:", "status=", "name~", "age>", "rss<=", "is:", "sort:", "limit:", "-", "!", '"', "|",
     ",", " ", "alive", "failed", "dead", "held", "1h", "5", "(", "[", "[[a", "\\", "a", "\u00e9"]
)  # fmt: skip
TYPED = st.one_of(st.text(max_size=40), st.lists(PIECES, max_size=12).map("".join))


@given(TYPED)
@example("name~[[a]")
@example("name~" + "(" * 900)
@example("\x00:\x00")
def test_whatever_is_typed(typed: str) -> None:
    """A filter is understood, and its one spelling means the same; or the error is in it."""
    try:
        query = parse(typed)
    except FilterError as error:
        assert 0 <= error.start <= error.end <= len(typed)  # noqa: PT017 -- the other half is below
        return
    assert parse(query.text) == query


@pytest.mark.parametrize(("typed", "meaning"), HELP)
def test_help(typed: str, meaning: str, context: Context) -> None:
    """Every example of the help is understood, and answered by a database."""
    query = parse(typed)
    assert meaning
    assert query.terms or query.local or query.sort or query.limit
    with context.db.read() as tx:
        assert listing(tx, query.terms, query.sort, now=0.0) == []


def line_of(found: dict[str, Any]) -> JobLine:
    """The row of a job, as far as words need it."""
    same = ("job_id", "name", "held", "cancel_requested", "failure_reason", "recovery_count",
            "restart_count")  # fmt: skip
    return JobLine(
        state=S(found["schedule_state"]),
        status=T(found["status"]),
        **{key: found[key] for key in same},
    )


def test_words_mean_the_same_to_the_database_and_of_a_row(context: Context) -> None:
    """Where both can tell, they agree about every job; and about some of them it is true."""
    door = Scheduler(context=context)
    waiting(context), launching(context), done(context), done(context, to=T.FAILED_SETUP)
    held, asked, ended = waiting(context), launching(context), launching(context)
    with context.db.write() as tx:
        moves.set_job(tx, held, hold=1, failure_reason="once")
        moves.set_job(tx, asked, cancel_at=5.0)
        moves.set_job(tx, ended, cancel_at=5.0)
    with context.locked() as lock, context.db.write() as tx:
        moves.done(tx, lock, moves.owned(tx, ended, by()), by(), to=T.CANCELLED)
    with context.db.write() as tx:
        moves.set_task(tx, asked, 0, recovery_count=1, restart_count=2)
    lines = [line_of(found) for found in door.queue(all=True)]
    for field, words in STANDINGS.items():
        for word, standing in words.items():
            if standing.terms:
                with context.db.read() as tx:
                    found = {job_id for _, job_id in listing(tx, standing.terms, (), now=0.0)}
                term = LocalTerm(field, Op.IS, (word,))
                assert found == {line.job_id for line in lines if matches_local(line, [term], ())}
                assert 0 < len(found) < len(lines), word


ROW = JobLine(
    job_id=7,
    name="train",
    state=S.ALIVE,
    status=T.RUNNING,
    pid=123,
    cpu=60.0,
    rss=5 * 2**30,
    reason="RUNNING",
    why="job 7 runs task train",
    last_line="CUDA out of memory",
    progress=Progress(done=1, total=2, text="1/2"),
    trouble=Attention(trouble=Trouble.REUSED, text="", command=""),
)


@pytest.mark.parametrize(
    ("typed", "holds"),
    [
        ("rss>4g", True), ("rss>5g", False), ("rss>=5g", True), ("rss<6g", True),
        ("rss<=4g", False), ("cpu>50", True), ("cpu>60", False), ("-cpu>60", True),
        ("pid:1,123", True), ("pid=12", False), ("log:CUDA", True), ("log:cuda", True),
        ("log~cuda", False), ("log~(?i)^cuda", True), ("log=CUDA", False), ("why:running", True),
        ("why:TRAIN", True), ("is:dead", True), ("is:stuck", False), ("is:stuck|dead", True),
        ("-is:dead", False), ("is:attention", True), ("is:marked", True), ("has:progress", True),
        ("is:dead is:stuck", False), ("is:dead -is:stuck", True), ("is:held|marked", True),
    ],
)  # fmt: skip
def test_a_look_at_a_row(typed: str, holds: bool) -> None:
    """All terms must be met; one of the values of each is enough."""
    terms = parse(typed).local
    found = {pair for pair in patterns_in(ROW, terms) if re.search(*pair)}
    assert matches_local(ROW, terms, {7}, found) is holds


@pytest.mark.parametrize("typed", ["rss<1g", "cpu<1", "pid:0", "log:x", "is:dead", "has:progress"])
def test_what_is_not_known_meets_nothing(typed: str) -> None:
    """Neither small nor large is the memory of a job without processes; so it is not that."""
    row = JobLine(job_id=1, name="x", state=S.WAITING, status=T.PENDING)
    assert not matches_local(row, parse(typed).local, ())
    assert matches_local(row, parse(f"-{typed}").local, ())


@pytest.mark.parametrize(
    ("typed", "offered"),
    [
        ("sta", ["state:", "status:"]),
        ("x -re", ["-recoveries:", "-restarts:", "-reason:"]),
        ("so", ["sort:"]),
        ("-so", []),
        ("AG", ["age>"]),
        ("state:al", ["state:alive", "state:alive_waiting"]),
        ("state:alive,w", ["state:alive,waiting"]),
        ("state:alive|al", ["state:alive|alive_waiting"]),
        ("!is:st", ["!is:stuck", "!is:stopped"]),
        ("state>a", []),
        ("sort:-pr", ["sort:-prio"]),
        ("sort:age,en", ["sort:age,ended"]),
        ("name:tr", []),
        ("nosuch:x", []),
        ('"sta', []),
        ('"sta"', []),
    ],
)
def test_completion(typed: str, offered: Sequence[str]) -> None:
    """Fields with their usual comparison, then the words that a field knows."""
    assert complete(typed, len(typed)) == offered


def test_completion_of_nothing_is_everything() -> None:
    """At an empty place all fields are offered, the usual ones first."""
    offered = complete("x  y", 2)
    assert offered[:3] == ["state:", "status:", "name:"]
    assert {"age>", "is:", "sort:", "limit:"} <= set(offered)


def test_taking_a_candidate() -> None:
    """It takes the place of what is before the cursor; what is behind stays."""
    assert completed("x sta y", 5, "state:") == ("x state: y", 8)
    assert completed("", 0, "is:") == ("is:", 3)


@given(TYPED, st.integers(-3, 50))
def test_candidates_begin_with_what_is_typed(typed: str, cursor: int) -> None:
    """Whatever is typed, Tab only ever adds to it."""
    before = typed[: max(0, cursor)]
    for candidate in complete(typed, cursor):
        new, place = completed(typed, cursor, candidate)
        assert new[:place].lower().startswith(before.lower())
        assert new[place:] == typed[len(before) :]
