"""Metrics by name: what each measures, and for which task.

A metric takes an ``Outcome`` and gives one number; NaN where it does not exist, as the precision of
a model that never predicts the positive class. Sums over rows are rounded once, so their order does
not change the last digit. Metrics at a share or a threshold are in ``_metrics_at``.
"""

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import numpy.typing as npt

from branchline._exact_sum import exact_mean
from branchline._number_scores import correlation, r2, root_mean_squared_error
from branchline.assess._metric import Metric
from branchline.assess._metrics_at import FAMILIES, metric_at
from branchline.assess._outcome import Outcome

__all__ = ["METRICS", "Metric"]

Rows = npt.NDArray[np.float64]

_TINY = float(np.finfo(np.float64).eps)


def _share(part: Any, whole: Any) -> float:
    """Return hits as a share; NaN when there is nothing to share."""
    total = int(np.sum(whole))
    return int(np.sum(part)) / total if total else math.nan


def _hits(outcome: Outcome) -> Rows:
    return np.asarray(outcome.truth == outcome.predicted, dtype=np.float64)


def _accuracy(outcome: Outcome) -> float:
    return float(_hits(outcome).mean())


def _error(outcome: Outcome) -> float:
    return 1.0 - _accuracy(outcome)


def _balanced(outcome: Outcome) -> float:
    present = np.unique(outcome.truth)
    hits = [np.mean(outcome.predicted[outcome.truth == name] == name) for name in present]
    return float(np.mean(hits))


def _precision(outcome: Outcome) -> float:
    return _share(outcome.is_positive & outcome.predicted_positive, outcome.predicted_positive)


def _recall(outcome: Outcome) -> float:
    return _share(outcome.is_positive & outcome.predicted_positive, outcome.is_positive)


def _specificity(outcome: Outcome) -> float:
    return _share(~outcome.is_positive & ~outcome.predicted_positive, ~outcome.is_positive)


def _f1(outcome: Outcome) -> float:
    hits = 2 * int((outcome.is_positive & outcome.predicted_positive).sum())
    total = int(outcome.is_positive.sum()) + int(outcome.predicted_positive.sum())
    return hits / total if total else math.nan


def _auc_of(outcome: Outcome, place: int) -> float:
    """Return the share of pairs (this class, another) in the right order; ties count half."""
    assert outcome.probabilities is not None
    truth = outcome.truth == place
    if not truth.any() or truth.all():
        return math.nan
    # Mann and Whitney: how many pairs are in the right order, ties counting half.
    from scipy.stats import rankdata

    n_true, ranks = int(truth.sum()), rankdata(outcome.probabilities[:, place])
    n_right = float(ranks[truth].sum()) - n_true * (n_true + 1) / 2
    return n_right / (n_true * (len(truth) - n_true))


def _auc(outcome: Outcome) -> float:
    n_classes = len(outcome.classes or ())
    if n_classes == 2:
        return _auc_of(outcome, 1 if outcome.positive is None else outcome.positive)
    each = np.array([_auc_of(outcome, place) for place in range(n_classes)])
    share = np.bincount(outcome.truth.astype(np.intp), minlength=n_classes) / len(outcome)
    exists = ~np.isnan(each)
    return float(each[exists] @ share[exists] / share[exists].sum()) if exists.any() else math.nan


def _average_precision(outcome: Outcome) -> float:
    assert outcome.probabilities is not None
    truth = outcome.is_positive
    if not truth.any():
        return math.nan
    from sklearn.metrics import average_precision_score

    return float(average_precision_score(truth, outcome.probabilities[:, outcome.positive]))


def _surprise(outcome: Outcome) -> Rows:
    assert outcome.probabilities is not None
    given = outcome.probabilities[np.arange(len(outcome)), outcome.truth.astype(np.intp)]
    return np.asarray(-np.log(np.clip(given, _TINY, 1.0)))


def _square_of_probabilities(outcome: Outcome) -> Rows:
    assert outcome.probabilities is not None
    truth = np.eye(len(outcome.classes or ()))[outcome.truth.astype(np.intp)]
    return np.asarray(((outcome.probabilities - truth) ** 2).sum(axis=1))


def _costs(outcome: Outcome) -> Rows:
    places = outcome.truth.astype(np.intp), outcome.predicted.astype(np.intp)
    return np.asarray(outcome.cost_matrix[places])


