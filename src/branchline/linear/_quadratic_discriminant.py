"""Quadratic discriminant analysis: a normal distribution for each class, and Bayes's rule.

1. Terms are scaled by their spread within classes; mean μ_k and covariance Σ_k are weighted.
2. Σ_k is drawn towards the covariance that all classes share, as far as its rows are few
   (``_covariance``), or by a given share towards unit variances.
3. s_k(z) = −½ (z − μ_k)ᵀΣ_k⁻¹(z − μ_k) − ½ ln|Σ_k| + ln π_k; probabilities are the softmax of s.
"""

from typing import Any, ClassVar, Self

import numpy as np

from branchline._arrays import Floats
from branchline._base import Classifier, Complexity, FittedState, reports_progress
from branchline._class_sums import LARGEST_PART, softmax, versus, with_runner_up
from branchline._encoding._block import LARGEST
from branchline._encoding._encoded import ENCODER, Encoded
from branchline._explanation import Explanation, in_order_of_size
from branchline._state import (
    classes_from_state,
    classes_to_state,
    frequencies_from_state,
    malformed,
    numbers_from_state,
)
from branchline._validation import AnyOf, Constraint, OneOf, Real
from branchline.encoding import TableEncoder
from branchline.linear._covariance import covariances_of_classes, inverse_root, scaled_moments
from branchline.linear._linear_sums import matrix_from_state
from branchline.linear._priors import PRIORS, priors_of
from branchline.table import Schema, Table

__all__ = ["QuadraticDiscriminantAnalysis"]

# Of so few rows, a step for each class costs more than the numbers themselves.
_FEW_ROWS = 64
_FARTHEST = 1e300
# More than the logarithms of millions of variances add up to.
_LARGEST_LOG = 1e12


