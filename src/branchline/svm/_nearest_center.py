"""The nearest center in the space of a kernel: a row is of the class whose mean is nearest.

1. The center of a class is the mean of its rows, m_c = Σ w_i φ(x_i) / W_c with W_c = Σ w_i, and
   ‖φ(x) − m_c‖² = K(x, x) − 2/W_c Σ_i w_i K(x, x_i) + ‖m_c‖², where
   ‖m_c‖² = 1/W_c² Σ_ij w_i w_j K(x_i, x_j).
2. Without one copy of row i (δ = min(1, w_i)), the center of its own class is at
   φ(x_i) − m_c′ = W_c / (W_c − δ) (φ(x_i) − m_c): its squared distance grows by (W_c / (W_c − δ))².
   So leave-one-out distances of all rows come with those to the centers.
3. Probabilities are p_c ∝ exp(−s ‖φ(x) − m_c‖²): the scale s makes the log loss of the rows least,
   each judged by the centers without it. Truths are smoothed as if there were one more row of each
   class, so that s is finite.
"""

from typing import Any, ClassVar, Self

import numpy as np
import numpy.typing as npt

from branchline._arrays import Floats
from branchline._base import Classifier, Complexity, FittedState, reports_progress
from branchline._class_sums import softmax
from branchline._explanation import Explanation
from branchline._intervals import Interval
from branchline._one_thread import one_thread
from branchline._row_scores import interval_of_means
from branchline._state import (
    array_from_state,
    classes_from_state,
    classes_to_state,
    malformed,
    number_from_state,
    numbers_from_state,
)
from branchline._validation import Constraint
from branchline.encoding import TableEncoder
from branchline.kernels import FittedKernel
from branchline.svm._kernel_rows import KernelRows
from branchline.svm._kernel_training import (
    KERNEL_PARAMETERS,
    texts_as_table,
    training_rows,
)
from branchline.svm._support_rows import SupportRows, explain_kernel_row
from branchline.table import Schema

__all__ = ["NearestCenter", "scale_of_distances"]

Classes = npt.NDArray[np.int64]

# Scales in units of one over the mean difference of squared distances.
_LEAST, _MOST = 1e-6, 1e6
_HALVINGS = 80
_ROUNDING = 1e-12


_LARGEST_SCORE = 1e300  # so that differences are finite


