"""Carrying out a plan: every learner on every split, results as they come.

1. Splits go round: all learners on the first split, then on the second. So whatever is there after
   an interruption, or when time is up, compares all learners on the same test sets.
2. A learner that has used up its share of the time gets no more splits.
3. Splits run in processes, each learner on one thread; the numbers do not depend on how many.
4. A learner that fails on a split leaves its reason; the others go on.
"""

import time
import warnings
from collections import defaultdict
from collections.abc import Iterator, Sequence
from typing import Any

import joblib
import numpy as np
import numpy.typing as npt
from sklearn.model_selection import GridSearchCV, PredefinedSplit, RandomizedSearchCV

from branchline import catalog
from branchline._base import Estimator
from branchline.assess.comparing._plan import Learner, Plan
from branchline.assess.comparing._problem import Problem
from branchline.assess.comparing._resampling import Split
from branchline.assess.comparing._results import FoldResult
from branchline.assess.comparing._tuned_threshold import add_threshold
from branchline.ensemble import ThresholdClassifier
from branchline.errors import BranchlineError

__all__ = ["fit_learner", "run_plan"]

Job = tuple[Learner, int]


def run_plan(
    plan: Plan,
    problem: Problem,
    splits: Sequence[Split],
    *,
    done: Sequence[FoldResult] = (),
    n_jobs: int = 1,
) -> Iterator[FoldResult]:
    """Yield results as they are ready; those that are done already are not made again."""
    jobs = _Jobs(plan, len(splits), done)
    parallel = joblib.Parallel(
        n_jobs=n_jobs, return_as="generator_unordered", pre_dispatch=n_jobs, batch_size=1
    )
    made = parallel(
        joblib.delayed(_result)(plan, problem, learner, split, splits[split])
        for learner, split in jobs
    )
    for result in made:
        jobs.spent[result.learner] += result.fit_seconds + result.predict_seconds
        yield result


class _Jobs:
    """The jobs in their order, asked for one by one, so that a share that is used up ends them."""

    def __init__(self, plan: Plan, n_splits: int, done: Sequence[FoldResult]) -> None:
        self._plan, self._n_splits = plan, n_splits
        self._done = {(result.learner, result.split) for result in done}
        self.spent: defaultdict[str, float] = defaultdict(float)
        for result in done:
            self.spent[result.learner] += result.fit_seconds + result.predict_seconds

    def __iter__(self) -> Iterator[Job]:
        budget = self._plan.time_budget
        share = np.inf if budget is None else budget / len(self._plan.learners)
        for split in range(self._n_splits):
            for learner in self._plan.learners:
                is_open = self.spent[learner.label] < share
                if is_open and (learner.label, split) not in self._done:
                    yield learner, split


def _result(
    plan: Plan, problem: Problem, learner: Learner, number: int, split: Split
) -> FoldResult:
    """Fit a learner on one training set and let it predict the test set."""
    begin = time.perf_counter()
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        try:
            model = fit_learner(plan, learner, problem.rows(split.train), _inner(split))
            fitted = time.perf_counter()
            said, chances = _predictions(model, problem, split.test)
            predicted = time.perf_counter()
            own = None
            if plan.resampling.kind == "bootstrap":
                own, _ = _predictions(model, problem, np.unique(split.train))
        except (BranchlineError, ValueError, TypeError, ArithmeticError, MemoryError) as error:
            return _failed(learner, number, error, time.perf_counter() - begin)
    size, unit = _complexity(model)
    return FoldResult(
        learner.label,
        number,
        said,
        chances,
        fitted - begin,
        predicted - fitted,
        size,
        unit,
        _chosen(model),
        own,
        tuple(dict.fromkeys(str(warning.message) for warning in caught))[:5],
    )


def fit_learner(
    plan: Plan, learner: Learner, problem: Problem, validation: Any = None, n_jobs: int = 1
) -> Any:
    """Fit a learner on all rows of a problem, tuned and with a threshold as the plan says.

    ``validation`` marks the rows of the problem on which a search scores its candidates.
    """
    if plan.tuning is None or learner.name is None:
        model = learner.make(plan.task, plan.seed)
    else:
        model = _search(plan, learner, problem, validation, n_jobs)
    if plan.threshold is None:
        return _fit(model, problem)
    if not isinstance(model, GridSearchCV | RandomizedSearchCV):
        return _fit(add_threshold(plan, model), problem)
    search = _fit(model, problem)
    model = add_threshold(plan, search)
    if model is not search:
        _fit(model, problem).best_params_ = search.best_params_  # told beside the scores
    return model


def _fit(model: Any, problem: Problem) -> Any:
    return model.fit(rows_for(model, problem.table), problem.target)


def _search(plan: Plan, learner: Learner, problem: Problem, validation: Any, n_jobs: int) -> Any:
    """Return a search over the learner's space; the learner itself when there is nothing to try."""
    assert learner.name is not None
    assert plan.tuning is not None
    entry = catalog.entry(learner.name)
    if entry.count_candidates(plan.task, plan.tuning) <= 1:  # type: ignore[arg-type]
        return learner.make(plan.task, plan.seed)
    search = catalog.search(
        learner.name,
        task=plan.task,
        space=plan.tuning,
        folds=max(2, min(plan.inner_folds, problem.n_rows)),
        random_state=plan.seed,
        n_jobs=n_jobs,
        **learner.parameters,
    )
    if validation is not None:
        search.set_params(cv=PredefinedSplit(np.where(validation, 0, -1)))
    return search


def _inner(split: Split) -> npt.NDArray[np.bool_] | None:
    """Return which rows of the training set choose."""
    return None if split.validation is None else np.isin(split.train, split.validation)


def _predictions(model: Any, problem: Problem, rows: Any) -> tuple[Any, Any]:
    """Return what a model says of rows: places of classes and probabilities, or numbers."""
    given = rows_for(model, problem.table.rows(rows))
    said = model.predict(given)
    if problem.classes is None:
        return np.asarray(said, dtype=np.float64), None
    places = np.searchsorted(problem.classes, np.asarray(said)).astype(np.int32)
    if not hasattr(model, "predict_proba"):
        return places, None
    chances = np.zeros((len(places), len(problem.classes)))
    chances[:, np.searchsorted(problem.classes, model.classes_)] = model.predict_proba(given)
    return places, chances


def rows_for(model: Any, table: Any) -> Any:
    """Return rows as a table; estimators of other libraries get a frame or an array."""
    inner = getattr(model, "estimator", model)
    if isinstance(model, Estimator) or isinstance(inner, Estimator):
        return table
    return table.to_pandas() if table.schema.named else np.asarray(table)


def _complexity(model: Any) -> tuple[int, str]:
    best = getattr(model, "best_estimator_", model)
    if not isinstance(best, Estimator):
        return 0, ""
    found = best.complexity()
    return found.count, found.unit


def _chosen(model: Any) -> dict[str, Any]:
    best = dict(getattr(model, "best_params_", None) or {})
    if isinstance(model, ThresholdClassifier):
        best["threshold"] = model.threshold_
    return {name: value if _is_plain(value) else repr(value) for name, value in best.items()}


def _is_plain(value: Any) -> bool:
    return value is None or isinstance(value, bool | int | float | str)


def _failed(learner: Learner, split: int, error: Exception, seconds: float) -> FoldResult:
    reason = getattr(error, "message", None) or f"{type(error).__name__}: {error}"
    none = np.zeros(0)
    return FoldResult(
        learner.label, split, none, None, seconds, 0.0, 0, "", {}, error=str(reason)[:500]
    )
