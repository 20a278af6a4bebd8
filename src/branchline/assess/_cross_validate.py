"""Cross-validation: every row is predicted by a model that has not seen it.

1. Rows are split into folds (``_folds``: stratified by class, copies of a row together). Neither
   row order nor the container changes the folds. ``Table.with_groups`` keeps groups together,
   ``Table.with_times`` lets the past predict the future.
2. For each fold a fresh copy of the model is fitted on the others and predicts it.
3. The scores are given with an interval (``_scoring`` says which and why; on demand all of this is
   repeated on samples of the rows, ``_bootstrap_interval``).
"""

from dataclasses import dataclass
from functools import partial
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt
from sklearn.base import clone, is_classifier

from branchline._folds import FoldRows, seed_of_repeat
from branchline._intervals import Interval
from branchline._model_rows import rows_for
from branchline._notebook import box, grid, words
from branchline._plain_numbers import alike, count
from branchline._row_scores import Origin, count_different
from branchline._validation import (
    ClassTarget,
    Constraint,
    OneOf,
    Owner,
    Task,
    Whole,
    check_parameters,
    check_seed,
    check_target,
)
from branchline._warn import warn
from branchline.assess._bootstrap_interval import bootstrap_interval
from branchline.assess._find_metric import check_positive, find_metric
from branchline.assess._given_model import check_model
from branchline.assess._keywords import checked_keywords
from branchline.assess._metrics import METRICS, Metric
from branchline.assess._outcome import Outcome
from branchline.assess._rows_to_split import rows_to_split
from branchline.assess._scoring import probabilities_of, score_interval
from branchline.assess._ways_of_testing import HOW, WAYS, AllBut, Splits, is_biased
from branchline.errors import BranchlineError, BranchlineWarning, Repair
from branchline.features import selected_learner
from branchline.scale import results_of
from branchline.table import Table, as_table

__all__ = ["Assessment", "cross_validate"]

AnyArray: TypeAlias = npt.NDArray[Any]