class NearestCenter(Classifier):
    """Predict the class whose mean is nearest, in the space of a kernel.

    The simplest classifier with a kernel: nothing is optimized, and a fit is one pass over pairs of
    rows. The leave-one-out error comes with the fit. Use it as a baseline for other kernel methods.
    It takes any table as it is.

    Parameters
    ----------
    kernel
        "rbf" (default), "linear", "poly", "sigmoid", "laplacian", "precomputed", a kernel of
        ``branchline.kernels``, or a function of two blocks of rows.
    gamma, degree, coef0
        Parameters of kernels by name. gamma="scale" is one over the variance of all numbers.
        Defaults "scale", 3, 0.0.
    standardize
        Whether numbers get mean 0 and standard deviation 1. Default True.
    encoder
        How the table becomes numbers, instead of what ``standardize`` says.
        Default None: ``standardize`` decides.
    n_jobs
        The number of threads for kernel values; None (default): all cores.

    Attributes
    ----------
    classes_
        The classes, sorted.
    class_counts_
        The number of rows of each class, by weight.
    center_norms_
        ‖m_c‖² of each class's center.
    scale_
        How fast probabilities fall with squared distance.
    loo_error_
        The leave-one-out error: the share of rows that are nearer to another class when left out.
        The only row of a class counts as an error.
    loo_interval_
        The same with its 95 % interval; a loaded model does not know it.
    support_
        The numbers of the rows that the model keeps: each distinct row.

    See Also
    --------
    SVC : support vector classifier with a certificate, on any table.
    NaiveBayes : predict the class by naive Bayes.

    Examples
    --------
    >>> from branchline import load_dataset
    >>> from branchline.svm import NearestCenter
    >>> X, y = load_dataset("heart").split_target("disease")
    >>> model = NearestCenter().fit(X[::2], y[::2])
    >>> round(model.loo_error_, 2), round(model.score(X[1::2], y[1::2]), 2)
    (0.22, 0.82)
    """

    _constraints: ClassVar[dict[str, Constraint]] = KERNEL_PARAMETERS
    _opposite = "branchline.svm.KernelRidge"
    _tolerance = 1e-9  # as in MarginClassifier
    _copies_of_columns_count = True
    _left_out_of_files = frozenset({"loo_interval_"})
    kernel_: FittedKernel
    support_: npt.NDArray[np.int64]
    _support: SupportRows
    class_counts_: Floats
    center_norms_: Floats
    scale_: float
    loo_error_: float
    loo_interval_: Interval
    _class_of_row: Classes
    _row_weights: Floats

    def __init__(
        self,
        *,
        kernel: Any = "rbf",
        gamma: float | str = "scale",
        degree: int = 3,
        coef0: float = 0.0,
        standardize: bool = True,
        encoder: TableEncoder | None = None,
        n_jobs: int | None = None,
    ) -> None:
        self.kernel = kernel
        self.gamma = gamma
        self.degree = degree
        self.coef0 = coef0
        self.standardize = standardize
        self.encoder = encoder
        self.n_jobs = n_jobs

    @reports_progress
    @one_thread
    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Find the centers; rows of weight k count as k copies."""
        data = self._begin(texts_as_table(X), y, sample_weight)
        rows = training_rows(self, data)
        target = rows.data.class_target
        return self._finish(
            data,
            **SupportRows.of(rows, np.arange(len(rows)), data.kept_rows).attributes(),
            **_centers(rows, target.class_of_row.astype(np.int64), target.n_classes),
            classes_=target.classes,
        )

    # -- predicting -----------------------------------------------------------------------------

    def predict_proba(self, X: Any) -> Floats:
        """Return the probability of each class, the largest for the nearest center."""
        self._check_fitted()
        nearness = self._nearness(self._support.prepare(self, X))
        with np.errstate(over="ignore"):
            scaled = np.clip(self.scale_ * nearness, -_LARGEST_SCORE, _LARGEST_SCORE)
        return softmax(scaled)

    def squared_distances(self, X: Any) -> Floats:
        """Return ‖φ(x) − m_c‖² of each row to each center.

        With a kernel that is not positive semidefinite they can be below 0. A precomputed kernel
        does not tell K(x, x) of new rows, so it has them for the training rows alone.
        """
        self._check_fitted()
        points = self._support.prepare(self, X)
        squares: Floats = self.kernel_.diag(points)[:, None] - self._nearness(points)
        return np.maximum(squares, 0.0) if self.kernel_.kernel.is_mercer else squares

    def _nearness(self, points: Any) -> Floats:
        """Return K(x, x) less the squared distance to each center."""
        shares = _shares(self._class_of_row, self._row_weights, self.class_counts_)
        return 2 * self._support.sums(points, shares, self.n_jobs) - self.center_norms_

    def explain(self, row: Any) -> Explanation:
        """Say why one row is predicted as it is, with a share for each column.

        Parameters
        ----------
        row
            A table of one row, a mapping of column names to values, or a list of one text.
        """
        return explain_kernel_row(self, row, super().explain)

    def _complexity(self) -> Complexity:
        return Complexity(max(1, len(self.support_)), "rows")

    # -- saving ---------------------------------------------------------------------------------

    def _pack(self) -> FittedState:
        return {
            **self._support.pack(),
            "classes": classes_to_state(self.classes_),
            "class_of_row": self._class_of_row,
            "row_weights": self._row_weights,
            "centre_norms": self.center_norms_,
            "scale": self.scale_,
            "loo_error": self.loo_error_,
        }

    def _unpack(self, state: FittedState, schema: Schema) -> FittedState:
        support, classes = SupportRows.unpack(state, schema), classes_from_state(state)
        n_rows, n_classes = len(support), len(classes)
        class_of_row = array_from_state(state, "class_of_row", np.dtype(np.int64), length=n_rows)
        if (class_of_row < 0).any() or (class_of_row >= n_classes).any():
            raise malformed("a row is of a class that is not there")
        weights = numbers_from_state(state, "row_weights", length=n_rows, low=0.0)
        counts = _counts(class_of_row, weights, n_classes)
        if not (weights > 0).all() or not (counts > 0).all():
            raise malformed("a row has no weight, or a class no row")
        scale, error = number_from_state(state, "scale"), number_from_state(state, "loo_error")
        if scale < 0 or not 0 <= error <= 1:
            raise malformed("'scale' or 'loo_error' is out of range")
        return {
            **support.attributes(),
            "classes_": classes,
            "class_counts_": counts,
            "center_norms_": numbers_from_state(state, "centre_norms", length=n_classes),
            "scale_": scale,
            "loo_error_": error,
            "_class_of_row": class_of_row,
            "_row_weights": weights,
        }


def _centers(rows: KernelRows, class_of_row: Classes, n_classes: int) -> dict[str, Any]:
    """Return the fitted attributes of the centers."""
    counts = _counts(class_of_row, rows.weights, n_classes)
    shares = _shares(class_of_row, rows.weights, counts)
    means = rows.kernel.sums(rows.points, rows.points, shares, n_threads=rows.n_threads)
    norms = np.asarray((shares * means).sum(axis=0))
    squares = rows.kernel.diag(rows.points)[:, None] - 2 * means + norms
    left_out = _left_out(squares, class_of_row, rows.weights, counts)
    return {
        "class_counts_": counts,
        "center_norms_": norms,
        "scale_": scale_of_distances(
            left_out, class_of_row, rows.weights, float(np.abs(means).max())
        ),
        "loo_error_": _share_of_errors(left_out, class_of_row, rows.weights).estimate,
        "loo_interval_": _share_of_errors(left_out, class_of_row, rows.weights),
        "_class_of_row": class_of_row,
        "_row_weights": rows.weights,
    }


def _counts(class_of_row: Classes, weights: Floats, n_classes: int) -> Floats:
    return np.bincount(class_of_row, weights, minlength=n_classes).astype(np.float64)


def _shares(class_of_row: Classes, weights: Floats, counts: Floats) -> Floats:
    """Return what each row is of its class's center: w_i / W_c, one column per class."""
    shares = np.zeros((len(weights), len(counts)))
    shares[np.arange(len(weights)), class_of_row] = weights / counts[class_of_row]
    return shares