class QuadraticDiscriminantAnalysis(Encoded, Classifier):
    """Quadratic discriminant analysis: normal classes, each with a covariance of its own.

    Boundaries bend. It needs many rows in each class; those with few lean on the covariance that
    all classes share.

    Parameters
    ----------
    reg_param
        How far the covariance of a class is drawn away from its rows: "auto" (default; towards the
        covariance of all classes, as far as its rows are few), or a number from 0 to 1: towards
        unit variances, as in scikit-learn.
    priors
        The probability of each class before a row is looked at, as a mapping; None (default): as
        frequent as in the training rows. Give it when classes were sampled at other rates than they
        occur.
    encoder
        How the table becomes numbers; None: with the defaults of ``TableEncoder``, but without an
        indicator for the most frequent category of a column.

    Attributes
    ----------
    classes_
        The classes, sorted.
    priors_
        The prior of each class.
    means_
        The mean of each class, a row each, in scaled terms.
    roots_
        For each class, a matrix R with R Rᵀ = Σ⁻¹, in scaled terms.
    log_determinants_
        ln|Σ| of each class, relative to the covariance of all rows.
    shrinkage_
        How far the covariance of each class was drawn away from its rows.

    See Also
    --------
    LinearDiscriminantAnalysis

    Examples
    --------
    >>> from branchline import load_dataset
    >>> from branchline.linear import QuadraticDiscriminantAnalysis
    >>> X, y = load_dataset("iris").split_target("species")
    >>> model = QuadraticDiscriminantAnalysis().fit(X, y)
    >>> round(model.score(X, y), 2)
    0.98
    """

    _constraints: ClassVar[dict[str, Constraint]] = {
        "reg_param": AnyOf((OneOf(("auto",)), Real(0, 1))),
        "priors": PRIORS,
        "encoder": ENCODER,
    }
    _opposite = "branchline.linear.LinearRegression"
    _default_encoder = TableEncoder(drop="most_frequent")
    # Rows are multiplied with matrices by BLAS, which adds a batch and a single row in another
    # order; variances near the floor magnify the difference.
    _tolerance = 1e-7
    priors_: Floats
    means_: Floats
    roots_: list[Floats]
    log_determinants_: Floats
    shrinkage_: Floats

    def __init__(
        self,
        *,
        reg_param: float | str = "auto",
        priors: dict[Any, Any] | None = None,
        encoder: TableEncoder | None = None,
    ) -> None:
        self.reg_param = reg_param
        self.priors = priors
        self.encoder = encoder

    @reports_progress
    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Learn the mean and the covariance of each class; weight k counts as k copies."""
        data = self._begin(X, y, sample_weight)
        rows = self._encode_training(data)
        classes = data.class_target.classes
        moments, size = scaled_moments(rows)
        covariances, shrinkage = covariances_of_classes(moments, self.reg_param)
        roots = [inverse_root(covariance, moments.total) for covariance in covariances]
        return self._finish(
            data,
            classes_=classes,
            encoding_=rows.encoding,
            priors_=priors_of(self.priors, classes, moments.weight),
            means_=moments.mean * size,
            roots_=[np.ascontiguousarray(root / size[:, None]) for root, _ in roots],
            log_determinants_=np.array([log for _, log in roots]),
            shrinkage_=shrinkage,
        )

    def decision_function(self, X: Any) -> Floats:
        """Return the log-odds of the second of two classes, else the score of each class."""
        scores = self._scores(self._encode_rows(X))
        return scores[:, 1] - scores[:, 0] if len(self.classes_) == 2 else scores

    def predict_proba(self, X: Any) -> Floats:
        """Return the probability of each class, in the order of ``classes_``."""
        return softmax(self._scores(self._encode_rows(X)))

    def _scores(self, matrix: Any) -> Floats:
        is_few = isinstance(matrix, np.ndarray) and len(matrix) <= _FEW_ROWS
        if is_few and len({root.shape for root in self.roots_}) == 1:
            scores = self._scores_of_few(matrix)
        else:
            scores = self._scores_by_class(matrix)
        return scores + np.log(self.priors_) - 0.5 * self.log_determinants_

    def _scores_of_few(self, matrix: Floats) -> Floats:
        """Return what ``_scores_by_class`` returns, of all classes at once."""
        roots = np.array(self.roots_)
        with np.errstate(over="ignore", invalid="ignore"):
            away = matrix @ roots
            away -= self.means_[:, None] @ roots
            away *= away
            squares = away.sum(axis=2)
        np.copyto(squares, _FARTHEST, where=~np.isfinite(squares))
        return np.asarray(-0.5 * squares.T)

    def _scores_by_class(self, matrix: Any) -> Floats:
        scores = np.empty((matrix.shape[0], len(self.classes_)))
        with np.errstate(over="ignore", invalid="ignore"):
            for place, (mean, root) in enumerate(zip(self.means_, self.roots_, strict=True)):
                away = np.asarray(matrix @ root) - mean @ root
                away *= away
                # A row beyond all floats is as far from this class as from any other.
                squares = away.sum(axis=1)
                np.copyto(squares, _FARTHEST, where=~np.isfinite(squares))
                scores[:, place] = -0.5 * squares
        return scores

    def _explain(self, row: Table) -> Explanation:
        """Explain a row by d_j (Σ⁻¹ d)_j, whose sum over the terms j is the squared distance."""
        matrix = self.encoding_.encode(row)
        terms = np.asarray(matrix.todense() if hasattr(matrix, "todense") else matrix)[0]
        scores = self._scores(matrix)[0]
        best, second = with_runner_up(int(np.argmax(softmax(scores[None, :]))), scores)
        away = terms - self.means_
        with np.errstate(over="ignore", invalid="ignore"):
            squares = [d * (root @ (d @ root)) for d, root in zip(away, self.roots_, strict=True)]
            shares = np.nan_to_num(0.5 * (squares[second] - squares[best]))
        shares = np.clip(shares, -LARGEST_PART, LARGEST_PART)
        constant = np.log(self.priors_) - 0.5 * self.log_determinants_
        columns = self.encoding_.column_of_term(row.schema)
        amounts = np.zeros(row.n_columns)
        np.add.at(amounts, columns, shares)
        base = float(constant[best] - constant[second])
        return Explanation(
            self.classes_[best],
            versus("log-odds", self.classes_, best, second),
            base,
            base + float(amounts.sum()),
            in_order_of_size(row, amounts),
            is_sum=True,
        )

    def _complexity(self) -> Complexity:
        n_terms = self.encoding_.width
        count = len(self.classes_) * (n_terms + n_terms * (n_terms + 1) // 2)
        return Complexity(max(1, count), "means and covariances")

    def _pack(self) -> FittedState:
        return {
            "classes": classes_to_state(self.classes_),
            "encoding": self._pack_encoding(),
            "priors": self.priors_,
            "means": self.means_,
            "roots": list(self.roots_),
            "log_determinants": self.log_determinants_,
            "shrinkage": self.shrinkage_,
        }

    def _unpack(self, state: FittedState, schema: Schema) -> FittedState:
        classes = classes_from_state(state)
        encoding, n_classes = self._unpack_encoding(state, schema), len(classes)
        priors = frequencies_from_state(state, "priors", length=n_classes)
        if not (priors > 0).all():
            raise malformed("a class has no prior probability")
        means = matrix_from_state(state, "means", (n_classes, encoding.width))
        if (np.abs(means) > LARGEST).any():
            raise malformed("the mean of a class is larger than any term")
        return {
            "classes_": classes,
            "encoding_": encoding,
            "priors_": priors,
            "means_": means,
            "roots_": _roots_from_state(state, n_classes, encoding.width),
            "log_determinants_": numbers_from_state(
                state, "log_determinants", length=n_classes, low=-_LARGEST_LOG, high=_LARGEST_LOG
            ),
            "shrinkage_": numbers_from_state(state, "shrinkage", length=n_classes, low=0, high=1),
        }


def _roots_from_state(state: FittedState, n_classes: int, n_terms: int) -> list[Floats]:
    packed = state.get("roots")
    if not isinstance(packed, list) or len(packed) != n_classes:
        raise malformed("there is not one root a class")
    for root in packed:
        is_table = isinstance(root, np.ndarray) and root.dtype == np.float64 and root.ndim == 2
        if not is_table or root.shape[0] != n_terms or root.shape[1] > n_terms:
            raise malformed("the root of a covariance is not a table with one row per term")
        if not np.isfinite(root).all():
            raise malformed("the root of a covariance has values that are not finite")
    return [np.ascontiguousarray(root) for root in packed]
