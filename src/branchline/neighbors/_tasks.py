"""Classes and numbers as targets of stored rows: fitting, names, model files.

1. ``fit`` learns the distance, lets the estimator choose (k or a bandwidth), and keeps the rows.
2. The target of a stored row is the index of its class, or its number.
"""

from typing import Any, Self

import numpy as np
import numpy.typing as npt

from branchline._base import Classifier, FittedState, Regressor, reports_progress
from branchline._state import classes_from_state, classes_to_state, numbers_from_state
from branchline._validation import TrainingData
from branchline.neighbors._distance_options import Learner, learner_for
from branchline.neighbors._fitted_rows import FittedRows, class_target_from_state
from branchline.neighbors._stored_rows import in_canonical_order
from branchline.table import Schema

__all__ = ["RowsClassifier", "RowsRegressor"]


class _Choosing(FittedRows):
    """An estimator that chooses its parameters by cross-validation inside ``fit``."""

    def _chosen(self, rows: TrainingData, learn: Learner) -> dict[str, Any]:
        """Return the fitted attributes that were chosen."""
        raise NotImplementedError

    def _learn(self, data: TrainingData) -> dict[str, Any]:
        """Return all fitted attributes but the classes."""
        rows, row_numbers = in_canonical_order(data)
        target = rows.target
        values = target.class_of_row if self._task == "classification" else target.values
        learn = learner_for(self, data, rows, row_numbers)
        return {**self._chosen(rows, learn), **self._remember(rows, row_numbers, values, learn)}


class RowsClassifier(_Choosing, Classifier):
    """A classifier that keeps its training rows."""

    target_: npt.NDArray[np.uint32]

    @reports_progress
    def fit(self, X: Any, y: Any) -> Self:
        """Learn the distance, choose what is "auto", and keep the rows."""
        data = self._begin(X, y, None)
        return self._finish(data, classes_=data.class_target.classes, **self._learn(data))

    def _names(self) -> npt.NDArray[Any]:
        names: npt.NDArray[Any] = self.classes_[self.target_]
        return names

    def _pack(self) -> FittedState:
        return {**super()._pack(), "classes": classes_to_state(self.classes_)}

    def _unpack(self, state: FittedState, schema: Schema) -> FittedState:
        kept = super()._unpack(state, schema)
        classes = classes_from_state(state)
        target = class_target_from_state(state, kept["rows_"].n_rows, len(classes))
        return {**kept, "classes_": classes, "target_": target}


class RowsRegressor(_Choosing, Regressor):
    """A regressor that keeps its training rows."""

    target_: npt.NDArray[np.float64]

    @reports_progress
    def fit(self, X: Any, y: Any) -> Self:
        """Learn the distance, choose what is "auto", and keep the rows."""
        data = self._begin(X, y, None)
        return self._finish(data, **self._learn(data))

    def _names(self) -> npt.NDArray[Any]:
        return self.target_

    def _unpack(self, state: FittedState, schema: Schema) -> FittedState:
        kept = super()._unpack(state, schema)
        return {**kept, "target_": numbers_from_state(state, "target", length=kept["rows_"].n_rows)}
