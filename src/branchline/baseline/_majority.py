"""The most frequent class, for every row: the baseline of classification.

The fitting is scikit-learn's ``DummyClassifier(strategy="prior")``; the model is the class
frequencies.
"""

from typing import Any, Self

import numpy as np
import numpy.typing as npt
from sklearn.dummy import DummyClassifier
from sklearn.utils import Tags

from branchline._base import Classifier, Complexity, FittedState, reports_progress
from branchline._plain_numbers import percent
from branchline._state import classes_from_state, classes_to_state, frequencies_from_state
from branchline.table import Schema

__all__ = ["MajorityClassifier"]


class MajorityClassifier(Classifier):
    """Predict the most frequent class for every row; probabilities are the class frequencies.

    Attributes
    ----------
    classes_
        The classes, sorted.
    class_prior_
        The weighted frequency of each class.

    See Also
    --------
    MeanRegressor : predict the mean of the target for every row.
    compare : compare learners on a table and recommend one.

    Examples
    --------
    >>> from branchline import load_dataset
    >>> from branchline.baseline import MajorityClassifier
    >>> X, y = load_dataset("german-credit").split_target("class")
    >>> round(MajorityClassifier().fit(X, y).score(X, y), 2)
    0.7
    """

    _opposite = "branchline.baseline.MeanRegressor"
    class_prior_: npt.NDArray[np.float64]

    def __init__(self) -> None:
        pass

    @reports_progress
    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Learn the class frequencies."""
        data = self._begin(X, y, sample_weight)
        target, n_rows = data.class_target, data.table.n_rows
        prior = DummyClassifier(strategy="prior").fit(
            np.zeros((n_rows, 1)), target.class_of_row, data.weights.units
        )
        return self._finish(data, classes_=target.classes, class_prior_=prior.class_prior_)

    def predict_proba(self, X: Any) -> npt.NDArray[np.float64]:
        """Return the class frequencies, once for each row."""
        rows = self._check_rows(X)
        return np.tile(self.class_prior_, (rows.table.n_rows, 1))

    def to_text(self) -> str:
        """Return the model as text: the class that is always predicted."""
        self._check_fitted()
        best = int(np.argmax(self.class_prior_))
        return f"always: {self.classes_[best]} ({percent(self.class_prior_[best])})"

    def _complexity(self) -> Complexity:
        return Complexity(1, "constant")

    def _pack(self) -> FittedState:
        return {"classes": classes_to_state(self.classes_), "class_prior": self.class_prior_}

    def _unpack(self, state: FittedState, schema: Schema) -> FittedState:
        classes = classes_from_state(state)
        prior = frequencies_from_state(state, "class_prior", length=len(classes))
        return {"classes_": classes, "class_prior_": prior}

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.classifier_tags.poor_score = True
        return tags
