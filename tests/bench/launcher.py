"""``python -I -S launcher.py TIMES COMMAND...``: what whole processes cost: time, CPU, memory.

A small program of its own: the most memory that a process is said to have had counts what its
parent had when it started it. Standard library only.
"""

from __future__ import annotations

import json
import os
import sys
import time


def run(command: list[str]) -> dict[str, float]:
    """Run it once with its output thrown away; raises ``SystemExit`` if it does not end well."""
    nowhere = os.open(os.devnull, os.O_RDWR)
    at = time.monotonic()
    pid = os.posix_spawn(
        command[0], command, os.environ, file_actions=[(os.POSIX_SPAWN_DUP2, nowhere, 1)]
    )
    _, status, used = os.wait4(pid, 0)
    wall = time.monotonic() - at
    os.close(nowhere)
    if status:
        raise SystemExit(f"{command} has ended with {os.waitstatus_to_exitcode(status)}")
    cpu = used.ru_utime + used.ru_stime
    return {"wall": wall, "cpu": cpu, "bytes": float(used.ru_maxrss * 1024)}


if __name__ == "__main__":
    sys.stdout.write(json.dumps([run(sys.argv[2:]) for _ in range(int(sys.argv[1]))]) + "\n")
