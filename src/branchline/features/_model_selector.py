"""Embedded selection: the columns that a fitted model uses most, at once or by elimination."""

from collections.abc import Sequence
from typing import Any, ClassVar

import numpy as np

from branchline._canonical_rows import canonical_rows
from branchline._named_learners import Learner
from branchline._validation import Constraint, Real, TrainingData, check_seed
from branchline.features._inner_folds import fit_learner, learner_for
from branchline.features._model_importance import model_importance
from branchline.features._ordered_selector import ORDERED, OrderedSelector

__all__ = ["ModelSelector", "RecursiveElimination"]


# While there are more columns than this, half of them are dropped at a time.
_MANY_COLUMNS = 500


class ModelSelector(OrderedSelector):
    """Keep the columns that a fitted model uses most.

    Trees, forests and boosting have importances, linear models weights. One fit ranks all columns,
    so this is quick; where columns share their importance (copies), ``RecursiveElimination`` ranks
    them more fairly.

    Parameters
    ----------
    estimator
        The learner that ranks the columns, and whose error decides how many are kept: a name of
        the catalog, or an estimator. Default "random_forest".
    n_columns
        How many columns are kept: a number, a share between 0 and 1, or "auto" (default): chosen
        by inner folds, at most 100.
    n_folds
        The number of inner folds. Default 5.
    rule
        "one_se" (default): the fewest columns whose error is within one standard error of the
        least. "best": the least error. A number: within that many standard errors.
    task
        "classification", "regression", or "auto" (default): by the kind of the target.
    random_state
        The seed of folds and of the learner. Default 0.

    Attributes
    ----------
    support_
        Whether each column was chosen.
    ranking_
        The place of each column in the order, from 1.
    path_
        With "auto": the error of each number of columns.

    See Also
    --------
    RankSelector : keep the columns that score best.
    RecursiveElimination : fit, drop the columns that the model uses least, and fit again.

    Examples
    --------
    >>> from branchline import load_dataset
    >>> from branchline.features import ModelSelector
    >>> X, y = load_dataset("heart").split_target("disease")
    >>> ModelSelector(n_columns=3).fit(X, y).get_feature_names_out().tolist()
    ['chest_pain', 'vessels', 'thallium_scan']
    """

    _constraints: ClassVar[dict[str, Constraint]] = {**ORDERED, "estimator": Learner()}

    def __init__(
        self,
        *,
        estimator: Any = "random_forest",
        n_columns: Any = "auto",
        n_folds: int = 5,
        rule: Any = "one_se",
        task: str = "auto",
        random_state: Any = 0,
    ) -> None:
        self.estimator = estimator
        self.n_columns = n_columns
        self.n_folds = n_folds
        self.rule = rule
        self.task = task
        self.random_state = random_state

    def _ordered(self, data: TrainingData, most: int) -> Sequence[int]:
        return _by_importance(self, canonical_rows(data, merge=True), data.table.names)


class RecursiveElimination(OrderedSelector):
    """Fit, drop the columns that the model uses least, and fit again.

    Dropping one column gives its importance to those that stand in for it, which a single ranking
    cannot show. With a linear support vector machine this is the method of Guyon and others (2002).

    Parameters
    ----------
    estimator
        The learner that ranks the columns, and whose error decides how many are kept: a name of
        the catalog, or an estimator; any that has importances or weights. Default
        "random_forest".
    n_columns
        How many columns are kept: a number, a share between 0 and 1, or "auto" (default): chosen
        by inner folds, at most 100.
    step
        The share of columns that are dropped at a time, at least one. Default 0.1. While there are
        more than 500 columns, half of them are dropped.
    n_folds
        The number of inner folds. Default 5.
    rule
        "one_se" (default): the fewest columns whose error is within one standard error of the
        least. "best": the least error. A number: within that many standard errors.
    task
        "classification", "regression", or "auto" (default): by the kind of the target.
    random_state
        The seed of folds and of the learner. Default 0.

    Attributes
    ----------
    support_
        Whether each column was chosen.
    ranking_
        The place of each column in the order, from 1: the column dropped last is the first.
    path_
        With "auto": the error of each number of columns.

    See Also
    --------
    ModelSelector : keep the columns that a fitted model uses most.
    SequentialSelector : add, drop or exchange columns while a learner's error falls.

    Examples
    --------
    >>> from branchline import load_dataset
    >>> from branchline.features import RecursiveElimination
    >>> X, y = load_dataset("heart").split_target("disease")
    >>> RecursiveElimination(estimator="logistic", n_columns=3).fit(X, y).n_selected_
    3
    """

    _constraints: ClassVar[dict[str, Constraint]] = {
        **ORDERED,
        "estimator": Learner(),
        "step": Real(0.0, 0.9, low_open=True),
    }

    def __init__(
        self,
        *,
        estimator: Any = "random_forest",
        n_columns: Any = "auto",
        step: float = 0.1,
        n_folds: int = 5,
        rule: Any = "one_se",
        task: str = "auto",
        random_state: Any = 0,
    ) -> None:
        self.estimator = estimator
        self.n_columns = n_columns
        self.step = step
        self.n_folds = n_folds
        self.rule = rule
        self.task = task
        self.random_state = random_state

    def _ordered(self, data: TrainingData, most: int) -> Sequence[int]:
        rows = canonical_rows(data, merge=True)
        names, dropped = list(data.table.names), []
        place = {name: at for at, name in enumerate(names)}
        while len(names) > 1:
            order = [names[at] for at in _by_importance(self, rows, names)]
            share = self.step if len(names) <= _MANY_COLUMNS else max(self.step, 0.5)
            n_dropped = min(max(1, int(share * len(names))), len(names) - 1)
            dropped += order[::-1][:n_dropped]
            least = set(order[len(order) - n_dropped :])
            names = [name for name in names if name not in least]
        return [place[name] for name in [*names, *dropped[::-1]]]


def _by_importance(owner: Any, rows: TrainingData, names: Sequence[str]) -> list[int]:
    """Return places among ``names``, the most important first; ties by name."""
    learner = learner_for(owner.estimator, rows, check_seed(owner.random_state))
    model = fit_learner(learner, rows, names)
    found = model_importance(model, rows.table.select(names).schema)
    order: list[int] = np.lexsort((np.array(names), -found)).tolist()
    return order
