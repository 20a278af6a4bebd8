"""What candidates are tuned for: the metric that decides, with its positive class and its costs.

1. A candidate predicts the rows that were kept from it, and gets the score that the comparison
   would give it; where less is better, with the sign turned.
2. A learner without probabilities cannot be tuned for a metric that looks at them: it is tuned for
   what is usual, accuracy or the root mean squared error.
3. Where a score does not exist (an AUC of rows of one class), it does not exist for any candidate:
   that fold then counts as 0 for all of them. Numbers that overflow are worse than any other.
"""

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from branchline.assess._metrics import METRICS
from branchline.assess._outcome import Outcome
from branchline.assess._scoring import probabilities_of
from branchline.assess.comparing._learners import Learner
from branchline.assess.comparing._plan import Plan
from branchline.assess.comparing._problem import Problem, positive_place
from branchline.tree._costs import check_costs

__all__ = ["TuningScore", "tuning_score"]


def tuning_score(plan: Plan, learner: Learner, problem: Problem) -> "TuningScore | None":
    """Return what a search makes best; None for what is usual."""
    metric, classes = METRICS[plan.metric], problem.classes
    if metric.needs_probabilities and not learner.gives_probabilities(plan.task):
        return None
    if classes is None:
        return TuningScore(plan.metric)
    positive = positive_place(metric, plan.positive, problem)
    costs = None if plan.costs is None else check_costs(plan.costs, classes)
    return TuningScore(plan.metric, classes, positive, costs)


@dataclass(frozen=True, eq=False)
class TuningScore:
    """A scorer of scikit-learn's form: higher is better.

    Parameters
    ----------
    metric
        A name of ``METRICS``.
    classes
        All classes of the target, sorted; None for numbers.
    positive
        The place of the class that precision, recall and the like describe.
    costs
        What it costs to predict j when i is true; None: every error costs 1.
    """

    metric: str
    classes: npt.NDArray[Any] | None = None
    positive: int | None = None
    costs: npt.NDArray[np.float64] | None = None

    def __call__(self, model: Any, X: Any, y: Any) -> float:
        """Return the score of a fitted candidate on rows it has not seen."""
        wanted, outcome = METRICS[self.metric], self._outcome(model, X, np.asarray(y))
        if self.classes is None and not np.isfinite(outcome.predicted).all():
            return -math.inf
        with np.errstate(over="ignore", invalid="ignore"):
            score = wanted.score(outcome)
        if math.isnan(score):
            return 0.0
        if math.isinf(score):
            return -math.inf
        return -score if wanted.less_is_better else score

    def _outcome(self, model: Any, X: Any, truth: npt.NDArray[Any]) -> Outcome:
        predicted = np.asarray(model.predict(X))
        if self.classes is None:
            return Outcome(truth.astype(np.float64), predicted.astype(np.float64))
        probabilities = None
        if METRICS[self.metric].needs_probabilities:
            probabilities = probabilities_of(model, X, self.classes)
        places = [np.searchsorted(self.classes, names) for names in (truth, predicted)]
        names = tuple(self.classes.tolist())
        return Outcome(places[0], places[1], probabilities, names, self.positive, self.costs)
