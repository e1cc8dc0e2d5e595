"""``python -m jobsched.scheduler --job-id ID DAG.yaml``: submit a job that was created before."""

from __future__ import annotations

import argparse
import sys
from typing import Final

from jobsched import scheduler
from jobsched.errors import JobschedError
from jobsched.text import safe

_LINES: Final = "\n"


def main() -> int:
    """Parse the arguments, submit, and say on standard error what went wrong; the exit code."""
    parser = argparse.ArgumentParser(
        prog="python -m jobsched.scheduler", description="Submit a job that create_job has made."
    )
    parser.add_argument("--job-id", type=int, required=True, help="id that create_job returned")
    parser.add_argument("dag", metavar="DAG.yaml", help="the file to submit")
    arguments = parser.parse_args()
    try:
        scheduler.submit_job(arguments.job_id, arguments.dag)
    except JobschedError as error:
        _say(error)
        return error.exit_code
    except ValueError as error:
        _say(error)
        return 2
    return 0


def _say(error: Exception) -> None:
    sys.stderr.write(f"{safe(str(error), keep=_LINES)}\n")


if __name__ == "__main__":
    raise SystemExit(main())
