"""``python -m jobsched``: the command line."""

from jobsched.cli import main

if __name__ == "__main__":
    raise SystemExit(main())
