"""Budgets: the same folds for all, fits that are stopped, nothing left behind."""

import math
import os
import signal
import time
from typing import Any

import numpy as np
import pytest

from branchline import load_dataset
from branchline._base import Estimator
from branchline.assess import carry_out, compare, make_plan, make_problem
from branchline.assess.comparing import _frames, _schedule, _spending, _workers
from branchline.assess.comparing._plan import Plan
from branchline.assess.comparing._problem import Problem
from branchline.assess.comparing._results import FoldResult
from branchline.assess.comparing._schedule import Schedule, compared_folds
from branchline.assess.comparing._spending import Time, run_plan
from branchline.errors import BranchlineWarning, ParameterError
from branchline.tree import Stump

DEAF = 2  # the place of the learner that takes long, after the baseline and another


class Deaf(Stump().__class__):
    """A learner that takes long and heeds no signal."""

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Any:
        signal.pthread_sigmask(signal.SIG_BLOCK, set(signal.valid_signals()))
        time.sleep(10_000)
        return super().fit(X, y)


class Dying(Stump().__class__):
    """A learner whose process is ended by the system."""

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Any:
        os._exit(9)


class Broken(Stump().__class__):
    """A learner with a mistake in it."""

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Any:
        raise KeyError("nothing there")


@pytest.fixture(scope="module")
def plan() -> Plan:
    return make_plan("classification", learners="tree,stump,one_rule", n_folds=4)


@pytest.fixture(scope="module")
def problem() -> Problem:
    return make_problem(load_dataset("iris"), "species")


def result(learner: str, split: int, seconds: float) -> FoldResult:
    none = np.zeros(0)
    return FoldResult(learner, split, none, None, seconds, 0.0, 1, "leaves", {})


# -- which folds are compared -------------------------------------------------------------------


def test_learners_are_compared_on_folds_that_all_have_finished() -> None:
    done = {"baseline": {0, 1, 2, 3}, "a": {0, 1, 2}, "b": {0, 1, 3}}
    assert compared_folds(done, "baseline") == (("baseline", "a", "b"), {0, 1})


def test_a_learner_with_few_folds_is_left_out_and_does_not_cost_the_others_theirs() -> None:
    done = {"baseline": range(10), "a": range(10), "b": range(9), "slow": range(2), "none": ()}
    labels, folds = compared_folds(done, "baseline")
    assert labels == ("baseline", "a", "b")
    assert folds == set(range(9))


def test_the_only_learner_is_compared_with_the_baseline_whatever_it_finished() -> None:
    assert compared_folds({"baseline": range(10), "a": {0}}, "baseline")[0] == ("baseline", "a")


def test_one_fold_beside_ten_is_never_shown_as_a_score(plan: Plan, problem: Problem) -> None:
    whole = carry_out(plan, problem)
    kept = [one for one in whole.results if one.learner != "tree" or one.split == 0]
    found = type(whole)(whole.plan, whole.problem, whole.splits, tuple(kept), 1.0, False)
    assert "tree" not in found.labels
    assert found.unfinished == {"tree": 1}
    assert "tree: not finished (1 of 4 folds)" in str(found)
    assert {standing.n_splits for standing in found.standings} == {4}
    document = found.to_dict()
    assert document["folds"]["unfinished"] == {"tree": 1}
    assert document["folds"]["compared"] == 4
    assert [warning["code"] for warning in document["warnings"]] == ["W006"]


def test_when_only_the_baseline_is_ready_nothing_is_recommended(
    plan: Plan, problem: Problem
) -> None:
    whole = carry_out(plan, problem)
    kept = [one for one in whole.results if one.learner == "baseline"]
    found = type(whole)(whole.plan, whole.problem, whole.splits, tuple(kept), 1.0, False)
    assert found.recommendation.sentence.startswith("Nothing can be recommended: only the baseline")
    assert found.unfinished == {"tree": 0, "stump": 0, "one_rule": 0}


# -- the schedule -------------------------------------------------------------------------------