def _left_out(squares: Floats, class_of_row: Classes, weights: Floats, counts: Floats) -> Floats:
    """Return squared distances to the centers without one copy of each row; infinite: none left."""
    rows, total = np.arange(len(weights)), counts[class_of_row]
    rest = total - np.minimum(1.0, weights)
    is_left = rest > 1e-12 * total
    growth = np.divide(total, rest, out=np.ones(len(rest)), where=is_left)
    without = squares.copy()
    own = squares[rows, class_of_row] * growth**2
    without[rows, class_of_row] = np.where(is_left, own, np.inf)
    return without


def _share_of_errors(left_out: Floats, class_of_row: Classes, weights: Floats) -> Interval:
    """Return the weighted share of rows whose nearest center, without them, is another one."""
    if left_out.shape[1] == 1:
        return Interval(0.0, 0.0, 0.0)
    is_wrong = (np.argmin(left_out, axis=1) != class_of_row).astype(np.float64)
    return interval_of_means(is_wrong, weights)


def scale_of_distances(
    left_out: Floats,
    class_of_row: npt.NDArray[Any],
    weights: Floats,
    size: float,
    log_shares: Floats | float = 0.0,
) -> float:
    """Return the scale of the least log loss, which is convex in it.

    Distances that differ by no more than rounding of kernel values of some size tell nothing.
    Probabilities are in proportion to exp(log_shares − scale · squared distance).
    """
    known = np.isfinite(left_out).all(axis=1)
    squares, weights = left_out[known], weights[known]
    n_classes = squares.shape[1]
    spread = np.abs(squares - squares.mean(axis=1, keepdims=True)).mean(axis=1)
    unit = float(weights @ spread / weights.sum()) if known.any() else 0.0
    if not _ROUNDING * size < unit < np.inf:
        return 1.0
    nearness = -squares / unit
    total = float(weights.sum())
    truth = np.eye(n_classes)[class_of_row[known]] * total + 1
    truth /= total + n_classes
    low, high = np.log(_LEAST), np.log(_MOST)
    for _ in range(_HALVINGS):
        middle = (low + high) / 2
        missed = softmax(np.exp(middle) * nearness + log_shares) - truth
        slope = float(weights @ (missed * nearness).sum(axis=1))
        low, high = (middle, high) if slope < 0 else (low, middle)
    return float(np.exp((low + high) / 2)) / unit