_LIMITS: dict[str, Constraint] = {
    "n_folds": Whole(2),
    "resampling": OneOf(tuple(WAYS)),
    "n_samples": Whole(0),
}


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
        The score of each test set.
    predictions
        The prediction for each row when it was left out; missing for rows that were never left out
        (the first in time, those that "hold_out" trains on).
    resampling
        How rows were tested.

    See Also
    --------
    cross_validate : assess a model by k-fold cross-validation, or in another way.

    Examples
    --------
    >>> from branchline import load_dataset
    >>> from branchline.assess import cross_validate
    >>> from branchline.tree import OneRule
    >>> found = cross_validate(OneRule(), *load_dataset("votes84").split_target("party"))
    >>> round(found.score.estimate, 3)
    0.956
    """

    metric: str
    score: Interval
    fold_scores: npt.NDArray[np.float64]
    predictions: npt.NDArray[Any]
    resampling: str = "folds"

    @property
    def how(self) -> str:
        """How rows were tested, in words."""
        n_tests = len(self.fold_scores)
        return HOW.get(self.resampling, f"{n_tests} folds")

    def __str__(self) -> str:
        return f"{self.metric} {self.score} (95 % interval, {self.how})"

    def __repr__(self) -> str:
        return f"Assessment({self})"

    def _repr_html_(self) -> str:
        score, low, high = alike([self.score.estimate, self.score.low, self.score.high])
        head = f"Cross-validation: {count(len(self.predictions), 'row')}, {self.how}"
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
def cross_validate(  # noqa: PLR0913 (every choice a user may make, by name)
    model: Any,
    X: Any,
    y: Any,
    *,
    metric: str | None = None,
    positive: Any = None,
    n_folds: int = 10,
    resampling: str = "folds",
    n_samples: int = 0,
    select: Any = None,
    random_state: Any = 0,
    engine: Any = None,
) -> Assessment:
    """Assess a model by k-fold cross-validation, or in another way.

    Each fold is predicted by a copy of the model that was fitted on the other folds. The result has
    the score with a 95 % interval, the score of each fold and all predictions. Copies of a row stay
    in one fold, and groups and times of the table are respected. Row order does not matter.

    To choose between learners use ``compare``: the best of many scores is too optimistic.

    Parameters
    ----------
    model
        An estimator; it is copied, not changed.
    X, y
        The table and its target.
    metric
        A name of ``METRICS``. Default: accuracy for classes, rmse for numbers.
    positive
        The class that precision, recall and f1 describe. Default None: the rarer of two classes.
    n_folds
        Number of folds, at least 2. More folds take longer and give training sets that are nearer
        to the whole table. Default 10.
    resampling
        "folds" (default); "leave_one_out" (each row by itself, with its copies; of classes, a row
        of each other class is left out of the training set, too, so that all training sets have the
        same shares of classes); "hold_out" (30 % of the rows are tested, with times the last ones);
        or "resubstitution": the model is tested on its own training rows. This score is too
        optimistic, and the interval refers to it, not to new rows.
    n_samples
        Number of samples of the rows on which everything is repeated, for an interval that also
        holds where the learner depends much on its rows (trees, stumps, choices among columns that
        look alike). 20 are enough and cost 20 times as many fits. Default 0: the interval is made
        from the rows of the table alone.
    select
        What chooses inputs inside every training set: a name such as "relief:10", or a selector of
        ``branchline.features``. Default None: all inputs.
    random_state
        Seed of the shuffle. Default 0.
    engine
        Where folds are fitted: a ``distributed.Client``, "tcp://HOST:PORT" (a Dask scheduler), or
        "local:4" (four processes here). The numbers do not depend on it. Default None: here.

    See Also
    --------
    compare : several learners on the same folds.
    learning_curve : would more rows help?.

    Examples
    --------
    >>> from branchline import load_dataset
    >>> from branchline.assess import cross_validate
    >>> from branchline.tree import OneRule
    >>> X, y = load_dataset("votes84").split_target("party")
    >>> print(cross_validate(OneRule(), X, y))
    accuracy 0.956 [0.917, 0.977] (95 % interval, 10 folds)
    """
    given = {"n_folds": n_folds, "resampling": resampling, "n_samples": n_samples}
    check_parameters("cross_validate", given, _LIMITS)
    check_model(model)
    if select is not None:
        model = selected_learner(select, model, random_state=random_state)
    table = as_table(X)
    task: Task = "classification" if is_classifier(model) else "regression"
    wanted = find_metric(metric, task)
    target, classes = _target(model, y, table.n_rows, task)
    place = _place_of_positive(wanted, positive, classes)
    rows = rows_to_split(table, target, classes)
    if is_biased(wanted.name, resampling, rows):
        _warn_of_ranks(wanted)
    seed = check_seed(random_state)
    splits = WAYS[resampling](rows, n_folds, seed_of_repeat(seed))
    predictions = target.copy()
    probabilities = None if classes is None else np.zeros((len(target), len(classes)))
    fold = _Fold(model, table, target, classes, wanted.needs_probabilities)
    found = results_of(engine, _Fold.predictions, fold, splits)
    for (_, test), (predicted, shares) in zip(splits, found, strict=True):
        predictions[test] = predicted
        if shares is not None and probabilities is not None:
            probabilities[test] = shares
    outcome = _outcome(target, predictions, probabilities, classes, place)
    parts = _parts(outcome, splits, resampling)
    interval = score_interval(wanted, parts, _origin(rows, splits))
    if n_samples:
        same = {"metric": wanted.name, "positive": positive, "random_state": seed, "engine": engine}
        again = partial(_again, model, table, target, given | same)
        interval = bootstrap_interval(interval, wanted, rows, n_samples, again, seed)
    return Assessment(
        wanted.name,
        interval,
        np.array([wanted.score(part) for part in parts]),
        _of_tested(predictions, splits),
        resampling,
    )


@dataclass(frozen=True)
class _Fold:
    """What the fits of all folds share."""

    model: Any
    table: Table
    target: AnyArray
    classes: AnyArray | None
    needs_probabilities: bool

    def predictions(self, split: Any) -> tuple[AnyArray, AnyArray | None]:
        """Return what a copy of the model that knows the other rows predicts of a test set."""
        train, test = split
        fitted = _fit(
            clone(self.model), self.table, self.target, _train_rows(train, len(self.target))
        )
        asked = rows_for(self.model, self.table.rows(test))
        predicted = fitted.predict(asked)
        if self.classes is None or not self.needs_probabilities:
            return predicted, None
        return predicted, probabilities_of(fitted, asked, self.classes)


def _warn_of_ranks(metric: Metric) -> None:
    warn(
        BranchlineWarning(
            f"Leave-one-out makes {metric.name} too low: rows are ranked against each other, "
            "although each was predicted by a model of its own.",
            code="W036",
            repair=Repair("cross_validate(model, X, y, resampling='folds')"),
        )
    )


def _again(
    model: Any, table: Table, target: AnyArray, options: dict[str, Any], sample: AnyArray
) -> float:
    """Return the score of a sample of the rows."""
    once = {**options, "n_samples": 0}
    return cross_validate(model, table.rows(sample), target[sample], **once).score.estimate


def _parts(outcome: Outcome, splits: Splits, resampling: str) -> list[Outcome]:
    """Return the test sets; single rows together, for they have no rank and no spread."""
    tests = [test for _, test in splits]
    if resampling == "leave_one_out":
        tests = [np.concatenate(tests)]
    return [outcome.rows(test) for test in tests]


def _origin(rows: FoldRows, splits: Splits) -> Origin:
    """Say whose predictions these are: copies of a row, or rows of a group, count as one."""
    owners = rows.owner_of_row
    tested = np.concatenate([test for _, test in splits])
    n_all = count_different(owners)
    sizes = [
        n_all - 1 if isinstance(one, AllBut) else count_different(owners[one]) for one, _ in splits
    ]
    n_train = float(np.mean(sizes))
    times = None if rows.times is None else rows.times[tested]
    copies = len(tested) / count_different(owners[tested])
    return Origin(owners[tested], n_train, copies=copies, times=times)


def _train_rows(train: AnyArray | AllBut, n_rows: int) -> AnyArray:
    return np.delete(np.arange(n_rows), train.left_out) if isinstance(train, AllBut) else train


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
