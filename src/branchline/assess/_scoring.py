"""From predictions to scores with 95 % intervals.

n rows were tested by models fitted on n_train rows. The standard error of a score is

    √(s̄² / n + w s² / n_train),    w = 0.6,

s being the standard deviation of what a prediction adds to it (``_row_values``), s̄ that of what a
row adds on average over its repeats; without repeats both are the same. With w = 1 it is the
corrected resampled error of Nadeau and Bengio (2003), √(1/k + n_test / n_train) times the standard
deviation of a test set's score, estimated from n rows (s / √n_test) in place of k scores: k scores
say little of their own spread, and under stratification too little (those of a majority class do
not differ at all).

The first part is due to which rows are tested; the second to which rows were learned from, which
test sets share and repeats do not reduce. How large that is depends on the learner and cannot be
learned from one cross-validation (Bengio and Grandvalet, 2004): a discriminant needs w = 0, a stump
that chooses among equally good columns 1 to 2. 0.6 is the w with which most of the simulated scores
were covered in 92 to 98 % of tables. Comparisons of learners (``_paired_tests``) keep w = 1: a
difference wrongly found costs more.

1. A score between 0 and 1: Wilson's interval of as many coin tosses as have this standard error,
   never more than there are rows (``scaled_wilson``); it stays in bounds and has a width at 0 and
   at 1.
2. Any other: t of n − 1 degrees of freedom.
3. Predictions of the same row (in repeats), of copies of a row or of the same group count as one,
   n and n_train then being numbers of different rows or groups.
4. A metric without row values (average_precision, correlations): corrected t over test sets.

How often the interval holds the truth, the expected score of a model fitted on n_train rows, was
simulated in 87 cases: 50 to 1 000 rows, 5 to 300 columns, stable and unstable learners, accuracy,
auc, log-loss, rmse, mae (``benchmarks/reproductions/interval_coverage.py`` does the like).

- 5 folds: 91 to 99.7 %, on average 96.3; in 69 cases 92 to 98 %, in 15 more, in 3 less.
- 10 folds: 86 to 99.7 %, on average 95.2; in 57 cases 92 to 98 %, in 17 more, in 13 less.
- 5 folds in 5 repeats (19 cases of 50 rows): 91 to 100 %.
- More than 98 %: discriminants, naive Bayes and logistic regression with 150 rows or more.
- Less than 92 %: 10 folds and learners that choose one of many columns that look alike: stumps 86
  to 91 %, log-loss of a tree or of the best ten among 300 columns of noise 89 %.
- The score of the very model fitted on all rows is held about as often (95.9 and 94.4 % on
  average), but only 75 to 90 % for the log-loss of learners that choose among columns of noise.
"""

import math
from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from branchline._intervals import Interval, corrected_t_interval
from branchline._row_scores import CONFIDENCE, Origin, interval_of_rows
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
    return interval_of_rows(values, origin, metric.lowest, metric.highest)


def _over_test_sets(metric: Metric, parts: Sequence[Outcome], origin: Origin) -> Interval:
    scores = [score for part in parts if math.isfinite(score := metric.score(part))]
    if not scores:
        return Interval(math.nan, math.nan, math.nan)
    if len(scores) == 1:  # nothing is known of its spread
        return Interval(scores[0], metric.lowest, metric.highest)
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
