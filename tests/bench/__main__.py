"""``python -m tests.bench``: measure everything, repeat by repeat, and say what was found.

Owns the order: all measurements once, then all of them again, so that what changes on the machine
meanwhile meets all alike; beside each, where BENCH_REFERENCE names its folder, the reference. What
was found is written after each step; what fails leaves the rest alone.
"""

from __future__ import annotations

import argparse
import os
import signal
import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from types import FrameType
from typing import Final, NoReturn

from tests.bench import machine, plots, registry, report
from tests.bench.measures.memory import HOUR
from tests.bench.meter import Meter, adopt_orphans, end_all
from tests.bench.reference import PEERS, RUNS, Reference, Script
from tests.bench.results import Results
from tests.bench.site import Bench
from tests.bench.table import Curve, Measure

#: Seconds after which a measurement is given up, but for an hour that it means to wait.
_PATIENCE: Final = 600.0
_PEERS: Final = "peers"
_INTERRUPTED: Final = 130


def arguments(words: Sequence[str] | None = None) -> argparse.Namespace:
    """What was asked for."""
    parser = argparse.ArgumentParser(prog="python -m tests.bench", description=__doc__)
    names = [*_names(registry.MEASURES), *_names(registry.CURVES), _PEERS]
    parser.add_argument("--only", nargs="+", choices=names, metavar="NAME", help=", ".join(names))
    parser.add_argument("--repeats", type=int, default=3)
    parser.add_argument("--quick", action="store_true", help="small sizes, to see that it works")
    parser.add_argument("--out", type=Path, default=Path("build/bench"), metavar="DIR")
    parser.add_argument(
        "--screenshots", type=Path, metavar="DIR", help="where to draw the curves; else in --out"
    )
    return parser.parse_args(words)


def _names(what: Sequence[Measure] | Sequence[Curve]) -> list[str]:
    return [one.name for one in what]


@dataclass
class Run:
    """One run of the bench, step by step."""

    asked: argparse.Namespace
    bench: Bench
    results: Results
    reference: Reference | None
    #: What the scripts of the reference gave in this repeat, so that none is run twice for it.
    _beside: set[str] = field(default_factory=set)

    def measure(self) -> None:
        """All that was asked for."""
        for repeat in range(self.asked.repeats):
            self.bench.repeat = repeat
            last = repeat == self.asked.repeats - 1
            self.bench.hour = last and bool(os.environ.get("BENCH_HOUR"))
            self._beside.clear()
            for measure in registry.MEASURES:
                if self._is_asked(measure.name):
                    with self._step(measure.name, repeat, _PATIENCE + HOUR * self.bench.hour):
                        self.results.add(self.results.ours, repeat, measure.once(self.bench))
                    self._reference(repeat, measure.beside)
            if self._is_asked(_PEERS):
                self._peers(repeat)
        for curve in registry.CURVES:
            if self._is_asked(curve.name):
                with self._step(curve.name, 0, 2 * _PATIENCE):
                    for point in curve.points(self.bench):
                        self.results.curves.setdefault(curve.name, []).append(point)

    def _is_asked(self, name: str) -> bool:
        return not self.asked.only or name in self.asked.only

    def _reference(self, repeat: int, names: Sequence[str]) -> None:
        for name in names:
            if self.reference is not None and name not in self._beside:
                self._beside.add(name)
                with self._step(f"reference: {name}", repeat, 2 * _PATIENCE):
                    self.results.add(self.results.reference, repeat, self._run(RUNS[name]))

    def _peers(self, repeat: int) -> None:
        if self.reference is not None:
            for peer in PEERS:
                with self._step(f"peer: {peer.name}", repeat, 2 * _PATIENCE):
                    kept = self.results.peers.setdefault(peer.name, {})
                    self.results.add(kept, repeat, self._run(peer.run))

    def _run(self, run: Script) -> dict[str, float]:
        assert self.reference is not None
        try:
            return self.reference.measure(run, self.bench.fresh())
        finally:
            end_all()

    @contextmanager
    def _step(self, name: str, repeat: int, seconds: float) -> Iterator[None]:
        """Around one measurement: what it cost, what others did, and what became of it."""
        self.bench.say(f"[{repeat + 1}/{self.asked.repeats}] {name} ...")
        meter = Meter()
        try:
            with meter, within(seconds):
                yield
        except Exception as error:  # noqa: BLE001 -- whatever fails costs its own number alone
            self.results.failures[name] = f"{type(error).__name__}: {error}"
            self.bench.say(f"      failed: {self.results.failures[name]}")
            with suppress(TimeoutError):
                end_all()
        self.results.add(self.results.foreign, repeat, {name: meter.foreign})
        self.results.add(self.results.seconds, repeat, {name: meter.wall})
        self.results.save(self.asked.out / "bench.json")
        self.bench.say(f"      {meter.wall:.1f} s, others kept {meter.foreign:.2f} cores busy")


@contextmanager
def within(seconds: float) -> Iterator[None]:
    """Raise ``TimeoutError`` in the block once it has taken longer."""

    def give_up(_signal: int, _frame: FrameType | None) -> NoReturn:
        raise TimeoutError(f"given up after {seconds:g} s")

    before = signal.signal(signal.SIGALRM, give_up)
    signal.setitimer(signal.ITIMER_REAL, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)


def _say(text: str) -> None:
    sys.stderr.write(f"{time.strftime('%H:%M:%S')} {text}\n")
    sys.stderr.flush()


def _interrupted(_signal: int, _frame: FrameType | None) -> NoReturn:
    raise KeyboardInterrupt


def _begin(asked: argparse.Namespace) -> Run:
    adopt_orphans()
    signal.signal(signal.SIGTERM, _interrupted)
    signal.signal(signal.SIGINT, _interrupted)
    for name in [name for name in os.environ if name.startswith("JOBSCHED_")]:
        del os.environ[name]
    folder = asked.out.resolve() / "homes"
    folder.mkdir(parents=True, exist_ok=True)
    bench = Bench(folder, quick=asked.quick, say=_say)
    memory = bench.in_memory()
    homes = {"disk": folder, **({} if memory is None else {"tmpfs": memory})}
    results = Results(machine.describe(homes), asked.quick, asked.repeats)
    named = os.environ.get("BENCH_REFERENCE")
    return Run(asked, bench, results, Reference(Path(named).resolve()) if named else None)


def main(words: Sequence[str] | None = None) -> int:
    """Measure and print; 1 if something failed or was missed, 130 if it was interrupted."""
    asked = arguments(words)
    run = _begin(asked)
    status = 0
    try:
        if run.reference is not None:
            run.reference.prepare()
        run.measure()
    except KeyboardInterrupt:
        status = _INTERRUPTED
        _say("interrupted: what follows is what was found until then")
    finally:
        for one in (signal.SIGINT, signal.SIGTERM):
            signal.signal(one, signal.SIG_IGN)
        _say("cleaning up ...")
        run.bench.clean()
    _tell(run)
    return status or int(bool(run.results.failures) or report.is_missed(run.results))


def _tell(run: Run) -> None:
    run.results.save(run.asked.out / "bench.json")
    told = report.markdown(run.results)
    (run.asked.out / "bench.md").write_text(told, encoding="utf-8")
    sys.stdout.write(told)
    folder = run.asked.screenshots or run.asked.out
    for drawn in plots.draw(run.results.curves, folder):
        _say(f"drawn: {drawn}")


if __name__ == "__main__":
    sys.exit(main())
