"""What linear classifiers share: an order of rows, sums, probabilities and explanations.

1. Training rows are put in an order that depends on classes and terms alone.
2. A classifier holds the sums of terms (``_linear_sums``); they become probabilities.
3. A prediction is explained by the sum of the predicted class less that of the runner-up.
"""

from typing import Any, ClassVar, Self

import numpy as np
import numpy.typing as npt
from scipy import sparse

from branchline._arrays import Floats
from branchline._base import Classifier, Complexity, FittedState
from branchline._class_sums import (
    is_second_likelier,
    n_sums,
    probabilities_of,
    versus,
    with_runner_up,
)
from branchline._encoding._encoded import EncodedRows, encode_training
from branchline._encoding._encoded_blocks import EncodedBlocks
from branchline._encoding._encoding import Encoding
from branchline._encoding._term_order import term_order
from branchline._explanation import Explanation
from branchline._one_thread import one_thread_for
from branchline._state import classes_from_state, classes_to_state
from branchline._validation import TrainingData
from branchline.encoding import TableEncoder
from branchline.linear._basis import BasisExpansion, expand_rows
from branchline.linear._coefficients import Coefficients
from branchline.linear._linear_sums import LinearSums, in_order_of_files, sums_of
from branchline.table import Schema, Table

__all__ = ["LinearClassifier", "in_order_of_terms"]

_SEED = 20_261_115
# Passes over blocks take time for each pair of classes.
_FEW_CLASSES = 7
_FEW_AT_ONCE = 8
_CELLS_AT_ONCE = 2**14  # stay in the cache, and in memory that is there already


def finite_difference(one: Any, other: Any) -> Any:
    """Return one less the other; beyond all floats it is the largest one."""
    with np.errstate(over="ignore"):
        return np.nan_to_num(one - other)


def in_order_of_terms(rows: EncodedRows) -> EncodedRows:
    """Return encoded rows in an order that depends on their classes and terms alone.

    Canonical order also depends on columns without information, which have no terms. Rows are
    sorted by class and by a fixed random mixture of their terms, and then shuffled in a fixed way.
    Shares in the mixture are drawn for terms in an order of their own, so the order of columns does
    not matter. A wide matrix of ``rows`` is put in order where it is.
    """
    n_rows, n_terms = rows.matrix.shape
    fixed = np.random.default_rng(_SEED)
    shares = np.empty(n_terms)
    shares[term_order(rows.matrix, rows.class_of_row)] = fixed.standard_normal(n_terms)
    with one_thread_for(rows.matrix.size):
        mixture = np.asarray(rows.matrix @ shares)
    units = rows.canonical.weights.units
    keys = (mixture, rows.class_of_row) if units is None else (units, mixture, rows.class_of_row)
    order = np.lexsort(keys)
    order = order[fixed.permutation(n_rows)]
    weights = None if rows.weights is None else rows.weights[order]
    return EncodedRows(
        _reordered(rows.matrix, order), weights, rows.canonical, rows.encoding, order
    )


