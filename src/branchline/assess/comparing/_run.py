"""One fit of a comparison: a learner on one training set, and its predictions of the test set.

1. Where the plan says so, inputs are chosen from the training set (``_chosen_inputs``), and the
   learner's parameters are searched inside it, for the metric that decides, and its threshold is
   chosen there.
2. Fits run on one thread each; the numbers do not depend on where they run. Where rows are few,
   libraries below have one thread, too: theirs wait for each other longer than they compute.
3. A learner that fails leaves its reason; the others go on.
"""

import time
import warnings
from contextlib import nullcontext
from dataclasses import replace
from typing import Any

import numpy as np
import numpy.typing as npt
from sklearn.model_selection import GridSearchCV, PredefinedSplit, RandomizedSearchCV

from branchline import catalog
from branchline._base import Estimator
from branchline._model_rows import rows_for
from branchline._one_thread import limit_threads
from branchline.assess.comparing._chosen_inputs import Bits, choose_inputs
from branchline.assess.comparing._fit_memory import PeakMemory, saved_bytes
from branchline.assess.comparing._learners import Learner
from branchline.assess.comparing._plan import Plan
from branchline.assess.comparing._problem import Problem
from branchline.assess.comparing._resampling import Split
from branchline.assess.comparing._results import FoldResult
from branchline.assess.comparing._trials import plain_value, tried_configurations
from branchline.assess.comparing._tuned_threshold import add_threshold
from branchline.assess.comparing._tuning_score import tuning_score
from branchline.assess.comparing._unlabeled import learns_from_unlabeled
from branchline.ensemble import ThresholdClassifier

__all__ = ["failed", "fit_and_predict", "fit_learner"]

_FEW_ROWS = 2_000


def fit_and_predict(
    plan: Plan,
    problem: Problem,
    learner: Learner,
    number: int,
    split: Split,
    known: Bits | None = None,
) -> FoldResult:
    """Fit a learner on one training set and let it predict the test set.

    ``known`` are the inputs that another learner's fit has chosen from the same training set.
    """
    begin = time.perf_counter()
    limits = limit_threads("blas") if problem.n_rows <= _FEW_ROWS else nullcontext()
    with limits, warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        try:
            choice = choose_inputs(plan, learner, problem, split, known)
            problem = problem if choice is None else choice.of(problem)
            peak, begin = PeakMemory(), time.perf_counter()
            model = fit_learner(plan, learner, problem.rows(split.train), _inner(split))
            fitted, fit_bytes = time.perf_counter(), peak.bytes()
            predicting = time.perf_counter()
            predicted, probabilities = _predictions(model, problem, split.test)
            ended = time.perf_counter()
            own = None
            if plan.resampling.kind == "bootstrap":
                own, _ = _predictions(model, problem, np.unique(split.train))
        except Exception as error:  # whatever a learner raises, the others go on
            reason = getattr(error, "message", None) or f"{type(error).__name__}: {error}"
            return failed(learner, number, str(reason), time.perf_counter() - begin)
    size, unit = _complexity(model)
    return FoldResult(
        learner.label,
        number,
        predicted,
        probabilities,
        fitted - begin,
        ended - predicting,
        size,
        unit,
        _chosen(model),
        own,
        tuple(dict.fromkeys(str(warning.message) for warning in caught))[:5],
        fit_bytes=fit_bytes,
        model_bytes=saved_bytes(model) if number == 0 else None,
        trials=tried_configurations(model),
        chosen=None if choice is None else choice.bits,
        path=None if choice is None else choice.path,
        choice_seconds=0.0 if choice is None else choice.seconds,
    )


def fit_learner(
    plan: Plan, learner: Learner, problem: Problem, validation: Any = None, n_jobs: int = 1
) -> Any:
    """Fit a learner on all rows of a problem, tuned and with a threshold as the plan says.

    ``validation`` marks the rows of the problem on which a search scores its candidates.
    """
    if learner.labels_only:
        problem = replace(problem, unlabeled=None)
    if plan.tuning is None or learner.name is None:
        model = learner.make(plan.task, plan.seed)
    else:
        model = _search(plan, learner, problem, validation, n_jobs)
    if not plan.tunes_threshold:
        return _fit(model, problem)
    if not isinstance(model, GridSearchCV | RandomizedSearchCV):
        return _fit(add_threshold(plan, model), problem)
    search = _fit(model, problem)
    model = add_threshold(plan, search)
    if model is not search:
        _fit(model, problem)
        for name in ("best_params_", "cv_results_"):  # shown with the scores
            setattr(model, name, getattr(search, name))
    return model


def _fit(model: Any, problem: Problem) -> Any:
    if problem.unlabeled is not None and learns_from_unlabeled(model):
        return model.fit(*problem.unlabeled.training(problem.target))
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
        n_folds=max(2, min(plan.n_inner_folds, problem.n_rows)),
        metric=tuning_score(plan, learner, problem),
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
    """Return the predictions of rows: places of classes and probabilities, or numbers."""
    given = rows_for(model, problem.table.rows(rows))
    predicted = model.predict(given)
    if problem.classes is None:
        return np.asarray(predicted, dtype=np.float64), None
    places = np.searchsorted(problem.classes, np.asarray(predicted)).astype(np.int32)
    if not hasattr(model, "predict_proba"):
        return places, None
    probabilities = np.zeros((len(places), len(problem.classes)))
    probabilities[:, np.searchsorted(problem.classes, model.classes_)] = model.predict_proba(given)
    return places, probabilities


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
    return {name: plain_value(value) for name, value in best.items()}


def failed(learner: Learner, split: int, reason: str, seconds: float) -> FoldResult:
    """Return the result of a fit that came to nothing."""
    none = np.zeros(0)
    return FoldResult(learner.label, split, none, None, seconds, 0.0, 0, "", {}, error=reason[:500])
