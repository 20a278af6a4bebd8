"""Cross-validation: every row is predicted by a model that has not seen it.

1. Rows are split into folds (``_folds``: stratified by class, copies of a row together). Neither
   row order nor the container changes the folds. ``Table.with_groups`` keeps groups together,
   ``Table.with_times`` lets the past predict the future.
2. For each fold a fresh copy of the model is fitted on the others and predicts it.
3. The scores are given with an interval (``_scoring`` says which and why).
"""

from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt
from sklearn.base import clone, is_classifier

from branchline._folds import FoldRows, seed_of_repeat
from branchline._model_rows import rows_for
from branchline._notebook import box, grid, words
from branchline._plain_numbers import alike, count
from branchline._validation import (
    ClassTarget,
    Owner,
    Task,
    Whole,
    check_parameters,
    check_seed,
    check_target,
)
from branchline.assess._find_metric import check_positive, find_metric
from branchline.assess._intervals import Interval
from branchline.assess._keywords import checked_keywords
from branchline.assess._metrics import METRICS, Metric
from branchline.assess._outcome import Outcome
from branchline.assess._row_values import count_different
from branchline.assess._rows_to_split import rows_to_split
from branchline.assess._scoring import Origin, probabilities_of, score_interval
from branchline.errors import BranchlineError, DataError, Repair
from branchline.table import Table, as_table

__all__ = ["Assessment", "cross_validate"]

AnyArray: TypeAlias = npt.NDArray[Any]
Splits: TypeAlias = list[tuple[npt.NDArray[np.intp], npt.NDArray[np.intp]]]


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
        The prediction for each row when it was left out; missing for rows that were never left out
        (the first in time).
    """

    metric: str
    score: Interval
    fold_scores: npt.NDArray[np.float64]
    predictions: npt.NDArray[Any]

    def __str__(self) -> str:
        return f"{self.metric} {self.score} (95 % interval, {len(self.fold_scores)} folds)"

    def __repr__(self) -> str:
        return f"Assessment({self})"

    def _repr_html_(self) -> str:
        score, low, high = alike([self.score.estimate, self.score.low, self.score.high])
        n_rows, n_folds = len(self.predictions), len(self.fold_scores)
        head = f"Cross-validation: {count(n_rows, 'row')}, {count(n_folds, 'fold')}"
        worst, best = _ends(self.fold_scores)
        if METRICS[self.metric].less_is_better:
            worst, best = best, worst
        heads = ("", "score", "95 % interval", "worst fold", "best fold")
        cells = (self.metric, score, f"{low} to {high}", worst, best)
        return box(words(head, quiet=True), grid(heads, [cells]))


def _ends(scores: npt.NDArray[np.float64]) -> list[str]:
    """Return the lowest and the highest score of a fold."""
    known = scores[np.isfinite(scores)]
    return alike([float(known.min()), float(known.max())]) if len(known) else ["–", "–"]


@checked_keywords
def cross_validate(
    model: Any,
    X: Any,
    y: Any,
    *,
    metric: str | None = None,
    positive: Any = None,
    n_folds: int = 10,
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
    n_folds
        The number of folds, at least 2.
    random_state
        The seed of the shuffle.

    Examples
    --------
    >>> from branchline import load_dataset
    >>> from branchline.assess import cross_validate
    >>> from branchline.tree import OneRule
    >>> X, y = load_dataset("votes84").split_target("party")
    >>> print(cross_validate(OneRule(), X, y))
    accuracy 0.956 [0.919, 0.977] (95 % interval, 10 folds)
    """
    check_parameters("cross_validate", {"n_folds": n_folds}, {"n_folds": Whole(2)})
    table = as_table(X)
    task: Task = "classification" if is_classifier(model) else "regression"
    wanted = find_metric(metric, task)
    target, classes = _target(model, y, table.n_rows, task)
    place = _place_of_positive(wanted, positive, classes)
    rows = rows_to_split(table, target, classes)
    splits = _split(rows, n_folds, check_seed(random_state), is_class=classes is not None)
    predictions = target.copy()
    probabilities = None if classes is None else np.zeros((len(target), len(classes)))
    for train, test in splits:
        fitted = _fit(clone(model), table, target, train)
        asked = rows_for(model, table.rows(test))
        predictions[test] = fitted.predict(asked)
        if wanted.needs_probabilities and probabilities is not None:
            probabilities[test] = probabilities_of(fitted, asked, classes)
    outcome = _outcome(target, predictions, probabilities, classes, place)
    parts = [outcome.rows(test) for _, test in splits]
    return Assessment(
        wanted.name,
        score_interval(wanted, parts, _origin(rows, splits)),
        np.array([wanted.score(part) for part in parts]),
        _of_tested(predictions, splits),
    )


def _origin(rows: FoldRows, splits: Splits) -> Origin:
    """Say whose predictions these are: copies of a row, or rows of a group, count as one."""
    owners = rows.owner_of_row
    tested = np.concatenate([test for _, test in splits])
    n_train = float(np.mean([count_different(owners[train]) for train, _ in splits]))
    return Origin(owners[tested], n_train, copies=len(tested) / count_different(owners[tested]))


def _of_tested(predictions: AnyArray, splits: Splits) -> AnyArray:
    """Return predictions, missing for rows that were never tested (the first in time)."""
    tested = np.zeros(len(predictions), dtype=bool)
    for _, test in splits:
        tested[test] = True
    if tested.all():
        return predictions
    known = predictions.astype(np.float64 if predictions.dtype.kind == "f" else object)
    known[~tested] = np.nan if known.dtype.kind == "f" else None
    return known


def _fit(model: Any, table: Table, target: AnyArray, train: AnyArray) -> Any:
    """Fit on some rows; an error names rows of the whole table, not of the fold."""
    try:
        return model.fit(rows_for(model, table.rows(train)), target[train])
    except BranchlineError as error:
        raise error.with_rows(train[list(error.rows)]) from None


def _target(model: Any, y: Any, n_rows: int, task: Task) -> tuple[AnyArray, AnyArray | None]:
    """Return the target as ``fit`` would see it, and its classes (None for numbers)."""
    owner = Owner(type(model).__name__, getattr(model, "_opposite", None))
    checked = check_target(y, n_rows, task=task, owner=owner)
    if isinstance(checked, ClassTarget):
        return checked.classes[checked.class_of_row], checked.classes
    return checked.values, None


def _place_of_positive(metric: Metric, positive: Any, classes: AnyArray | None) -> int | None:
    if classes is None or (not metric.needs_positive and positive is None):
        return None
    return check_positive(metric, positive, classes)


def _outcome(
    target: AnyArray,
    predictions: AnyArray,
    probabilities: AnyArray | None,
    classes: AnyArray | None,
    positive: int | None,
) -> Outcome:
    if classes is None:
        return Outcome(target, predictions)
    places = [np.searchsorted(classes, names) for names in (target, predictions)]
    return Outcome(places[0], places[1], probabilities, tuple(classes.tolist()), positive)


def _split(rows: FoldRows, folds: int, seed: int, *, is_class: bool) -> Splits:
    found = rows.split(folds, seed_of_repeat(seed))
    least = folds if is_class else 2 * folds  # r2 of one row does not exist
    if rows.n_rows < least or not found:
        most = rows.n_rows if is_class else rows.n_rows // 2
        raise DataError(
            f"{folds} folds need at least {least} different rows; there are only {rows.n_rows}.",
            code="D090",
            repair=Repair(f"cross_validate(model, X, y, n_folds={most})" if most >= 2 else None),
        )
    return [(fold.learn_rows, fold.test_rows) for fold in found]
