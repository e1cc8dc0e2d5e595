"""The queue for the deputy's office: one thread for a process and a home, however many tickers.

Owns the wait for the deputy's lock. A wait in the kernel's queue costs nothing but cannot be given
up, so a thread whose ticker has withdrawn stays, and serves the next one that stands. Knows nothing
about ticking.
"""

from __future__ import annotations

import logging
import os
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Final, TypeAlias

from jobsched import lock
from jobsched.clock import SystemClock
from jobsched.errors import StoreError

log = logging.getLogger(__name__)

#: What the elected does; it is handed the lock's descriptor, and closes it.
Serve: TypeAlias = Callable[[int], None]
_Key: TypeAlias = tuple[int, Path]

#: Seconds after which a lock file that cannot be opened is tried again.
_RETRY_SECONDS: Final = 5.0
_GUARD = threading.Lock()
#: Who waits for which lock. A key is there for as long as a thread waits, even for nobody.
_QUEUES: dict[_Key, list[Serve]] = {}


def stand(path: Path, serve: Serve) -> None:
    """Wait for the lock at ``path`` in a thread, then call ``serve`` there with its descriptor."""
    key = (os.getpid(), path)  # with the process: a thread does not survive a fork
    with _GUARD:
        if key in _QUEUES:
            _QUEUES[key].append(serve)
        else:
            _start(key, [serve])


def withdraw(path: Path, serve: Serve) -> bool:
    """Wait no longer; whether that was in time: ``False`` once ``serve`` has been called."""
    with _GUARD:
        queue = _QUEUES.get((os.getpid(), path), [])
        if serve not in queue:
            return False
        queue.remove(serve)
        return True


def _start(key: _Key, queue: list[Serve]) -> None:
    _QUEUES[key] = queue
    threading.Thread(target=_wait, args=(key,), name="ticker", daemon=True).start()


def _wait(key: _Key) -> None:
    descriptor = _lock(key[1])
    with _GUARD:
        queue = _QUEUES.pop(key)
        serve = queue.pop(0) if queue else None
        if queue:
            _start(key, queue)
    if serve is None:
        os.close(descriptor)
    else:
        serve(descriptor)


def _lock(path: Path) -> int:
    while True:
        try:
            return lock.wait_for(path)
        except (StoreError, OSError) as error:
            log.warning("cannot stand for the deputy's office: %s", error)
            SystemClock().sleep(_RETRY_SECONDS)
