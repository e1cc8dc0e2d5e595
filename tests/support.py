"""Helpers that tests share."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Mapping
from typing import TypeVar

T = TypeVar("T")

INTERVAL = 0.01


def wait_until(condition: Callable[[], T], timeout: float, what: str) -> T:
    """Poll until ``condition()`` is true, and return what it returned.

    Fails the test, naming ``what`` was waited for, once ``timeout`` seconds have passed.
    """
    deadline = time.monotonic() + timeout
    while True:
        found = condition()
        if found:
            return found
        if time.monotonic() > deadline:
            message = f"waited {timeout:g} s in vain for {what}; the last look gave {found!r}"
            raise AssertionError(message)
        time.sleep(INTERVAL)


def measured(variables: Mapping[str, str]) -> dict[str, str]:
    """An environment for a child: ``variables``, and what lets coverage follow it if it is on."""
    coverage = {name: value for name, value in os.environ.items() if name.startswith("COVERAGE_")}
    return {**coverage, **variables}
