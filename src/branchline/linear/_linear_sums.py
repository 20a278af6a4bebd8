"""The sums of a linear model: weights of encoded terms, read in the units of the table.

A linear model is s(x) = b + Σ w_j z_j(x), one such sum for each output or class, where z_j are the
terms of the encoding (scaled numbers and indicators).

1. ``scores`` adds up the terms of rows; predictions use nothing else.
2. ``original_weights`` and ``constants`` are the same sums in the units of the table.
3. ``listed`` gives each coefficient with the column that it comes from, and intervals where known.
4. ``explain`` divides a sum among the columns of a row.
5. With a basis, the terms are products or radial functions of encoded terms (``_basis``); all else
   stays.
"""

from collections.abc import Collection, Iterator
from dataclasses import dataclass
from typing import Any, Self

import numpy as np
from scipy import sparse

from branchline._arrays import Floats
from branchline._base import Complexity, FittedState
from branchline._class_sums import LARGEST_PART
from branchline._encoding._encoded import power_of_two_scale
from branchline._encoding._encoded_blocks import is_large, pieces_of
from branchline._encoding._encoding import Encoding
from branchline._explanation import Explanation, explain_by_leaving_out, in_order_of_size
from branchline._one_thread import limit_threads
from branchline._state import malformed
from branchline.linear._basis import ExpandedEncoding, unpack_encoding
from branchline.linear._coefficients import Coefficient, Coefficients
from branchline.table import Schema, Table

__all__ = [
    "LinearSums",
    "in_order_of_files",
    "matrix_from_state",
    "solver_from_state",
    "sums_of",
    "table_units",
]

_SUMS = ("weights_", "bias_")
_LARGEST_FLOAT = float(np.finfo(np.float64).max)


@dataclass(frozen=True, eq=False)
class LinearSums:
    """What a fitted linear model holds.

    Parameters
    ----------
    encoding
        How a table becomes terms.
    weights
        The weight of each encoded term, one row per output.
    bias
        The constant of each output.
    """

    encoding: Encoding
    weights: Floats
    bias: Floats

    @classmethod
    def of(cls, model: Any) -> Self:
        """Return the sums of a fitted model: its attributes of the same names."""
        model._check_fitted()
        return cls(model.encoding_, model.weights_, model.bias_)

    def scores(self, table: Table) -> Floats:
        """Return the sum of each row, one column per output."""
        if not is_large(table):
            return self._scores(table)
        return np.concatenate(list(self.scores_of_pieces(table)))

    def scores_of_pieces(self, table: Table) -> Iterator[Floats]:
        """Go through a large table piece by piece; one that is not large is one piece."""
        if not is_large(table):
            yield self._scores(table)
            return
        for piece in pieces_of(table):
            with limit_threads("blas"):  # two wait longer for each other than a piece takes
                found = self._scores(piece)
            yield found

    def _scores(self, table: Table) -> Floats:
        if not isinstance(self.encoding, ExpandedEncoding):
            found = self.encoding.scores(table, self.weights, self.bias)
            if found is not None and np.isfinite(found).all():
                return found
        return sums_of(self.encoding.encode(table), self.weights, self.bias)

    # -- reading --------------------------------------------------------------------------------

    def original_weights(self) -> Floats:
        """Return the coefficients in the units of the table, one row per output."""
        to_table, _ = table_units(self.encoding)
        with np.errstate(over="ignore", invalid="ignore"):
            return np.asarray(self.weights @ to_table)

    def constants(self) -> Floats:
        """Return the constant of each output where every number is 0 and no indicator is set."""
        _, offset = table_units(self.encoding)
        with np.errstate(over="ignore", invalid="ignore"):
            return np.asarray(self.bias + self.weights @ offset)

    def listed(self, names: list[str], intervals: Floats | None = None) -> Coefficients:
        """Return each term's column, coefficient and interval, by the name of the output.

        Parameters
        ----------
        names
            The name of each output.
        intervals
            Low and high of each coefficient, (output, term, 2); NaN or None where unknown.
        """
        original = self.original_weights()
        listed = [
            Coefficient(
                output=name,
                term=term.name,
                column=term.column,
                value=float(original[at, place]),
                low=None if intervals is None else _known(intervals[at, place, 0]),
                high=None if intervals is None else _known(intervals[at, place, 1]),
            )
            for at, name in enumerate(names)
            for place, term in enumerate(self.encoding.terms)
        ]
        constants = self.constants().tolist()
        return Coefficients(tuple(listed), dict(zip(names, constants, strict=True)))

    def columns_of_terms(self) -> list[tuple[str, ...]]:
        """Return the names of the columns that each term is made of."""
        encoding = self.encoding
        if isinstance(encoding, ExpandedEncoding):
            return encoding.basis.columns(encoding.inner.terms)
        return [(term.column,) for term in encoding.terms]

    def complexity(self) -> Complexity:
        """Return the number of weights that are not 0."""
        return Complexity(max(1, int(np.count_nonzero(self.weights))), "weights")

    def explain(
        self, row: Table, weights: Floats, bias: float, prediction: Any, about: str
    ) -> Explanation:
        """Explain one sum by each column's share: w_j (z_j − mean of z_j), added by column.

        The share of a product is divided equally among its columns. Radial functions are not a sum
        over columns, so with them each cell is left out in turn.
        """
        encoding = self.encoding
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

    def pack(self) -> dict[str, Any]:
        """Return the sums as a model file holds them."""
        encoding = dict(self.encoding.pack())
        return {"encoding": encoding, "weights": self.weights, "bias": self.bias}

    @classmethod
    def unpack(cls, state: FittedState, schema: Schema, n_outputs: int) -> Self:
        """Return the sums of a model file, checked."""
        encoding = unpack_encoding(state.get("encoding"), schema)
        weights = matrix_from_state(state, "weights", (n_outputs, encoding.width))
        return cls(encoding, weights, matrix_from_state(state, "bias", (n_outputs,)))

    def attributes(self) -> dict[str, Any]:
        """Return the sums as attributes of a fitted model."""
        return {"encoding_": self.encoding, "weights_": self.weights, "bias_": self.bias}


def in_order_of_files(fitted: dict[str, Any]) -> dict[str, Any]:
    """Return fitted attributes with weights in the order in which a file holds them.

    Products may differ in the last bit otherwise.
    """
    sums = {name: np.ascontiguousarray(fitted[name]) for name in _SUMS if name in fitted}
    return fitted | sums


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
