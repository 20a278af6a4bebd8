"""The mean, for every row: the baseline of regression.

scikit-learn's ``DummyRegressor`` adds floats in the order of rows; here the sum is taken in fixed
point, so that it depends neither on their order nor on whether a row is weighted or repeated.
"""

from typing import Any, Self

import numpy as np
import numpy.typing as npt
from sklearn.utils import Tags

from branchline._base import Complexity, FittedState, Regressor, reports_progress
from branchline._fixed_point import fixed_point
from branchline._plain_numbers import number
from branchline._state import number_from_state
from branchline.table import Schema

__all__ = ["MeanRegressor"]


class MeanRegressor(Regressor):
    """Predict the mean of the target for every row.

    Attributes
    ----------
    mean_
        The weighted mean.

    See Also
    --------
    MajorityClassifier : predict the most frequent class for every row.
    compare : compare learners on a table and recommend one.

    Examples
    --------
    >>> from branchline import load_dataset
    >>> from branchline.baseline import MeanRegressor
    >>> X, y = load_dataset("auto-mpg").split_target("mpg")
    >>> round(MeanRegressor().fit(X, y).mean_, 2)
    23.51
    """

    _opposite = "branchline.baseline.MajorityClassifier"
    mean_: float

    def __init__(self) -> None:
        pass

    @reports_progress
    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Learn the weighted mean."""
        data = self._begin(X, y, sample_weight)
        numbers = fixed_point(data.number_target.matrix, data.weights)
        weight = data.weights.total_units(data.table.n_rows) * data.weights.unit
        return self._finish(data, mean_=float(numbers.mean(numbers.sums.sum(axis=0), weight)[0]))

    def predict(self, X: Any) -> npt.NDArray[np.float64]:
        """Return the mean, once for each row."""
        return np.full(self._check_rows(X).table.n_rows, self.mean_)

    def to_text(self) -> str:
        """Return the model as text: the mean."""
        self._check_fitted()
        return f"always: {number(self.mean_, 6)}"

    def _complexity(self) -> Complexity:
        return Complexity(1, "constant")

    def _pack(self) -> FittedState:
        return {"mean": self.mean_}

    def _unpack(self, state: FittedState, schema: Schema) -> FittedState:
        return {"mean_": number_from_state(state, "mean")}

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.regressor_tags.poor_score = True
        return tags
