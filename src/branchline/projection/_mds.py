"""Multidimensional scaling: rows as places whose distances match those of the table.

1. Rows are put in canonical order, equal ones merged with their weights.
2. All distances are computed (``_row_distances``).
3. Classical scaling gives places; steps of SMACOF lower the stress (``_smacof``). Ordinal scaling
   starts from the metric places.
4. Places are turned to their principal axes. New rows are placed among them (``_placed_rows``).
"""

from collections.abc import Sequence
from typing import Any, ClassVar, Literal, Self

import numpy as np
import numpy.typing as npt

from branchline._arrays import Floats
from branchline._base import Complexity, FittedState, Transformer, reports_progress
from branchline._canonical_rows import canonical_rows
from branchline._memory import refuse_over_budget
from branchline._row_distances._comparison import METRICS, fit_comparison
from branchline._row_distances._given_distances import given_distances
from branchline._row_distances._kept_rows import KeptRows
from branchline._state import malformed, number_from_state, numbers_from_state
from branchline._validation import (
    AnyOf,
    Constraint,
    Flag,
    OneOf,
    TrainingData,
    Whole,
    count_threads,
)
from branchline.charts import Chart, drawn
from branchline.projection._placed_rows import PlacedRows, knots
from branchline.projection._scaling_pictures import draw_places, draw_shepard
from branchline.projection._smacof import (
    Fit,
    Pairs,
    classical_places,
    principal_places,
    smacof,
    stress_of,
)
from branchline.table import Schema

__all__ = ["MDS"]

_MOST_SHOWN = 4000


