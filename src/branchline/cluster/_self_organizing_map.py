"""Self-organizing map: units on a grid whose codes follow the rows, neighbors on the grid alike.

1. Rows are put in canonical order, equal ones merged; the table becomes centered numbers.
2. Codes begin on the plane of the first two principal components.
3. Batch: each row goes to the unit with the nearest code. The code of unit u becomes the mean of
   all rows, weighted by exp(−|u − b|² / 2r²) for the grid distance of u from the row's unit b. The
   radius r falls from round to round.
4. Online (Kohonen 1982): rows are drawn; all codes move towards each of them
   (``self_organizing_map.hpp``).
"""

from typing import Any, ClassVar, Self

import numpy as np
import numpy.typing as npt
from scipy import sparse

from branchline import _core
from branchline._arrays import Floats, Places
from branchline._base import Complexity, FittedState, Transformer, reports_progress
from branchline._canonical_rows import canonical_rows
from branchline._prepared_table import Preparation, fit_preparation
from branchline._state import malformed, number_from_state, numbers_from_state
from branchline._validation import (
    Constraint,
    Flag,
    OneOf,
    Whole,
    check_seed,
    count_threads,
)
from branchline.charts import Panels
from branchline.charts.figures import draw_map
from branchline.cluster._map_grid import MapGrid
from branchline.errors import ParameterError, Repair
from branchline.table import Schema

__all__ = ["SelfOrganizingMap"]

_LAST_RADIUS = 0.5
_RATES = (0.5, 0.01)


