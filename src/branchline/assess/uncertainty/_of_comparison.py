"""The errors that a comparison measured anyway: a model fitted from it gives intervals for free."""

from typing import TYPE_CHECKING

import numpy as np

from branchline._dtypes import CLASS_INDEX
from branchline._prediction_errors import PredictionErrors
from branchline._validation import ClassTarget, NumberTarget
from branchline.assess.uncertainty._fit_intervals import known_errors

if TYPE_CHECKING:
    from branchline.assess.comparing._predictions import Predictions

__all__ = ["errors_of_comparison"]


def errors_of_comparison(found: "Predictions", learner: str) -> PredictionErrors | None:
    """Return a learner's errors on test rows, each row counted once; None when there are none.

    Where rows were tested in several repeats, the first counts.
    """
    if found.plan.resampling.kind == "resubstitution":  # errors of training rows are too small
        return None
    problem, results = found.problem, found.results_of(learner)
    predicted = np.full(problem.n_rows, np.nan)
    given = None
    if problem.classes is not None and all(
        one.probabilities is not None for one in results.values()
    ):
        given = np.zeros((problem.n_rows, len(problem.classes)))
    for place in sorted(results, reverse=True):
        test, result = found.splits[place].test, results[place]
        predicted[test] = result.predicted
        if given is not None:
            given[test] = result.probabilities
    if not np.isfinite(predicted).any():
        return None
    target: ClassTarget | NumberTarget = NumberTarget(problem.target)
    if problem.classes is not None:
        target = ClassTarget(problem.classes, problem.places.astype(CLASS_INDEX))
    origin = found.plan.resampling.describe(problem.n_rows)
    return known_errors(target, problem.folds, predicted, given, origin)
