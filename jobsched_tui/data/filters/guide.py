"""The help of the filter: an example of everything, and what it means."""

from __future__ import annotations

from typing import Final

from jobsched_tui.data.filters.local import STANDINGS

_GRAMMAR: Final = (
    ("train", "name, id or file contains it, in upper or lower case"),
    ("-eval", "does not contain it; ! does the same"),
    ('"two words"', "a space, a sign or a | that belongs to the text; a quote in it is doubled"),
    ("train state:waiting", "both"),
    ("train|eval", "one of them; a comma does the same"),
    ("state:alive,waiting", "exactly ALIVE, or WAITING"),
    ("status:failed", "any FAILED status"),
    ("status=failed", "exactly FAILED"),
    ("name:resnet", "the name contains it"),
    ("name=nightly", "the name is that"),
    ("name~^sweep-[0-9]+$", "the name matches a regular expression; (?i) ignores case"),
    ("id:17,18", "those jobs"),
    ("dag:train.yaml", "the file that was submitted contains it"),
    ("age>1h", "submitted more than an hour ago; s, m, h, d, w"),
    ("runtime>=2d", "runs, or ran, for two days or more"),
    ("rss>4g", "controller and tasks use more memory; k, m, g, t"),
    ("cpu>50", "they use more than half of a core"),
    ("pid:123", "the controller's process"),
    ("prio>0", "priority"),
    ("attempt>1", "controllers so far"),
    ("recoveries>0 restarts<3", "recoveries after preemptions, restarts after errors"),
    ('reason:"out of memory"', "why it failed contains it"),
    ("why:launch_limit", "why it waits: code or sentence contains it"),
    ("log~[Ee]rror", "the last line of its log matches"),
    ("!status:succeeded", "not that"),
    ("sort:-age,name", "the oldest first, then by name"),
    ("limit:100", "the first hundred alone"),
)
#: What to type, and what it shows.
HELP: Final[tuple[tuple[str, str], ...]] = (
    *_GRAMMAR,
    *(
        (f"{field}:{word}", f"jobs that {standing.meaning}")
        for field, known in STANDINGS.items()
        for word, standing in known.items()
    ),
)
