"""Stochastic gradient descent on hashed rows, each block predicted before it is learned from."""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import numpy.typing as npt
from scipy import sparse
from scipy.special import log_expit, log_softmax
from sklearn.base import clone
from sklearn.linear_model import SGDClassifier

from branchline._arrays import Floats
from branchline.linear._hashed_state import Learned
from branchline.linear._hashing import Hashing
from branchline.table import Table

__all__ = ["Descent", "HashedTable", "log_losses"]

_BLOCK = 65_536  # rows that are hashed at a time
# Rows that are predicted at a time, with the weights before the first of them: a tenth of those
# seen so far, at least this number. (Each time costs as much as there are places.)
_FEWEST_SCORED = 100
# A step on all places costs as much as there are; where this factor fewer occur, only those
# are taken.
_MUCH_LESS = 4


@dataclass(frozen=True)
class Descent:
    """How weights move; see ``HashedLogisticRegression``, whose parameters these are."""

    n_classes: int
    alpha: float
    eta0: float
    power_t: float

    def learn(
        self,
        learned: Learned,
        hashed: "HashedTable",
        class_of_row: npt.NDArray[Any],
    ) -> Learned:
        """Return what is known after rows that were not seen before, scored on the way."""
        model, loss, recent = self._model(learned), learned.loss, learned.recent
        n_scored = learned.n_scored
        for matrix, truth in _blocks(hashed, class_of_row):
            at = 0
            while at < len(truth):
                end = at + max(_FEWEST_SCORED, n_scored // 10)
                rows, classes = matrix[at:end], truth[at:end]
                scores = np.column_stack([rows @ sums for sums in model.coef_]) + model.intercept_
                losses = log_losses(scores, classes, self.n_classes)
                loss, recent = loss + float(losses.sum()), float(losses.mean())
                self._take(model, rows, classes)
                n_scored, at = n_scored + len(classes), end
        return replace(
            _after(model, learned, hashed.n_rows), n_scored=n_scored, loss=loss, recent=recent
        )

    def again(
        self,
        learned: Learned,
        hashed: "HashedTable",
        class_of_row: npt.NDArray[Any],
        order: npt.NDArray[np.intp],
    ) -> Learned:
        """Return what is known after rows that were seen before, which prove nothing any more."""
        model = self._model(learned)
        for matrix, truth in _blocks(hashed, class_of_row, order):
            self._take(model, matrix, truth)
        return _after(model, learned, len(order))

    def _model(self, learned: Learned) -> SGDClassifier:
        """Return scikit-learn's estimator as it would be after all earlier steps."""
        model = SGDClassifier(
            loss="log_loss",
            penalty="l2",
            alpha=self.alpha,
            learning_rate="invscaling",
            eta0=self.eta0,
            power_t=self.power_t,
            shuffle=False,
        )
        model.classes_ = np.arange(self.n_classes)
        model.coef_, model.intercept_ = learned.weights.copy(), learned.bias.copy()
        model.t_ = 1.0 + learned.n_steps
        model.n_features_in_ = learned.weights.shape[1]
        return model

    def _take(self, model: SGDClassifier, rows: Any, classes: npt.NDArray[Any]) -> None:
        if self.n_classes == 1 or len(classes) == 0:
            return
        occurs = np.zeros(rows.shape[1], dtype=bool)
        occurs[rows.indices] = True
        used = np.flatnonzero(occurs)
        if _MUCH_LESS * (len(used) + 1) > rows.shape[1]:
            model.partial_fit(rows, classes)
        else:
            self._take_few(model, rows, classes, used)

    def _take_few(
        self, model: SGDClassifier, rows: Any, classes: npt.NDArray[Any], used: npt.NDArray[Any]
    ) -> None:
        """Learn on the places that occur; all others only shrink, as the penalty asks.

        A place that never occurs and begins with weight 1 ends with what any other is multiplied
        by.
        """
        place_of = np.empty(rows.shape[1], dtype=rows.indices.dtype)
        place_of[used] = np.arange(len(used))
        places = place_of[rows.indices]
        shape = (rows.shape[0], len(used) + 1)
        few = sparse.csr_matrix((rows.data, places, rows.indptr), shape=shape)
        small = clone(model)
        small.classes_, small.t_, small.n_features_in_ = model.classes_, model.t_, shape[1]
        ones = np.ones((len(model.coef_), 1))
        small.coef_ = np.ascontiguousarray(np.hstack([model.coef_[:, used], ones]))
        small.intercept_ = model.intercept_
        small.partial_fit(few, classes)
        model.coef_ *= small.coef_[:, -1:]
        model.coef_[:, used] = small.coef_[:, :-1]
        model.intercept_, model.t_ = small.intercept_, small.t_


class HashedTable:
    """A table whose rows are hashed when they are asked for; one of a block, only once."""

    def __init__(self, hashing: Hashing, table: Table) -> None:
        self._hashing, self._table = hashing, table
        self._whole: Any = None

    @property
    def n_rows(self) -> int:
        """The number of rows."""
        return self._table.n_rows

    def rows(self, which: npt.NDArray[np.intp] | slice) -> Any:
        """Return some rows as a sparse matrix of places; a slice begins with the first of them."""
        if self._table.n_rows > _BLOCK:
            return self._hashing.encode(self._table.rows(which))
        if self._whole is None:
            self._whole = self._hashing.encode(self._table)
        return self._whole if isinstance(which, slice) else self._whole[which]


def _blocks(
    hashed: HashedTable,
    class_of_row: npt.NDArray[Any],
    order: npt.NDArray[np.intp] | None = None,
) -> Iterator[tuple[Any, npt.NDArray[np.intp]]]:
    """Go through the rows as they came, or in another order."""
    for at in range(0, hashed.n_rows, _BLOCK):
        some = slice(at, at + _BLOCK)
        rows: Any = some if order is None else order[some]
        yield hashed.rows(rows), class_of_row[rows].astype(np.intp)


def _after(model: SGDClassifier, learned: Learned, n_rows: int) -> Learned:
    weights, bias = np.ascontiguousarray(model.coef_), np.asarray(model.intercept_)
    return replace(learned, weights=weights, bias=bias, n_steps=learned.n_steps + n_rows)


def log_losses(scores: Floats, truth: npt.NDArray[np.intp], n_classes: int) -> Floats:
    """Return −ln of the probability that each row's class was given."""
    if n_classes == 1:
        return np.zeros(len(truth))
    if n_classes == 2:
        losses: Floats = -log_expit(np.where(truth == 1, scores[:, 0], -scores[:, 0]))
        return losses
    log_shares = log_softmax(log_expit(scores), axis=1)
    chosen: Floats = -log_shares[np.arange(len(truth)), truth]
    return chosen
