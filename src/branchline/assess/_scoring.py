"""From predictions to scores with 95 % intervals.

1. A metric that rows add up to (``_row_values``): ``_row_scores`` has the formulas.
2. A metric without row values (average_precision, correlations): corrected t over test sets.
3. Where rows or test sets do not differ at all, the interval still has a width (``_unseen_row``).

What an interval is about is the expected score of the learner, fitted on as many rows as training
sets have, over all training sets that might have been drawn. Comparisons of learners
(``_paired_tests``) take the whole published correction: a difference wrongly found costs more.
"""

import math
from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from branchline._intervals import Interval, corrected_t_interval, equal_scores_interval
from branchline._row_scores import CONFIDENCE, Origin, count_different, interval_of_rows
from branchline.assess._metrics import Metric
from branchline.assess._outcome import Outcome
from branchline.assess._row_values import row_values
from branchline.errors import KindError, Repair

__all__ = ["probabilities_of", "score_interval"]


def score_interval(metric: Metric, parts: Sequence[Outcome], origin: Origin) -> Interval:
    """Return a score with its 95 % interval.

    Parameters
    ----------
    metric
        What is measured.
    parts
        The predictions of each test set, by a model that had not seen it.
    origin
        Where they come from.
    """
    if metric.needs_probabilities and any(part.probabilities is None for part in parts):
        return Interval(math.nan, math.nan, math.nan)
    values = row_values(metric, parts)
    if values is None:
        return _over_test_sets(metric, parts, origin)
    found = interval_of_rows(values, origin, metric.lowest, metric.highest)
    if metric.name == "cost":  # no decision costs more than the most expensive
        found = found.within(metric.lowest, float(parts[0].cost_matrix.max(initial=0.0)))
    return found


def _over_test_sets(metric: Metric, parts: Sequence[Outcome], origin: Origin) -> Interval:
    scores = [score for part in parts if math.isfinite(score := metric.score(part))]
    if not scores:
        return Interval(math.nan, math.nan, math.nan)
    if len(scores) == 1:  # nothing is known of its spread
        return Interval(scores[0], metric.lowest, metric.highest)
    if max(scores) == min(scores):
        n_rows = count_different(origin.owners) / (1 + origin.shared * origin.in_training)
        return equal_scores_interval(scores[0], n_rows, metric.lowest, metric.highest)
    found = corrected_t_interval(scores, origin.test_to_train(len(parts)), CONFIDENCE)
    return found.within(metric.lowest, metric.highest)


def probabilities_of(model: Any, rows: Any, classes: npt.NDArray[Any] | None) -> Any:
    """Return a model's probabilities in the order of ``classes``; 0 for one it has not seen."""
    if not hasattr(model, "predict_proba"):
        raise KindError(
            f"{type(model).__name__} gives no probabilities, which this metric looks at.",
            code="K020",
            repair=Repair("cross_validate(model, X, y, metric='accuracy')", "--metric accuracy"),
        )
    assert classes is not None
    given = model.predict_proba(rows)
    probabilities = np.zeros((len(given), len(classes)))
    probabilities[:, np.searchsorted(classes, model.classes_)] = given
    return probabilities