def test_folds_go_round_and_the_quickest_comes_first(plan: Plan, problem: Problem) -> None:
    schedule = Schedule(plan, problem, 4)
    jobs = [schedule.next() for _ in range(16)]
    assert [job[1] for job in jobs if job is not None] == [0] * 4 + [1] * 4 + [2] * 4 + [3] * 4
    assert schedule.next() is None


def test_nothing_is_begun_that_cannot_be_ready_and_others_go_on(
    plan: Plan, problem: Problem
) -> None:
    end = time.monotonic() + 5
    schedule = Schedule(plan, problem, 4, [result("tree", 0, 100.0)], lambda slowest: end)
    places = [schedule.next() for _ in range(20)]
    labels = [plan.learners[job[0]].label for job in places if job is not None]
    assert "tree" not in labels
    assert len(labels) == 3 * 4


def test_a_first_fit_may_not_take_what_the_others_need(plan: Plan, problem: Problem) -> None:
    end = time.monotonic() + 100
    schedule = Schedule(plan, problem, 4, (), lambda slowest: end)
    job = schedule.next()
    assert job is not None
    assert schedule.until(job, 1) == pytest.approx(end - 50, abs=1)  # nothing is known of others
    for label in ("baseline", "tree", "stump", "one_rule"):
        if label != plan.learners[job[0]].label:
            schedule.note(result(label, 0, 1.0))
    assert schedule.until(job, 1) == pytest.approx(end - 3 * 4, abs=1)


def test_time_is_kept_for_what_follows() -> None:
    budget = Time(100.0, 2.0, 3.0, 40.0)
    assert budget.end_of_fits(0.0) == 97.0
    assert budget.end_of_fits(5.0) == 87.0
    assert budget.end_of_fits(500.0) == 60.0


# -- processes ----------------------------------------------------------------------------------


class Clock:
    """The time of this process, and what is skipped."""

    def __init__(self) -> None:
        self.skipped = 0.0

    def monotonic(self) -> float:
        return time.monotonic() + self.skipped


@pytest.fixture
def clock_after_begin(monkeypatch: pytest.MonkeyPatch) -> None:
    """Skip the time that a learner has, when it begins its first fit in a worker: it is over."""
    clock = Clock()
    for module in (_workers, _schedule, _spending):
        monkeypatch.setattr(module, "time", clock)
    begin = _workers.Workers.begin

    def begin_and_skip(self: Any, job: Any, until: float) -> None:
        begin(self, job, until)
        if job[0] == DEAF:
            clock.skipped += max(0.0, until - clock.monotonic())

    monkeypatch.setattr(_workers.Workers, "begin", begin_and_skip)


@pytest.mark.usefixtures("clock_after_begin")
def test_any_fit_is_stopped_at_the_end_and_the_others_have_their_scores() -> None:
    learners = {"stump": Stump(), "deaf": Deaf(), "tree": "tree"}
    with pytest.warns(BranchlineWarning, match="did not finish a single one") as told:
        found = compare(
            load_dataset("iris"), "species", learners=learners, n_folds=3, time_budget=1000.0
        )
    assert found.plan.learners[DEAF].label == "deaf"
    assert found.unfinished["deaf"] == 0
    assert found.n_compared_folds >= 1  # how many depends on how fast processes start
    assert "deaf: not finished (0 of 3 folds)" in str(found)
    assert [warning.message.code for warning in told] == ["W006"]


def test_a_budget_that_is_too_short_says_so_plainly() -> None:
    found = compare(load_dataset("iris"), "species", learners="stump", n_folds=3, time_budget=1e-9)
    with pytest.raises(ParameterError, match="before any learner had finished one fold") as caught:
        str(found)
    assert caught.value.code == "P160"


def test_a_process_that_dies_costs_its_learner_only() -> None:
    learners = {"dying": Dying(), "stump": Stump()}
    found = compare(load_dataset("iris"), "species", learners=learners, n_folds=2, n_jobs=2)
    assert "ended by the system" in found.failures["dying"]
    assert set(found.labels) == {"baseline", "stump"}


