"""Carrying out a plan: jobs in the order of the schedule, here or in worker processes.

1. Without a budget and with one process, fits run here, one after the other.
2. Otherwise they run in worker processes (``_workers``), which can be stopped at any moment. Until
   these have started, fits that should take hardly any time are done here.
3. A process takes about a second to start. So work of less than a second is done here; of some
   seconds, this process is one of those that fit, and one less is started.
4. Where inputs are chosen, the recommended learner is then tested on all inputs, too; a part of the
   time is kept for that.
5. An estimator that cannot be sent to another process is fitted here: a budget then ends the plan
   between two fits.
"""

import contextlib
import functools
import math
import pickle
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any, TypeAlias

import joblib

from branchline.assess.comparing._chosen_inputs import known_choices, twin_of, with_twins
from branchline.assess.comparing._cluster_workers import ClusterWorkers
from branchline.assess.comparing._frames import packed
from branchline.assess.comparing._plan import Plan
from branchline.assess.comparing._problem import Problem
from branchline.assess.comparing._resampling import Split
from branchline.assess.comparing._results import FoldResult
from branchline.assess.comparing._run import failed, fit_and_predict
from branchline.assess.comparing._schedule import Schedule
from branchline.assess.comparing._workers import Done, Workers, started

__all__ = ["AnyWorkers", "Time", "run_plan"]

AnyWorkers: TypeAlias = Workers | ClusterWorkers

# Seconds: of a fit that does not keep this process from giving others their next one, and of work
# that is worth no other process, or one less.
_QUICK, _SHORT, _SHARED = 0.2, 1.0, 10.0
# The part of the time that is kept for the recommended learner on all inputs.
_FOR_ALL_INPUTS = 0.2
_ENDED = (
    "the process of the fit was ended by the system, often because the memory was used up (fewer "
    "processes need less of it)"
)


@dataclass(frozen=True)
class Time:
    """How long a plan may take.

    Parameters
    ----------
    end
        When everything must be over (``time.monotonic``).
    keep_fits, keep_seconds
        What is kept for afterwards: the time of that many fits of the slowest learner, and that
        many seconds; at most ``keep_most`` in all.
    begin
        From when on time counts (``time.monotonic``); None: from the first fit on.
    """

    end: float = math.inf
    keep_fits: float = 0.0
    keep_seconds: float = 0.0
    keep_most: float = 0.0
    begin: float | None = None

    def end_of_fits(self, slowest: float) -> float:
        """Return when the last fit must be over, ``slowest`` being the time of the slowest."""
        return self.end - min(self.keep_most, self.keep_seconds + self.keep_fits * slowest)


def run_plan(
    plan: Plan,
    problem: Problem,
    splits: Sequence[Split],
    *,
    done: Sequence[FoldResult] = (),
    n_jobs: int = 1,
    time_left: Time | None = None,
    workers: AnyWorkers | None = None,
    recommended: Callable[[], str | None] = lambda: None,
) -> Iterator[FoldResult]:
    """Yield results as they are ready; those that are done already are not made again.

    ``workers`` are processes that were started before; by default they are started where needed.
    ``recommended`` is asked, where inputs are chosen, when all learners are done: the learner with
    that label is tested on all inputs.
    """
    n_jobs = joblib.effective_n_jobs(n_jobs)
    budget = _time_of(plan) if time_left is None else time_left
    work = _Work(with_twins(plan), problem, splits, [*done])
    seconds = _seconds_of_known(plan, problem) if math.isinf(budget.end) else math.inf
    if workers is None and seconds < _SHORT:
        n_jobs = 1
    shares = seconds < _SHARED and not isinstance(workers, ClusterWorkers)
    n_workers = max(1, n_jobs - shares)
    with contextlib.ExitStack() as open_things:
        pool = None
        if n_jobs != 1 or not math.isinf(budget.end) or workers is not None:
            with contextlib.suppress(pickle.PicklingError, TypeError, AttributeError):
                given = open_things.enter_context(packed((work.plan, problem, tuple(splits))))
                pool = workers or open_things.enter_context(started(n_workers, n_jobs))
                pool.grow(n_workers)
                pool.give(given)
        places = range(len(plan.learners))
        yield from work.run(_part_of(budget, plan), pool, places, shares=shares)
        if plan.select is not None and (label := recommended()) is not None:
            yield from work.run(budget, pool, work.twin_of(label))


