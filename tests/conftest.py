"""Fixtures for all tests."""

from __future__ import annotations

import signal
from collections.abc import Iterator
from pathlib import Path

import hypothesis
import pytest

from jobsched.context import Context, open_context
from jobsched.home import Home

# What tests share asserts, too; so it does under python -O.
pytest.register_assert_rewrite(
    "tests.support", "tests.world", "tests.cli.running",
    "tests.tui.acting", "tests.tui.live.looking", "tests.unit.recovery.fakes",
)  # fmt: skip

# A shell that starts the tests with `&` has them ignore Ctrl-C, and so would all they start.
signal.signal(signal.SIGINT, signal.default_int_handler)

#: Files whose tests mostly wait, for minutes: begun first, so that nobody waits at the end.
LONGEST = frozenset({"test_corpus_runs", "test_hostile", "test_storm"})


@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """The longest first; all else in the order that was drawn."""
    items.sort(key=lambda item: item.path.stem not in LONGEST)


# How long one example takes says nothing on a busy machine; the time limit of the test still holds.
hypothesis.settings.register_profile("jobsched", deadline=None)
hypothesis.settings.load_profile("jobsched")


@pytest.fixture
def home(tmp_path: Path) -> Home:
    """A home of the test's own, made and empty."""
    home = Home(tmp_path / "home")
    home.create()
    return home


@pytest.fixture
def context(tmp_path: Path) -> Iterator[Context]:
    """A context with an empty database."""
    context = open_context(tmp_path / "home")
    context.ensure_home()
    yield context
    context.db.close()
