"""Which jobs the list has: what is asked for anew, and what is brought up to date."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from jobsched.api import Key, Order, Scheduler, Term, Watch
from jobsched.context import Context
from jobsched.states import ScheduleState, TaskStatus
from jobsched_tui.data.filters import parse
from jobsched_tui.data.frame import Attention, JobLine, Trouble
from jobsched_tui.data.listing import TABS, Listing, narrowed, terms_of
from jobsched_tui.data.order import OrderedIds
from tests.store.filling import asks_again, done, end, launching, waiting
from tests.tui.frames import job

#: Everything that was written by ``filling`` is older.
NOW = 5000.0


class Asked:
    """A watch that remembers what it was asked."""

    def __init__(self, watch: Watch) -> None:
        self.watch = watch
        self.whole = 0
        self.some: list[set[int]] = []

    def listing(
        self, terms: Sequence[Term] = (), sort: Sequence[Order] = (), *, now: float | None = None
    ) -> list[tuple[Key, int]]:
        """All that match."""
        self.whole += 1
        return self.watch.listing(terms, sort, now=now)

    def matching(
        self,
        job_ids: Collection[int],
        terms: Sequence[Term] = (),
        sort: Sequence[Order] = (),
        *,
        now: float | None = None,
    ) -> dict[int, Key]:
        """Those of some that match."""
        self.some.append(set(job_ids))
        return self.watch.matching(job_ids, terms, sort, now=now)


@pytest.fixture
def asked(context: Context) -> Iterator[Asked]:
    """A watch over an empty home."""
    watch = Scheduler(context=context).watch()
    yield Asked(watch)
    watch.close()


def ids(ordered: OrderedIds) -> list[int]:
    """All of it."""
    return ordered.window(0, len(ordered))


def test_brought_up_to_date(context: Context, asked: Asked) -> None:
    """Only what has changed is asked for; too much, or another question, is asked for anew."""
    listing = Listing(asked)
    first, second = waiting(context, "b"), waiting(context, "a")
    query = parse("state:waiting sort:name")
    assert ids(listing.bring_up(query, "all", None, NOW)) == [second, first]
    third = waiting(context, "aa")
    end(context, second)
    assert ids(listing.bring_up(query, "all", {second, third, 99}, NOW)) == [third, first]
    assert ids(listing.bring_up(query, "all", set(), NOW)) == [third, first]
    assert (asked.whole, asked.some) == (1, [{second, third, 99}])
    assert ids(listing.bring_up(query, "all", None, NOW)) == [third, first]
    assert ids(listing.bring_up(query, "done", set(), NOW)) == []
    assert ids(listing.bring_up(parse(""), "done", set(), NOW)) == [second]
    assert (asked.whole, len(asked.some)) == (4, 1)


def test_ages(context: Context, asked: Asked) -> None:
    """What depends on the time is asked for anew every fifteen seconds, and if the clock jumps."""
    job_id = waiting(context, now=1000.0)
    listing = Listing(asked)
    query = parse("age>1h")
    shown = [
        ids(listing.bring_up(query, "all", set(), now)) for now in (4590.0, 4601.0, 4606.0, 4580.0)
    ]
    assert (shown, asked.whole) == ([[], [], [job_id], []], 3)
    plain = Listing(asked)
    for now in (0.0, 9000.0):
        plain.bring_up(parse(""), "all", set(), now)
    assert asked.whole == 4


def test_sorted_by_runtime(context: Context, asked: Asked) -> None:
    """A job that changes finds its place by the runtimes as of the list, later by those of then."""
    runs, ended = launching(context), done(context)
    query = parse("sort:-runtime")
    listing = Listing(asked)
    assert ids(listing.bring_up(query, "all", None, 1001.0)) == [runs, ended]
    again = launching(context)
    assert ids(listing.bring_up(query, "all", {again}, 1010.0)) == [again, runs, ended]
    assert ids(listing.bring_up(query, "all", set(), 1016.0)) == [again, runs, ended]
    assert (asked.whole, asked.some) == (2, [{again}])


def test_tabs(context: Context, asked: Asked) -> None:
    """Each tab shows its jobs, whatever the filter asks for besides."""
    waits, runs, resumes = waiting(context), launching(context), asks_again(context)
    well, failed = done(context), done(context, to=TaskStatus.FAILED_SETUP)
    cancelled = done(context, to=TaskStatus.CANCELLED)
    shown = {tab: ids(Listing(asked).bring_up(parse(""), tab, None, NOW)) for tab in TABS}
    assert shown == {
        "all": [cancelled, failed, well, resumes, runs, waits],
        "active": [resumes, runs],
        "waiting": [waits],
        "failed": [failed],
        "done": [cancelled, failed, well],
    }
    assert ids(Listing(asked).bring_up(parse("status:failed"), "done", None, NOW)) == [failed]
    assert terms_of(parse("name:x"), "no such tab") == parse("name:x").terms


# What the database cannot judge.

LISTED = OrderedIds([((-n,), n) for n in range(9, 0, -1)])
DEAD = Attention(trouble=Trouble.DEAD, text="gone", command="requeue")
LINES: dict[int, JobLine] = {
    2: job(2, trouble=DEAD, alive=False, pid=7),
    4: job(4, rss=5 << 30, last_line="Error: full"),
    6: job(6, rss=1 << 20),
    88: job(88, rss=9 << 30),
}
CASES: dict[str, list[int]] = {
    "": [9, 8, 7, 6, 5, 4, 3, 2, 1],
    "is:dead": [2],
    "-is:dead": [9, 8, 7, 6, 5, 4, 3, 1],
    "rss>4g": [4],
    "rss<4g": [6],
    "-rss>4g": [9, 8, 7, 6, 5, 3, 2, 1],
    "pid:7": [2],
    "log:error": [4],
    "is:marked": [9, 2],
    "-is:marked": [8, 7, 6, 5, 4, 3, 1],
    "is:marked is:dead": [2],
    "is:marked -is:dead": [9],
    "limit:3": [9, 8, 7],
    "-rss>4g limit:5": [9, 8, 7, 6, 5],
    "is:marked limit:1": [9],
    "limit:100": [9, 8, 7, 6, 5, 4, 3, 2, 1],
}


def nothing_found(pairs: Collection[tuple[str, str]]) -> Collection[tuple[str, str]]:
    """No filter here has an expression."""
    assert not pairs
    return ()


def test_narrowed_by_an_expression() -> None:
    """What is looked for is put together once, for all rows; what is found decides."""
    asked: list[set[tuple[str, str]]] = []

    def find(pairs: Collection[tuple[str, str]]) -> Collection[tuple[str, str]]:
        asked.append(set(pairs))
        return [pair for pair in pairs if pair == ("fu+ll", "Error: full")]

    assert ids(narrowed(LISTED, parse("log~fu+ll"), LINES, (), find)) == [4]
    assert ids(narrowed(LISTED, parse("-log~fu+ll limit:2"), LINES, (), find)) == [9, 8]
    assert ids(narrowed(LISTED, parse("log~nope"), LINES, (), find)) == []
    assert asked == [{("fu+ll", "Error: full")}, {("fu+ll", "Error: full")},
                     {("nope", "Error: full")}]  # fmt: skip


@pytest.mark.parametrize("text", CASES)
def test_narrowed(text: str) -> None:
    """Conditions on what is looked at hold for that; of all others nothing is known."""
    assert ids(narrowed(LISTED, parse(text), LINES, {2, 9, 77}, nothing_found)) == CASES[text]
    assert len(LISTED) == 9


def test_narrowed_is_cheap() -> None:
    """Of a long list only those are judged of which something is known."""
    many = OrderedIds([((-n,), n) for n in range(100_000, 0, -1)])
    few = narrowed(many, parse("is:dead"), LINES, (), nothing_found)
    assert (ids(few), few.index_of(2)) == ([2], 0)
    rest = narrowed(many, parse("-is:dead"), LINES, (), nothing_found)
    assert (len(rest), 2 in rest, 2 in many) == (99_999, False, True)


KNOWN = st.dictionaries(
    st.integers(1, 9),
    st.builds(
        lambda state, rss: job(0, state=state, rss=rss),
        st.sampled_from(ScheduleState),
        st.none() | st.integers(0, 3),
    ),
)


@given(KNOWN, st.frozensets(st.integers(1, 12)), st.booleans(), st.booleans())
def test_narrowed_means_what_it_says(
    known: dict[int, JobLine], marks: frozenset[int], big: bool, negated: bool
) -> None:
    """However it is done: a job is shown if it is marked (or not), and uses so much."""
    sign = "-" if negated else ""
    text = f"{sign}is:marked" + (" rss>=2" if big else "")
    expected = [
        n
        for n in range(9, 0, -1)
        if (n in marks) is not negated
        and (not big or (n in known and known[n].rss is not None and (known[n].rss or 0) >= 2))
    ]
    lines = {n: job(n, state=line.state, rss=line.rss) for n, line in known.items()}
    assert ids(narrowed(LISTED, parse(text), lines, marks, nothing_found)) == expected
