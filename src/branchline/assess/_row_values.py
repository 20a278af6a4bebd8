"""What each row adds to a score, so that the score's error can be learned from rows.

A score s of n predictions is written as s plus the mean of deviations d_1 … d_n (its influence
values), whose sum is zero; the spread of d over rows tells how far s may be off.

1. A ratio s = Σ a_i / Σ b_i: d_i = (a_i − s b_i) / mean(b). A mean over rows has b_i = 1, precision
   counts the rows predicted positive, f1 is 2 · hits / (truly positive + predicted positive).
2. Means of ratios (balanced accuracy), 1 minus a ratio (r2) and the root of one (rmse, by the delta
   method) follow from them.
3. auc: each row's placement, the share of the rows of the other class, in the same test set, that
   it is ranked correctly against (DeLong, DeLong and Clarke-Pearson, 1988). Rows of different test
   sets got their probabilities from different models and are not ranked against each other.

Ratios are taken over all test sets together, auc is the mean over test sets: that is how they have
the least bias (Forman and Scholz, 2010).
"""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt
from scipy import stats

from branchline._exact_sum import exact_mean
from branchline._row_scores import RowValues, ratio_of_rows
from branchline.assess._metrics import METRICS, Metric
from branchline.assess._outcome import Outcome
from branchline.assess._unseen_row import unseen_row

__all__ = ["row_values"]

Floats = npt.NDArray[np.float64]


def row_values(metric: Metric, parts: Sequence[Outcome]) -> RowValues | None:
    """Return the score of test sets with what each row adds; None where that is not known."""
    found = _row_values(metric, parts)
    return None if found is None else replace(found, unit=unseen_row(metric, parts, found))


def _row_values(metric: Metric, parts: Sequence[Outcome]) -> RowValues | None:
    compute = _COMPUTE.get(metric.name)
    if compute is None and metric.of_rows is not None:
        compute = _of_mean(metric.of_rows)
    if metric.deviations is not None and parts:
        found = metric.deviations(parts)
        return None if found is None else RowValues(*found)
    return None if compute is None else compute(list(parts))


def _each(parts: list[Outcome], rows: Callable[[Outcome], npt.NDArray[np.generic]]) -> Floats:
    return np.concatenate([np.asarray(rows(part), dtype=np.float64) for part in parts])


def _of_mean(rows: Callable[[Outcome], Floats]) -> Callable[[list[Outcome]], RowValues | None]:
    def compute(parts: list[Outcome]) -> RowValues | None:
        values = _each(parts, rows)
        return ratio_of_rows(values, np.ones(len(values)))

    return compute


def _of_ratio(
    above: Callable[[Outcome], npt.NDArray[np.generic]],
    below: Callable[[Outcome], npt.NDArray[np.generic]],
) -> Callable[[list[Outcome]], RowValues | None]:
    return lambda parts: ratio_of_rows(_each(parts, above), _each(parts, below))


def _misses(outcome: Outcome) -> Floats:
    return np.asarray(outcome.truth != outcome.predicted, dtype=np.float64)


def _found(outcome: Outcome) -> npt.NDArray[np.bool_]:
    return outcome.is_positive & outcome.predicted_positive


def _f1_below(outcome: Outcome) -> Floats:
    return outcome.is_positive.astype(np.float64) + outcome.predicted_positive


def _balanced(parts: list[Outcome]) -> RowValues | None:
    truth = np.concatenate([part.truth for part in parts])
    hits = 1.0 - _each(parts, _misses)
    members = [(truth == name).astype(np.float64) for name in np.unique(truth)]
    each = [found for rows in members if (found := ratio_of_rows(hits * rows, rows)) is not None]
    deviations = np.mean([found.deviations for found in each], axis=0)
    return RowValues(float(np.mean([found.score for found in each])), deviations, len(truth))


def _rmse(parts: list[Outcome]) -> RowValues | None:
    sizes = _each(parts, lambda part: np.abs(part.truth - part.predicted))
    unit = float(sizes.max()) or 1.0  # squares of large errors have no room
    found = ratio_of_rows((sizes / unit) ** 2, np.ones(len(sizes)))
    assert found is not None
    root = math.sqrt(found.score)
    deviations = found.deviations / (2 * root) if root > 0 else found.deviations
    return RowValues(unit * root, unit * deviations, len(sizes))


def _r2(parts: list[Outcome]) -> RowValues | None:
    truth, predicted = (
        _each(parts, lambda part: part.truth),
        _each(parts, lambda part: part.predicted),
    )
    unit = float(np.ptp(truth)) or 1.0
    found = ratio_of_rows(
        ((truth - predicted) / unit) ** 2, ((truth - exact_mean(truth)) / unit) ** 2
    )
    return None if found is None else RowValues(1 - found.score, -found.deviations, len(truth))


