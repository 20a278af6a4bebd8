"""Scores of several targets: of each, and of all together, with 95 % intervals.

1. Of each: the share of right classes (accuracy); the share of variance explained (R²) of numbers.
2. Joint, over targets that are classes: exact match, the share of rows in which all are right, and
   Hamming loss, the mean share of wrong ones in a row.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np

from branchline._arrays import AnyArray, Floats
from branchline._intervals import Interval
from branchline._notebook import box, grid, words
from branchline._plain_numbers import alike, count
from branchline._result_frame import Library, result_frame
from branchline._row_scores import (
    Origin,
    explained_of_rows,
    interval_of_rows,
    ratio_of_rows,
)
from branchline._validation import ClassTarget
from branchline.errors import DataError
from branchline.outputs._targets import Targets

__all__ = ["OutputScores", "scores_of_outputs"]


@dataclass(frozen=True, eq=False)
class OutputScores:
    """How well several targets are predicted.

    Parameters
    ----------
    names
        The targets.
    metrics
        "accuracy" or "r2", for each target.
    scores
        The score of each target, with a 95 % interval.
    exact_match
        The share of rows in which all classes are right; None without classes.
    hamming_loss
        The mean share of the classes of a row that are wrong; None without classes.
    n_rows
        Number of rows.

    See Also
    --------
    cross_validate_outputs : assess a model of several targets by cross-validation.

    Examples
    --------
    >>> from branchline import load_dataset
    >>> from branchline.outputs import MultiOutput, cross_validate_outputs
    >>> X, y = load_dataset("titanic").rows(range(300)).split_target(["survived", "sex"])
    >>> cross_validate_outputs(MultiOutput("one_rule"), X, y, n_folds=2).n_rows
    300
    """

    names: tuple[str, ...]
    metrics: tuple[str, ...]
    scores: tuple[Interval, ...]
    exact_match: Interval | None
    hamming_loss: Interval | None
    n_rows: int

    @property
    def mean(self) -> float:
        """The mean of the scores of all targets."""
        return float(np.mean([one.estimate for one in self.scores]))

    def _rows(self) -> list[tuple[str, str, Interval]]:
        rows = list(zip(self.names, self.metrics, self.scores, strict=True))
        if self.exact_match is not None and self.hamming_loss is not None:
            rows.append(("all classes", "exact match", self.exact_match))
            rows.append(("all classes", "Hamming loss", self.hamming_loss))
        return rows

    def __str__(self) -> str:
        rows = self._rows()
        width = max(len(name) for name, _, _ in rows)
        metric = max(len(what) for _, what, _ in rows)
        lines = [f"{name:<{width}}  {what:<{metric}}  {one}" for name, what, one in rows]
        return "\n".join([*lines, f"95 % intervals, {count(self.n_rows, 'row')}"])

    __repr__ = __str__

    def _repr_html_(self) -> str:
        cells = []
        for name, what, one in self._rows():
            score, low, high = alike([one.estimate, one.low, one.high])
            cells.append((name, what, score, f"{low} to {high}"))
        heads = ("target", "metric", "score", "95 % interval")
        return box(words(count(self.n_rows, "row"), quiet=True), grid(heads, cells))

    def to_frame(self, library: Library = "pandas") -> Any:
        """Return a row for each score, with the ends of its interval."""
        rows = self._rows()
        columns = {
            "target": [name for name, _, _ in rows],
            "metric": [what for _, what, _ in rows],
            "score": [one.estimate for _, _, one in rows],
            "low": [one.low for _, _, one in rows],
            "high": [one.high for _, _, one in rows],
        }
        return result_frame(columns, library)


def scores_of_outputs(
    names: tuple[str, ...],
    truth: Targets,
    predicted: list[AnyArray],
    n_train: float,
    weights: Floats | None = None,
) -> OutputScores:
    """Return the scores of predictions.

    Parameters
    ----------
    names
        The targets.
    truth, predicted
        True and predicted values of each.
    n_train
        How many rows were learned from.
    weights
        The weight of each row; None: all equal.
    """
    if len(truth.names) != len(names):
        raise DataError(
            f"y has {count(len(truth.names), 'target')}, but the model predicts {len(names)}: "
            f"{', '.join(names)}.",
            code="D649",
        )
    n_rows = len(predicted[0])
    weight = np.ones(n_rows) if weights is None else weights
    origin = Origin.once(n_rows, n_train)
    metrics, scores, right = [], [], []
    for place, one in enumerate(truth.each):
        if isinstance(one, ClassTarget):
            hits = np.asarray(truth.values(place) == predicted[place], dtype=np.float64)
            right.append(hits)
            metrics.append("accuracy")
            scores.append(_share(hits, weight, origin))
        else:
            metrics.append("r2")
            scores.append(_explained(one.values, predicted[place], weight, origin))
    exact, hamming = None, None
    if right:
        together = np.column_stack(right)
        exact = _share(together.min(axis=1), weight, origin)
        hamming = _share(1 - together.mean(axis=1), weight, origin)
    return OutputScores(names, tuple(metrics), tuple(scores), exact, hamming, n_rows)


def _share(values: Floats, weight: Floats, origin: Origin) -> Interval:
    found = ratio_of_rows(weight * values, weight)
    assert found is not None
    return interval_of_rows(found, origin)


def _explained(truth: Floats, predicted: AnyArray, weight: Floats, origin: Origin) -> Interval:
    numbers = np.asarray(predicted, dtype=np.float64)
    found = explained_of_rows(truth, numbers, weight)
    if found is None:
        return Interval(float("nan"), float("nan"), float("nan"))
    return interval_of_rows(found, origin, -np.inf, 1.0)
