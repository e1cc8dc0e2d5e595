"""The curves as pictures: how things grow with jobs and with controllers, the reference beside.

Owns how they look. Both axes are logarithmic where both go over decades, so that what grows with
the number is a straight line upwards and what does not is level.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Final, TypeAlias

if TYPE_CHECKING:
    from matplotlib.axes import Axes

Points: TypeAlias = Sequence[Mapping[str, float]]
#: x and y of what the reference was measured at.
Recorded: TypeAlias = Mapping[float, float]

_OURS, _OURS_TOO, _BUDGET = "#0b6e99", "#d9730d", "#2e7d32"
_REFERENCE: Final = "#777777"
_SUBMIT_DONE: Final[Recorded] = {1_000: 4.23, 10_000: 5.63, 100_000: 21.1}
_SUBMIT_WAITING: Final[Recorded] = {1_000: 4.09, 10_000: 4.9, 100_000: 14.0}
_LISTING: Final[Recorded] = {1_000: 15.7, 10_000: 211, 100_000: 1996}
_MEMORY_EACH: Final = 116.0
_WAITING_CPU: Final[Recorded] = {100: 7.42, 500: 29.1}
_SETTINGS: Final = {
    "svg.hashsalt": "jobsched", "font.family": "DejaVu Sans", "font.size": 9,
    "axes.spines.top": False, "axes.spines.right": False, "axes.grid": True,
    "grid.color": "#e4e4e4", "grid.linewidth": 0.6, "legend.frameon": False,
    "figure.constrained_layout.use": True, "svg.fonttype": "path",
}  # fmt: skip


def draw(curves: Mapping[str, Points], folder: Path) -> list[Path]:
    """One file for each subject of which there are points; the files."""
    drawn = []
    if jobs := curves.get("growth-jobs"):
        drawn += [_submits(jobs, folder), _pages(jobs, folder)]
    if controllers := curves.get("growth-controllers"):
        drawn.append(_controllers(controllers, folder))
    return drawn


@contextmanager
def _picture(path: Path, *titles: str, alike: bool = False) -> Iterator[list[Axes]]:
    """Axes side by side, one for each title; written when they are filled.

    ``alike``: all as high as the highest.
    """
    import matplotlib as mpl  # noqa: PLC0415 - dear, and most of the bench needs none
    from matplotlib.figure import Figure  # noqa: PLC0415

    with mpl.rc_context(_SETTINGS):  # type: ignore[arg-type]
        figure = Figure(figsize=(4.6 * len(titles), 3.8))
        (axes,) = figure.subplots(1, len(titles), squeeze=False, sharey=alike)
        for one, title in zip(axes, titles, strict=True):
            one.set_title(title, loc="left", fontsize=10, fontweight="bold")
        yield list(axes)
        path.parent.mkdir(parents=True, exist_ok=True)
        figure.savefig(path, metadata={"Date": None})


def _submits(points: Points, folder: Path) -> Path:
    path = folder / "bench-submit.svg"
    with _picture(path, "beside jobs that are DONE", "beside jobs that wait", alike=True) as both:
        recorded = (_SUBMIT_DONE, _SUBMIT_WAITING)
        for axes, kind, theirs in zip(both, ("done", "waiting"), recorded, strict=True):
            _line(axes, points, "jobs", f"{kind} submit p99", "submit p99", _OURS, dashed=True)
            _line(axes, points, "jobs", f"{kind} submit p50", "submit p50", _OURS)
            _line(axes, points, "jobs", f"{kind} pass", "one pass", _OURS_TOO)
            _recorded(axes, theirs, "reference: submit p50")
            _finish(axes, "jobs in the home", "ms")
    return path


def _pages(points: Points, folder: Path) -> Path:
    path = folder / "bench-page.svg"
    with _picture(path, "time of one page of the queue", "memory of the command") as both:
        time, memory = both
        _line(time, points, "jobs", "command", "`jobsched queue --all`, whole process", _OURS)
        _line(time, points, "jobs", "page", "the page alone, in a program", _OURS_TOO)
        _recorded(time, _LISTING, "reference: its listing, in a program")
        _finish(time, "jobs in the home", "ms")
        _line(memory, points, "jobs", "command memory", "`jobsched queue --all`", _OURS)
        _recorded(memory, {1_000: 84.8, 10_000: 136, 100_000: 592}, "reference: its listing")
        _finish(memory, "jobs in the home", "MiB", level=True)
    return path


def _controllers(points: Points, folder: Path) -> Path:
    path = folder / "bench-controllers.svg"
    with _picture(path, "memory", "memory of each", "CPU") as (memory, each, load):
        there = [point["controllers"] for point in points]
        theirs = {number: number * _MEMORY_EACH for number in there}
        _line(memory, points, "controllers", "memory", "controllers and nursery", _OURS)
        _recorded(memory, theirs, "reference: 116 MiB each")
        _finish(memory, "live controllers", "MiB")
        _line(each, points, "controllers", "memory of each", "of a controller", _OURS)
        each.axhline(3, color=_BUDGET, linewidth=1, linestyle=":", label="to reach: 3 MiB")
        _finish(each, "live controllers", "MiB", level=True)
        _line(load, points, "controllers", "CPU", "all that watch, with nursery", _OURS)
        _recorded(load, _WAITING_CPU, "reference: all that wait")
        _finish(load, "live controllers", "% of a core", level=True)
    return path


def _line(
    axes: Axes, points: Points, x: str, y: str, label: str, color: str, *, dashed: bool = False
) -> None:
    both = [(point[x], point[y]) for point in points if x in point and y in point]
    axes.plot(
        [one for one, _ in both], [one for _, one in both], label=label, color=color,
        marker="o", markersize=3.5, linewidth=1.5, linestyle="--" if dashed else "-",
    )  # fmt: skip


def _recorded(axes: Axes, points: Recorded, label: str) -> None:
    axes.plot(
        list(points), list(points.values()), label=label, color=_REFERENCE, marker="s",
        markersize=3.5, linewidth=1.2,
    )  # fmt: skip


def _finish(axes: Axes, x: str, y: str, *, level: bool = False) -> None:
    """Name the axes; ``level``: the upright one begins at 0 and is even."""
    from matplotlib.ticker import FuncFormatter, NullFormatter  # noqa: PLC0415 - as above

    plain = FuncFormatter(lambda value, _: f"{value:,.10g}")
    axes.set_xscale("log")
    axes.xaxis.set_minor_formatter(NullFormatter())
    axes.xaxis.set_major_formatter(plain)
    if level:
        axes.set_ylim(bottom=0)
    else:
        axes.set_yscale("log")
        axes.yaxis.set_minor_formatter(NullFormatter())
    axes.yaxis.set_major_formatter(plain)
    axes.set_xlabel(x)
    axes.set_ylabel(y)
    # Below, where no line can be.
    axes.legend(fontsize=7.5, loc="upper center", bbox_to_anchor=(0.5, -0.16), ncols=2)
