"""A program beside the bench that submits, from this side.

Owns the process and the talk with it: a line of JSON to it, a line of JSON back. It is a program of
its own so that nothing which the bench has loaded weighs on what is measured.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any, Final

_ROOT: Final = Path(__file__).resolve().parents[2]


class Child:
    """The program, ready to be asked."""

    def __init__(self, home: Path) -> None:
        self._program = subprocess.Popen(
            [sys.executable, "-m", "tests.bench.driver", str(home)],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, cwd=_ROOT, bufsize=1,
            env=environment(),
        )  # fmt: skip
        self.hear()

    def ask(self, what: str, **values: Any) -> Any:
        """Have it do something; what it says then."""
        self.tell(what, **values)
        return self.hear()

    def tell(self, what: str, **values: Any) -> None:
        """Have it begin something."""
        assert self._program.stdin is not None
        given = {name: str(one) if isinstance(one, Path) else one for name, one in values.items()}
        self._program.stdin.write(json.dumps([what, given]) + "\n")
        self._program.stdin.flush()

    def hear(self) -> Any:
        """What it says of what it was told to do. Raises ``RuntimeError`` if it has ended."""
        assert self._program.stdout is not None
        line = self._program.stdout.readline()
        if not line:
            raise RuntimeError("the program that submits has ended; see its standard error")
        return json.loads(line)

    def quit(self) -> None:
        """End it: there is nothing more to be asked."""
        assert self._program.stdin is not None
        assert self._program.stdout is not None
        self._program.stdin.close()
        self._program.wait()
        self._program.stdout.close()


def environment() -> dict[str, str]:
    """Ours, without what would change the product or have it compiled at every start."""
    return {
        name: value
        for name, value in os.environ.items()
        if not name.startswith("JOBSCHED_") and name != "PYTHONDONTWRITEBYTECODE"
    }
