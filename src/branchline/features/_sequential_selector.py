"""Wrappers: columns are added, dropped or exchanged while a learner's error falls.

Errors are those of inner folds (``_inner_folds``).

- forward: begin with none; add the column that lowers the error most.
- backward: begin with all; drop the column that raises the error least.
- floating (Pudil, Novovičová and Kittler 1994): after each addition, columns are dropped while that
  gives a better set of the smaller size than any seen before.

With ``n_columns="auto"`` a forward search ends when ``patience`` additions in a row have not
lowered the error beyond one standard error of the difference, and the smallest set that is as good
as the best (by ``rule``) is kept.
"""

from collections.abc import Sequence
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
from branchline.features._inner_folds import FoldErrors, InnerFolds, learner_for, task_of_data
from branchline.features._selector import TASK, Choice, Selector, check_n_columns
from branchline.features._size_path import SizePath, size_path

__all__ = ["SequentialSelector"]

Names = tuple[str, ...]


class SequentialSelector(Selector):
    """Add, drop or exchange columns while a learner's error falls.

    A wrapper: it takes any learner and looks at columns together, at the price of many fits. The
    error that it reports was chosen as the best of many, so it is too good: assess the selector as
    a step of a pipeline, or by ``select=`` of ``compare``.

    Parameters
    ----------
    estimator
        The learner: a name of the catalog or an estimator. None (default): logistic regression
        with a fixed, weak penalty for classes, least squares for numbers.
    direction
        "forward" (default), "backward", or "floating": forward, with a look back after each step.
    n_columns
        How many columns are kept: a number, a share between 0 and 1, or "auto" (default): by the
        errors on the way.
    max_columns
        With "auto": a forward search ends here at the latest. Default 30.
    n_folds
        The number of inner folds. Default 5.
    rule
        "one_se" (default): the fewest columns whose error is within one standard error of the
        least. "best": the least error. A number: within that many standard errors.
    patience
        With "auto": the steps without an improvement beyond its standard error after which a
        search ends. Default 3.
    task
        "classification", "regression", or "auto" (default): by the kind of the target.
    random_state
        The seed of folds and of the learner. Default 0.

    Attributes
    ----------
    support_
        Whether each column was chosen.
    path_
        The error of the best set of each size.
    sets_
        The best set of each size: names by number of columns.

    See Also
    --------
    RecursiveElimination : fit, drop the columns that the model uses least, and fit again.
    GeneticSelector : search for a set of columns with a genetic algorithm.

    Examples
    --------
    >>> from branchline import load_dataset
    >>> from branchline.features import SequentialSelector
    >>> X, y = load_dataset("heart").split_target("disease")
    >>> SequentialSelector(n_columns=3).fit(X, y).n_selected_
    3
    """

    _constraints: ClassVar[dict[str, Constraint]] = {
        "estimator": Learner((None,)),
        "direction": OneOf(("forward", "backward", "floating")),
        "n_columns": AnyOf((OneOf(("auto",)), Whole(1), Real(0.0, 1.0, low_open=True))),
        "max_columns": Whole(1),
        "n_folds": Whole(2),
        "rule": RULE,
        "patience": Whole(1),
        "task": TASK,
    }
    _left_out_of_files = frozenset({"path_", "sets_"})
    path_: SizePath | None
    sets_: dict[int, Names]

    def __init__(  # noqa: PLR0913 (scikit-learn's contract: an argument for each parameter)
        self,
        *,
        estimator: Any = None,
        direction: str = "forward",
        n_columns: Any = "auto",
        max_columns: int = 30,
        n_folds: int = 5,
        rule: Any = "one_se",
        patience: int = 3,
        task: str = "auto",
        random_state: Any = 0,
    ) -> None:
        self.estimator = estimator
        self.direction = direction
        self.n_columns = n_columns
        self.max_columns = max_columns
        self.n_folds = n_folds
        self.rule = rule
        self.patience = patience
        self.task = task
        self.random_state = random_state

    def _choose(self, data: TrainingData) -> Choice:
        seed, is_class = check_seed(self.random_state), task_of_data(data) == "classification"
        learner = learner_for(self.estimator, data, seed)
        folds = InnerFolds(data, learner, self.n_folds, seed)
        names = data.table.names
        if not folds.parts:  # nothing can be compared: all columns are kept
            return Choice(np.ones(len(names), dtype=bool), {"path_": None, "sets_": {}})
        wanted = None
        if not isinstance(self.n_columns, str):
            wanted = check_n_columns(self.n_columns, len(names), type(self).__name__)
        candidates = _candidates(data, wanted or 1)
        search = _Search(folds, candidates, self.patience)
        if self.direction == "backward":
            search.backward(wanted or 1)
        else:
            most = wanted or min(self.max_columns, len(candidates))
            search.forward(most, floating=self.direction == "floating", to_the_end=bool(wanted))
        sizes = [size for size in sorted(search.best) if size > 0]
        errors = [search.best[size][1] for size in sizes]
        words = "error rate" if is_class else "mean squared error"
        path = size_path(sizes, errors, self.rule, words)
        chosen = set(search.best[wanted or path.chosen][0])
        mask = np.array([name in chosen for name in names])
        sets = {size: search.best[size][0] for size in sizes}
        return Choice(mask, {"path_": path, "sets_": sets})


class _Search:
    """The best set of each size that was found so far."""

    def __init__(self, folds: InnerFolds, names: Names, patience: int) -> None:
        self._folds, self._names, self._patience = folds, names, patience
        self.best: dict[int, tuple[Names, FoldErrors]] = {}

    def _keep(self, names: Names) -> bool:
        """Keep a set if it is the best of its size; ties keep the older one."""
        errors, size = self._folds.errors(names), len(names)
        is_better = size not in self.best or errors.mean < self.best[size][1].mean - 1e-12
        if is_better:
            self.best[size] = (names, errors)
        return is_better

    def _least(self, candidates: Sequence[Names]) -> Names:
        self._folds.announce(candidates)
        return min(candidates, key=lambda names: (self._folds.errors(names).mean, names))

    def forward(self, most: int, *, floating: bool, to_the_end: bool) -> None:
        """Add columns one by one."""
        taken: Names = ()
        self._keep(taken)
        last_gain, reference = 0, self._folds.errors(taken)
        while len(taken) < most:
            rest = [name for name in self._names if name not in taken]
            taken = self._least([tuple(sorted((*taken, name))) for name in rest])
            self._keep(taken)
            taken = self.best[len(taken)][0]
            if floating:
                taken = self._look_back(taken)
            gain, error = reference.worse_by(self._folds.errors(taken))
            if gain > error:
                last_gain, reference = len(taken), self._folds.errors(taken)
            if not to_the_end and len(taken) - last_gain >= self._patience:
                return

    def _look_back(self, taken: Names) -> Names:
        while len(taken) > 2:
            fewer = self._least([_without(taken, name) for name in taken])
            if not self._keep(fewer):
                return taken
            taken = fewer
        return taken

    def backward(self, fewest: int) -> None:
        """Drop columns one by one."""
        taken = self._names
        self._keep(taken)
        while len(taken) > fewest:
            taken = self._least([_without(taken, name) for name in taken])
            self._keep(taken)


def _candidates(data: TrainingData, fewest: int) -> Names:
    """Return the columns that vary, sorted; all columns, where those are too few."""
    names = data.table.names
    moving = [name for name in names if data.table.column(name).varies]
    return tuple(sorted(moving if len(moving) >= fewest else names))


def _without(names: Names, gone: str) -> Names:
    return tuple(name for name in names if name != gone)
