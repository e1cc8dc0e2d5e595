"""The other process: it answers one question after the other, until one takes too long.

Owns the deadline, which is the kernel's: whoever backtracks in C hears of no other. Ends when
nobody is left to answer to. Imports nothing that takes time.
"""

from __future__ import annotations

import signal
from multiprocessing.connection import Connection


def serve(descriptor: int, seconds: float) -> None:
    """Answer whoever is at the other end; each question may take so much of a CPU."""
    signal.signal(signal.SIGPROF, signal.SIG_DFL)
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # meant for the console
    connection = Connection(descriptor)
    try:
        while True:
            _answer(connection, seconds)
    except (EOFError, OSError):
        return


def _answer(connection: Connection, seconds: float) -> None:
    """A question is a function and its arguments; an answer its value, or what it raised."""
    function, arguments = connection.recv()
    value, failure = None, ""
    signal.setitimer(signal.ITIMER_PROF, seconds)
    try:
        value = function(*arguments)
    except Exception as error:  # noqa: BLE001 -- told to whoever has asked
        failure = str(error) or type(error).__name__
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
    connection.send((value, failure))