class SelfOrganizingMap(Transformer):
    """Lay the rows of any table out on a map, so that rows alike are near each other.

    Each unit of the map has a code: a typical row. Units that are neighbors have similar codes, so
    the map shows groups, gradients and gaps at a glance. Numbers, categories and dates may be
    mixed, and cells may be missing. The result depends neither on the order of rows nor on threads.

    Parameters
    ----------
    n_map_rows, n_map_columns
        Size of the map. Default 8.
    grid
        "hexagonal" (default: six neighbors) or "square" (four).
    algorithm
        "batch" (default, fast, no draws) or "online" (one drawn row after the other).
    n_epochs
        How often all rows are seen. Default 20.
    standardize
        Whether numbers are divided by their standard deviation. Default True.
    random_state
        Seed of the draws of "online". Default 0.
    n_jobs
        Number of threads; None (default): all cores. The result does not depend on it.

    Attributes
    ----------
    codes_
        The code of each unit in prepared numbers, row after row of the map.
    labels_
        The unit of each row that was given. A loaded model has none.
    hits_
        The weight of the rows of each unit.
    quantization_error_
        The mean distance of rows from the codes of their units.

    See Also
    --------
    KMeans : put the rows of any table into clusters around centers.
    MDS : place the rows of any table so that near places are rows alike (multidimensional scaling).

    Examples
    --------
    >>> from branchline import load_dataset
    >>> from branchline.cluster import SelfOrganizingMap
    >>> X, y = load_dataset("iris").split_target("species")
    >>> model = SelfOrganizingMap(6, 6).fit(X)
    >>> round(model.quantization_error_, 2)
    0.38
    """

    _constraints: ClassVar[dict[str, Constraint]] = {
        "n_map_rows": Whole(1, 200),
        "n_map_columns": Whole(1, 200),
        "grid": OneOf(("hexagonal", "square")),
        "algorithm": OneOf(("batch", "online")),
        "n_epochs": Whole(1, 1_000_000),
        "standardize": Flag(),
    }
    _tolerance = 1e-8
    _copies_of_columns_count = True
    _left_out_of_files = frozenset({"labels_"})
    labels_: Places
    codes_: Floats
    hits_: Floats
    quantization_error_: float
    _preparation: Preparation
    _grid: MapGrid

    def __init__(
        self,
        n_map_rows: int = 8,
        n_map_columns: int = 8,
        *,
        grid: str = "hexagonal",
        algorithm: str = "batch",
        n_epochs: int = 20,
        standardize: bool = True,
        random_state: Any = 0,
        n_jobs: int | None = None,
    ) -> None:
        self.n_map_rows = n_map_rows
        self.n_map_columns = n_map_columns
        self.grid = grid
        self.algorithm = algorithm
        self.n_epochs = n_epochs
        self.standardize = standardize
        self.random_state = random_state
        self.n_jobs = n_jobs

    @reports_progress
    def fit(self, X: Any, y: Any = None, sample_weight: Any = None) -> Self:
        """Train the map; ``y`` is ignored."""
        data = self._begin_inputs(X, sample_weight)
        rows = canonical_rows(data, merge=True, n_threads=count_threads(self.n_jobs, data.n_cells))
        weights = rows.weights.of_rows(rows.table.n_rows)
        prepared, matrix = fit_preparation(rows, weights, standardize=self.standardize)
        matrix = _with_a_column(matrix)
        grid = MapGrid(int(self.n_map_rows), int(self.n_map_columns), self.grid == "hexagonal")
        codes = self._train(matrix, weights, grid)
        units = _core.nearest_centers(matrix, codes, self._n_threads(matrix, codes))
        units = units.astype(np.intp)
        error = float(weights @ _distances_from(matrix, codes[units]) / weights.sum())
        self._finish(
            data,
            codes_=codes[:, : int(prepared.kept.sum())],
            hits_=np.bincount(units, weights, len(codes)),
            quantization_error_=error * prepared.unit,
            _preparation=prepared,
            _grid=grid,
        )
        self.labels_ = self.predict(X)
        return self

    def _train(self, matrix: Floats, weights: Floats, grid: MapGrid) -> Floats:
        codes = grid.plane(matrix, weights)
        apart = grid.squared_distances()
        widest = max(_LAST_RADIUS, max(grid.n_rows, grid.n_columns) / 2)
        if self.algorithm == "online":
            n_steps = int(self.n_epochs) * max(1, round(float(weights.sum())))
            how = (n_steps, *_RATES, widest, _LAST_RADIUS, check_seed(self.random_state))
            _core.train_map(matrix, weights, apart, codes, how)
            return codes
        known = np.isfinite(matrix)
        parts = np.where(known, matrix, 0.0) * weights[:, None], known * weights[:, None]
        for radius in np.geomspace(widest, _LAST_RADIUS, int(self.n_epochs)):
            near = np.exp(-apart / (2 * radius**2))
            units = _core.nearest_centers(matrix, codes, self._n_threads(matrix, codes))
            codes = _pulled(codes, near, units, parts)
        return codes

    def predict(self, X: Any) -> Places:
        """Return the unit with the nearest code of each row; units count row after row."""
        matrix, codes = self._numbers(X)
        found = _core.nearest_centers(matrix, codes, self._n_threads(matrix, codes))
        return found.astype(np.int64)

    def transform(self, X: Any) -> Floats:
        """Return the distance of each row to each code, scaled up where cells are missing."""
        matrix, codes = self._numbers(X)
        squares = _core.center_distances(matrix, codes, self._n_threads(matrix, codes))
        return np.sqrt(squares).reshape(len(matrix), len(codes)) * self._preparation.unit

    def get_feature_names_out(self, input_features: Any = None) -> npt.NDArray[np.object_]:
        """Return a name for each distance: "unit0", "unit1" and so on."""
        self._check_fitted()
        return np.array([f"unit{at}" for at in range(len(self.codes_))], dtype=object)

    def gaps(self) -> Floats:
        """Return the U-matrix: the mean distance of each code from those of its neighbors."""
        self._check_fitted()
        return self._grid.gaps(self.codes_) * self._preparation.unit

    def topographic_error(self, X: Any) -> float:
        """Return the share of rows whose two nearest codes are not of neighbors on the map."""
        apart = self.transform(X)
        if apart.shape[1] < 3:
            return 0.0
        first, second = np.argsort(apart, axis=1, kind="stable")[:, :2].T
        return float((~self._grid.neighbors()[first, second]).mean())

    def draw(self, columns: Any = None) -> Panels:
        """Draw the map: gaps between units (U-matrix), hits, and a plane for each column.

        Parameters
        ----------
        columns
            Names of terms to show; default: the first four.
        """
        gaps = self.gaps()
        prepared, grid = self._preparation, self._grid
        names = prepared.names[:4] if columns is None else [str(name) for name in columns]
        unknown = [name for name in names if name not in prepared.names]
        if unknown:
            raise _unknown_term(unknown[0], prepared.names)
        codes = self.codes_ * prepared.scale + prepared.center
        charts = [draw_map(grid.cells(gaps), "distance from neighbors", grid.edges())]
        charts.append(draw_map(grid.cells(self.hits_), "rows", grid.edges()))
        for name in names:
            plane = codes[:, prepared.names.index(name)]
            charts.append(draw_map(grid.cells(plane), name, grid.edges()))
        return Panels(tuple(charts), title="Map of the rows")

    def _numbers(self, X: Any) -> tuple[Floats, Floats]:
        self._check_fitted()
        matrix = self._preparation.matrix(self._check_rows(X).table)
        return _with_a_column(matrix), _with_a_column(self.codes_)

    def _n_threads(self, matrix: Floats, codes: Floats) -> int:
        return count_threads(self.n_jobs, matrix.size * len(codes))

    def _complexity(self) -> Complexity:
        return Complexity(len(self.codes_), "units")

    # -- saving ---------------------------------------------------------------------------------

    def _pack(self) -> FittedState:
        return {
            "preparation": self._preparation.pack(),
            "codes": self.codes_.ravel(),
            "hits": self.hits_,
            "error": self.quantization_error_,
            "size": self._grid.pack(),
        }

    def _unpack(self, state: FittedState, schema: Schema) -> FittedState:
        packed = state.get("preparation")
        if not isinstance(packed, dict):
            raise malformed("the preparation of the table is missing")
        prepared = Preparation.unpack(packed, schema)
        grid = MapGrid.unpack(numbers_from_state(state, "size", length=3))
        n_terms, error = int(prepared.kept.sum()), number_from_state(state, "error")
        codes = numbers_from_state(state, "codes", length=grid.n_units * n_terms)
        if error < 0:
            raise malformed("a distance is below 0")
        return {
            "codes_": codes.reshape(grid.n_units, n_terms),
            "hits_": numbers_from_state(state, "hits", length=grid.n_units, low=0.0),
            "quantization_error_": error,
            "_preparation": prepared,
            "_grid": grid,
        }


