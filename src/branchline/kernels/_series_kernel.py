"""Global alignment: how alike two time series are, over all ways to align them.

With e_ij = exp(−(x_i − z_j)² / 2σ²) and κ_ij = e_ij / (2 − e_ij) (Cuturi, 2011):

    M_ij = κ_ij (M_{i−1,j} + M_{i,j−1} + M_{i−1,j−1}),   M_00 = 1,   G(x, z) = M at both ends
    K(x, z) = G(x, z) / √(G(x, x) G(z, z))

G sums the products of κ over all monotone alignments, so that stretches and pauses cost little, and
is positive semidefinite, which the distance of the best alignment is not.

1. The columns of a row are the moments of its series, in order; missing cells are left out, so that
   series may have different lengths. A series without any cell has kernel 0.
2. Many pairs go through the recursion together, cell by cell.
3. After each row of M it is divided by its largest value, whose logarithm is kept: G has more
   digits than a number.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Self

import numpy as np
import numpy.typing as npt

from branchline._arrays import Floats
from branchline._state import malformed
from branchline._validation import AnyOf, OneOf, Real, check_parameters
from branchline.errors import DataError
from branchline.kernels._checks import check_columns
from branchline.kernels._fitted_kernel import FittedKernel, FittedLeaf, Fitting
from branchline.kernels._kernel import Kernel
from branchline.kernels._number_columns import apply_columns, schema_of
from branchline.kernels._points import MatchPart, plain_state
from branchline.table import Schema, Table

__all__ = ["GlobalAlignment"]

_SIGMA = {"sigma": AnyOf((OneOf(("scale",)), Real(1e-100, 1e100)))}
_PAIRS = 2**14  # that go through the recursion together: their rows of M stay in the cache
_Places = npt.NDArray[np.intp]


@dataclass(frozen=True, init=False, repr=False)
class GlobalAlignment(Kernel):
    """How alike two time series are, over all ways to align them; 1 for equal series.

    The columns of a row are its moments, in the order of the names, or of the table. Missing cells
    are left out.

    Parameters
    ----------
    columns
        Names of the columns to take, numbers in one unit; none: all.
    sigma
        How far two moments may be apart and still be alike, in the unit of the columns. "scale"
        (default): the standard deviation of all cells.

    See Also
    --------
    RBF : exp(−gamma ‖x − z‖²), with gamma = 1 / (2 sigma²).
    Subsequence

    Examples
    --------
    >>> from branchline.kernels import GlobalAlignment
    >>> series = [[0.0, 1.0, 0.0, 0.0], [0.0, 0.0, 1.0, 0.0], [1.0, 1.0, 0.0, 1.0]]
    >>> GlobalAlignment(sigma=0.3).gram(series).round(2).tolist()
    [[1.0, 0.33, 0.0], [0.33, 1.0, 0.0], [0.0, 0.0, 1.0]]
    """

    columns: tuple[str, ...]
    sigma: float | str

    def __init__(self, *columns: str, sigma: float | str = "scale") -> None:
        check_columns("GlobalAlignment", columns)
        check_parameters("GlobalAlignment", {"sigma": sigma}, _SIGMA)
        object.__setattr__(self, "columns", tuple(columns))
        object.__setattr__(self, "sigma", sigma if isinstance(sigma, str) else float(sigma))

    @classmethod
    def _from_parameters(cls, parameters: Mapping[str, Any]) -> Self:
        check_columns("GlobalAlignment", parameters["columns"])
        return cls(*parameters["columns"], sigma=parameters["sigma"])

    def _fit(self, fitting: Fitting) -> FittedKernel:
        taken = schema_of(fitting.schema, self.columns)
        for field in taken:
            if field.type.kind == "category":
                raise _no_numbers(field.name)
        draft = FittedAlignment(self, fitting.schema, taken, 1.0)
        if not isinstance(self.sigma, str):
            return FittedAlignment(self, fitting.schema, taken, self.sigma)
        cells = draft._prepare_part(fitting.table).columns
        return FittedAlignment(self, fitting.schema, taken, _spread(cells, fitting.weights))

    def _restore(self, learned: Iterator[Any], schema: Schema) -> FittedKernel:
        sigma = plain_state(next(learned, None), {"sigma"})["sigma"]
        if any(name not in schema.position for name in self.columns):
            raise malformed("a kernel takes a column that is not there")
        if not isinstance(sigma, float) or not _SIGMA["sigma"].allows(sigma):
            raise malformed("sigma is not a number above 0")
        if not isinstance(self.sigma, str) and sigma != self.sigma:
            raise malformed("sigma is another number than the formula says")
        return FittedAlignment(self, schema, schema_of(schema, self.columns), sigma)

    def __repr__(self) -> str:
        shown = [*(repr(name) for name in self.columns), f"sigma={self.sigma!r}"]
        return f"GlobalAlignment({', '.join(shown)})"


@dataclass(frozen=True, eq=False)
class FittedAlignment(FittedLeaf):
    """The kernel, the columns that are moments, and σ as a number."""

    moments: Schema
    sigma: float

    def _prepare_part(self, table: Table) -> MatchPart:
        given = apply_columns(self.moments, table)
        kernel = self.kernel
        assert isinstance(kernel, GlobalAlignment)
        names = kernel.columns or self.moments.names
        place = {name: at for at, name in enumerate(self.moments.names)}
        cells = [given.columns[place[name]].numbers() for name in names]
        return MatchPart(np.array(cells, dtype=np.float64).reshape(len(names), table.n_rows))

    def _part_gram(self, a: MatchPart, b: MatchPart, n_threads: int) -> Floats:
        x, z = _Series.of(a), _Series.of(b)
        gram = np.empty((len(a), len(b)))
        if a is b:
            rows, columns = np.triu_indices(len(a))
        else:
            rows, columns = (one.ravel() for one in np.indices(gram.shape))
        logs = _log_alignments(x, z, (rows, columns), self.sigma)
        gram[rows, columns] = logs
        own = self._own(x), self._own(z)
        if a is b:
            gram[columns, rows] = logs
        with np.errstate(invalid="ignore"):
            values: Floats = np.exp(gram - 0.5 * (own[0][:, None] + own[1]))
        # −∞ + ∞: of series without cells
        values[np.isnan(values)] = 0.0
        return values

    def _own(self, x: "_Series") -> Floats:
        every = np.arange(len(x.lengths))
        return _log_alignments(x, x, (every, every), self.sigma)

    def _part_diag(self, a: MatchPart) -> Floats:
        return np.asarray(~np.isnan(a.columns).all(axis=0), dtype=np.float64)

    def _learn(self) -> dict[str, Any]:
        return {"sigma": self.sigma}

    def _unpack_part(self, state: Any) -> MatchPart:
        state = plain_state(state, {"columns", "holes"})
        columns, missing = state["columns"], state["holes"]
        for one, kind in ((columns, np.float64), (missing, np.bool_)):
            if not isinstance(one, np.ndarray) or one.dtype != kind or one.ndim != 2:
                raise malformed("series are not a matrix of numbers")
        if columns.shape != missing.shape or len(columns) != len(self.moments):
            raise malformed("series have another number of moments than their kernel")
        if not np.isfinite(columns).all():
            raise malformed("a moment is not a finite number")
        return MatchPart(np.where(missing, np.nan, columns))


@dataclass(frozen=True, eq=False)
class _Series:
    """Series without their missing cells: moments by series, 0 beyond the end, and lengths."""

    cells: Floats
    lengths: _Places

    @staticmethod
    def of(part: MatchPart) -> "_Series":
        known = ~np.isnan(part.columns)
        order = np.argsort(~known, axis=0, kind="stable")
        cells = np.take_along_axis(np.where(known, part.columns, 0.0), order, axis=0)
        return _Series(cells, known.sum(axis=0))


def _log_alignments(x: _Series, z: _Series, pairs: tuple[_Places, _Places], sigma: float) -> Floats:
    """Return log G of pairs of series."""
    found = np.empty(len(pairs[0]))
    for first in range(0, len(found), _PAIRS):
        some = slice(first, first + _PAIRS)
        rows, columns = pairs[0][some], pairs[1][some]
        one = _Series(x.cells[:, rows], x.lengths[rows])
        found[some] = _block(one, _Series(z.cells[:, columns], z.lengths[columns]), sigma)
    return found


def _block(x: _Series, z: _Series, sigma: float) -> Floats:
    """Return log G of series in pairs: row by row of M, all pairs at once."""
    n_pairs = len(x.lengths)
    n_x, n_z = int(x.lengths.max(initial=0)), int(z.lengths.max(initial=0))
    found = np.full(n_pairs, -np.inf)
    before = np.zeros((n_z + 1, n_pairs))
    before[0] = 1.0
    scale = np.zeros(n_pairs)
    at = np.arange(n_pairs)
    is_over = np.arange(n_z)[:, None] >= z.lengths
    for i in range(n_x):
        with np.errstate(over="ignore", under="ignore"):
            alike = np.exp(-0.5 * ((z.cells[:n_z] - x.cells[i]) / sigma) ** 2)
        steps = np.where(is_over, 0.0, alike / (2 - alike))
        row = np.zeros_like(before)
        for j in range(n_z):
            row[j + 1] = steps[j] * (row[j] + before[j + 1] + before[j])
        largest = row.max(axis=0)
        row /= np.where(largest > 0, largest, 1.0)
        with np.errstate(divide="ignore"):
            scale = scale + np.log(largest)
            ends = (x.lengths == i + 1) & (z.lengths > 0)
            found[ends] = (np.log(row[z.lengths, at]) + scale)[ends]
        before = row
    return found


def _spread(cells: Floats, weights: Floats) -> float:
    """Return the standard deviation of all known cells; 1 when they do not vary."""
    known = ~np.isnan(cells)
    heavy = np.where(known, weights, 0.0)
    total = float(heavy.sum())
    if total == 0:
        return 1.0
    plain = np.where(known, cells, 0.0)
    largest = float(np.abs(plain).max()) or 1.0
    plain = plain / largest
    middle = float((heavy * plain).sum()) / total
    spread = float(np.sqrt((heavy * (plain - middle) ** 2).sum() / total)) * largest
    return spread if 1e-100 < spread < 1e100 else 1.0


def _no_numbers(name: str) -> DataError:
    return DataError(
        f"The moments of a series are numbers; column {name!r} has categories. Name the columns of "
        "the series in the order of time.",
        code="D653",
        column=name,
    )
