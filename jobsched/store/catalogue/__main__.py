"""``python -m jobsched.store.catalogue``: print ``store/sql.py`` as it should be."""

from __future__ import annotations

import sys

from jobsched.store.catalogue.printing import module

if __name__ == "__main__":
    sys.stdout.write(module())
