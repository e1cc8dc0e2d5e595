"""What an operator types to see some of the jobs: its grammar, its completion, its help.

    train -eval            name, id or file contains the word (or not)
    state:alive,waiting    one of several; ``|`` does the same
    name~^sweep-[0-9]+$    a regular expression
    age>1h rss>4g          a comparison
    is:dead has:error      a property
    sort:-age,name limit:100

Space is AND, ``-`` or ``!`` in front is NOT, quotes keep a value together and a quote in them is
written twice. Each condition becomes a term that the database answers, or a local term, which only
a look at a row with its processes and logs can. Knows no terminal and reads nothing.
"""

from __future__ import annotations

from jobsched_tui.data.filters.completing import complete, completed
from jobsched_tui.data.filters.guide import HELP
from jobsched_tui.data.filters.local import matches_local, patterns_in
from jobsched_tui.data.filters.parsing import parse
from jobsched_tui.data.filters.query import FilterError, LocalField, LocalTerm, Query

__all__ = [
    "HELP",
    "FilterError",
    "LocalField",
    "LocalTerm",
    "Query",
    "complete",
    "completed",
    "matches_local",
    "parse",
    "patterns_in",
]
