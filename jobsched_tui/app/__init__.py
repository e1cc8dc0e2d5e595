"""The application: screens, keys and actions on one home.

:class:`Console` is the whole of it; :class:`Options` is how it was started.
"""

from jobsched_tui.app.console import Console
from jobsched_tui.app.options import Options

__all__ = ["Console", "Options"]