def test_large_tables_are_shared_and_give_the_same_numbers() -> None:
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(20_000, 8)), rng.integers(0, 2, 20_000)
    problem = make_problem(X, y, task="classification")
    plan = make_plan("classification", learners="stump", n_folds=2)
    splits = plan.resampling.splits(problem, 0)
    here = list(run_plan(plan, problem, splits))
    there = list(run_plan(plan, problem, splits, n_jobs=2))
    key = lambda one: (one.learner, one.split)  # noqa: E731
    for one, other in zip(sorted(here, key=key), sorted(there, key=key), strict=True):
        np.testing.assert_array_equal(one.predicted, other.predicted)


def test_this_process_and_another_share_some_seconds_of_work(
    problem: Problem, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(_spending, "_SHORT", 0.0)
    begun: list[int] = []
    real = _workers.Workers.begin
    monkeypatch.setattr(
        _workers.Workers, "begin", lambda self, *job: (begun.append(len(self)), real(self, *job))
    )
    plan = make_plan("classification", learners="tree,nearest_neighbors,logistic", n_folds=40)
    splits = plan.resampling.splits(problem, 0)
    monkeypatch.setattr(_spending, "_QUICK", 0.0)  # nothing here until the worker has started
    there = list(run_plan(plan, problem, splits, n_jobs=2))
    assert begun == [1] * 160
    begun.clear()
    monkeypatch.setattr(_spending, "_QUICK", 0.2)
    shared = list(run_plan(plan, problem, splits, n_jobs=2))
    assert len(begun) < 160
    key = lambda one: (one.learner, one.split)  # noqa: E731
    for one, other in zip(sorted(there, key=key), sorted(shared, key=key), strict=True):
        np.testing.assert_array_equal(one.probabilities, other.probabilities)


def test_the_next_job_of_a_process_that_dies_is_done_by_another(problem: Problem) -> None:
    plan = make_plan("classification", learners={"dying": Dying(), "stump": Stump()}, n_folds=2)
    splits = plan.resampling.splits(problem, 0)
    with _frames.packed((plan, problem, tuple(splits))) as given, _workers.started(1) as workers:
        workers.give(given)
        while not workers.n_idle:
            workers.wait(math.inf)
        jobs = [(1, 0, None), (2, 0, None)]
        for job in jobs:
            workers.begin(job, math.inf)
        assert (workers.n_idle, workers.n_open) == (0, 0)
        ended: list[_workers.Done] = []
        while len(ended) < 2:
            done = workers.wait(math.inf)
            ended += [] if done is None else [done]
    assert [done.job for done in ended] == jobs
    assert [type(done.result) for done in ended] == [type(None), FoldResult]


def test_work_of_less_than_a_second_starts_no_process(
    plan: Plan, problem: Problem, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(_spending, "started", None)
    splits = plan.resampling.splits(problem, 0)
    assert len(list(run_plan(plan, problem, splits, n_jobs=2))) == 16


def test_what_cannot_be_sent_is_fitted_here(problem: Problem) -> None:
    class Unsendable(Stump().__class__):
        def __reduce__(self) -> Any:
            raise TypeError("stays here")

    plan = make_plan("classification", learners={"own": Unsendable()}, n_folds=2)
    splits = plan.resampling.splits(problem, 0)
    assert len(list(run_plan(plan, problem, splits, n_jobs=2))) == 4
    assert issubclass(Unsendable, Estimator)


def test_a_budget_is_a_maximum() -> None:
    # A comparison that waited for the end of its budget would wait for a day.
    found = compare(load_dataset("iris"), "species", learners="stump", n_folds=3, time_budget=86400)
    assert found.n_compared_folds == 3


def test_a_learner_that_raises_anything_leaves_its_reason() -> None:
    learners = {"broken": Broken(), "stump": Stump()}
    found = compare(load_dataset("iris"), "species", learners=learners, n_folds=2)
    assert "nothing there" in found.failures["broken"]
    assert "stump" in found.labels
