"""An application that leaves its terminal as it was, however it ends.

Owns what happens after an error that nobody caught, and after a signal that ends processes.
"""

from __future__ import annotations

import asyncio
import signal
import threading
from functools import partial
from pathlib import Path

from rich.text import Text
from textual.app import App

from jobsched.clock import Clock
from jobsched_tui.app import crash


class SturdyApp(App[int]):
    """A failure is a file and one line on standard error, never a traceback."""

    clock: Clock
    #: The line about what failed; empty: nothing has.
    failure = ""

    @property
    def report_folder(self) -> Path | None:
        """Where reports go; ``None``: where files may be lost."""
        return None

    def leave(self) -> None:
        """The ordinary end."""
        self.exit(0)

    def leave_when_told(self) -> None:
        """Also when the terminal is closed, or somebody ends us. To be called in the loop."""
        if threading.current_thread() is threading.main_thread():
            for number in (signal.SIGTERM, signal.SIGHUP):
                asyncio.get_running_loop().add_signal_handler(number, self.leave)

    def failed(self, error: BaseException) -> None:
        """A thread has ended by an error; may be called in any."""
        self.call_later(partial(self._fail, error))

    def _fail(self, error: BaseException) -> None:
        said = self._reported(error)
        self.exit(1, return_code=1, message=Text(said))

    def _fatal_error(self) -> None:
        """Textual's last step after an error in the loop."""
        said = self._reported(self._exception or RuntimeError("an error without a name"))
        self._exit_renderables.append(Text(said))
        self._close_messages_no_wait()

    def _reported(self, error: BaseException) -> str:
        self.failure = self.failure or crash.report(error, self.clock.now(), self.report_folder)
        return self.failure
