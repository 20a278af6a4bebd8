"""What networks learn, classes or numbers, in the words of scikit-learn.

1. Classes: one output for two classes, p = 1 / (1 + e^−o); one for each class for more, the softmax
   p_k = e^{o_k} / Σ e^{o_j}. The loss of a row is −ln p of its class.
2. Numbers: the outputs themselves, in the scale of ``TargetScale``; the loss is half the squared
   error, averaged over outputs.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
from scipy.special import expit, log_expit, log_softmax
from sklearn.neural_network import MLPClassifier as SklearnClassifier
from sklearn.neural_network import MLPRegressor as SklearnRegressor

from branchline._arrays import Floats
from branchline._class_sums import softmax
from branchline._folds import FoldRows, Mask

__all__ = ["ClassTask", "NumberTask", "n_outputs_for", "probabilities"]


def n_outputs_for(n_classes: int) -> int:
    """Return the number of outputs of a network for ``n_classes`` classes."""
    return n_classes if n_classes > 2 else 1


def probabilities(outputs: Floats, n_classes: int) -> Floats:
    """Return the probability of each class, from the last layer's sums."""
    if n_classes == 1:
        return np.ones((len(outputs), 1))
    if n_classes == 2:
        return np.column_stack([expit(-outputs[:, 0]), expit(outputs[:, 0])])
    return softmax(outputs)


@dataclass(frozen=True, eq=False)
class ClassTask:
    """Learn classes: the index of each row's class, all of at least two classes present."""

    class_of_row: npt.NDArray[np.uint32]
    n_classes: int
    folds: FoldRows

    def part(self, rows: Mask) -> "ClassTask":
        """Return the task of some rows alone."""
        return ClassTask(self.class_of_row[rows], self.n_classes, self.folds.rows(rows))

    def descent(self, **options: Any) -> Any:
        """Return scikit-learn's unfitted network."""
        return SklearnClassifier(**options)

    def targets(self, rows: Any) -> Any:
        """Return the classes of some rows."""
        return self.class_of_row[rows]

    def epoch(self, descent: Any, matrix: Any, targets: Any) -> None:
        """Go once through the rows."""
        descent.partial_fit(matrix, targets, classes=np.arange(self.n_classes, dtype=np.uint32))

    def loss(self, outputs: Floats, rows: Mask) -> float:
        """Return the mean of −ln p."""
        classes = self.class_of_row[rows]
        if self.n_classes == 2:
            sign = np.where(classes == 1, 1.0, -1.0)
            return float(-log_expit(sign * outputs[:, 0]).mean())
        return float(-log_softmax(outputs, axis=1)[np.arange(len(classes)), classes].mean())


@dataclass(frozen=True, eq=False)
class NumberTask:
    """Learn numbers: scaled targets, with a column for each output."""

    scaled: Floats
    folds: FoldRows

    def part(self, rows: Mask) -> "NumberTask":
        """Return the task of some rows alone."""
        return NumberTask(self.scaled[rows], self.folds.rows(rows))

    def descent(self, **options: Any) -> Any:
        """Return scikit-learn's unfitted network."""
        return SklearnRegressor(**options)

    def targets(self, rows: Any) -> Any:
        """Return the targets of some rows; one output is one-dimensional, as it is asked for."""
        some = self.scaled[rows]
        return some[:, 0] if some.shape[1] == 1 else some

    def epoch(self, descent: Any, matrix: Any, targets: Any) -> None:
        """Go once through the rows."""
        descent.partial_fit(matrix, targets)

    def loss(self, outputs: Floats, rows: Mask) -> float:
        """Return half the mean squared error."""
        return float(((outputs - self.scaled[rows]) ** 2).mean() / 2)
