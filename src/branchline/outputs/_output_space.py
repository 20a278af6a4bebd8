"""Outputs of any kind, in the space of a kernel: which ones there are, and their features.

1. Equal outputs become one: the m different outputs are the candidates for predictions, in an order
   that depends on their content only.
2. K is the kernel of all candidates. With H = I − 1 1ᵀ / m, H K H = Z Zᵀ: distances between rows of
   Z are those in the kernel's space, so their variance is the variance there.
3. Z has an exact column for each eigenvalue above rounding; of more outputs than that takes, the
   columns of a pivoted Cholesky factor (a Nyström approximation), which explain most of the trace.
4. Weights w over the candidates stand for Σ w_j φ(y_j). The nearest candidate minimizes
   K(y, y) − 2 Σ w_j K(y, y_j).
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np

from branchline._arrays import AnyArray, Floats, Places
from branchline._long_algebra import eigh
from branchline._state import malformed
from branchline.errors import DataError, ModelFileError, ParameterError, Repair
from branchline.kernels import FittedKernel, Kernel, Points, Precomputed, kernel_of, unpack_kernel
from branchline.outputs._given_outputs import given_outputs
from branchline.table import Column, Schema, Table

__all__ = ["OutputSpace", "read_output_space"]

_MOST_EXACT = 2000
_ROUNDING = 1e-12
_NEGATIVE = 1e-8
_TIE = 1e-9
_BLOCK_CELLS = 2**22
_NEAREST_KERNEL = (
    "import numpy\n"
    "values, vectors = numpy.linalg.eigh(numpy.asarray(y))\n"
    "y = (vectors * values.clip(0)) @ vectors.T\n"
    "model.fit(X, y)"
)


@dataclass(frozen=True, eq=False)
class OutputSpace:
    """The different training outputs and their kernel.

    Parameters
    ----------
    candidates
        The different outputs; of a given Gram matrix their rows in it.
    kernel
        The fitted kernel.
    given
        The Gram matrix of the candidates where it was given; else None.
    """

    candidates: Table
    kernel: FittedKernel
    given: Floats | None = None

    def __len__(self) -> int:
        return self.candidates.n_rows

    @cached_property
    def points(self) -> Points:
        """The candidates as their kernel sees them."""
        return self.kernel.prepare(self.candidates)

    @cached_property
    def gram(self) -> Floats:
        """The kernel of all candidates."""
        if self.given is not None:
            return self.given
        return self.kernel.gram(self.points, self.points)

    def features(self, n_components: int | None) -> Floats:
        """Return Z: a row for each candidate."""
        means = self.gram.mean(axis=0)
        centered = self.gram - means - means[:, None] + means.mean()
        if n_components is not None:
            return _cholesky_features(centered, n_components)
        if len(self) > _MOST_EXACT:
            raise ParameterError(
                f"There are {len(self)} different outputs; features of more than {_MOST_EXACT} are "
                "not found exactly. Take the main ones: n_components says how many.",
                code="P880",
                values=[None],
                repair=Repair("model.set_params(n_components=200)"),
            )
        values, vectors = eigh((centered + centered.T) / 2)
        self._refuse_negative(values)
        kept = values > _ROUNDING * max(float(values[-1]), 0.0)
        if not kept.any():
            return np.zeros((len(self), 1))
        return np.ascontiguousarray(vectors[:, kept][:, ::-1] * np.sqrt(values[kept][::-1]))

    def _refuse_negative(self, values: Floats) -> None:
        if values[0] >= -_NEGATIVE * np.abs(values).max():
            return
        raise DataError(
            "The kernel of the outputs is not positive semidefinite: its matrix has an eigenvalue "
            f"of {values[0]:.3g}, so there is no space in which outputs have distances.",
            code="D629",
            repair=Repair(
                "model.set_params(output_kernel='linear').fit(X, y)"
                if self.given is None
                else _NEAREST_KERNEL
            ),
        )

    def nearest(self, weights: Floats) -> Places:
        """Return the candidate nearest to each row of weights; of equally near ones the first."""
        best = np.empty(len(weights), dtype=np.intp)
        squares = np.diag(self.gram)
        slack = _TIE * max(float(np.abs(squares).max()), 1e-300)
        step = max(1, _BLOCK_CELLS // len(self))
        for first in range(0, len(weights), step):
            rows = slice(first, first + step)
            distance = squares - 2 * (weights[rows] @ self.gram)
            least = distance.min(axis=1, keepdims=True)
            best[rows] = (distance <= least + slack).argmax(axis=1)
        return best

    def distances(self, weights: Floats, products: Floats, squares: Floats) -> Floats:
        """Return the squared distance of each row of weights to an output in the kernel's space.

        ``products`` and ``squares`` are the output's kernel with the candidates and itself.
        """
        inside = np.einsum("ij,ij->i", weights @ self.gram, weights)
        across = np.einsum("ij,ij->i", weights, products)
        found: Floats = np.maximum(squares - 2 * across + inside, 0.0)
        return found

    def places_of(self, outputs: Table) -> Places:
        """Return which candidate each output is; −1 for one that is not a candidate."""
        known = {row: place for place, row in enumerate(_cells(self.candidates))}
        return np.array([known.get(row, -1) for row in _cells(outputs)], dtype=np.intp)

    # -- saving -----------------------------------------------------------------------------------

    def pack(self) -> dict[str, Any]:
        """Return the candidates and their kernel as plain values."""
        columns = [np.ascontiguousarray(column.values) for column in self.candidates.columns]
        packed = {"columns": self.candidates.schema.to_json(), "cells": columns}
        if self.given is None:
            return {**packed, "kernel": self.kernel.pack()}
        return {**packed, "gram": self.given.ravel()}

    @staticmethod
    def unpack(state: Any) -> "OutputSpace":
        """Check packed values and return candidates and kernel."""
        if not isinstance(state, dict):
            raise malformed("the outputs are missing")
        candidates = _candidates_from(state)
        gram = state.get("gram")
        if gram is None:
            kernel = unpack_kernel(state.get("kernel"), candidates.schema)
            return OutputSpace(candidates, kernel)
        m = candidates.n_rows  # K is m × m
        is_row = (
            isinstance(gram, np.ndarray) and gram.dtype == np.float64 and gram.shape == (m * m,)
        )
        if not is_row or not np.isfinite(gram).all():
            raise malformed("the Gram matrix of the outputs is not one")
        table = Table.from_matrix(np.ascontiguousarray(gram.reshape(m, m)))
        return OutputSpace(candidates, Precomputed().fit(table), gram.reshape(m, m))


def read_output_space(
    y: Any, n_rows: int, keep: AnyArray | None, kernel: Any, owner: str
) -> tuple[OutputSpace, Places]:
    """Return the different outputs in their kernel's space, and which one each row has.

    Parameters
    ----------
    y
        A table of outputs, or their Gram matrix where the kernel is "precomputed".
    n_rows
        How many rows there are.
    keep
        Which rows count; None: all.
    kernel
        The kernel of outputs: a name, a kernel or a function.
    owner
        Whose outputs they are, for messages.
    """
    formula: Kernel = kernel_of(kernel)
    table = given_outputs(y, n_rows, owner, is_gram=isinstance(formula, Precomputed))
    kept = np.arange(n_rows) if keep is None else np.flatnonzero(keep)
    if isinstance(formula, Precomputed):
        return _of_gram(table, kept, formula)
    cells = _cells(table.rows(kept))
    order = sorted(set(cells))
    place_of = {cell: place for place, cell in enumerate(order)}
    of_row = np.array([place_of[cell] for cell in cells], dtype=np.intp)
    first = np.unique(of_row, return_index=True)[1]
    candidates = _in_order_of_names(table.rows(kept[first]))
    return OutputSpace(candidates, formula.fit(candidates)), of_row


def _of_gram(table: Table, kept: Places, formula: Precomputed) -> tuple[OutputSpace, Places]:
    """Return the outputs of a Gram matrix; rows that are equal throughout are one output."""
    formula.fit(table)  # refuses what is not a symmetric matrix
    whole = np.asarray(table.to_numpy(), dtype=np.float64)[np.ix_(kept, kept)]
    equal = np.unique(whole, axis=0, return_index=True, return_inverse=True)
    firsts, group = equal[1], equal[2].reshape(-1)
    words = [(whole[row, row], *np.unique(whole[row]).tolist()) for row in firsts]
    order = sorted(range(len(firsts)), key=words.__getitem__)
    place = np.empty(len(firsts), dtype=np.intp)
    place[order] = np.arange(len(firsts))
    rows = firsts[order]
    gram = np.ascontiguousarray(whole[np.ix_(rows, rows)])
    candidates = Table({"training row": kept[rows]})
    fitted = formula.fit(Table.from_matrix(gram))
    return OutputSpace(candidates, fitted, gram), place[group]


def _cells(table: Table) -> list[tuple[tuple[str, Any], ...]]:
    """Return the content of each row, as something that can be compared and put in order."""
    columns = []
    for column in table.columns:
        if column.kind == "category":
            columns.append([(type(name).__name__, name) for name in column.to_list()])
        else:
            numbers = np.asarray(column.numbers(), dtype=np.float64) + 0.0
            columns.append([("number", value) for value in numbers.tolist()])
    return list(zip(*columns, strict=True))


def _in_order_of_names(table: Table) -> Table:
    """Return the same rows, with codes of categories that go by first appearance."""
    columns = []
    for column in table.columns:
        if column.kind != "category":
            columns.append(column)
            continue
        used = list(dict.fromkeys(column.values.tolist()))
        codes = np.array([used.index(code) for code in column.values.tolist()], dtype=np.int32)
        names = tuple(column.categories[code] for code in used)
        kind = replace(column.type, categories=names)
        columns.append(Column(column.name, kind, codes))
    return Table.from_columns(columns, named=table.schema.named)


def _cholesky_features(matrix: Floats, n_components: int) -> Floats:
    """Return the columns of a pivoted Cholesky factor: the largest remainder is the next pivot."""
    left = np.diag(matrix).copy()
    features: list[Floats] = []
    most = max(float(left.max()), 0.0)
    for _ in range(min(n_components, len(matrix))):
        pivot = int(left.argmax())
        if left[pivot] <= _ROUNDING * most:
            break
        column = matrix[:, pivot] - sum((one[pivot] * one for one in features), 0.0)
        features.append(column / np.sqrt(left[pivot]))
        left -= features[-1] ** 2
        left[pivot] = 0.0
    return np.column_stack(features) if features else np.zeros((len(matrix), 1))


def _candidates_from(state: Mapping[str, Any]) -> Table:
    try:
        schema = Schema.from_json(state.get("columns"))
    except ModelFileError:
        raise
    except (AttributeError, LookupError, TypeError, ValueError) as error:
        raise malformed("the columns of the outputs are missing") from error
    cells = state.get("cells")
    if not isinstance(cells, list) or len(cells) != len(schema) or not cells:
        raise malformed("there are not cells for each column of the outputs")
    columns = [
        Column(field.name, field.type, _checked(one, field.type))
        for field, one in zip(schema, cells, strict=True)
    ]
    if len({len(column) for column in columns}) != 1 or len(columns[0]) == 0:
        raise malformed("the columns of the outputs are of different lengths")
    return Table.from_columns(columns, named=schema.named)


def _checked(values: Any, kind: Any) -> AnyArray:
    if not isinstance(values, np.ndarray) or values.ndim != 1 or values.dtype.kind not in "iufb":
        raise malformed("the cells of the outputs are not a row of values")
    if kind.kind == "category":
        is_code = (
            values.dtype == np.int32 and ((values >= 0) & (values < len(kind.categories))).all()
        )
        if not is_code:
            raise malformed("an output has a category that is not there")
    elif not np.isfinite(values).all():
        raise malformed("an output is not a finite number")
    return values
