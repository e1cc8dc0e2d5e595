"""``python -m jobsched_tui``."""

import sys

from jobsched_tui.cli import main

if __name__ == "__main__":
    sys.exit(main())
