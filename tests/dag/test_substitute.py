from __future__ import annotations

import pytest

from jobsched.dag.substitute import references, substitute

VALUES = {"A": "1", "B_2": "two", "EMPTY": "", "REF": "$A"}


@pytest.mark.parametrize(
    ("text", "result"),
    [
        ("$A/x", "1/x"),
        ("${A}x", "1x"),
        ("$AB", "$AB"),
        ("$B_2", "two"),
        ("$NOPE/${NOPE}", "$NOPE/${NOPE}"),
        ("${A:-x}", "1"),
        ("${NOPE:-x}", "x"),
        ("${NOPE:-}", ""),
        ("${EMPTY:-x}", "x"),
        ("${EMPTY}", ""),
        ("${NOPE:-$A}", "1"),
        ("${NOPE:-${A}/y}", "1/y"),
        ("${NOPE:-${NOPE2:-z}}", "z"),
        ("${NOPE:-s3://b/c}", "s3://b/c"),
        ("${A-x}", "${A-x}"),
        ("${A:?x}", "${A:?x}"),
        ("${}", "${}"),
        ("$", "$"),
        ("$$A", "$1"),
        ("$REF", "$A"),
        ("a$1", "a$1"),
        ("${A", "${A"),
    ],
)
def test_substitution(text: str, result: str) -> None:
    """Known names are replaced, once; all else stays as it is."""
    assert substitute(text, VALUES) == result


def test_all_references_are_found() -> None:
    """Also those in what stands in for a missing value."""
    assert references("$A/${B}/${C:-${D}$E}/$1/${F-g}") == {"A", "B", "C", "D", "E"}


@pytest.mark.parametrize(
    "text", ["${A:-" * 20_000, "${A:-$" * 20_000 + "}" * 20_000, "${" * 50_000]
)
def test_long_texts_take_no_long_time(text: str) -> None:
    """Unclosed references do not make the search explode."""
    assert len(substitute(text, {})) <= len(text)