def _pulled(codes: Floats, near: Floats, units: Any, parts: tuple[Floats, Floats]) -> Floats:
    """Return codes as weighted means of all rows; a column without any known row stays."""
    n_rows, n_units = len(units), len(codes)
    cells = (np.ones(n_rows), (units.astype(np.intp), np.arange(n_rows)))
    of_unit = sparse.csr_array(cells, shape=(n_units, n_rows))
    sums, counts = near @ (of_unit @ parts[0]), near @ (of_unit @ parts[1])
    found = counts > np.finfo(np.float64).tiny
    made = np.where(found, sums / np.where(found, counts, 1.0), codes)
    return np.ascontiguousarray(made)


def _distances_from(matrix: Floats, codes: Floats) -> Floats:
    """Return the distance of each row from its code, scaled up where cells are missing."""
    known = np.isfinite(matrix)
    squares = np.where(known, matrix - codes, 0.0) ** 2
    share = known.sum(axis=1) / matrix.shape[1]
    return np.asarray(np.sqrt(squares.sum(axis=1) / np.where(share > 0, share, 1.0)))


def _unknown_term(name: str, names: list[str]) -> ParameterError:
    return ParameterError(
        f"columns names terms of the map; there is no term {name!r}. The first are: "
        f"{', '.join(names[:8])}.",
        code="P672",
        values=[name],
        repair=Repair(f"model.draw({names[:2]!r})"),
    )


def _with_a_column(matrix: Floats) -> Floats:
    matrix = matrix if matrix.shape[1] else np.zeros((len(matrix), 1))
    return np.ascontiguousarray(matrix, dtype=np.float64)
