"""Logistic regression learned online on hashed columns, for very many categories (click-through).

1. Each row becomes a sparse vector by hashing its column names and values (``_hashing``):
   categories need no list, so new ones may always come, and ``n_features`` bounds memory.
2. Before a block of rows is learned from, it is predicted: the mean loss of these predictions is an
   honest one (progressive validation; Blum, Kalai and Langford, 1999).
3. scikit-learn's stochastic gradient descent takes one row after the other, with steps
   eta0 / t^power_t. More than two classes: each against the rest, probabilities divided by their
   sum.
"""

from typing import Any, ClassVar, Self

import numpy as np

from branchline._base import reports_progress
from branchline._class_sums import n_sums
from branchline._state import column_attributes
from branchline._validation import (
    AnyOf,
    Constraint,
    OneOf,
    Owner,
    Real,
    RowWeights,
    TrainingData,
    Whole,
    check_seed,
    check_target,
    check_training_data,
)
from branchline.errors import ParameterError, Repair
from branchline.linear._hashed_descent import Descent, HashedTable
from branchline.linear._hashed_model import HashedModel
from branchline.linear._hashed_rows import (
    check_hashed_rows,
    places_of_classes,
    without_categories,
    without_one_class_remark,
)
from branchline.linear._hashed_state import nothing_learned
from branchline.linear._hashing import Hashing, first_hashing
from branchline.table import Table

__all__ = ["HashedLogisticRegression"]