def _time_of(plan: Plan) -> Time:
    return Time() if plan.time_budget is None else Time(time.monotonic() + plan.time_budget)


def _seconds_of_known(plan: Plan, problem: Problem) -> float:
    """Return roughly how long all fits take on one core; infinite with learners from elsewhere."""
    if any(learner.name is None for learner in plan.learners):
        return math.inf
    n_classes = 2 if problem.classes is None else len(problem.classes)
    return plan.estimate_seconds(problem.n_rows, problem.table.n_columns, n_classes)


def _part_of(budget: Time, plan: Plan) -> Time:
    """Return the time for all learners: less what is kept for one of them on all inputs."""
    if plan.select is None or math.isinf(budget.end):
        return budget
    return replace(budget, end=budget.end - _FOR_ALL_INPUTS * (budget.end - time.monotonic()))


@dataclass(frozen=True, eq=False)
class _Work:
    """What all fits share, and the results so far."""

    plan: Plan
    problem: Problem
    splits: Sequence[Split]
    results: list[FoldResult]

    def run(
        self,
        budget: Time,
        workers: AnyWorkers | None,
        places: Sequence[int],
        *,
        shares: bool = False,
    ) -> Iterator[FoldResult]:
        """Yield the results of some learners; with ``shares`` this process fits, too."""
        schedule = Schedule(
            self.plan, self.problem, len(self.splits), self.results, budget.end_of_fits, places
        )
        note = functools.partial(self._note, schedule)
        if workers is None:
            while (job := schedule.next()) is not None:
                yield note(self._fit_here(job))
            return
        while not workers.n_idle and (job := schedule.next(_QUICK)) is not None:
            yield note(self._fit_here(job))  # until the first worker has started
            workers.wait(time.monotonic())
        fit_here = self._fit_here if shares else None
        for done in _run_in(workers, schedule, self._known, fit_here):
            yield note(_result_of(done, self.plan))

    def twin_of(self, label: str) -> list[int]:
        """Return the place of a learner's twin, which gets all inputs; none of the baseline."""
        wanted = [one for one in self.plan.learners if one.label == label]
        names = {twin_of(one).label for one in wanted}
        return [at for at, one in enumerate(self.plan.learners) if one.label in names]

    def _known(self, split: int) -> Any:
        return known_choices(self.results).get(split)

    def _fit_here(self, job: tuple[int, int]) -> FoldResult:
        place, split = job
        learner, known = self.plan.learners[place], self._known(split)
        return fit_and_predict(self.plan, self.problem, learner, split, self.splits[split], known)

    def _note(self, schedule: Schedule, result: FoldResult) -> FoldResult:
        schedule.note(result)
        self.results.append(result)
        return result


def _run_in(
    workers: AnyWorkers,
    schedule: Schedule,
    known: Callable[[int], Any],
    fit_here: Callable[[tuple[int, int]], FoldResult] | None,
) -> Iterator[Done]:
    """Yield the jobs that have ended by themselves; ``fit_here`` is given quick ones."""
    n_running, has_more = 0, True
    while has_more or n_running:
        while has_more and (workers.n_idle if fit_here is None else workers.n_open):
            job = schedule.next()
            has_more = job is not None
            if job is not None:
                workers.begin((*job, known(job[1])), schedule.until(job, len(workers)))
                n_running += 1
        if not (has_more or n_running):
            return
        own = schedule.next(_QUICK) if fit_here is not None and has_more else None
        if fit_here is not None and own is not None:
            yield Done((*own, None), fit_here(own))
            done = workers.wait(time.monotonic())
        else:
            done = workers.wait(schedule.end if has_more else math.inf)
        has_more = has_more and schedule.left > 0
        if done is None:
            continue
        n_running -= 1
        if done.is_stopped:
            schedule.drop(done.job[:2])
            continue
        yield done


def _result_of(done: Done, plan: Plan) -> FoldResult:
    place, split, _ = done.job
    if isinstance(done.result, FoldResult):
        return done.result
    return failed(plan.learners[place], split, _ENDED, 0.0)