def _reordered(matrix: Any, order: npt.NDArray[np.intp]) -> Any:
    """Return a matrix with its rows in order; a dense one is changed, a few columns at a time."""
    step = max(1, _CELLS_AT_ONCE // max(1, len(order)))
    if sparse.issparse(matrix) or step < _FEW_AT_ONCE:  # a few cells of each row: rows go whole
        return matrix[order]
    for first in range(0, matrix.shape[1], step):
        some = matrix[:, first : first + step]
        some[:] = some[order]
    return matrix


class LinearClassifier(Classifier):
    """A classifier whose log-odds are sums of encoded terms.

    Attributes
    ----------
    weights_, bias_
        The weight of each encoded term, one row per sum, and the constant of each sum.
    """

    # Rows are multiplied with weights by BLAS, which adds a batch and a single row in another
    # order; weighted and repeated rows are the same rows to the learner.
    _tolerance = 1e-9
    # A learner without the parameter has no basis.
    basis: BasisExpansion | str | None = None
    encoder: TableEncoder | None
    encoding_: Encoding
    weights_: Floats
    bias_: Floats
    _merges_rows: ClassVar[bool] = True
    # Whether the rows of a large table are learned from block by block, instead of from a matrix.
    _takes_blocks: ClassVar[bool] = False
    _default_encoder: ClassVar[TableEncoder] = TableEncoder()
    _copies_of_columns_count = True

    def _encode_training(self, data: TrainingData) -> EncodedRows:
        takes_blocks = self._takes_blocks and self.basis is None
        few = takes_blocks and data.class_target.n_classes <= _FEW_CLASSES
        rows = encode_training(self, data, takes_blocks=takes_blocks, in_few_passes=few)
        if isinstance(rows.matrix, EncodedBlocks):
            return rows
        return in_order_of_terms(expand_rows(rows, self.basis))

    def _finish(self, data: TrainingData, **fitted: Any) -> Self:
        return super()._finish(data, **in_order_of_files(fitted))

    @property
    def _sums(self) -> LinearSums:
        return LinearSums.of(self)

    def _scores(self, X: Any) -> Floats:
        """Return the sum of each row, one column per output."""
        return self._sums.scores(self._check_rows(X).table)

    def decision_function(self, X: Any) -> Floats:
        """Return log-odds of the second of two classes, else the sums: one column per class."""
        scores = self._scores(X)
        return scores if len(self.classes_) > 2 else scores[:, 0]

    def predict_proba(self, X: Any) -> Floats:
        """Return the probability of each class, in the order of ``classes_``."""
        return probabilities_of(self._scores(X), len(self.classes_))

    def predict(self, X: Any) -> npt.NDArray[Any]:
        """Return the most probable class of each row; the first of ``classes_`` on ties."""
        if len(self._fitted_classes()) != 2 or not self._has_plain_probabilities:
            return super().predict(X)
        sums, table = self._sums, self._check_rows(X).table
        best = np.empty(table.n_rows, dtype=np.int8)
        first = 0
        for scores in sums.scores_of_pieces(table):
            best[first : first + len(scores)] = is_second_likelier(scores[:, 0])
            first += len(scores)
        names: npt.NDArray[Any] = self.classes_[best]
        return names

    @property
    def _has_plain_probabilities(self) -> bool:
        """Whether probabilities are those of the sums as they are."""
        return type(self).predict_proba is LinearClassifier.predict_proba

    def _fitted_classes(self) -> npt.NDArray[Any]:
        self._check_fitted()
        return self.classes_

    # -- reading --------------------------------------------------------------------------------

    @property
    def coef_(self) -> Floats:
        """The coefficients in the units of the table, one row per sum."""
        return self._sums.original_weights()

    @property
    def intercept_(self) -> Floats:
        """The constant of each sum where every number is 0 and no indicator is set."""
        return self._sums.constants()

    def coefficients(self) -> Coefficients:
        """Return the model as a list: each term's column, coefficient and interval."""
        return self._sums.listed(self._output_names(), self._intervals())

    def draw(self, ax: Any = None) -> Any:
        """Return the largest weights as a chart of bars, or draw them on axes of matplotlib."""
        return self.coefficients().draw(ax)

    def to_text(self) -> str:
        """Return the model as text: a line for each coefficient."""
        return str(self.coefficients().by_size())

    def _intervals(self) -> Floats | None:
        """Return low and high of each coefficient, (output, term, 2), NaN or None where unknown."""
        self._check_fitted()
        return None

    def _complexity(self) -> Complexity:
        return self._sums.complexity()

    def _class_sums(self) -> tuple[Floats, Floats]:
        """Return a row of weights and a constant for each class."""
        if len(self.classes_) != 2:
            return self.weights_, self.bias_
        return np.vstack([0 * self.weights_, self.weights_]), np.append(0.0, self.bias_)

    def _explain(self, row: Table) -> Explanation:
        weights, bias = self._class_sums()
        sums = sums_of(self.encoding_.encode(row), weights, bias)[0]
        name = self.predict(row)[0]
        best, second = with_runner_up(int(np.flatnonzero(self.classes_ == name)[0]), sums)
        difference = finite_difference(weights[best], weights[second])
        constant = float(finite_difference(bias[best], bias[second]))
        return self._sums.explain(row, difference, constant, name, self._about(best, second))

    def _about(self, best: int, second: int) -> str:
        """Say what the difference of two classes' sums measures."""
        return versus("log-odds", self.classes_, best, second)

    def _output_names(self) -> list[str]:
        names = [str(name) for name in self.classes_]
        return names if len(names) > 2 else names[-1:]

    # -- saving ---------------------------------------------------------------------------------

    def _pack(self) -> FittedState:
        return {"classes": classes_to_state(self.classes_), **self._sums.pack()}

    def _unpack(self, state: FittedState, schema: Schema) -> FittedState:
        classes = classes_from_state(state)
        sums = LinearSums.unpack(state, schema, n_sums(len(classes)))
        return {"classes_": classes, **sums.attributes()}
