"""What the console remembers between two runs, and what it makes of a file that is broken."""

from __future__ import annotations

import json
import os
import tempfile
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from jobsched_tui.data.session import (
    FILE_NAME,
    MOST_BYTES,
    MOST_ENTRIES,
    MOST_TEXT,
    Session,
    load,
    save,
)

USED = Session(
    tab="failed",
    filter="state:alive -eval",
    filter_history=("a", "b"),
    sort="-age,name",
    columns=("id", "name"),
    theme="nord",
    split="half",
    wrap=True,
    numbers=True,
    timestamps=False,
    mouse=False,
    saved_views={"mine": "name~^mine", "\u00fc\U0001f600": "x"},
    seen_seq=4711,
)

TEXT = st.text(max_size=20) | st.just("\ud800")
TEXTS = st.lists(TEXT, max_size=5).map(tuple)
SESSIONS = st.builds(
    Session,
    tab=TEXT,
    filter=TEXT,
    filter_history=TEXTS,
    sort=TEXT,
    columns=TEXTS,
    theme=TEXT,
    split=TEXT,
    wrap=st.booleans(),
    numbers=st.booleans(),
    timestamps=st.booleans(),
    mouse=st.booleans(),
    saved_views=st.dictionaries(TEXT, TEXT, max_size=5),
    seen_seq=st.integers(0, 2**63 - 1),
)
JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner),
    max_leaves=5,
)


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """Where it lies."""
    return tmp_path / FILE_NAME


@settings(max_examples=50)  # each waits for the disk
@given(SESSIONS)
def test_round_trip(session: Session) -> None:
    """What was remembered is what is known the next time, whatever is in it."""
    with tempfile.TemporaryDirectory() as home:
        assert save(Path(home) / FILE_NAME, session) is None
        assert load(Path(home) / FILE_NAME) == (session, None)
        assert os.listdir(home) == [FILE_NAME]  # noqa: PTH208 -- names alone


def test_the_first_time(path: Path) -> None:
    """Where there is no file, nothing is remembered, nothing said and nothing made."""
    assert load(path) == (Session(), None)
    assert list(path.parent.iterdir()) == []


def test_for_its_owner_alone(path: Path) -> None:
    """The mode is 0600, whatever the umask or a file that was there before."""
    path.write_text("{}")
    path.chmod(0o666)
    before = os.umask(0)
    try:
        save(path, USED)
    finally:
        os.umask(before)
    assert path.stat().st_mode & 0o777 == 0o600
    assert load(path) == (USED, None)


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"{",
        b"[]",
        b"null",
        b'"x"',
        b"\xff\xfe\x00",
        b"\x00" * 100,
        b'{"tab": "x"' + b" " * MOST_BYTES + b"}",
        b"[" * 100_000,
        b'{"seen_seq": ' + b"9" * 5_000 + b"}",
    ],
)
def test_no_memory_at_all(path: Path, content: bytes) -> None:
    """Garbage, or far too much, is as if nothing had been remembered; a note says so."""
    path.write_bytes(content)
    session, note = load(path)
    assert session == Session()
    assert note == f"{path} was not read: it is not a console's memory"


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("tab", 5),
        ("filter", None),
        ("filter", "x" * (MOST_TEXT + 1)),
        ("filter_history", "abc"),
        ("filter_history", ["a", 1]),
        ("filter_history", ["a"] * (MOST_ENTRIES + 1)),
        ("columns", [["id"]]),
        ("wrap", 1),
        ("mouse", "yes"),
        ("saved_views", ["a"]),
        ("saved_views", {"a": 1}),
        ("saved_views", {str(number): "" for number in range(MOST_ENTRIES + 1)}),
        ("seen_seq", -1),
        ("seen_seq", 1.5),
        ("seen_seq", True),
        ("seen_seq", 2**63),
        ("from_the_future", 1),
    ],
)
def test_what_is_broken_is_left_out(path: Path, name: str, value: Any) -> None:
    """The rest is kept, and a note names what was not."""
    save(path, USED)
    content = json.loads(path.read_text()) | {name: value}
    path.write_text(json.dumps(content))
    session, note = load(path)
    fresh = getattr(Session(), name, None)
    assert session == (replace(USED, **{name: fresh}) if name in content and fresh is not None
                       else USED)  # fmt: skip
    assert note == f"{path}: left out what it says of {name}"