class MDS(Transformer):
    """Place the rows of any table so that near places are rows alike (multidimensional scaling).

    The distances of the places match those of the rows as well as a few axes allow. Any distance
    will do: numbers and categories may be mixed, cells may be missing, or the distances are given.
    ``stress_`` says how well they match. All distances are held in memory several times: 10,000
    rows take 4 GB. The search finds a local minimum of the stress from one good start.

    Parameters
    ----------
    n_components
        Number of axes. Default 2.
    kind
        "metric" (default: distances count), "ordinal" (only their order counts: non-metric
        scaling), or "classical" (no search; principal components for Euclidean distances).
    metric
        How rows are compared, as in ``distances``; "precomputed": the table is a square matrix of
        distances, and new rows bring their distance from each training row. Default "auto".
    standardize
        Whether numbers are divided by their standard deviation; default only with "auto".
    max_iter
        Maximum number of steps of the search. Default 300.
    n_jobs
        Number of threads for distances; None (default): all cores. The result does not depend on
        it.

    Attributes
    ----------
    embedding_
        The place of each row that was given. A loaded model has none.
    stress_
        Kruskal's stress-1: 0 is perfect. The more rows and the fewer axes, the larger it is.
    n_iter_
        Number of steps taken. The start, which is classical scaling, counts as one.

    See Also
    --------
    PCA : turn each row of any table into a few numbers that keep most of what differs between rows.
    distances

    Examples
    --------
    >>> from branchline.projection import MDS
    >>> triangle = [[0, 3, 4], [3, 0, 5], [4, 5, 0]]
    >>> model = MDS(2, metric="precomputed").fit(triangle)
    >>> line = MDS(1, metric="precomputed").fit(triangle)
    >>> round(model.stress_, 3), round(line.stress_, 3)
    (0.0, 0.168)
    """

    _constraints: ClassVar[dict[str, Constraint]] = {
        "n_components": Whole(1, 1000),
        "kind": OneOf(("metric", "ordinal", "classical")),
        "metric": OneOf((*METRICS, "precomputed")),
        "standardize": AnyOf((Flag(), OneOf(("auto",)))),
        "max_iter": Whole(1, 1_000_000),
    }
    _tolerance = 1e-4
    _copies_of_columns_count = True
    _left_out_of_files = frozenset({"embedding_"})
    embedding_: Floats
    stress_: float
    n_iter_: int
    _placed: PlacedRows
    _shown: Floats

    def __init__(
        self,
        n_components: int = 2,
        *,
        kind: Literal["metric", "ordinal", "classical"] = "metric",
        metric: str = "auto",
        standardize: bool | str = "auto",
        max_iter: int = 300,
        n_jobs: int | None = None,
    ) -> None:
        self.n_components = n_components
        self.kind = kind
        self.metric = metric
        self.standardize = standardize
        self.max_iter = max_iter
        self.n_jobs = n_jobs

    @reports_progress
    def fit(self, X: Any, y: Any = None, sample_weight: Any = None) -> Self:
        """Place the rows; ``y`` is ignored."""
        data = self._begin_inputs(X, sample_weight)
        refuse_over_budget(40 * data.table.n_rows**2, "the distances of all rows and their steps")
        square, weights, kept = self._distances(data)
        unit = _unit(square)
        square, share = square / unit, weights / weights.sum()
        found = self._search(square, share)
        places = principal_places(found.places, share)
        pairs = Pairs.of_square(square, share)
        aimed = found.target[pairs.first, pairs.second]
        curve = knots(pairs.given, aimed) if self.kind == "ordinal" else (np.zeros(0),) * 2
        self._finish(
            data,
            stress_=stress_of(places, found.target, share),
            n_iter_=found.n_steps,
            _placed=PlacedRows(kept, share, places, unit, curve),
            _shown=_some_pairs(pairs, places, aimed) * unit,
        )
        self.embedding_ = self.transform(X)
        return self

    def fit_transform(self, X: Any, y: Any = None, sample_weight: Any = None) -> Floats:
        """Place the rows and return where they lie."""
        return self.fit(X, y, sample_weight).embedding_

    def _distances(self, data: TrainingData) -> tuple[Floats, Floats, KeptRows]:
        """Return the distances of distinct rows, their weights, and the rows."""
        n_rows = data.table.n_rows
        if self.metric == "precomputed":
            square = given_distances(data, type(self).__name__)
            kept_rows = np.arange(n_rows) if data.kept_rows is None else data.kept_rows
            return square, data.weights.of_rows(n_rows), KeptRows.of_matrix(kept_rows)
        n_threads = count_threads(self.n_jobs, n_rows**2)
        rows = canonical_rows(data, merge=True, n_threads=n_threads)
        weights = rows.weights.of_rows(rows.table.n_rows)
        fitted, matrix = fit_comparison(rows, weights, self.metric, self.standardize)
        return fitted.between(matrix, n_threads=n_threads), weights, KeptRows(fitted, matrix)

    def _search(self, square: Floats, share: Floats) -> Fit:
        start = classical_places(square, share, min(int(self.n_components), len(square)))
        missing = int(self.n_components) - start.shape[1]
        start = np.pad(start, ((0, 0), (0, missing)))
        if self.kind == "classical":
            return Fit(start, square, 1)
        most = int(self.max_iter)
        found = smacof(Fit(start, square, 1), share, most, None)
        if self.kind == "metric" or len(square) < 3:
            return found
        pairs = Pairs.of_square(square, share)
        return smacof(Fit(found.places, square, found.n_steps), share, most, pairs)

    def transform(self, X: Any) -> Floats:
        """Return where rows lie; new ones are placed by their distances from training rows."""
        table = self._check_rows(X).table
        n_threads = count_threads(self.n_jobs, table.n_rows * len(self._placed.rows))
        return self._placed.place(table, n_threads=n_threads)

    def get_feature_names_out(self, input_features: Any = None) -> npt.NDArray[np.object_]:
        """Return a name for each axis: "axis1", "axis2" and so on."""
        self._check_fitted()
        return np.array([f"axis{at + 1}" for at in range(self._placed.places.shape[1])], object)

    def draw(
        self,
        X: Any = None,
        *,
        color: Sequence[Any] | None = None,
        labels: Any = None,
        ax: Any = None,
    ) -> Any:
        """Draw rows at their places on the first two axes.

        Parameters
        ----------
        X
            The rows to draw; default: those of ``fit`` (a loaded model needs them).
        color
            A value for each row (a class): rows are colored by it.
        labels
            A name for each row; up to 60 are written.
        ax
            Axes of matplotlib. When they are given, the chart is drawn on them.
        """
        self._check_fitted()
        places = self.embedding_ if X is None and hasattr(self, "embedding_") else None
        if places is None:
            places = self._placed.places * self._placed.unit if X is None else self.transform(X)
        return drawn(draw_places(places, self.stress_, color, labels), ax)

    def shepard(self) -> Chart:
        """Draw the distances of places against those of rows, pair by pair (Shepard diagram)."""
        self._check_fitted()
        return draw_shepard(self._shown, self.stress_, self.kind)

    def _complexity(self) -> Complexity:
        return Complexity(len(self._placed.rows), "placed rows")

    # -- saving ---------------------------------------------------------------------------------

    def _pack(self) -> FittedState:
        return {**self._placed.pack(), "stress": self.stress_, "steps": float(self.n_iter_),
                "shown": self._shown.ravel()}  # fmt: skip

    def _unpack(self, state: FittedState, schema: Schema) -> FittedState:
        placed = PlacedRows.unpack(state, schema)
        stress, steps = number_from_state(state, "stress"), number_from_state(state, "steps")
        if stress < 0 or not 0 <= steps <= 2**31 or steps != int(steps):
            raise malformed("the stress or the number of steps is below 0")
        shown = state.get("shown")
        size = len(shown) if isinstance(shown, np.ndarray) and shown.ndim == 1 else -1
        if size % 3:
            raise malformed("distances of pairs are missing")
        values = numbers_from_state(state, "shown", length=size, low=0.0).reshape(3, -1)
        return {"_placed": placed, "stress_": stress, "n_iter_": int(steps), "_shown": values}


def _unit(square: Floats) -> float:
    largest = float(square.max(initial=0.0))
    return float(2.0 ** np.floor(np.log2(largest))) if largest > 0 else 1.0


def _some_pairs(pairs: Pairs, places: Floats, aimed: Floats) -> Floats:
    """Return given distances, those of places and those aimed at, of evenly chosen pairs."""
    step = max(1, -(-len(pairs.given) // _MOST_SHOWN))
    some = slice(step // 2, None, step)
    here, there = places[pairs.first[some]], places[pairs.second[some]]
    apart = np.sqrt(((here - there) ** 2).sum(axis=1))
    return np.stack([pairs.given[some], apart, aimed[some]])
