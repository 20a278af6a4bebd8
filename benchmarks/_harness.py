"""The harness: a registry of workloads and the comparison that each one makes.

A workload is a function of one argument, a ``Bench``. It builds seeded data, then calls
``bench.compare`` once with competitors. A competitor is a function without arguments that prepares
everything (imports, conversions, a fitted model) and returns the call to time:

1. prepare all; one that is not installed or fails is reported and left out;
2. warm up and time in turns (``_timing``), with equal thread limits for all;
3. score the result of the warm-up; measure peak memory when the workload asks for it;
4. score further draws of the data, where a workload has them: a difference of 0.002 on one draw
   may be chance;
5. set ratios and judge bar, limit and score (``_results``).
"""

import math
import pkgutil
from collections.abc import Callable, Mapping
from contextlib import suppress
from fnmatch import fnmatchcase
from importlib import import_module
from typing import Any, NoReturn

from benchmarks._memory import peak_mib_in_fresh_process, peak_mib_of_call
from benchmarks._peers import limit_libraries
from benchmarks._results import Comparison, Measurement, Workload, judge, set_ratios
from benchmarks._timing import Call, Timed, time_in_turns, warm_up

__all__ = [
    "N_DRAWS",
    "REGISTRY",
    "Bench",
    "MemoryBench",
    "ScoreBench",
    "load_workloads",
    "run",
    "select",
    "workload",
]

OURS = "branchline"
QUICK_DIVISOR = 20
QUICK_LEAST_ROWS = 200
N_DRAWS = 5  # of the data, over which scores are compared

Prepare = Callable[[], Call]


class Skipped(Exception):  # noqa: N818
    """A workload cannot run here; the message says why."""


REGISTRY: dict[str, Workload] = {}


def workload(
    name: str,
    *,
    bar: float | None = None,
    against: str | None = None,
    limit: float | None = None,
    why: str = "",
    short: bool = False,
    by_default: bool = False,
) -> Callable[[Callable[["Bench"], None]], Callable[["Bench"], None]]:
    """Register a function as a workload under a name that never changes.

    A workload with a bar or a limit says why it is as high as it is.
    """
    if (bar is not None or limit is not None) and not why:
        raise ValueError(f"the workload {name!r} has a bar or a limit without a reason (why=)")

    def register(run: Callable[["Bench"], None]) -> Callable[["Bench"], None]:
        if name in REGISTRY:
            raise ValueError(f"two workloads are named {name!r}")
        REGISTRY[name] = Workload(name, run, bar, against, limit, why, short, by_default)
        return run

    return register


def select(patterns: list[str], *, short: bool = False) -> list[Workload]:
    """Return the workloads that match any of the names or globs (all when there are none).

    With ``short`` and no patterns, those of the run of five minutes.
    """
    for pattern in patterns:
        if not any(fnmatchcase(name, pattern) for name in REGISTRY):
            raise ValueError(f"no workload matches {pattern!r}; there are: {', '.join(REGISTRY)}")
    if short and not patterns:
        return [one for one in REGISTRY.values() if one.short]
    wanted = patterns or ["*"]
    return [one for one in REGISTRY.values() if any(fnmatchcase(one.name, p) for p in wanted)]


def load_workloads() -> None:
    """Import every file of ``benchmarks/workloads``, which registers what is in it."""
    from benchmarks import workloads

    for module in pkgutil.iter_modules(workloads.__path__):
        import_module(f"benchmarks.workloads.{module.name}")


def run(bench: "Bench") -> Comparison:
    """Run the bench's workload and return what was seen; what it raises is reported, not raised."""
    try:
        bench.workload.run(bench)
    except Skipped as reason:
        bench.comparison.skipped = str(reason)
    except Exception as error:
        status, message = _describe(error)
        bench.comparison.measurements.append(Measurement("(workload)", status, message))
    return bench.comparison


