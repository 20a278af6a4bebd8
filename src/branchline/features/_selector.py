"""What all selectors share: they choose columns of a raw table, and hand the chosen ones on.

``fit`` uses the target; ``transform`` returns the chosen columns in the container that it was
given: an array, a sparse matrix, a frame of pandas, polars or Arrow, or a ``Table``. Lists and
dictionaries become a ``Table``. A selector is a step of a pipeline, so that the choice is repeated
inside every training set.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, ClassVar, Self

import numpy as np
from sklearn.base import TransformerMixin
from sklearn.utils import Tags

from branchline._arrays import AnyArray, Bools, Floats
from branchline._base import Complexity, Estimator, FittedState, reports_progress
from branchline._named_learners import check_learner
from branchline._state import malformed
from branchline._validation import (
    OneOf,
    Owner,
    TrainingData,
    check_training_data,
    guess_task,
)
from branchline.errors import ParameterError, Repair
from branchline.table import Schema, select_columns

__all__ = ["TASK", "Choice", "Selector", "check_n_columns"]

TASK = OneOf(("auto", "classification", "regression"))


@dataclass(frozen=True, eq=False)
class Choice:
    """Which columns were chosen, and what is known of all of them.

    Parameters
    ----------
    chosen
        Whether each column was chosen.
    about
        Fitted attributes beside it: numbers for each column, or a path.
    """

    chosen: Bools
    about: Mapping[str, Any] = field(default_factory=dict)


class Selector(TransformerMixin, Estimator):
    """Root of estimators that choose columns.

    A subclass writes ``_choose``. Numbers for each column (scores, places in a ranking) are named
    in ``_of_columns`` and saved with the model.

    See Also
    --------
    make_selector : return an unfitted selector.

    Examples
    --------
    >>> from branchline import load_dataset
    >>> from branchline.features import RankSelector, Selector
    >>> X, y = load_dataset("heart").split_target("disease")
    >>> model = RankSelector(n_columns=3).fit(X, y)
    >>> isinstance(model, Selector), model.n_selected_
    (True, 3)
    """

    _task: ClassVar[Any] = None
    _opposite = None
    _of_columns: ClassVar[tuple[str, ...]] = ()
    _copies_of_columns_count = True  # one of two copies may be chosen, or both
    support_: Bools
    n_selected_: int

    task: str

    @reports_progress
    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Choose columns of a table for predicting a target."""
        self._start(X, y)
        data = self._training_data(X, y, sample_weight)
        found = self._choose(data)
        return self._finish(
            data,
            support_=found.chosen,
            n_selected_=int(found.chosen.sum()),
            **found.about,
        )

    def _training_data(self, X: Any, y: Any, sample_weight: Any) -> TrainingData:
        owner = Owner(type(self).__name__, None)
        task: Any = self.task
        if not hasattr(y, "to_numpy") and hasattr(y, "__array__"):
            y = np.asarray(y)
        if task == "auto":
            task = "classification" if y is None else guess_task(y)
        estimator = getattr(self, "estimator", None)
        if estimator is not None:
            check_learner(type(self).__name__, "estimator", estimator, task)
        return check_training_data(X, y, sample_weight, task=task, owner=owner)

    def _choose(self, data: TrainingData) -> Choice:
        """Choose columns."""
        raise NotImplementedError

    # -- what was chosen ------------------------------------------------------------------------

    def transform(self, X: Any) -> Any:
        """Return the chosen columns, in the container that was given; of lists, a ``Table``."""
        rows = self._check_rows(X).table
        return select_columns(X, rows, np.flatnonzero(self.support_).tolist())

    def get_support(self, indices: bool = False) -> AnyArray:
        """Return which columns were chosen: a mask, or their positions."""
        self._check_fitted()
        return np.flatnonzero(self.support_) if indices else self.support_

    def get_feature_names_out(self, input_features: Any = None) -> AnyArray:
        """Return the names of the chosen columns."""
        self._check_fitted()
        names = np.array(self.schema_.names, dtype=object)
        return names[self.support_]

    def _complexity(self) -> Complexity:
        return Complexity(max(1, self.n_selected_), "columns")

    # -- saving ---------------------------------------------------------------------------------

    def _pack(self) -> FittedState:
        state: dict[str, Any] = {"support": np.asarray(self.support_, dtype=np.uint8)}
        for name in self._of_columns:
            if getattr(self, name, None) is not None:
                state[name] = np.asarray(getattr(self, name), dtype=np.float64)
        return state

    def _unpack(self, state: FittedState, schema: Schema) -> FittedState:
        support: Any = state.get("support")
        is_mask = isinstance(support, np.ndarray) and support.shape == (len(schema),)
        if not is_mask or support.dtype != np.uint8 or bool((support > 1).any()):
            raise malformed("the chosen columns are not a mask of all columns")
        if set(state) - {"support", *self._of_columns}:
            raise malformed("a selector has a part too many")
        fitted: dict[str, Any] = {
            "support_": support.astype(bool),
            "n_selected_": int(support.sum()),
        }
        for name in self._of_columns:
            fitted[name] = _of_columns_from_state(state, name, len(schema))
        return fitted

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.target_tags.required = True
        return tags


def _of_columns_from_state(state: FittedState, name: str, length: int) -> Floats | None:
    values = state.get(name)
    if values is None:
        return None
    is_row = isinstance(values, np.ndarray) and values.shape == (length,)
    if not is_row or values.dtype != np.float64:
        raise malformed(f"{name!r} is not a number for each column")
    return np.array(values)


def check_n_columns(n_columns: Any, n_given: int, owner: str) -> int:
    """Return a number of columns; a share (a float below 1) counts of all columns."""
    wanted = max(1, round(n_columns * n_given)) if isinstance(n_columns, float) else int(n_columns)
    if wanted <= n_given:
        return wanted
    raise ParameterError(
        f"{owner} was asked for {wanted} columns of a table that has {n_given}.",
        code="P571",
        values=[n_columns],
        repair=Repair(f"{owner}(n_columns={n_given})"),
    )