# -- auc ------------------------------------------------------------------------------------------


def _auc(parts: list[Outcome]) -> RowValues | None:
    if any(part.probabilities is None for part in parts):
        return None
    placed = [_placed(part) for part in parts]
    scores = np.array([_score_of_placed(classes) for classes in placed])
    if not np.isfinite(scores).any():
        return None
    mean = float(np.nanmean(scores))
    deviations = [
        _deviations_of_auc(classes, len(part), mean)
        for part, classes in zip(parts, placed, strict=True)
    ]
    n_counted = sum(_pairs_in_rows(part) for part in parts)
    return RowValues(mean, np.concatenate(deviations), n_counted)


@dataclass(frozen=True, eq=False)
class _Placed:
    """One class against the others in a test set: its weight, its rows, all rows' placements."""

    weight: float
    is_class: npt.NDArray[np.bool_]
    placements: Floats


def _placed(part: Outcome) -> list[_Placed]:
    assert part.probabilities is not None
    n_classes = len(part.classes or ())
    counts = np.bincount(part.truth.astype(np.intp), minlength=n_classes)
    places = np.flatnonzero((counts > 0) & (counts < len(part))).tolist()
    if n_classes == 2:
        places = [1 if part.positive is None else part.positive] if places else []
    total = sum(int(counts[place]) for place in places)
    return [
        _Placed(
            int(counts[place]) / total,
            part.truth == place,
            _placements(part.truth == place, part.probabilities[:, place]),
        )
        for place in places
    ]


def _placements(is_class: npt.NDArray[np.bool_], probabilities: Floats) -> Floats:
    """Return the share of the other side that each row is ranked correctly against; ties half."""
    placements, ranks = np.empty(len(is_class)), stats.rankdata(probabilities)
    for mine in (is_class, ~is_class):
        # Of all rows below a row those of the other side: ranks in all less ranks in its own.
        below = ranks[mine] - stats.rankdata(probabilities[mine])
        placements[mine] = below / (len(is_class) - len(below))
    placements[~is_class] = 1 - placements[~is_class]
    return placements


def _score_of_placed(classes: list[_Placed]) -> float:
    if not classes:
        return math.nan
    return sum(one.weight * exact_mean(one.placements[one.is_class]) for one in classes)


def _deviations_of_auc(classes: list[_Placed], n_rows: int, mean: float) -> Floats:
    """Return what each row adds to the auc of a test set; NaN where there is none."""
    deviations = np.zeros(n_rows) if classes else np.full(n_rows, math.nan)
    for one in classes:
        for mine in (one.is_class, ~one.is_class):
            values, n_mine = one.placements[mine], int(mine.sum())
            # The mean of few placements lies among them, which √(n / (n − 1)) makes good; that of
            # a single one is itself, so the mean over test sets stands in.
            off = (values - exact_mean(values)) * math.sqrt(n_mine / max(1, n_mine - 1))
            off = values - mean if n_mine == 1 else off
            deviations[mine] += one.weight * off * n_rows / n_mine
    return deviations


def _pairs_in_rows(part: Outcome) -> float:
    """Return how many coins can tell as much as the pairs of a test set, at most.

    With n rows of one class and m of the other these are 4 n m / (n + m), all rows when classes are
    even: as many as where probabilities have two values, and auc is the mean of two shares of hits.
    """
    counts = np.bincount(part.truth.astype(np.intp))
    n_in = int(counts[counts > 0].min())
    return 4 * n_in * (len(part) - n_in) / len(part)


_COMPUTE: dict[str, Callable[[list[Outcome]], RowValues | None]] = {
    "error": _of_mean(_misses),
    "balanced_accuracy": _balanced,
    "precision": _of_ratio(_found, lambda outcome: outcome.predicted_positive),
    "recall": _of_ratio(_found, lambda outcome: outcome.is_positive),
    "sensitivity": _of_ratio(_found, lambda outcome: outcome.is_positive),
    "specificity": _of_ratio(
        lambda outcome: ~outcome.is_positive & ~outcome.predicted_positive,
        lambda outcome: ~outcome.is_positive,
    ),
    "f1": _of_ratio(lambda outcome: 2.0 * _found(outcome), _f1_below),
    "auc": _auc,
    "rmse": _rmse,
    "r2": _r2,
    **{
        name: _of_mean(METRICS[name].of_rows)  # type: ignore[arg-type]
        for name in ("accuracy", "log_loss", "brier", "cost", "mae", "mse")
    },
}