def test_a_note_is_short(path: Path) -> None:
    """Of very many unknown things it names a few."""
    path.write_text(json.dumps({f"{number}{'x' * 100}": 1 for number in range(1_000)}))
    session, note = load(path)
    assert session == Session()
    assert note is not None
    assert note.endswith("and 995 more")
    assert len(note) < len(str(path)) + 300


@settings(max_examples=50)  # each waits for the disk
@given(st.dictionaries(st.sampled_from([*USED.__slots__]) | st.text(max_size=3), JSON))
def test_any_json_is_survived(content: dict[str, Any]) -> None:
    """Whatever it says, what is read of it can be remembered again."""
    with tempfile.TemporaryDirectory() as home:
        path = Path(home) / FILE_NAME
        path.write_text(json.dumps(content))
        session, _ = load(path)
        assert save(path, session) is None
        assert load(path) == (session, None)


def test_too_much_is_cut(path: Path) -> None:
    """The newest entries stay, and no text that is too long."""
    history = tuple(str(number) for number in range(MOST_ENTRIES + 3))
    long = "x" * (MOST_TEXT + 1)
    views = {**dict.fromkeys(history, "f"), long: "f", "v": long}
    save(path, Session(filter=long, filter_history=(*history, long), saved_views=views))
    session, note = load(path)
    assert note is None
    assert session == Session(
        filter_history=history[3:], saved_views=dict.fromkeys(history[3:], "f")
    )


def test_the_fullest_session_fits(path: Path) -> None:
    """All bounds reached with the widest characters: it is still read."""
    texts = tuple(chr(0x1F600 + number) * MOST_TEXT for number in range(MOST_ENTRIES))
    full = replace(
        USED, filter_history=texts, columns=texts, saved_views={t: t for t in texts[:20]}
    )
    assert save(path, full) is None
    assert load(path) == (full, None)


def test_never_through_a_link(path: Path, tmp_path: Path) -> None:
    """A link is not followed: not to read, and what it leads to is not written."""
    elsewhere = tmp_path / "elsewhere"
    save(elsewhere, USED)
    path.symlink_to(elsewhere)
    session, note = load(path)
    assert session == Session()
    assert note is not None
    assert note.startswith(f"{path} was not read: ")
    assert save(path, Session()) is None
    assert not path.is_symlink()
    assert load(elsewhere) == (USED, None)


def test_what_is_no_file(path: Path, tmp_path: Path) -> None:
    """A directory or a pipe of that name is said to be none, and nobody waits for it."""
    path.mkdir()
    assert load(path)[1] == f"{path} was not read: it is not a console's memory"
    assert save(path, USED) == f"{path} was not written: Is a directory"
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    assert load(pipe)[1] == f"{pipe} was not read: it is not a console's memory"
    assert sorted(one.name for one in tmp_path.iterdir()) == [FILE_NAME, "pipe"]


def test_what_cannot_be_written(tmp_path: Path) -> None:
    """Without a home nothing is made; the console goes on, and is told why."""
    nowhere = tmp_path / "nowhere" / FILE_NAME
    assert save(nowhere, USED) == f"{nowhere} was not written: No such file or directory"
    in_a_file = tmp_path / "file"
    in_a_file.touch()
    assert save(in_a_file / FILE_NAME, USED) == (
        f"{in_a_file / FILE_NAME} was not written: Not a directory"
    )
    assert list(tmp_path.iterdir()) == [in_a_file]


@pytest.mark.skipif(os.geteuid() == 0, reason="root may do everything")
def test_what_may_not_be_read_or_written(path: Path) -> None:
    """Neither is fatal."""
    save(path, USED)
    path.chmod(0)
    path.parent.chmod(0o500)
    try:
        assert load(path) == (Session(), f"{path} was not read: Permission denied")
        assert save(path, USED) == f"{path} was not written: Permission denied"
    finally:
        path.parent.chmod(0o700)


def test_a_full_disk_keeps_what_was_there(path: Path) -> None:
    """If the new content cannot be written whole, the old one stays, and nothing beside it."""
    resource = pytest.importorskip("resource")
    signal = pytest.importorskip("signal")
    save(path, USED)
    limits = resource.getrlimit(resource.RLIMIT_FSIZE)
    handler = signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    resource.setrlimit(resource.RLIMIT_FSIZE, (100, limits[1]))
    try:
        note = save(path, Session())
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, limits)
        signal.signal(signal.SIGXFSZ, handler)
    assert note == f"{path} was not written: File too large"
    assert load(path) == (USED, None)
    assert list(path.parent.iterdir()) == [path]
