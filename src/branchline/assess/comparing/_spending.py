"""Carrying out a plan: jobs in the order of the schedule, here or in worker processes.

1. Without a budget and with one process, fits run here, one after the other.
2. Otherwise they run in worker processes (``_workers``), which can be stopped at any moment. Until
   these have started, fits that should take hardly any time are done here.
3. An estimator that cannot be sent to another process is fitted here: a budget then ends the plan
   between two fits.
"""

import contextlib
import math
import pickle
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import joblib

from branchline.assess.comparing._frames import packed
from branchline.assess.comparing._plan import Plan
from branchline.assess.comparing._problem import Problem
from branchline.assess.comparing._resampling import Split
from branchline.assess.comparing._results import FoldResult
from branchline.assess.comparing._run import failed, fit_and_predict
from branchline.assess.comparing._schedule import Schedule
from branchline.assess.comparing._workers import Done, Workers, started

__all__ = ["Time", "run_plan"]

_QUICK = 0.2  # seconds
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
    workers: Workers | None = None,
) -> Iterator[FoldResult]:
    """Yield results as they are ready; those that are done already are not made again.

    ``workers`` are processes that were started before; by default they are started where needed.
    """
    n_jobs = joblib.effective_n_jobs(n_jobs)
    budget = _time_of(plan) if time_left is None else time_left
    schedule = Schedule(plan, problem, len(splits), done, budget.end_of_fits)
    if n_jobs == 1 and math.isinf(budget.end) and workers is None:
        yield from _run_here(plan, problem, splits, schedule)
        return
    with contextlib.ExitStack() as open_things:
        try:
            work = open_things.enter_context(packed((plan, problem, tuple(splits))))
        except (pickle.PicklingError, TypeError, AttributeError):
            yield from _run_here(plan, problem, splits, schedule)
            return
        pool = workers or open_things.enter_context(started(n_jobs))
        pool.give(work)
        yield from _run_quick(pool, plan, problem, splits, schedule)
        yield from _run_in(pool, plan, schedule)


def _time_of(plan: Plan) -> Time:
    return Time() if plan.time_budget is None else Time(time.monotonic() + plan.time_budget)


def _run_here(
    plan: Plan, problem: Problem, splits: Sequence[Split], schedule: Schedule
) -> Iterator[FoldResult]:
    while (job := schedule.next()) is not None:
        place, split = job
        result = fit_and_predict(plan, problem, plan.learners[place], split, splits[split])
        schedule.note(result)
        yield result


def _run_quick(
    workers: Workers, plan: Plan, problem: Problem, splits: Sequence[Split], schedule: Schedule
) -> Iterator[FoldResult]:
    """Until the first worker has started, fit here what should take hardly any time."""
    while not workers.n_idle and (job := schedule.next(_QUICK)) is not None:
        place, split = job
        result = fit_and_predict(plan, problem, plan.learners[place], split, splits[split])
        schedule.note(result)
        yield result
        workers.wait(time.monotonic())


def _run_in(workers: Workers, plan: Plan, schedule: Schedule) -> Iterator[FoldResult]:
    n_running, has_more = 0, True
    while has_more or n_running:
        while workers.n_idle and has_more:
            job = schedule.next()
            has_more = job is not None
            if job is not None:
                workers.begin(job, schedule.until(job, len(workers)))
                n_running += 1
        if not (has_more or n_running):
            return
        done = workers.wait(schedule.end if has_more else math.inf)
        has_more = has_more and schedule.left > 0
        if done is None:
            continue
        n_running -= 1
        if done.is_stopped:
            schedule.drop(done.job)
            continue
        result = _result_of(done, plan)
        schedule.note(result)
        yield result


def _result_of(done: Done, plan: Plan) -> FoldResult:
    place, split = done.job
    if isinstance(done.result, FoldResult):
        return done.result
    return failed(plan.learners[place], split, _ENDED, 0.0)
