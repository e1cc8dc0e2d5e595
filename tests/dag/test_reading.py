from __future__ import annotations

import os
import socket
import stat
from pathlib import Path

import pytest

from jobsched import dag
from jobsched.dag.reading import MAX_BYTES
from jobsched.errors import InvalidDag

from .judging import NOWHERE, errors, judge


def refusal(path: Path) -> str:
    """Why the file at ``path`` is refused, without its name."""
    with pytest.raises(InvalidDag) as caught:
        dag.load(path, cwd=NOWHERE, user_home=NOWHERE, mode="submit")
    (problem,) = caught.value.problems
    assert problem.file == str(path)
    return str(problem).removeprefix(f"{path}:")


def test_reads_a_regular_file_and_names_the_job_after_its_stem(tmp_path: Path) -> None:
    """A job without a name is called what the file is called."""
    path = tmp_path / "train.v2.yaml"
    path.write_text("run: echo\n")
    loaded = dag.load(path, cwd=NOWHERE, user_home=NOWHERE, mode="submit")
    assert loaded.spec.name == "train.v2"
    assert loaded.yaml == "run: echo\n"


def test_a_missing_file_is_refused_by_name(tmp_path: Path) -> None:
    """A file that is not there is a problem of the DAG, in one sentence."""
    assert refusal(tmp_path / "no.yaml") == "1:1: cannot be read: No such file or directory"


def test_a_path_with_a_nul_byte_is_refused() -> None:
    """A name that no file can have raises nothing else."""
    assert "cannot be read" in refusal(Path("a\0b"))


def test_a_fifo_is_refused_without_opening_it(tmp_path: Path) -> None:
    """A pipe without a writer does not hang the command."""
    path = tmp_path / "pipe"
    os.mkfifo(path)
    assert "expected a regular file, found a pipe" in refusal(path)


def test_a_directory_is_refused(tmp_path: Path) -> None:
    """A directory is named as such."""
    assert "expected a regular file, found a directory" in refusal(tmp_path)


def test_a_device_is_refused() -> None:
    """An endless device is not read."""
    assert "expected a regular file, found a device" in refusal(Path("/dev/zero"))


def test_a_socket_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A socket is named as such."""
    monkeypatch.chdir(tmp_path)  # the name of a socket is short
    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind("socket")
        assert "expected a regular file, found a socket" in refusal(tmp_path / "socket")


def test_a_huge_sparse_file_is_refused_by_its_size(tmp_path: Path) -> None:
    """10 GB of holes are refused before a byte is read."""
    path = tmp_path / "huge.yaml"
    with path.open("wb") as file:
        file.truncate(10 * 1024**3)
    assert refusal(path).startswith("1:1: the file is larger than 256 KiB")


def test_the_bound_is_exact(tmp_path: Path) -> None:
    """256 KiB are read, one byte more is not."""
    path = tmp_path / "big.yaml"
    head = b"run: echo #"
    path.write_bytes(head + b"x" * (MAX_BYTES - len(head)))
    dag.load(path, cwd=NOWHERE, user_home=NOWHERE, mode="submit")
    path.write_bytes(head + b"x" * (MAX_BYTES - len(head) + 1))
    assert "larger than 256 KiB" in refusal(path)


def test_a_file_that_claims_to_be_empty_is_read_to_the_bound_only() -> None:
    """Files of /proc have size 0 and content; the content is what counts."""
    path = Path("/proc/self/comm")
    if not path.exists():
        pytest.skip("no /proc here")
    assert stat.S_ISREG(path.stat().st_mode)
    assert path.stat().st_size == 0
    assert refusal(path).startswith("1:1: a document is a mapping of fields, found the text")


def test_bytes_that_are_not_utf8_are_located(tmp_path: Path) -> None:
    """Line and column of the first bad byte are named."""
    path = tmp_path / "latin.yaml"
    path.write_bytes("name: ok\nrun: échec".encode("latin-1"))
    assert refusal(path).startswith("2:6: the byte 0xe9 is not UTF-8")


def test_utf16_is_recognised(tmp_path: Path) -> None:
    """The encoding that an editor chose by mistake is named."""
    path = tmp_path / "wide.yaml"
    path.write_bytes("run: echo\n".encode("utf-16"))
    assert refusal(path).endswith("(it looks like UTF-16: save it as UTF-8)")


def test_a_binary_is_refused_at_its_first_odd_character(tmp_path: Path) -> None:
    """A program given instead of a YAML file is refused, with a place."""
    path = tmp_path / "program"
    path.write_bytes(b"run\n\x00\x01\x02")
    assert refusal(path).startswith("2:1: the character U+0000 is not allowed here")


@pytest.mark.parametrize("character", ["\0", "\x1b", "\x7f", "\x9b", "\ud800", "\uffff"])
def test_characters_that_yaml_forbids_are_located(character: str) -> None:
    """Control characters and lone surrogates are refused where they stand."""
    (error,) = errors(f"name: a\nrun: é{character}\n")
    assert error.startswith(f"2:7: the character U+{ord(character):04X} is not allowed here")


def test_a_text_of_50_mb_is_refused_unread() -> None:
    """Size is judged before anything else."""
    assert errors("run: " + "x" * 50_000_000)[0].startswith("1:1: the file is larger than 256 KiB")


def test_size_counts_bytes_not_characters() -> None:
    """A text is measured as it would be stored."""
    assert "larger than 256 KiB" in errors("run: " + "é" * (MAX_BYTES // 2))[0]


def test_a_byte_order_mark_is_no_part_of_the_first_line() -> None:
    """Columns count from the first visible character, and the mark is kept."""
    assert errors("\ufeffrun: 5\n")[0].startswith("1:6: run: expected text")
    assert judge("\ufeffrun: echo\n").yaml == "\ufeffrun: echo\n"
