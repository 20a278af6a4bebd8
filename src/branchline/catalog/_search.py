"""Searching a learner's tuning space: scikit-learn's searches, ready for raw tables.

1. The learner is made with the given parameters; its space of the wanted size says what to try.
2. A space that can be listed is tried whole, unless fewer draws are asked for; a space with ranges
   is drawn from.
3. Folds are those of ``_folds``, by the seed (``RowFolds``).
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
from sklearn.metrics import get_scorer
from sklearn.model_selection import BaseCrossValidator, GridSearchCV, RandomizedSearchCV

from branchline._dtypes import CLASS_INDEX
from branchline._exact_sum import exact_mean
from branchline._folds import Fold, FoldRows, fold_rows, seed_of_repeat
from branchline._number_scores import mean_absolute_error, r2, root_mean_squared_error
from branchline._validation import (
    AnyOf,
    ClassTarget,
    Constraint,
    NumberTarget,
    OneOf,
    RowWeights,
    TrainingData,
    Whole,
    check_parameters,
    check_seed,
)
from branchline.catalog._entry import SIZES, Task
from branchline.catalog._make import check_task, entry, make
from branchline.catalog._spaces import USUAL_DRAWS, Between, Space, count_candidates, is_endless
from branchline.errors import DataError, ParameterError, Repair
from branchline.table import as_table

__all__ = ["RowFolds", "search"]

Places = npt.NDArray[np.intp]

_CONSTRAINTS: dict[str, Constraint] = {
    "space": OneOf(SIZES),
    "n_folds": Whole(2),
    "n_draws": AnyOf((OneOf((None,)), Whole(1))),
}


def search(
    name: str,
    *,
    task: str,
    space: str = "small",
    n_folds: int = 5,
    metric: Any = None,
    n_draws: int | None = None,
    random_state: Any = 0,
    n_jobs: int | None = None,
    **parameters: Any,
) -> Any:
    """Return an unfitted search for a learner's best parameters: scikit-learn's, for any table.

    ``fit`` it like a model; it then predicts with the best candidate, fitted on all rows. Its score
    is the best of many and so too good: assess the search itself with ``cross_validate``.

    Parameters
    ----------
    name
        A name of ``names()``.
    task
        "classification" or "regression".
    space
        How many candidates to try: "small" (default), "medium" or "large".
    n_folds
        Number of folds of the cross-validation that scores each candidate. Default 5.
    metric
        The metric to optimize: "accuracy" (default), "balanced_accuracy", "log_loss" or, for two
        classes, "auc"; for numbers "rmse" (default), "mae" or "r2"; or a scorer of scikit-learn.
    n_draws
        Number of candidates to try, drawn at random. Default None: all candidates of a space that
        can be listed; else 10, 30 or 100, by ``space``.
    random_state
        The seed of the folds, of the draws and of the learner. Default 0.
    n_jobs
        Number of processes that fit candidates at the same time. Default None: one process, which
        uses all threads of the learner.
    **parameters
        Parameters of the learner that stay as they are; they are not searched.

    Raises
    ------
    ParameterError
        P090 or P091 for the learner and its task, P001 or P011 for the other choices.

    See Also
    --------
    make : return an unfitted estimator, ready for a mixed table.
    Between : all numbers from ``low`` to ``high``, both included.

    Examples
    --------
    >>> from branchline import catalog, load_dataset
    >>> X, y = load_dataset("heart").split_target("disease")
    >>> found = catalog.search("c45", task="classification").fit(X, y)
    >>> found.best_params_
    {'confidence': 0.05, 'min_samples_leaf': 2}
    """
    choices = {"space": space, "n_folds": n_folds, "n_draws": n_draws}
    check_parameters("search", choices, _CONSTRAINTS)
    wanted, seed = check_task(task), check_seed(random_state)
    model = make(name, task=wanted, **{"random_state": seed, **parameters})
    blocks = _without(entry(name).spaces[wanted][SIZES[SIZES.index(space)]], set(parameters))
    options = {
        "scoring": _scorer(metric, wanted),
        "cv": RowFolds(n_folds, stratified=wanted == "classification", random_state=seed % 2**32),
        "n_jobs": n_jobs,
        "error_score": "raise",
    }
    drawn, grid = _count_draws(blocks, space, n_draws), _copied(blocks)
    if drawn is None:
        return GridSearchCV(model, grid, **options)
    options |= {"n_iter": drawn, "random_state": seed % 2**32}
    return RandomizedSearchCV(model, grid, **options)


class RowFolds(BaseCrossValidator):
    """Folds for scikit-learn's searches that keep copies of a row together.

    Rows go round the folds class by class, in an order that depends on their content and the seed.
    So neither row order nor the container changes the folds, and classes may be rare. The marks of
    a table are respected: groups (``Table.with_groups``) stay together, and with times
    (``Table.with_times``) the past predicts the future.

    Parameters
    ----------
    n_folds
        The number of folds.
    stratified
        Whether the target holds classes.
    random_state
        The seed of the shuffle.

    See Also
    --------
    Resampling : a way of splitting rows.

    Examples
    --------
    >>> from branchline.catalog import RowFolds
    >>> rows = [[value] for value in range(8)]
    >>> [test.size for _, test in RowFolds(3).split(rows, ["a"] * 7 + ["b"])]
    [3, 3, 2]
    """

    def __init__(self, n_folds: int = 5, *, stratified: bool = True, random_state: int = 0) -> None:
        self.n_folds = n_folds
        self.stratified = stratified
        self.random_state = random_state

    def get_n_splits(self, X: Any = None, y: Any = None, groups: Any = None) -> int:
        """Return the number of folds; fewer than asked for where rows are equal or in time."""
        return self.n_folds if X is None else len(self._split(X, y, groups)[1])

    def split(self, X: Any, y: Any = None, groups: Any = None) -> Iterator[tuple[Places, Places]]:
        """Yield the rows to learn from and the rows to predict, fold by fold."""
        rows, folds = self._split(X, y, groups)
        for fold in folds:
            yield fold.learn_rows, rows.by_content(fold.test_rows)

    def _split(self, X: Any, y: Any, groups: Any) -> tuple[FoldRows, list[Fold]]:
        table = as_table(X, texts="keep")
        table = table if groups is None else table.with_groups(groups)
        data = TrainingData(table, self._target(y), RowWeights())
        rows = fold_rows(data)
        folds = rows.split(self.n_folds, seed_of_repeat(self.random_state))
        if table.n_rows >= self.n_folds and len(folds) > 1 - (table.times is not None):
            return rows, folds
        raise DataError(
            f"{self.n_folds} folds need {self.n_folds} different rows, but there are only "
            f"{table.n_rows}.",
            code="D090",
            repair=Repair(f"search.set_params(cv={table.n_rows})" if table.n_rows > 1 else None),
        )

    def _target(self, y: Any) -> ClassTarget | NumberTarget | None:
        if y is None:
            return None
        values = np.asarray(y)
        if not self.stratified and values.dtype.kind in "iufb":
            return NumberTarget(values.astype(np.float64))
        classes, class_of_row = np.unique(values.astype(str), return_inverse=True)
        return ClassTarget(classes, class_of_row.astype(CLASS_INDEX))


def _without(space: Space, given: set[str]) -> Space:
    """Leave out the parameters that the user has set; equal blocks that remain count once."""
    blocks = [{key: block[key] for key in block if key not in given} for block in space]
    return tuple(block for place, block in enumerate(blocks) if block not in blocks[:place])


def _copied(space: Space) -> list[dict[str, Any]]:
    """Return blocks that the user may change without changing the catalog."""
    return [
        {
            key: values if isinstance(values, Between) else list(values)
            for key, values in each.items()
        }
        for each in space
    ]


def _count_draws(space: Space, size: str, n_draws: int | None) -> int | None:
    """Return how many candidates to draw, or None to try them all."""
    if is_endless(space):
        return n_draws or USUAL_DRAWS[size]
    return n_draws if n_draws is not None and n_draws < count_candidates(space) else None


def _log_loss_score(model: Any, X: Any, y: Any) -> float:
    """Return minus the mean surprise; a class the model never saw has probability 0, clipped."""
    given = model.predict_proba(X)
    place = {name: column for column, name in enumerate(np.asarray(model.classes_).tolist())}
    truth = [place.get(name, -1) for name in np.asarray(y).tolist()]
    padded = np.column_stack([given, np.zeros(len(given))])
    probabilities = padded[np.arange(len(given)), truth]
    return exact_mean(np.log(np.clip(probabilities, np.finfo(np.float64).eps, 1.0)))


@dataclass(frozen=True)
class _NumberScore:
    """A scorer of predicted numbers; unlike scikit-learn's, its last digit ignores row order."""

    score: Callable[[npt.NDArray[np.float64], npt.NDArray[np.float64]], float]
    sign: int

    def __call__(self, model: Any, X: Any, y: Any) -> float:
        truth, predicted = (np.asarray(each, np.float64) for each in (y, model.predict(X)))
        n_rows = len(truth)
        pairs = zip(truth.reshape(n_rows, -1).T, predicted.reshape(n_rows, -1).T, strict=True)
        return self.sign * float(np.mean([self.score(*pair) for pair in pairs]))


_SCORERS: dict[Task, dict[str, Any]] = {
    "classification": {
        "accuracy": "accuracy",
        "balanced_accuracy": "balanced_accuracy",
        "log_loss": _log_loss_score,
        "auc": "roc_auc",
    },
    "regression": {
        "rmse": _NumberScore(root_mean_squared_error, -1),
        "mae": _NumberScore(mean_absolute_error, -1),
        "r2": _NumberScore(r2, 1),
    },
}


def _scorer(metric: Any, task: Task) -> Any:
    known = _SCORERS[task]
    wanted = next(iter(known)) if metric is None else metric
    if callable(wanted):
        return wanted
    if isinstance(wanted, str) and wanted in known:
        return get_scorer(known[wanted])
    raise ParameterError(
        f"{wanted!r} is not a metric for {task}. Those that are: {', '.join(known)}; or a scorer "
        "of scikit-learn.",
        code="P011",
        values=[wanted],
        repair=Repair(f"metric = {next(iter(known))!r}"),
    )