def _mean_of(rows: Callable[[Outcome], Rows]) -> Callable[[Outcome], float]:
    return lambda outcome: exact_mean(rows(outcome))


def _sizes(outcome: Outcome) -> Rows:
    return np.asarray(np.abs(outcome.truth - outcome.predicted))


def _squares(outcome: Outcome) -> Rows:
    return np.asarray((outcome.truth - outcome.predicted) ** 2)


def _of_numbers(score: Callable[[Rows, Rows], float]) -> Callable[[Outcome], float]:
    return lambda outcome: score(
        outcome.truth.astype(np.float64), outcome.predicted.astype(np.float64)
    )


def _rank_correlation(truth: Rows, predicted: Rows) -> float:
    from scipy.stats import rankdata

    return correlation(rankdata(truth), rankdata(predicted))


_C, _R = "classification", "regression"
_ONE_CLASS: dict[str, Any] = {"needs_positive": True}
_PROBABILITIES: dict[str, Any] = {"needs_probabilities": True}
_ERROR: dict[str, Any] = {"less_is_better": True}
_UNITS: dict[str, Any] = {"less_is_better": True, "highest": math.inf, "negligible": None}


class _Metrics(dict[str, Metric]):
    """Metrics by name; one at another share or threshold (``lift@20%``) is made when asked for."""

    def __missing__(self, name: str) -> Metric:
        found = metric_at(name)
        if found is None:
            raise KeyError(name)
        return found


METRICS: dict[str, Metric] = _Metrics(
    (metric.name, metric)
    for metric in (
        Metric("accuracy", _C, _accuracy, "share of rows predicted correctly", of_rows=_hits),
        Metric("error", _C, _error, "share of rows predicted incorrectly", **_ERROR, of_rows=_hits),
        Metric("balanced_accuracy", _C, _balanced, "accuracy, every class counting alike"),
        Metric(
            "precision",
            _C,
            _precision,
            "share of positive predictions that are correct",
            **_ONE_CLASS,
        ),
        Metric("recall", _C, _recall, "share of the positive class that is found", **_ONE_CLASS),
        Metric("sensitivity", _C, _recall, "share of the positive class found", **_ONE_CLASS),
        Metric("specificity", _C, _specificity, "share of the others left alone", **_ONE_CLASS),
        Metric("f1", _C, _f1, "harmonic mean of precision and recall", **_ONE_CLASS),
        Metric(
            "auc",
            _C,
            _auc,
            "share of pairs of rows ranked in the right order",
            **_PROBABILITIES,
            of_ranks=True,
        ),
        Metric(
            "average_precision",
            _C,
            _average_precision,
            "area under precision against recall",
            **_ONE_CLASS,
            **_PROBABILITIES,
            of_ranks=True,
        ),
        Metric(
            "log_loss",
            _C,
            _mean_of(_surprise),
            "mean surprise of the truth, in nats",
            **_PROBABILITIES,
            **_ERROR,
            highest=-math.log(_TINY),
            of_rows=_surprise,
        ),
        Metric(
            "brier",
            _C,
            _mean_of(_square_of_probabilities),
            "mean squared error of the probabilities",
            **_PROBABILITIES,
            **_ERROR,
            highest=2.0,
            of_rows=_square_of_probabilities,
        ),
        Metric("cost", _C, _mean_of(_costs), "mean cost of a decision", **_UNITS, of_rows=_costs),
        Metric("mae", _R, _mean_of(_sizes), "mean size of the error", **_UNITS, of_rows=_sizes),
        Metric(
            "rmse",
            _R,
            _of_numbers(root_mean_squared_error),
            "root of the mean squared error",
            **_UNITS,
            of_rows=_squares,
        ),
        Metric("mse", _R, _mean_of(_squares), "mean squared error", **_UNITS, of_rows=_squares),
        Metric("r2", _R, _of_numbers(r2), "share of the variance explained", lowest=-math.inf),
        Metric("pearson", _R, _of_numbers(correlation), "linear correlation", lowest=-1.0),
        Metric("spearman", _R, _of_numbers(_rank_correlation), "rank correlation", lowest=-1.0),
        *(family.make(family.usual, family.name) for family in FAMILIES.values()),
    )
)
