"""Prediction of given rows: they are there when the model learns, without their classes.

1. The rows to predict are put below the labeled ones, with a missing target.
2. A learner that learns from unlabeled rows is fitted on all of them.
3. Their classes are those that it found while learning (``transduction_``).
"""

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
from sklearn.base import clone

from branchline._arrays import Floats
from branchline._named_learners import make_learner
from branchline._partly_labeled import PartlyLabeled
from branchline._plain_numbers import count
from branchline._validation import known_rows
from branchline.errors import ParameterError, Repair
from branchline.table import Table, as_table

__all__ = ["Transduction", "transduce"]


@dataclass(frozen=True, eq=False)
class Transduction:
    """Rows that were predicted while learning.

    Parameters
    ----------
    predictions
        The class of each row.
    probabilities
        The probability of each class, in the order of ``model.classes_``.
    model
        The fitted model.

    See Also
    --------
    transduce

    Examples
    --------
    >>> from branchline import load_dataset
    >>> from branchline.semi import LabelSpreading, transduce
    >>> X, y = load_dataset("iris").split_target("species")
    >>> found = transduce(LabelSpreading(), X.rows(range(0, 150, 10)), y[::10], X)
    >>> found.probabilities.shape
    (150, 3)
    """

    predictions: npt.NDArray[Any]
    probabilities: Floats
    model: Any

    def __len__(self) -> int:
        return len(self.predictions)

    def __repr__(self) -> str:
        return f"Transduction({count(len(self), 'row')}, {type(self.model).__name__})"


def transduce(model: Any, X: Any, y: Any, rows: Any) -> Transduction:
    """Predict given rows with a model that knows them, but not their classes, while it learns.

    Use it when the rows to predict are known from the start and no others will come. They need not
    be like new rows: only they are to be predicted. Rows of ``X`` whose target is missing are
    learned from, too.

    Parameters
    ----------
    model
        A learner of ``branchline.semi``, or the name of one. It is copied, not changed.
    X, y
        The training table and its target.
    rows
        The rows to predict, with the columns of ``X``.

    See Also
    --------
    Transduction : rows that were predicted while learning.

    Examples
    --------
    >>> from branchline import load_dataset
    >>> from branchline.semi import LabelSpreading, transduce
    >>> X, y = load_dataset("iris").split_target("species")
    >>> found = transduce(LabelSpreading(), X.rows(range(0, 150, 10)), y[::10], X)
    >>> round(float((found.predictions == y).mean()), 3)
    0.887
    """
    learner = make_learner(model, "classification")
    if not isinstance(learner, PartlyLabeled):
        raise ParameterError(
            f"{type(learner).__name__} does not learn from rows without a target. SelfTraining "
            "makes it do so.",
            code="P824",
            values=[type(learner).__name__],
            repair=Repair("from branchline.semi import SelfTraining\nmodel = SelfTraining(model)"),
        )
    table, others = as_table(X), as_table(rows, texts="raw")
    together, n_rows = _together(table, others), table.n_rows
    known = known_rows(y, n_rows)
    target = np.full(n_rows + others.n_rows, None, dtype=object)
    if known is not None:
        values = y.to_numpy() if hasattr(y, "to_numpy") else np.asarray(y, dtype=object)
        target[:n_rows][known] = values[known]
    else:  # its check says what is wrong
        learner.fit(table, y)
    fitted = clone(learner).fit(together, target)
    below = together.rows(np.arange(n_rows, n_rows + others.n_rows))
    return Transduction(fitted.transduction_[n_rows:], fitted.predict_proba(below), fitted)


def _together(table: Table, others: Table) -> Table:
    """Return the rows of both tables, in the columns of the first."""
    applied = table.schema.apply(others)  # refuses columns that are absent
    if table.matrix is not None and applied.matrix is not None:
        names = table.names if table.schema.named else None
        return Table.from_matrix(np.vstack([table.matrix, applied.matrix]), names)
    import pandas

    wanted = list(table.names)
    if not table.schema.named and not others.schema.named:
        others = others.with_names(wanted)
    frames = [table.to_pandas(), others.select(wanted).to_pandas()]
    return as_table(pandas.concat(frames, ignore_index=True))
