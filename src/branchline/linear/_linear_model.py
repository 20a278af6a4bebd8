"""What linear models share: weights of encoded terms, read in the units of the table.

A linear model is s(x) = b + Σ w_j z_j(x), one such sum for each output or class, where z_j are the
terms of the encoding (scaled numbers and indicators).

1. ``weights_`` and ``bias_`` are w and b; predictions use them alone.
2. ``coef_`` and ``intercept_`` are the same sum in the units of the table, as in scikit-learn.
3. ``coefficients()`` lists them with the column that each comes from, and intervals where known.
4. With a ``basis``, the terms are products or radial functions of encoded terms
   (``_basis``); all else stays.
"""

from collections.abc import Collection
from typing import Any, Self

import numpy as np
from scipy import sparse

from branchline._arrays import Floats
from branchline._base import Complexity, FittedState
from branchline._class_sums import LARGEST_PART
from branchline._encoding._encoded import Encoded, EncodedRows, power_of_two_scale
from branchline._encoding._encoding import Encoding
from branchline._explanation import Explanation, explain_by_leaving_out, in_order_of_size
from branchline._state import malformed
from branchline._validation import TrainingData
from branchline.linear._basis import BasisExpansion, ExpandedEncoding, expand_rows, unpack_encoding
from branchline.linear._coefficients import Coefficient, Coefficients
from branchline.table import Schema, Table

__all__ = [
    "LinearModel",
    "matrix_from_state",
    "solver_from_state",
    "sums_of",
    "table_units",
]

_LARGEST_FLOAT = float(np.finfo(np.float64).max)


class LinearModel(Encoded):
    """The reading side of linear models.

    Attributes
    ----------
    weights_
        The weight of each encoded term, one row per output.
    bias_
        The constant of each output.
    """

    # A learner without the parameter has no basis.
    basis: BasisExpansion | str | None = None
    weights_: Floats
    bias_: Floats

    def _encode_training(self, data: TrainingData) -> EncodedRows:
        return expand_rows(super()._encode_training(data), self.basis)

    def _finish(self, data: TrainingData, **fitted: Any) -> Self:
        # In the order in which a file holds them: products may differ in the last bit otherwise.
        for name in ("weights_", "bias_"):
            if name in fitted:
                fitted[name] = np.ascontiguousarray(fitted[name])
        return super()._finish(data, **fitted)

    def _scores(self, X: Any) -> Floats:
        """Return the sum of each row, one column per output."""
        return sums_of(self._encode_rows(X), self.weights_, self.bias_)

    # -- reading --------------------------------------------------------------------------------

    @property
    def coef_(self) -> Floats:
        """The coefficients in the units of the table, one row per output (one row is flattened)."""
        self._check_fitted()
        coefficients = self._original_weights()
        return coefficients[0] if self._is_flat() else coefficients

    @property
    def intercept_(self) -> Any:
        """The constant of each output where every number is 0 and no indicator is set."""
        self._check_fitted()
        _, offset = self._table_units()
        with np.errstate(over="ignore", invalid="ignore"):
            constants = self.bias_ + self.weights_ @ offset
        return float(constants[0]) if self._is_flat() else constants

    def coefficients(self) -> Coefficients:
        """Return the model as a list: each term's column, coefficient and interval."""
        self._check_fitted()
        original, intervals = self._original_weights(), self._intervals()
        listed = [
            Coefficient(
                output=name,
                term=term.name,
                column=term.column,
                value=float(original[at, place]),
                low=None if intervals is None else _known(intervals[at, place, 0]),
                high=None if intervals is None else _known(intervals[at, place, 1]),
            )
            for at, name in enumerate(self._output_names())
            for place, term in enumerate(self.encoding_.terms)
        ]
        constants = np.atleast_1d(self.intercept_).tolist()
        return Coefficients(tuple(listed), dict(zip(self._output_names(), constants, strict=True)))

    def draw(self, ax: Any = None) -> Any:
        """Return the largest weights as a chart of bars, or draw them on axes of matplotlib."""
        return self.coefficients().draw(ax)

    def to_text(self) -> str:
        """Return the model as text: a line for each coefficient."""
        return str(self.coefficients().by_size())

    def _original_weights(self) -> Floats:
        to_table, _ = self._table_units()
        with np.errstate(over="ignore", invalid="ignore"):
            return np.asarray(self.weights_ @ to_table)

    def _table_units(self) -> tuple[Any, Floats]:
        return table_units(self.encoding_)

    def _columns_of_terms(self) -> list[tuple[str, ...]]:
        """Return the names of the columns that each term is made of."""
        encoding = self.encoding_
        if isinstance(encoding, ExpandedEncoding):
            return encoding.basis.columns(encoding.inner.terms)
        return [(term.column,) for term in encoding.terms]

    def _is_flat(self) -> bool:
        """Whether ``coef_`` is one row of numbers, as scikit-learn has it for regression."""
        return False

    def _intervals(self) -> Floats | None:
        """Return low and high of each coefficient, (output, term, 2), NaN or None where unknown."""
        return None

    def _output_names(self) -> list[str]:
        return [str(output) for output in range(len(self.bias_))]

    def _complexity(self) -> Complexity:
        return Complexity(max(1, int(np.count_nonzero(self.weights_))), "weights")

    def _explain_output(
        self, row: Table, weights: Floats, bias: float, prediction: Any, about: str
    ) -> Explanation:
        """Explain one sum by each column's share: w_j (z_j − mean of z_j), added by column.

        The share of a product is divided equally among its columns. Radial functions are not a sum
        over columns, so with them each cell is left out in turn.
        """
        encoding = self.encoding_
        if isinstance(encoding, ExpandedEncoding) and not encoding.basis.adds_up:

            def score(rows: Table) -> Floats:
                sums = sums_of(encoding.encode(rows), weights[None], np.array([bias]))
                return np.clip(sums[:, 0], -LARGEST_PART, LARGEST_PART)

            return explain_by_leaving_out(row, score, prediction, about)
        matrix = encoding.encode(row)
        terms = np.asarray(matrix.todense() if hasattr(matrix, "todense") else matrix)[0]
        with np.errstate(over="ignore"):
            shares = np.clip(weights * (terms - encoding.mean), -LARGEST_PART, LARGEST_PART)
        amounts = _by_column(encoding, row, shares)
        constant = sums_of(encoding.mean[None], weights[None], np.array([bias]))[0, 0]
        base = float(np.clip(constant, -LARGEST_PART, LARGEST_PART))
        parts = in_order_of_size(row, amounts)
        return Explanation(prediction, about, base, base + float(amounts.sum()), parts, is_sum=True)

    # -- saving ---------------------------------------------------------------------------------

    def _pack_sums(self) -> dict[str, Any]:
        return {"encoding": self._pack_encoding(), "weights": self.weights_, "bias": self.bias_}

    @staticmethod
    def _unpack_encoding(state: FittedState, schema: Schema) -> Encoding:
        return unpack_encoding(state.get("encoding"), schema)

    @staticmethod
    def _unpack_sums(state: Any, encoding: Encoding, n_outputs: int) -> dict[str, Any]:
        weights = matrix_from_state(state, "weights", (n_outputs, encoding.width))
        bias = matrix_from_state(state, "bias", (n_outputs,))
        return {"encoding_": encoding, "weights_": weights, "bias_": bias}


