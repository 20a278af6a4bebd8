"""Partial least squares discriminant analysis: few directions that go with the classes.

1. Y holds an indicator for each class. ``_pls_components`` finds directions r_1, r_2, … of the
   terms whose scores t_a = r_a·(z − mean) have the greatest covariance with Y, one after the other.
2. The number of directions is given, or the one of least cross-validated loss.
3. Rule "lda": linear discriminant analysis of the scores, so that s_k is linear in t and thus in z;
   probabilities are the softmax of s. Rule "largest": the class whose predicted indicator is
   largest; probabilities are the indicators cut to 0…1 and divided by their sum.
"""

from typing import Any, ClassVar, Self

import numpy as np
import numpy.typing as npt
from scipy import sparse

from branchline._arrays import Floats
from branchline._base import FittedState, reports_progress
from branchline._class_sums import probabilities_of, versus
from branchline._encoding._encoded import ENCODER, EncodedRows
from branchline._memory import refuse_over_budget
from branchline._state import array_from_state, malformed
from branchline._validation import AnyOf, Constraint, OneOf, Whole
from branchline.encoding import TableEncoder
from branchline.linear._basis import BASIS, BasisExpansion
from branchline.linear._linear_classifier import LinearClassifier
from branchline.linear._pls_directions import SUMS, Sums, find_directions, moments_of_scores
from branchline.table import Schema

__all__ = ["PLSDA"]

_MOST_COMPONENTS = 15
_LEAST_PROBABILITY = 1e-15
_SAME = 1e-6  # losses that differ by less are the same


class PLSDA(LinearClassifier):
    """Partial least squares discriminant analysis, for many correlated columns.

    Use it for spectra, gene expressions or survey items: columns are many and correlated, and rows
    are few. It finds a few directions that separate the classes, and classifies rows by their place
    along these directions.

    Parameters
    ----------
    n_components
        Number of directions. More directions follow the training rows more closely. "auto"
        (default): chosen by cross-validation among up to 15.
    decision
        How scores become classes: "lda" (default; discriminant analysis of the scores, with proper
        probabilities) or "largest" (the class of the largest predicted indicator).
    n_folds
        Number of folds of that cross-validation. Default 5.
    encoder
        How the table becomes numbers; None: with the defaults of ``TableEncoder``.
    basis
        Powers and products of terms ("polynomial"), or radial functions around typical rows
        ("rbf"), or a ``BasisExpansion``, for boundaries that bend; None (default): a straight one.

    Attributes
    ----------
    classes_
        The classes, sorted.
    coef_, intercept_
        The sums in the units of the table. With decision="lda" log-odds: for two classes one row
        (of the second). With decision="largest" the predicted indicator of each class (of two, of
        the second).
    n_components_
        The number of directions used.
    losses_
        The cross-validated loss for 1, 2, … directions (log loss; for "largest", share of
        errors); None when the number was given.

    See Also
    --------
    PLSRegressor : predict numbers from a few combinations of the columns (partial least squares).
    LinearDiscriminantAnalysis : linear discriminant analysis.

    Examples
    --------
    >>> from branchline import load_dataset
    >>> from branchline.linear import PLSDA
    >>> X, y = load_dataset("iris").split_target("species")
    >>> model = PLSDA().fit(X, y)
    >>> round(model.score(X, y), 2)
    0.98
    """

    _constraints: ClassVar[dict[str, Constraint]] = {
        "n_components": AnyOf((OneOf(("auto",)), Whole(1, 10_000))),
        "decision": OneOf(("lda", "largest")),
        "n_folds": Whole(2, 1000),
        "encoder": ENCODER,
        "basis": BASIS,
    }
    _opposite = "branchline.linear.PLSRegressor"
    _merges_rows = False
    n_components_: int
    losses_: Floats | None

    def __init__(
        self,
        *,
        n_components: int | str = "auto",
        decision: str = "lda",
        n_folds: int = 5,
        encoder: TableEncoder | None = None,
        basis: BasisExpansion | str | None = None,
    ) -> None:
        self.n_components = n_components
        self.decision = decision
        self.n_folds = n_folds
        self.encoder = encoder
        self.basis = basis

    @reports_progress
    def fit(self, X: Any, y: Any) -> Self:
        """Learn the directions and the rule; rows have no weights."""
        data = self._begin(X, y, None)
        rows = self._encode_training(data)
        matrix, truth = _dense(rows), rows.class_of_row.astype(np.intp)
        n_classes, losses = data.class_target.n_classes, None
        wanted = _MOST_COMPONENTS if self.n_components == "auto" else int(self.n_components)
        directions = find_directions(matrix, truth, n_classes, wanted)
        n_used = directions.n_found
        if self.n_components == "auto" and n_used > 1:
            losses = self._losses(matrix, truth, n_classes, n_used)
            n_used = 1 + int(np.argmax(losses <= losses.min() * (1 + _SAME) + _SAME))
        moments = moments_of_scores(directions, matrix, truth)
        weights, bias = SUMS[self.decision](directions, moments, n_used)
        return self._finish(
            data,
            classes_=data.class_target.classes,
            encoding_=rows.encoding,
            weights_=weights,
            bias_=bias,
            n_components_=n_used,
            losses_=losses,
        )

    def decision_function(self, X: Any) -> Floats:
        """Return the sums; for two classes, of the second less the first."""
        scores = super().decision_function(X)
        return 2 * scores - 1 if self.decision == "largest" and len(self.classes_) == 2 else scores

    def predict_proba(self, X: Any) -> Floats:
        """Return the probability of each class, in the order of ``classes_``."""
        return _probabilities(self._scores(X), len(self.classes_), self.decision)

    def predict(self, X: Any) -> npt.NDArray[Any]:
        """Return the class of the largest score of each row; the first on ties."""
        scores, n_classes = self._scores(X), len(self.classes_)
        names: npt.NDArray[Any] = self.classes_[_decide(scores, n_classes, self.decision)]
        return names

    def _class_sums(self) -> Sums:
        if self.decision == "lda" or len(self.classes_) != 2:
            return super()._class_sums()
        return np.vstack([-self.weights_, self.weights_]), np.append(1 - self.bias_, self.bias_)

    def _about(self, best: int, second: int) -> str:
        if self.decision == "lda":
            return super()._about(best, second)
        return versus("predicted indicator", self.classes_, best, second)

    def _losses(
        self, matrix: Floats, truth: npt.NDArray[np.intp], n_classes: int, most: int
    ) -> Floats:
        """Return the cross-validated loss of 1 … ``most`` directions."""
        fold_of_row = np.empty(len(truth), dtype=np.intp)
        fold_of_row[np.argsort(truth, kind="stable")] = np.arange(len(truth)) % int(self.n_folds)
        losses, n_scored = np.zeros(most), 0
        for fold in range(int(self.n_folds)):
            learned = fold_of_row != fold
            known, places = np.unique(truth[learned], return_inverse=True)
            tested = ~learned & np.isin(truth, known)
            if len(known) < 2 or not tested.any():
                continue
            n_scored += int(tested.sum())
            right = np.searchsorted(known, truth[tested])
            rows, left_out = matrix[learned], matrix[tested]
            found = find_directions(rows, places, len(known), most)
            moments = moments_of_scores(found, rows, places)
            for n_used in range(1, most + 1):
                sums = SUMS[self.decision](found, moments, min(n_used, found.n_found))
                scores = left_out @ sums[0].T + sums[1]
                losses[n_used - 1] += _loss(scores, right, len(known), self.decision)
        return losses / max(1, n_scored)

    def _pack(self) -> FittedState:
        return {**super()._pack(), "n_components": self.n_components_, "losses": self.losses_}

    def _unpack(self, state: FittedState, schema: Schema) -> FittedState:
        fitted = super()._unpack(state, schema)
        count, losses = state.get("n_components"), state.get("losses")
        if type(count) is not int or not 0 <= count <= max(1, fitted["encoding_"].width):
            raise malformed("the number of directions is out of range")
        if losses is not None:
            losses = array_from_state(state, "losses", np.dtype(np.float64))
            if not np.isfinite(losses).all() or (losses < 0).any() or len(losses) < count:
                raise malformed("the losses of the directions are out of range")
        return {**fitted, "n_components_": count, "losses_": losses}