class HashedLogisticRegression(HashedModel):
    """Logistic regression that learns row by row, on any number of categories.

    For streams and for tables with millions of distinct names (users, pages, advertisements):
    names are hashed, not listed. Rows are learned in the order in which they come, so this learner,
    unlike others, depends on it. ``partial_fit`` goes on learning.

    Parameters
    ----------
    n_features
        The number of places that names are hashed to. Memory is 8 bytes a place and class; names
        that share a place share a weight, so use several times as many places as there are names.
        Default 262144.
    numbers
        How numbers enter: "value" (default; scaled) or "bins" (sixteen bins of about equal weight,
        each with a weight of its own, for effects that bend). Scales and bins are learned from the
        rows of ``fit``, or from the first ``partial_fit`` in which a column varies.
    alpha
        The strength of the L2 penalty. Default 1e-06.
    eta0
        Size of the first steps. Larger values learn faster from few rows, but the weights fluctuate
        more. Default 0.2.
    power_t
        How fast steps shrink: the t-th has size eta0 / t^power_t. 0 keeps them, for data that
        change with time. Default 0.25.
    max_epochs
        How often ``fit`` goes through the rows: the first time in their order, then shuffled.
        "auto" (default): until about 200 000 rows were seen, at most 20 times.
    random_state
        The seed by which rows are shuffled after the first epoch. Default 0.

    Attributes
    ----------
    classes_
        The classes, sorted.
    n_rows_seen_
        How many rows were learned from, each once.
    progressive_loss_
        The mean log loss of all rows, each predicted before it was learned from.
    recent_loss_
        The same, of the last block of rows: a tenth of those seen, or 100.

    See Also
    --------
    LogisticRegression
    HoeffdingTreeClassifier

    Examples
    --------
    >>> from branchline import load_dataset
    >>> from branchline.linear import HashedLogisticRegression
    >>> X, y = load_dataset("german-credit").split_target("class")
    >>> model = HashedLogisticRegression()
    >>> for start in range(0, 1000, 200):
    ...     rows = slice(start, start + 200)
    ...     model = model.partial_fit(X[rows], y[rows], classes=["bad", "good"])
    >>> round(model.progressive_loss_, 2)
    0.59
    """

    _constraints: ClassVar[dict[str, Constraint]] = {
        "n_features": Whole(2, 2**30),
        "numbers": OneOf(("value", "bins")),
        "alpha": Real(0, 1),
        "eta0": Real(0, 1000, low_open=True),
        "power_t": Real(0, 1),
        "max_epochs": AnyOf((OneOf(("auto",)), Whole(1, 10_000))),
    }
    _opposite = "branchline.linear.Ridge"
    _learns_in_sequence = True
    _copies_of_columns_count = True

    def __init__(
        self,
        *,
        n_features: int = 2**18,
        numbers: str = "value",
        alpha: float = 1e-6,
        eta0: float = 0.2,
        power_t: float = 0.25,
        max_epochs: int | str = "auto",
        random_state: Any = 0,
    ) -> None:
        self.n_features = n_features
        self.numbers = numbers
        self.alpha = alpha
        self.eta0 = eta0
        self.power_t = power_t
        self.max_epochs = max_epochs
        self.random_state = random_state

    @reports_progress
    def fit(self, X: Any, y: Any) -> Self:
        """Learn from all rows, forgetting what was learned before."""
        data = self._begin(X, y, None)
        hashing = self._first_hashing(data.table).learn(data.table, skip_constant=True)
        target, n_rows = data.class_target, data.table.n_rows
        learned = nothing_learned(n_sums(target.n_classes), int(self.n_features))
        descent = self._descent(target.n_classes)
        hashed = HashedTable(hashing, data.table)
        learned = descent.learn(learned, hashed, target.class_of_row)
        shuffled = np.random.default_rng(check_seed(self.random_state))
        for _ in range(1, self._n_epochs(n_rows)):
            order = shuffled.permutation(n_rows)
            learned = descent.again(learned, hashed, target.class_of_row, order)
        fitted = {"classes_": target.classes, "hashing_": hashing, "learned_": learned}
        return self._finish(without_categories(data), **fitted)

    def partial_fit(self, X: Any, y: Any, classes: Any = None) -> Self:
        """Learn from more rows, in their order, once.

        Parameters
        ----------
        X, y
            The rows and their classes; categories may be new.
        classes
            All classes that will ever come; needed in the first call.
        """
        self._check_parameters()
        is_first = not self.__sklearn_is_fitted__()
        table, classes, class_of_row = self._first(X, y, classes) if is_first else self._next(X, y)
        hashing = self._first_hashing(table) if is_first else self.hashing_
        hashing = hashing.learn(table, skip_constant=False)
        places = n_sums(len(classes)), int(self.n_features)
        learned = nothing_learned(*places) if is_first else self.learned_
        hashed = HashedTable(hashing, table)
        learned = self._descent(len(classes)).learn(learned, hashed, class_of_row)
        fitted = {"classes_": classes, "hashing_": hashing, "learned_": learned}
        # In one step, so that no signal can come between.
        self.__dict__.update(fitted, **(_columns_of(table) if is_first else {}))
        return self

    # -- learning -------------------------------------------------------------------------------

    def _first_hashing(self, table: Table) -> Hashing:
        return first_hashing(table, int(self.n_features), bins=self.numbers == "bins")

    def _descent(self, n_classes: int) -> Descent:
        return Descent(n_classes, float(self.alpha), float(self.eta0), float(self.power_t))

    def _n_epochs(self, n_rows: int) -> int:
        if self.max_epochs != "auto":
            return int(self.max_epochs)
        return max(1, min(20, -(-200_000 // n_rows)))

    def _first(self, X: Any, y: Any, classes: Any) -> tuple[Table, Any, Any]:
        if classes is None:
            raise ParameterError(
                "classes must be passed on the first call to partial_fit.",
                code="P061",
                repair=Repair("import numpy\nmodel.partial_fit(X, y, classes=numpy.unique(y))"),
            )
        known = np.unique(np.asarray(classes))
        data = without_one_class_remark(
            check_training_data, X, y, None, task="classification", owner=self._owner()
        )
        return data.table, known, places_of_classes(data.class_target, known)

    def _next(self, X: Any, y: Any) -> tuple[Table, Any, Any]:
        table = check_hashed_rows(X, self.schema_, owner=type(self).__name__).table
        target = without_one_class_remark(
            check_target, y, table.n_rows, task="classification", owner=self._owner()
        )
        return table, self.classes_, places_of_classes(target, self.classes_)

    def _owner(self) -> Owner:
        return Owner(type(self).__name__, self._opposite, self._multi_output)


def _columns_of(table: Table) -> dict[str, Any]:
    """Return the fitted attributes that say what the columns are; categories are not listed."""
    schema = without_categories(TrainingData(table, None, RowWeights())).table.schema
    return column_attributes(schema)