def sums_of(matrix: Any, weights: Floats, bias: Floats) -> Floats:
    """Return b + Σ w_j z_j for each row and output; beyond all floats it is the largest one."""
    with np.errstate(over="ignore", invalid="ignore"):
        sums = np.asarray(matrix @ weights.T) + bias
    is_known = np.isfinite(sums)
    if is_known.all():
        return sums
    # No encoded term is beyond 1e100, so in units of 2^exponent nothing overflows.
    exponent = power_of_two_scale(np.append(weights, bias))
    scaled = np.asarray(matrix @ np.ldexp(weights.T, -exponent)) + np.ldexp(bias, -exponent)
    with np.errstate(over="ignore"):
        beyond = np.clip(np.ldexp(scaled, exponent), -_LARGEST_FLOAT, _LARGEST_FLOAT)
    return np.where(is_known, sums, beyond)


def table_units(encoding: Encoding) -> tuple[Any, Floats]:
    """Return M and o: weights w are coefficients w M in the table's units, and the constant w·o."""
    with np.errstate(over="ignore", invalid="ignore", divide="ignore"):
        if isinstance(encoding, ExpandedEncoding):
            return encoding.basis.table_units(encoding.inner.terms)
        unit, center = encoding.units
        # As rows of compressed cells: a diagonal of no terms at all divides by their number.
        return sparse.diags_array(1.0 / unit).tocsr(), -center / unit


def _known(value: Any) -> float | None:
    return float(value) if np.isfinite(value) else None


def _by_column(encoding: Encoding, row: Table, shares: Floats) -> Floats:
    """Add the shares of terms by the columns that they are made of."""
    if not isinstance(encoding, ExpandedEncoding):
        columns = encoding.column_of_term(row.schema)
        return np.bincount(columns, shares, row.n_columns).astype(np.float64)
    amounts = np.zeros(row.n_columns)
    for share, places in zip(shares, encoding.columns_of_terms(row.schema), strict=True):
        amounts[places] += share / len(places)
    return amounts


def solver_from_state(state: Any, known: Collection[str]) -> str:
    """Return the name of the solver, one of those known."""
    solver = state.get("solver")
    named = solver if isinstance(solver, str) else ""
    for name in (named, named.replace("-", "_")):  # version 0.1 wrote hyphens
        if name in known:
            return name
    raise malformed("the solver is not known")


def matrix_from_state(state: Any, name: str, shape: tuple[int, ...]) -> Floats:
    """Return finite floats of a known shape."""
    array = state.get(name)
    if not isinstance(array, np.ndarray) or array.dtype != np.float64 or array.shape != shape:
        raise malformed(f"{name!r} is not a table of numbers of shape {shape}")
    array = np.asarray(array)  # a masked array would answer no question with yes
    if not np.isfinite(array).all():
        raise malformed(f"{name!r} has values that are not finite")
    return np.ascontiguousarray(array)
