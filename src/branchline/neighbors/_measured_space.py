"""Distances by correlation, function, matrix or kernel in place of a space of columns.

1. ``measure_of`` says which measure an estimator's parameters ask for, if any.
2. ``MeasureLearner`` learns it from all rows, and from the rows of each fold.
3. ``MeasuredSpace`` stands where ``Space`` does, ``MeasureSearch`` where ``Search`` does: it
   compares each query with every training row.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np

from branchline._row_distances import Comparison, fit_comparison, given_distances
from branchline._state import malformed
from branchline._validation import TrainingData
from branchline.errors import DataError, ParameterError, Repair
from branchline.kernels import FunctionKernel, Kernel
from branchline.neighbors._measures import (
    CorrelationMeasure,
    FunctionMeasure,
    KernelMeasure,
    MatrixMeasure,
    Measure,
    Rows,
)
from branchline.neighbors._responses import Mask, Numbers, Whole
from branchline.neighbors._search import Nearest, Search, join, nearest_of_distances
from branchline.table import Schema, Table

__all__ = [
    "AnySearch",
    "KernelObject",
    "KernelOrFunction",
    "MeasureLearner",
    "MeasureSearch",
    "MeasuredSpace",
    "measure_learner",
    "measure_of",
    "unpack_measured_space",
]

_BLOCK_PAIRS = 2**21
_OF_COLUMNS = ("euclidean", "manhattan")


class KernelObject:
    """The constraint of a kernel of ``branchline.kernels``."""

    def allows(self, value: Any) -> bool:
        """Whether ``value`` is a kernel."""
        return isinstance(value, Kernel)

    def describe(self) -> str:
        """Say what it may be."""
        return "a kernel such as RBF()"


class KernelOrFunction:
    """The constraint of a metric that is not a name: a kernel, or a function of two rows."""

    def allows(self, value: Any) -> bool:
        """Whether ``value`` is a kernel, or can be called and is not a class."""
        return isinstance(value, Kernel) or (callable(value) and not isinstance(value, type))

    def describe(self) -> str:
        """Say what it may be."""
        return "a kernel such as RBF(), or a function of two rows"


def measure_of(model: Any) -> Any:
    """Return the metric or kernel that takes the place of columns; None: distances are of columns.

    A kernel of Parzen windows comes before the metric.
    """
    kernel = getattr(model, "kernel", None)
    if isinstance(kernel, Kernel):
        return kernel
    named = isinstance(model.metric, str)
    return None if named and model.metric in _OF_COLUMNS else model.metric


# -- searching ------------------------------------------------------------------------------------


@dataclass(frozen=True, eq=False)
class MeasuredSpace:
    """Rows as a measure sees them.

    Parameters
    ----------
    measure
        The distance.
    places
        The columns that it may see; none of a matrix of distances.
    """

    measure: Measure
    places: Whole
    unit: int = 0

    @property
    def reads_text(self) -> bool:
        """Whether texts are read as they are, also those that no training row has."""
        fitted = getattr(self.measure, "fitted", None)
        return fitted is not None and bool(fitted.reads_text)

    def in_units(self, distances: Numbers) -> Numbers:
        """Return distances as they are."""
        return distances

    def of(self, table: Table) -> Rows:
        """Return rows to predict."""
        return self.measure.see(table, None)

    def search(self, table: Table, row_numbers: Whole) -> "MeasureSearch":
        """Return the search among training rows."""
        return MeasureSearch(self.measure, self.measure.see(table, row_numbers))


@dataclass(frozen=True, eq=False)
class MeasureSearch:
    """Training rows to be searched by a measure."""

    measure: Measure
    points: Any

    def nearest(
        self, queries: Any, k: int, *, n_threads: int = 1, others_only: bool = False
    ) -> Nearest:
        """Return the k nearest rows of each query and their ties.

        With ``others_only`` query i is row i, and is not a neighbor of itself.
        """
        k = min(k, len(self.points) - int(others_only))
        size = max(1, _BLOCK_PAIRS // len(self.points))
        found = []
        for at in range(0, max(1, len(queries)), size):
            some = queries[at : at + size]
            distances = self.measure.between(some, self.points, n_threads)
            if others_only:
                own = np.arange(len(some))
                distances[own, at + own] = np.inf
            found.append(nearest_of_distances(distances, k))
        return join(found)

    def part(self, kept: Whole | Mask) -> "MeasureSearch":
        """Return the search among some of the rows."""
        return MeasureSearch(self.measure, self.points[kept])

    def distances_from(self, row: int) -> Numbers:
        """Return the distance of each row from one of them."""
        one = self.points[row : row + 1]
        found: Numbers = self.measure.between(self.points, one, 1)[:, 0]
        return found


AnySearch: TypeAlias = Search | MeasureSearch


# -- learning -------------------------------------------------------------------------------------


@dataclass(frozen=True, eq=False)
class MeasureLearner:
    """Learns a measure from some rows: called for all of them, and for all but each fold.

    Parameters
    ----------
    metric
        "correlation", "precomputed", a kernel or a function.
    standardize
        Whether numbers are standardized.
    row_numbers
        The number that each of all rows had as they were given.
    """

    metric: Any
    standardize: bool
    row_numbers: Whole

    def weights(self, data: TrainingData) -> Numbers:
        """Return 1 for each column; 0 for the columns of a matrix of distances."""
        n_columns = data.table.n_columns
        return np.zeros(n_columns) if _is_matrix(self.metric) else np.ones(n_columns)

    def space(self, data: TrainingData, weights: Numbers) -> MeasuredSpace:
        """Return how rows are compared."""
        return MeasuredSpace(self._measure(data), np.flatnonzero(weights).astype(np.int64))

    def __call__(self, data: TrainingData) -> MeasuredSpace:
        """Return how rows are compared."""
        return self.space(data, self.weights(data))

    def _measure(self, data: TrainingData) -> Measure:
        if _is_matrix(self.metric):
            return MatrixMeasure()
        weights = data.weights.of_rows(data.table.n_rows)
        if isinstance(self.metric, str):
            learned = fit_comparison(data, weights, self.metric, self.standardize)
            return CorrelationMeasure(learned[0])
        if isinstance(self.metric, Kernel):
            return KernelMeasure(self.metric.fit(data.table, weights, standardize=self.standardize))
        return _function_measure(self.metric, data.table)


def _is_matrix(metric: Any) -> bool:
    return isinstance(metric, str) and metric == "precomputed"


def _function_measure(function: Callable[..., Any], table: Table) -> FunctionMeasure:
    """Return a function as a measure; whether it takes rows or blocks is tried with five rows."""
    fitted = FunctionKernel(function).fit(table)
    points = fitted.prepare(table.rows(np.arange(5) % table.n_rows))
    try:
        fitted.gram(points.take(slice(0, 2)), points.take(slice(2, 5)))
    except Exception:  # whatever a function of two rows does with two blocks
        return FunctionMeasure(FunctionKernel(function, vectorized=False).fit(table))
    return FunctionMeasure(fitted)


def measure_learner(model: Any, given: TrainingData, row_numbers: Whole) -> MeasureLearner:
    """Return what learns the measure of a model, whose parameters and rows are checked."""
    metric = measure_of(model)
    _check_options(model, metric)
    if _is_matrix(metric):
        given_distances(given, type(model).__name__)
    elif isinstance(metric, str):
        _check_numbers(given.table)
    return MeasureLearner(metric, model.scale == "sd", row_numbers)


def _check_options(model: Any, metric: Any) -> None:
    weights = model.column_weights
    unused = [
        name
        for name, is_unused in (
            ("column_weights", weights is not None and weights != "relevance"),
            ("scale", model.scale == "range"),
            ("bandwidth", getattr(model, "bandwidth", "auto") != "auto"),
        )
        if is_unused
    ]
    if unused:
        raise ParameterError(
            f"The {unused[0]!r} parameter has no effect with the distance or kernel {metric!r}, "
            "which does not add up differences of columns.",
            code="P945",
            values=[getattr(model, unused[0])],
            repair=Repair(f"model.set_params({unused[0]}={_DEFAULTS[unused[0]]!r})"),
        )
    if isinstance(metric, Kernel) and metric.holds_matrix:
        raise ParameterError(
            f"The kernel {metric!r} holds a given matrix, which has no value for two new rows.",
            code="P946",
            values=[metric],
            repair=Repair("from branchline.kernels import RBF\nkernel = RBF()"),
        )


_DEFAULTS = {"column_weights": "relevance", "scale": "sd", "bandwidth": "auto"}


def _check_numbers(table: Table) -> None:
    others = [field.name for field in table.schema if field.type.kind == "category"]
    if not others and table.n_columns > 1:
        return
    why = f"column {others[0]!r} is not one" if others else "there is only one"
    raise DataError(
        f"metric='correlation' compares two or more numeric columns, and {why}.",
        code="D946",
        column=others[0] if others else None,
        repair=Repair("model.set_params(metric='euclidean')"),
    )


def unpack_measured_space(
    metric: Any, state: Any, schema: Schema, row_numbers: Whole
) -> MeasuredSpace:
    """Return the space of a packed measure, checked."""
    every = np.arange(len(schema), dtype=np.int64)
    if _is_matrix(metric):
        if row_numbers.max() >= len(schema):
            raise malformed("a training row has no column in the matrix of distances")
        return MeasuredSpace(MatrixMeasure(), every[:0])
    if isinstance(metric, str):
        comparison = Comparison.unpack(state, schema)
        if comparison.kind != metric:
            raise malformed("the measure is another one than the parameters say")
        return MeasuredSpace(CorrelationMeasure(comparison), every)
    if isinstance(metric, Kernel):
        return MeasuredSpace(KernelMeasure.unpack(state, schema), every)
    return MeasuredSpace(FunctionMeasure.unpack(state, schema), every)
