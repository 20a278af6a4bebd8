"""Thresholds chosen inside training sets, when a plan asks for them.

1. A learner that gives probabilities is put into a ``ThresholdClassifier``, which chooses by folds
   of the training set from which probability on the positive class is predicted. The test set is
   not used for it. Learners without probabilities stay as they are.
2. A learner that is tuned is searched first, on the same training set; the threshold is then chosen
   for the best candidate. So candidates are compared as they are, not at thresholds of their own.
3. The positive class is settled once, on the whole target, so that all training sets mean the same
   class as the metrics do.

4. Where costs decide between two classes, thresholds are chosen unless "half" is asked for: the
   more probable class can cost more than always predicting the other one.

The folds inside a training set keep groups together and respect time, as those outside do.
"""

from dataclasses import replace
from typing import Any

import numpy as np
from sklearn.base import clone

from branchline.assess._find_metric import check_positive
from branchline.assess._metrics import METRICS
from branchline.assess.comparing._plan import Plan
from branchline.assess.comparing._problem import Problem
from branchline.ensemble import ThresholdClassifier
from branchline.errors import ParameterError, Repair

__all__ = ["add_threshold", "settle_threshold"]

# Metrics of a comparison for which a threshold can be chosen, as the threshold calls them. For all
# others it is what a threshold is usually chosen for.
_CHOSEN_FOR = {
    "accuracy": "accuracy",
    "error": "accuracy",
    "balanced_accuracy": "balanced_accuracy",
    "f1": "f1",
    "cost": "cost",
}


def settle_threshold(plan: Plan, problem: Problem) -> Plan:
    """Return the plan with its positive class named, and with thresholds where costs decide.

    Thresholds are refused without two classes.

    The class is named once, on the whole target: training sets may have another rarer class.
    """
    n_classes = 0 if problem.classes is None else len(problem.classes)
    if plan.threshold is None and plan.metric == "cost" and plan.costs is not None:
        plan = replace(plan, threshold="tuned" if n_classes == 2 else None)
    if not plan.tunes_threshold and (plan.tuning is None or n_classes != 2):
        return plan
    if n_classes != 2:
        raise ParameterError(
            f"threshold='tuned' needs a target of two classes; this one has {n_classes}.",
            code="P104",
            values=[plan.threshold],
            repair=Repair("compare(X, y, threshold=None)"),
        )
    assert problem.classes is not None
    if plan.positive is None:
        place = int(np.argmin(np.bincount(problem.places, minlength=2)))
    else:
        place = check_positive(METRICS[plan.metric], plan.positive, problem.classes)
    return replace(plan, positive=problem.classes.tolist()[place])


def add_threshold(plan: Plan, model: Any) -> Any:
    """Return an unfitted model with a threshold to choose; as it is where there can be none.

    A fitted search is replaced by its best candidate.
    """
    if not plan.tunes_threshold or isinstance(model, ThresholdClassifier):
        return model
    best = clone(getattr(model, "best_estimator_", model))
    if not hasattr(best, "predict_proba"):
        return model
    return ThresholdClassifier(
        estimator=best,
        metric=_CHOSEN_FOR.get(plan.metric),
        positive=plan.positive,
        costs=plan.costs,
        n_folds=plan.n_inner_folds,
        random_state=plan.seed,
        n_jobs=1,
    )
