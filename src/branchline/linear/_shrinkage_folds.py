"""How far the covariance within classes is shrunk, by the rows that folds hold out.

Ledoit and Wolf's share makes the covariance itself as exact as possible. Classes may differ in a
direction of little variance, and shrinking such a direction costs far more than they count. So:

1. Shares from 0 to 1 are tried in five folds; the one of the least log loss is taken.
2. With S = Q diag(v) Qᵀ within classes and the mean variance t of its terms, every shrunk
   covariance is Q diag((1 − a) v + a t) Qᵀ: one decomposition a fold serves all shares a.
3. Of a table with more than 50 rows a term, a part is used: the losses hardly change from there on.
4. Where terms outnumber rows, or no fold can be held out, Ledoit and Wolf's share is taken.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from branchline._arrays import Floats
from branchline._class_sums import probabilities_of
from branchline._encoding._encoded import EncodedRows
from branchline._long_algebra import eigh
from branchline._one_thread import one_thread
from branchline._row_space import is_wide
from branchline.linear._covariance import VARIANCE_FLOOR, ClassMoments, moments_of, scale_terms

__all__ = ["choose_shrinkage"]

_SHARES = (0.0, 0.0003, 0.001, 0.003, 0.01, 0.03, 0.1, 0.2, 0.3, 0.5, 0.7, 1.0)
_ENOUGH_ROWS = 50  # for each term
_FEW_ROWS = 1000  # of which all are used
_N_FOLDS = 5
_LEAST_PROBABILITY = 1e-15
_NOTHING = 1e-10

PriorsOf = Callable[[Floats], Floats]


@one_thread
def choose_shrinkage(rows: EncodedRows, priors_of: PriorsOf) -> float | str:
    """Return the share to shrink by, or "ledoit_wolf" where folds cannot tell.

    ``priors_of`` gives the priors of the classes, for the weights that they have.
    """
    assert rows.weights is not None
    n_terms = rows.matrix.shape[1]
    if n_terms == 0 or is_wide(rows.matrix):
        return "ledoit_wolf"
    losses = [fold.losses(priors_of) for fold in _folds(rows)]
    return _SHARES[int(np.argmin(sum(losses)))] if losses else "ledoit_wolf"


@dataclass(frozen=True, eq=False)
class _Fold:
    """Rows to learn from, and rows to score."""

    matrix: Floats
    class_of_row: npt.NDArray[np.intp]
    learn: Floats
    test: Floats
    n_classes: int

    def losses(self, priors_of: PriorsOf) -> Floats:
        """Return the summed log loss of the held-out rows for each share."""
        learned, tested = np.flatnonzero(self.learn), np.flatnonzero(self.test)
        classes, weights = self.class_of_row[learned], self.learn[learned]
        matrix, size = scale_terms(self.matrix[learned], classes, weights, self.n_classes)
        moments = moments_of(matrix, classes, weights, self.n_classes)
        within = _Within.of(moments)
        center = (moments.weight / moments.weight.sum()) @ moments.mean
        means = (moments.mean - center) @ within.directions
        held = np.asarray(self.matrix[tested] @ (within.directions / size[:, None]))
        held -= center @ within.directions
        log_priors = np.log(priors_of(moments.weight))
        truth = np.arange(len(tested)), self.class_of_row[tested]
        summed = []
        for share in _SHARES:
            weighed = means / within.variance(share)
            scores = held @ weighed.T + (log_priors - 0.5 * (weighed * means).sum(axis=1))
            right = _probabilities(scores)[truth]
            summed.append(-self.test[tested] @ np.log(np.maximum(right, _LEAST_PROBABILITY)))
        return np.array(summed)


@dataclass(frozen=True, eq=False)
class _Within:
    """The directions of the covariance within classes.

    Parameters
    ----------
    directions
        A column each; those in which no row varies are left out.
    variances
        The variance within classes in each direction.
    floors
        The least variance that is believed, as in ``inverse_root``.
    mean_variance
        Of the terms: what shrinking draws to.
    """

    directions: Floats
    variances: Floats
    floors: Floats
    mean_variance: float

    @staticmethod
    def of(moments: ClassMoments) -> "_Within":
        """Return the directions of some moments."""
        pooled = moments.pooled
        variances, directions = eigh(pooled)
        total = np.einsum("ij,ij->j", directions, moments.total @ directions)
        kept = total > total.max(initial=0.0) * _NOTHING
        mean = float(np.trace(pooled)) / len(pooled)
        return _Within(directions[:, kept], variances[kept], VARIANCE_FLOOR * total[kept], mean)

    def variance(self, share: float) -> Floats:
        """Return the variance in each direction, shrunk by a share."""
        shrunk: Floats = (1 - share) * self.variances + share * self.mean_variance
        return np.maximum(shrunk, self.floors)


def _probabilities(scores: Floats) -> Floats:
    """Return the probability of each class, of two classes or more."""
    if scores.shape[1] == 2:
        scores = scores[:, 1:] - scores[:, :1]
    return probabilities_of(scores, max(2, scores.shape[1]))


def _folds(rows: EncodedRows) -> Iterator[_Fold]:
    """Return the folds in which every class has rows to learn from."""
    assert rows.weights is not None
    n_rows, n_terms = rows.matrix.shape
    step = -(-n_rows // max(_FEW_ROWS, _ENOUGH_ROWS * n_terms))
    share: Floats = np.zeros(n_rows)
    # Rows stand in an order that depends on nothing but their content.
    share[::step] = (rows.weights / rows.folds.units)[::step]
    classes, n_classes = rows.class_of_row.astype(np.intp), rows.class_target.n_classes
    for fold in rows.folds.split(_N_FOLDS, keep_classes=True):
        learn: Floats = share * fold.learn
        test: Floats = share * fold.test
        if len(np.unique(classes[learn > 0])) == n_classes > 1 and test.any():
            yield _Fold(rows.matrix, classes, learn, test, n_classes)
