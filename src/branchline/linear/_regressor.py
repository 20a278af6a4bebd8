"""What the linear regressors share: targets scaled before they are summed, sums read as numbers.

1. ``problem_of`` takes encoded training rows; targets are divided by a power of two, so that no
   square or sum overflows, and no digit changes.
2. A learner finds w and b for the scaled targets; ``scaled_back`` undoes the scaling.
3. Predictions are b + Σ w_j z_j, one column per output.
"""

from dataclasses import dataclass, replace
from typing import Any, ClassVar, Self

import numpy as np
import numpy.typing as npt
from sklearn.utils import Tags

from branchline._arrays import Floats
from branchline._base import Complexity, FittedState, Regressor
from branchline._encoding._encoded import EncodedRows, encode_training, power_of_two_scale
from branchline._encoding._encoding import Encoding
from branchline._explanation import Explanation
from branchline._folds import FoldRows
from branchline._state import malformed
from branchline._validation import TrainingData
from branchline.encoding import TableEncoder
from branchline.linear._basis import BasisExpansion, expand_rows
from branchline.linear._coefficients import Coefficients
from branchline.linear._linear_sums import LinearSums, in_order_of_files
from branchline.table import Schema, Table

__all__ = ["LinearRegressor", "RegressionProblem", "problem_of"]


@dataclass(frozen=True, eq=False)
class RegressionProblem:
    """Encoded rows with targets of size at most 1.

    Parameters
    ----------
    matrix
        One row per case, one column a term; an array, a SciPy CSR matrix, or ``EncodedBlocks``.
    weights
        The weight of each row.
    targets
        One row per case, one column per output, divided by 2^exponent.
    exponents
        The exponent of each output.
    rows
        The rows as they were before encoding; None for a problem that is never split.
    """

    matrix: Any
    weights: Floats
    targets: Floats
    exponents: npt.NDArray[np.intp]
    rows: EncodedRows | None = None

    @property
    def n_rows(self) -> int:
        """The number of rows, equal ones counted once."""
        return len(self.targets)

    @property
    def n_terms(self) -> int:
        """The number of terms."""
        return int(self.matrix.shape[1])

    @property
    def total_weight(self) -> float:
        """The number of rows, equal ones counted as often as they occur."""
        return float(self.weights.sum())

    def split(self, n_folds: int) -> list[tuple["RegressionProblem", "RegressionProblem"]]:
        """Return, for each fold, the problem to fit and the problem to test on."""
        folds = self.folds.split(n_folds)
        return [(self._part(fold.learn), self._part(fold.test)) for fold in folds]

    @property
    def folds(self) -> FoldRows:
        """The rows, ready to be split into folds."""
        assert self.rows is not None
        return self.rows.folds

    def _part(self, units: npt.NDArray[np.int64]) -> "RegressionProblem":
        """Return the rows of which there are some units, with their share of the weights."""
        rows = np.flatnonzero(units)
        share = units[rows] / self.folds.units[rows]
        return replace(
            self,
            matrix=self.matrix[rows],
            weights=self.weights[rows] * share,
            targets=self.targets[rows],
        )

    def scaled_back(self, weights: Floats, bias: Floats) -> dict[str, Floats]:
        """Return weights (output, term) and constants of the scaled targets in their own units."""
        return {
            "weights_": np.ldexp(weights, self.exponents[:, None]),
            "bias_": np.ldexp(bias, self.exponents),
        }


def problem_of(rows: EncodedRows) -> RegressionProblem:
    """Return the least-squares problem of encoded training rows."""
    targets = rows.data.number_target.matrix
    exponents = np.array([power_of_two_scale(output) for output in targets.T], dtype=np.intp)
    weights = np.ones(len(targets)) if rows.weights is None else rows.weights
    return RegressionProblem(rows.matrix, weights, np.ldexp(targets, -exponents), exponents, rows)


class LinearRegressor(Regressor):
    """A regressor whose predictions are sums of encoded terms.

    Attributes
    ----------
    weights_, bias_
        The weight of each encoded term, one row per output, and the constant of each output.
    """

    # Products of matrices add in an order that depends on how many rows there are.
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
        rows = encode_training(self, data, takes_blocks=takes_blocks, in_few_passes=True)
        return expand_rows(rows, self.basis)

    def _finish(self, data: TrainingData, **fitted: Any) -> Self:
        return super()._finish(data, **in_order_of_files(fitted))

    @property
    def _sums(self) -> LinearSums:
        return LinearSums.of(self)

    def _scores(self, X: Any) -> Floats:
        """Return the sum of each row, one column per output."""
        return self._sums.scores(self._check_rows(X).table)

    def predict(self, X: Any) -> npt.NDArray[np.float64]:
        """Return the predicted number of each row; with several outputs, a row of numbers."""
        scores = self._scores(X)
        return scores[:, 0] if self._is_flat() else scores

    # -- reading --------------------------------------------------------------------------------

    @property
    def coef_(self) -> Floats:
        """The coefficients in the units of the table, one row per output (one row is flattened)."""
        coefficients = self._sums.original_weights()
        return coefficients[0] if self._is_flat() else coefficients

    @property
    def intercept_(self) -> Any:
        """The constant of each output where every number is 0 and no indicator is set."""
        constants = self._sums.constants()
        return float(constants[0]) if self._is_flat() else constants

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

    def _is_flat(self) -> bool:
        """Whether there is one output, whose coefficients are a flat array, as in scikit-learn."""
        return len(self.bias_) == 1

    def _output_names(self) -> list[str]:
        if self._is_flat():
            return ["prediction"]
        return [f"output {place}" for place in range(len(self.bias_))]

    def _explain(self, row: Table) -> Explanation:
        about = "predicted number" if self._is_flat() else "predicted number (first output)"
        prediction = float(self._first_output(row)[0])
        return self._sums.explain(row, self.weights_[0], float(self.bias_[0]), prediction, about)

    # -- saving ---------------------------------------------------------------------------------

    def _unpack_regression(self, state: FittedState, schema: Schema) -> dict[str, Any]:
        """Check the encoding and the sums of a packed regressor."""
        bias = state.get("bias")
        n_outputs = len(bias) if isinstance(bias, np.ndarray) and bias.ndim == 1 else 0
        if n_outputs < 1 or (n_outputs > 1 and not self._multi_output):
            raise malformed("there is no output, or one too many")
        return LinearSums.unpack(state, schema, n_outputs).attributes()

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.target_tags.multi_output = self._multi_output
        return tags
