"""Predictions and true values, in the form that all metrics take."""

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import numpy.typing as npt

from branchline._plain_numbers import count

__all__ = ["Outcome"]

Floats = npt.NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Outcome:
    """Predictions of some rows.

    Parameters
    ----------
    truth, predicted
        The true and the predicted value of each row: numbers, or places among ``classes``.
    probabilities
        The probability of each class, one row per case; None when the model gives none.
    classes
        The names of the classes, sorted; None for numbers.
    positive
        The place of the class that precision, recall and the like describe.
    costs
        What it costs to predict j when i is true, one row per true class. None: every error costs
        1.

    See Also
    --------
    Metric : a score of predictions.
    roc_curve : return the ROC curve of the positive class, with a band.

    Examples
    --------
    >>> import numpy as np
    >>> from branchline.assess import METRICS, Outcome
    >>> truth, predicted = np.array([0, 1, 1, 1]), np.array([0, 1, 0, 1])
    >>> METRICS["accuracy"].score(Outcome(truth, predicted, classes=("no", "yes")))
    0.75
    """

    truth: npt.NDArray[Any]
    predicted: npt.NDArray[Any]
    probabilities: Floats | None = None
    classes: tuple[Any, ...] | None = None
    positive: int | None = None
    costs: Floats | None = None

    def __len__(self) -> int:
        return len(self.truth)

    def __repr__(self) -> str:
        about = "numbers" if self.classes is None else count(len(self.classes), "class")
        return f"Outcome({count(len(self), 'row')}, {about})"

    def rows(self, which: Any) -> "Outcome":
        """Return the outcome of some rows."""
        probabilities = None if self.probabilities is None else self.probabilities[which]
        return replace(
            self,
            truth=self.truth[which],
            predicted=self.predicted[which],
            probabilities=probabilities,
        )

    @property
    def is_positive(self) -> npt.NDArray[np.bool_]:
        """Which rows truly belong to the positive class."""
        return np.asarray(self.truth == self.positive)

    @property
    def predicted_positive(self) -> npt.NDArray[np.bool_]:
        """Which rows were predicted as the positive class."""
        return np.asarray(self.predicted == self.positive)

    @property
    def cost_matrix(self) -> Floats:
        """The costs of errors; without any, 1 for each."""
        if self.costs is not None:
            return self.costs
        return 1.0 - np.eye(len(self.classes or ()))