def _dense(rows: EncodedRows) -> Floats:
    if not sparse.issparse(rows.matrix):
        return np.asarray(rows.matrix)
    n_rows, n_terms = rows.matrix.shape
    refuse_over_budget(8 * n_rows * n_terms, "the terms, which PLS needs one by one")
    return np.asarray(rows.matrix.toarray())


def _indicators(scores: Floats, n_classes: int) -> Floats:
    return np.column_stack([1 - scores, scores]) if n_classes == 2 else scores


def _probabilities(scores: Floats, n_classes: int, rule: str) -> Floats:
    if rule == "lda" or n_classes == 1:
        return probabilities_of(scores, n_classes)
    cut = np.clip(_indicators(scores, n_classes), 1e-6, 1.0)
    probabilities: Floats = cut / cut.sum(axis=1, keepdims=True)
    return probabilities


def _decide(scores: Floats, n_classes: int, rule: str) -> npt.NDArray[np.intp]:
    chosen = (
        probabilities_of(scores, n_classes) if rule == "lda" else _indicators(scores, n_classes)
    )
    best: npt.NDArray[np.intp] = np.argmax(chosen, axis=1)
    return best


def _loss(scores: Floats, right: npt.NDArray[np.intp], n_classes: int, rule: str) -> float:
    if rule == "largest":
        return float((_decide(scores, n_classes, rule) != right).sum())
    chosen = probabilities_of(scores, n_classes)[np.arange(len(right)), right]
    return float(-np.log(np.maximum(chosen, _LEAST_PROBABILITY)).sum())
