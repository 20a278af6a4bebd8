"""Kernels of histograms: columns that count, such as the colors of an image or words of a text.

- ``Intersection``: Σ_c min(x_c, z_c), what two histograms have in common (Swain and Ballard, 1991).
- ``ChiSquare``: exp(−γ Σ_c (x_c − z_c)² / (x_c + z_c)), with 0 / 0 = 0.

Both are positive semidefinite for numbers of at least 0. min(x, z) is the length that the intervals
from 0 to x and to z share. 2xz / (x + z) is twice the integral from 0 to 1 of x t^(x − ½) times
z t^(z − ½), and (x − z)² / (x + z) is the squared distance of that kernel. Numbers below 0 are
refused. Counts are taken as they are, also where an estimator standardizes numbers.
"""

from abc import abstractmethod
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any, ClassVar, cast

import numpy as np
from scipy.spatial.distance import cdist
from sklearn.metrics.pairwise import additive_chi2_kernel

from branchline._arrays import Floats
from branchline._encoding._block import LARGEST
from branchline._state import malformed
from branchline._validation import Constraint, Real
from branchline.encoding import TableEncoder
from branchline.errors import DataError
from branchline.kernels._fitted_kernel import FittedKernel, FittedLeaf, Fitting
from branchline.kernels._number_columns import NumberColumns, fit_number_columns
from branchline.kernels._number_kernels import NumberKernel
from branchline.kernels._number_rows import NumberForm
from branchline.kernels._points import DensePart, plain_state
from branchline.table import Schema, Table

__all__ = ["ChiSquare", "Intersection"]

_AS_THEY_ARE = TableEncoder(scale="none", min_frequency=1)


@dataclass(frozen=True, init=False, repr=False)
class HistogramKernel(NumberKernel):
    """What kernels of histograms share: columns of numbers of at least 0, as they are."""

    @abstractmethod
    def _values(self, a: Floats, b: Floats) -> Floats:
        """Return K(a_i, b_j)."""

    @abstractmethod
    def _squares(self, a: Floats) -> Floats:
        """Return K(a_i, a_i)."""

    def _form(self, gamma: float) -> NumberForm:
        raise NotImplementedError("kernels of histograms have no native form")

    def _fit(self, fitting: Fitting) -> FittedKernel:
        columns, _ = fit_number_columns(replace(fitting, encoder=_AS_THEY_ARE), self.columns)
        return FittedHistogram(self, fitting.schema, columns)

    def _restore(self, learned: Iterator[Any], schema: Schema) -> FittedKernel:
        state = plain_state(next(learned, None), {"encoding"})
        return FittedHistogram(self, schema, NumberColumns.unpack(state, schema, self.columns))


@dataclass(frozen=True, init=False, repr=False)
class Intersection(HistogramKernel):
    """Σ min(x, z): what two histograms have in common.

    Parameters
    ----------
    columns
        Names of the columns to take, numbers of at least 0; none: all.

    See Also
    --------
    ChiSquare : exp(−gamma Σ (x − z)² / (x + z)).
    Hamming : the share of columns in which two rows have the same value.

    Examples
    --------
    >>> from branchline.kernels import Intersection
    >>> Intersection().gram([[3.0, 1.0], [1.0, 5.0]]).tolist()
    [[4.0, 2.0], [2.0, 6.0]]
    """

    def __init__(self, *columns: str) -> None:
        self._store(columns)

    def _values(self, a: Floats, b: Floats) -> Floats:
        if a.shape[1] == 0:
            return np.zeros((len(a), len(b)))
        apart: Floats = cdist(a, b, "cityblock")
        shared = (self._squares(a)[:, None] + self._squares(b) - apart) / 2
        return np.asarray(np.maximum(shared, 0.0))

    def _squares(self, a: Floats) -> Floats:
        return np.asarray(a.sum(axis=1))


@dataclass(frozen=True, init=False, repr=False)
class ChiSquare(HistogramKernel):
    """exp(−gamma Σ (x − z)² / (x + z)): differences count more where both are small.

    Parameters
    ----------
    columns
        Names of the columns to take, numbers of at least 0; none: all.
    gamma
        A number above 0. It depends on the size of the counts: try 1 over their typical sum.
        Default 1.0.

    See Also
    --------
    Intersection : Σ min(x, z).
    RBF : exp(−gamma ‖x − z‖²), with gamma = 1 / (2 sigma²).

    Examples
    --------
    >>> from branchline.kernels import ChiSquare
    >>> ChiSquare(gamma=0.5).gram([[3.0, 1.0], [1.0, 1.0]]).round(3).tolist()
    [[1.0, 0.607], [0.607, 1.0]]
    """

    gamma: float
    _constraints: ClassVar[Mapping[str, Constraint]] = {"gamma": Real(0, low_open=True)}

    def __init__(self, *columns: str, gamma: float = 1.0) -> None:
        self._store(columns, gamma=gamma)

    def _values(self, a: Floats, b: Floats) -> Floats:
        if a.shape[1] == 0:
            return np.ones((len(a), len(b)))
        distances: Floats = -np.asarray(additive_chi2_kernel(a, b), dtype=np.float64)
        return np.asarray(np.exp(-self.gamma * distances))

    def _squares(self, a: Floats) -> Floats:
        return np.ones(len(a))


@dataclass(frozen=True, eq=False)
class FittedHistogram(FittedLeaf):
    """A kernel of histograms and how its columns become numbers."""

    columns: NumberColumns

    def _prepare_part(self, table: Table) -> DensePart:
        part = self.columns.encode(table)
        below = np.argwhere(part.matrix < 0)
        if len(below):
            term = self.columns.encoding.terms[int(below[0, 1])]
            rows = below[below[:, 1] == below[0, 1], 0]
            raise DataError(
                f"A kernel of histograms takes numbers of at least 0: column {term.column!r} has "
                "numbers below 0. Name the columns that count, or use RBF.",
                code="D652",
                column=term.column,
                rows=rows[:5],
                n_rows=len(rows),
            )
        return part

    def _part_gram(self, a: DensePart, b: DensePart, n_threads: int) -> Floats:
        return cast("HistogramKernel", self.kernel)._values(a.matrix, b.matrix)

    def _part_diag(self, a: DensePart) -> Floats:
        return cast("HistogramKernel", self.kernel)._squares(a.matrix)

    def _learn(self) -> dict[str, Any]:
        return self.columns.pack()

    def _unpack_part(self, state: Any) -> DensePart:
        matrix = plain_state(state, {"matrix"})["matrix"]
        if not isinstance(matrix, np.ndarray) or matrix.dtype != np.float64 or matrix.ndim != 2:
            raise malformed("the rows of a kernel are not a matrix")
        if matrix.shape[1] != self.columns.width or not ((matrix >= 0) & (matrix <= LARGEST)).all():
            raise malformed("histograms have another width, or numbers below 0")
        return DensePart(np.ascontiguousarray(np.asarray(matrix)))
