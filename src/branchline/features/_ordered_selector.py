"""Selectors that put columns in an order and keep the first ones.

With ``n_columns="auto"`` the number is chosen by inner folds: in each fold the columns are ordered
anew on the training part, the learner is fitted on the first 1, 2, 3, 5, 7, 10, … of them, and the
smallest number that is as good as the best (by ``rule``) is kept. Where rows are too few to be
split, all columns are kept. Columns that do not vary stand last, and "auto" never keeps them.
"""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any, ClassVar

import numpy as np

from branchline._named_learners import Learner
from branchline._size_rule import RULE
from branchline._validation import (
    AnyOf,
    Constraint,
    OneOf,
    Real,
    TrainingData,
    Whole,
    check_seed,
)
from branchline.features._inner_folds import InnerFolds, learner_for, task_of_data
from branchline.features._selector import TASK, Choice, Selector, check_n_columns
from branchline.features._size_path import SizePath, ladder, size_path

__all__ = ["ORDERED", "OrderedSelector"]

# "auto" keeps at most this many columns: more cannot be read, and forests on them take long.
_MOST_AUTO = 100
# The forest that decides how many columns are kept, where no learner is named. Its leaves are not
# of single rows: such trees overfit a single column, and any second one would seem to help.
_SMALL_FOREST = {"n_estimators": 50, "min_samples_leaf": 5}

ORDERED: dict[str, Constraint] = {
    "n_columns": AnyOf(
        (OneOf(("auto",)), Whole(1), Real(0.0, 1.0, low_open=True))
    ),
    "estimator": Learner((None,)),
    "n_folds": Whole(2),
    "rule": RULE,
    "task": TASK,
}  # fmt: skip


class OrderedSelector(Selector):
    """Root of selectors that keep the first columns of an order.

    A subclass writes ``_ordered``.
    """

    _of_columns: ClassVar[tuple[str, ...]] = ("ranking_",)
    path_: SizePath | None
    _left_out_of_files = frozenset({"path_"})

    n_columns: Any
    estimator: Any
    n_folds: int
    rule: Any
    random_state: Any

    def _ordered(self, data: TrainingData, most: int) -> Sequence[int]:
        """Return the positions of columns, best first; at least ``most`` of them."""
        raise NotImplementedError

    def _choose(self, data: TrainingData) -> Choice:
        n_given = data.table.n_columns
        path = None
        if isinstance(self.n_columns, str):
            path = self._path(data)
            size = n_given if path is None else path.chosen
        else:
            size = check_n_columns(self.n_columns, n_given, type(self).__name__)
        order = self._in_order(data, size)
        chosen = np.zeros(n_given, dtype=bool)
        chosen[order[:size]] = True
        ranking = np.full(n_given, float(len(order) + 1))
        ranking[order] = np.arange(1, len(order) + 1)
        return Choice(chosen, {"ranking_": ranking, "path_": path})

    def _in_order(self, data: TrainingData, most: int) -> list[int]:
        """Return the positions of columns, best first; those that do not vary are last."""
        moving = np.array([column.varies for column in data.table.columns])
        if moving.all() or not moving.any():
            return list(self._ordered(data, most))
        places = np.flatnonzero(moving)
        few = replace(data, table=data.table.select([data.table.names[at] for at in places]))
        order = places[list(self._ordered(few, min(most, len(places))))].tolist()
        is_whole = len(order) == len(places)
        return [*order, *np.flatnonzero(~moving).tolist()] if is_whole else order

    def _path(self, data: TrainingData) -> SizePath | None:
        """Return the errors of all sizes; None where rows are too few to be split."""
        seed = check_seed(self.random_state)
        estimator = "random_forest" if self.estimator is None else self.estimator
        learner = learner_for(estimator, data, seed)
        if self.estimator is None:
            learner.set_params(**_SMALL_FOREST)
        folds = InnerFolds(data, learner, self.n_folds, seed)
        names = data.table.names
        if not folds.parts:
            return None
        n_moving = sum(column.varies for column in data.table.columns)
        sizes = ladder(max(1, n_moving), _MOST_AUTO)
        orders = [self._in_order(train, sizes[-1]) for train, _ in folds.parts]
        errors = []
        for size in sizes:
            chosen = [[names[place] for place in order[:size]] for order in orders]
            errors.append(folds.errors_of_folds(chosen))
        words = "error rate" if task_of_data(data) == "classification" else "mean squared error"
        return size_path(sizes, errors, self.rule, words)
