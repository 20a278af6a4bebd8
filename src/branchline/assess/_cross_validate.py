"""Cross-validation: every row is predicted by a model that has not seen it.

1. Rows are dealt into folds (stratified by class for classifiers), shuffled by the seed.
2. For each fold a fresh copy of the model is fitted on the others and predicts it.
3. The scores are given with an interval (``_intervals`` says which and why).
"""

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
from sklearn.base import clone, is_classifier
from sklearn.model_selection import KFold, StratifiedKFold

from branchline._validation import Whole, check_parameters, check_seed
from branchline.assess._intervals import Interval, corrected_t_interval, wilson_interval
from branchline.assess._metrics import Metric, check_positive, find_metric
from branchline.errors import DataError, Repair
from branchline.table import as_table

__all__ = ["Assessment", "cross_validate"]


@dataclass(frozen=True)
class Assessment:
    """A cross-validated score.

    Parameters
    ----------
    metric
        The name of the score.
    score
        The estimate with its 95 % interval.
    fold_scores
        The score of each fold.
    predictions
        What was predicted for each row when it was left out.
    """

    metric: str
    score: Interval
    fold_scores: npt.NDArray[np.float64]
    predictions: npt.NDArray[Any]

    def __str__(self) -> str:
        return f"{self.metric} {self.score} (95 % interval, {len(self.fold_scores)} folds)"


def cross_validate(
    model: Any,
    X: Any,
    y: Any,
    *,
    metric: str | None = None,
    positive: Any = None,
    folds: int = 10,
    random_state: Any = 0,
) -> Assessment:
    """Assess a model by k-fold cross-validation.

    Parameters
    ----------
    model
        An estimator; it is copied, not changed.
    X, y
        The table and its target.
    metric
        A name of ``METRICS``; by default accuracy for classes and rmse for numbers.
    positive
        The class that precision, recall and f1 describe.
    folds
        The number of folds, at least 2.
    random_state
        The seed by which rows are dealt.

    Examples
    --------
    >>> from branchline import load_dataset
    >>> from branchline.assess import cross_validate
    >>> from branchline.tree import OneRule
    >>> X, y = load_dataset("votes84").split_target("party")
    >>> print(cross_validate(OneRule(), X, y))
    accuracy 0.956 [0.924, 0.989] (95 % interval, 10 folds)
    """
    check_parameters("cross_validate", {"folds": folds}, {"folds": Whole(2)})
    table, target = as_table(X), np.asarray(y)
    task = "classification" if is_classifier(model) else "regression"
    wanted = find_metric(metric, task)
    options = _score_options(wanted, positive, target)
    splits = list(_deal(table.n_rows, target, task, folds, check_seed(random_state)))
    predictions = np.empty(table.n_rows, dtype=target.dtype if task[0] == "c" else np.float64)
    for train, test in splits:
        fitted = clone(model).fit(table.rows(train), target[train])
        predictions[test] = fitted.predict(table.rows(test))
    fold_scores = [wanted.score(target[test], predictions[test], **options) for _, test in splits]
    return Assessment(
        wanted.name,
        _interval(wanted, target, predictions, fold_scores),
        np.array(fold_scores),
        predictions,
    )


def _score_options(metric: Metric, positive: Any, target: npt.NDArray[Any]) -> dict[str, Any]:
    if not metric.needs_positive:
        return {}
    chosen = check_positive(metric, positive, np.unique(target))
    others = [name for name in np.unique(target).tolist() if name != chosen]
    if len(others) == 1:
        return {"pos_label": chosen, "zero_division": 0.0}
    return {"labels": [chosen], "average": "macro", "zero_division": 0.0}


def _deal(n_rows: int, target: npt.NDArray[Any], task: str, folds: int, seed: int) -> Any:
    placeholder = np.zeros(n_rows)
    if task == "regression":
        _refuse_too_many(folds, n_rows, "there are", None)
        return KFold(folds, shuffle=True, random_state=seed % 2**32).split(placeholder)
    classes, counts = np.unique(target, return_counts=True)
    rarest = int(np.argmin(counts))
    _refuse_too_many(folds, int(counts[rarest]), f"class {classes[rarest]!r} has", classes[rarest])
    dealer = StratifiedKFold(folds, shuffle=True, random_state=seed % 2**32)
    return dealer.split(placeholder, target)


def _refuse_too_many(folds: int, n_rows: int, whose: str, name: Any) -> None:
    if n_rows >= folds:
        return
    if n_rows >= 2:
        repair = Repair(f"cross_validate(model, X, y, folds={n_rows})", f"--folds {n_rows}")
    else:
        repair = Repair(
            f"keep = y != {name!r}\ncross_validate(model, X[keep], y[keep])" if name else None
        )
    raise DataError(
        f"{folds} folds need at least {folds} rows of each class, but {whose} only {n_rows}.",
        code="D090",
        repair=repair,
    )


def _interval(
    metric: Metric,
    target: npt.NDArray[Any],
    predictions: npt.NDArray[Any],
    fold_scores: list[float],
) -> Interval:
    over_folds = corrected_t_interval(fold_scores, 1 / (len(fold_scores) - 1))
    if metric.name != "accuracy":
        return over_folds
    over_rows = wilson_interval(int((predictions == target).sum()), len(target))
    return over_rows.widened(over_folds, low=0.0, high=1.0)