class Bench:
    """What a workload is given: sizes, threads, and ``compare``."""

    def __init__(
        self,
        of: Workload,
        *,
        threads: int = 2,
        n_repeats: int = 5,
        quick: bool = False,
        n_draws: int = N_DRAWS,
    ) -> None:
        self.workload = of
        self.threads = threads
        self.n_repeats = n_repeats
        self.quick = quick
        self.n_draws = 1 if quick else n_draws
        self.seed = 0  # of the draw of the data
        self.comparison = Comparison(of)

    def rows(self, n_rows: int) -> int:
        """Return the number of rows to use: all of them, or a twentieth in a quick run."""
        return max(QUICK_LEAST_ROWS, n_rows // QUICK_DIVISOR) if self.quick else n_rows

    def skip(self, reason: str) -> NoReturn:
        """Leave the workload, saying why."""
        raise Skipped(reason)

    def compare(
        self,
        competitors: Mapping[str, Prepare],
        *,
        reference: str | None = OURS,
        score: Callable[[Any], float] | None = None,
        closeness: float | None = None,
        memory: bool = False,
        n_repeats: int | None = None,
        settings: Mapping[str, Any] | None = None,
        redrawn: bool = False,
    ) -> None:
        """Time the competitors, score their results, and judge the reference against the peers.

        ``closeness`` is how far the reference's score may lie below that of any peer. A workload
        that draws its data by ``bench.seed`` says ``redrawn=True``: scores are then those of
        several draws.
        """
        found = self.comparison
        found.reference, found.settings = reference, dict(settings or {})
        calls = self._prepare(competitors)
        with limit_libraries(self.threads):
            timed = self._warm_up(calls, score)
            time_in_turns(timed, 2 if self.quick else n_repeats or self.n_repeats)
        self._take_times(timed, memory=memory and not self.quick)
        if redrawn and score is not None:
            self._score_further_draws()
        set_ratios(found)
        one_of_many = redrawn and self.n_draws == 1
        found.verdicts = judge(found, closeness, judged=not self.quick, one_of_many=one_of_many)

    def _prepare(self, competitors: Mapping[str, Prepare]) -> dict[str, Call]:
        """Prepare all before any is timed, so that the thread limits reach what they import."""
        calls = {}
        for name, prepare in competitors.items():
            seen = Measurement(name)
            self.comparison.measurements.append(seen)
            try:
                calls[name] = prepare()
            except Exception as error:
                seen.status, seen.message = _describe(error)
        return calls

    def _warm_up(
        self, calls: Mapping[str, Call], score: Callable[[Any], float] | None
    ) -> dict[str, Timed]:
        timed = {}
        for seen in self.comparison.measurements:
            if seen.competitor not in calls:
                continue
            try:
                ready, result = warm_up(calls[seen.competitor])
                seen.score = None if score is None else float(score(result))
                timed[seen.competitor] = ready
            except Exception as error:
                seen.status, seen.message = _describe(error)
        return timed

    def _take_times(self, timed: Mapping[str, Timed], *, memory: bool) -> None:
        for one in self.comparison.measurements:
            if one.competitor in timed:
                done = timed[one.competitor]
                one.seconds, one.calls = done.seconds, done.calls
                if memory:
                    name = self.workload.name
                    one.peak_mib = peak_mib_in_fresh_process(name, one.competitor, self.threads)

    def _score_further_draws(self) -> None:
        """Run the workload on other draws of its data, for the scores alone."""
        for seed in range(1, self.n_draws):
            again = ScoreBench(self.workload, seed=seed, threads=self.threads)
            self.workload.run(again)
            for one in self.comparison.measurements:
                if one.score is not None:
                    one.more_scores.append(again.scores.get(one.competitor, math.nan))


class ScoreBench(Bench):
    """A bench that runs every competitor once on one draw of the data and keeps its score."""

    def __init__(self, of: Workload, *, seed: int, threads: int = 2) -> None:
        super().__init__(of, threads=threads)
        self.seed = seed
        self.scores: dict[str, float] = {}

    def compare(
        self,
        competitors: Mapping[str, Prepare],
        *,
        score: Callable[[Any], float] | None = None,
        **_: Any,
    ) -> None:
        """Score all competitors; one that fails was reported when it was timed."""
        assert score is not None
        calls = self._prepare(competitors)
        with limit_libraries(self.threads):
            for name, call in calls.items():
                with suppress(Exception):
                    self.scores[name] = float(score(call()))


class MemoryBench(Bench):
    """A bench that runs one competitor once and keeps its peak memory."""

    def __init__(self, of: Workload, competitor: str, *, threads: int = 2) -> None:
        super().__init__(of, threads=threads)
        self.competitor = competitor
        self.peak_mib: float | None = None

    def compare(self, competitors: Mapping[str, Prepare], **_: Any) -> None:
        """Measure the peak memory of the one competitor."""
        call = competitors[self.competitor]()
        with limit_libraries(self.threads):
            self.peak_mib = peak_mib_of_call(call)


def _describe(error: Exception) -> tuple[str, str]:
    """Return status and message of a competitor that cannot run; our own parts must be there."""
    absent = isinstance(error, ModuleNotFoundError)
    if absent and not (error.name or "").startswith(OURS):
        return "not installed", str(error)
    last_line = (str(error).strip().splitlines() or [""])[-1]
    return "failed", f"{type(error).__name__}: {last_line}"
