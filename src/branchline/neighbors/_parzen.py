"""Parzen windows: every training row counts, by a kernel of its distance.

1. Learn a distance on the mixed table (``_space``, ``_column_weights``).
2. Choose the bandwidth by cross-validation inside the training rows (``_kernel_means``).
3. Keep the rows; a new row gets the weighted mean of their targets, or of their classes.
"""

from typing import Any, ClassVar

import numpy as np

from branchline._base import FittedState
from branchline._plain_numbers import number
from branchline._state import (
    malformed,
    number_from_state,
    numbers_from_state,
)
from branchline._validation import AnyOf, Constraint, OneOf, Real, TrainingData
from branchline.neighbors._distance_options import DISTANCE, Learner
from branchline.neighbors._fitted_rows import FittedRows
from branchline.neighbors._kernel_means import (
    KERNELS,
    Responses,
    choose_bandwidth,
    class_responses,
    kernel_means,
    means_of_kernel,
)
from branchline.neighbors._measured_space import KernelObject, MeasureLearner, MeasureSearch
from branchline.neighbors._measures import KernelMeasure
from branchline.neighbors._responses import Numbers, scaled_numbers, spread_out
from branchline.neighbors._tasks import RowsClassifier, RowsRegressor
from branchline.table import Schema

__all__ = ["ParzenClassifier", "ParzenRegressor"]

# Smaller bandwidths act like this one, and this one may be divided by.
_LEAST_WIDTH = 1e-300
_BLOCK_PAIRS = 2**21
# A kernel with values below 0 is refused when it shows among this number of training rows.
_CHECKED_ROWS = 200
PARZEN: dict[str, Constraint] = {
    "bandwidth": AnyOf((OneOf(("auto",)), Real(1e-100, 1e300))),
    "kernel": AnyOf((OneOf(tuple(KERNELS)), KernelObject())),
    **DISTANCE,
}


class _Parzen(FittedRows):
    """Shared by both tasks: choosing the bandwidth, weighing rows, model files."""

    # Exponentials of many numbers at a time may differ from single ones in the last bit.
    _tolerance = 1e-12

    bandwidth: Any
    kernel: Any
    bandwidth_: float | None
    cv_curve_: Numbers

    def _chosen(self, rows: TrainingData, learn: Learner) -> dict[str, Any]:
        """Return the bandwidth and the curve it was chosen by, in the unit of distances."""
        if isinstance(learn, MeasureLearner):
            _check_weights(rows, learn)
            return {"bandwidth_": None, "cv_curve_": np.zeros((0, 2))}
        if self.bandwidth != "auto":
            return {"bandwidth_": float(self.bandwidth), "cv_curve_": np.zeros((0, 2))}
        width, curve = choose_bandwidth(rows, learn, metric=self.metric, kernel=self.kernel)
        space = learn(rows)
        curve[:, 0] = space.in_units(curve[:, 0])
        return {"bandwidth_": float(space.in_units(np.array(width))), "cv_curve_": curve}

    def _weighted_means(self, points: Any, responses: Responses) -> Numbers:
        search, width = self._search, self.bandwidth_
        if isinstance(search, MeasureSearch) or width is None:
            return self._means_by_kernel(search, points, responses)
        return kernel_means(
            points,
            search.points,
            responses,
            metric=search.metric,
            kernel=self.kernel,
            h=max(float(np.ldexp(width, -self.space_.unit)), _LEAST_WIDTH),
        )

    def _means_by_kernel(self, search: Any, points: Any, responses: Responses) -> Numbers:
        known = search.points
        size = max(1, _BLOCK_PAIRS // len(known))
        blocks = [points[at : at + size] for at in range(0, max(1, len(points)), size)]
        measure = search.measure
        return np.concatenate(
            [means_of_kernel(measure.weights(some, known), responses) for some in blocks]
        )

    def to_text(self) -> str:
        """Return the model as text: its kernel and bandwidth, and the weights of columns."""
        self._check_fitted()
        if self.bandwidth_ is None:
            return f"{self.rows_.n_rows} rows, weighted by the kernel {self.kernel!r}"
        width = f"a {self.kernel} kernel of bandwidth {number(self.bandwidth_)}"
        head = f"{self.rows_.n_rows} rows, weighted by {width}"
        return "\n".join([head, *self._columns_as_text()])

    def _pack(self) -> FittedState:
        return {
            **super()._pack(),
            "bandwidth": self.bandwidth_,
            "cv_curve": self.cv_curve_.ravel(),
        }

    def _unpack(self, state: FittedState, schema: Schema) -> FittedState:
        kept = super()._unpack(state, schema)
        width = self._width_from_state(state)
        curve = state.get("cv_curve")
        length = len(curve) if isinstance(curve, np.ndarray) and curve.ndim == 1 else 0
        rows = numbers_from_state(state, "cv_curve", length=length // 2 * 2, low=0.0)
        return {**kept, "bandwidth_": width, "cv_curve_": rows.reshape(-1, 2)}

    def _width_from_state(self, state: FittedState) -> float | None:
        if KernelObject().allows(self.kernel):
            if state.get("bandwidth") is not None:
                raise malformed("a kernel has no bandwidth")
            return None
        width = number_from_state(state, "bandwidth")
        if not width > 0:
            raise malformed("'bandwidth' is not above 0")
        return width


def _check_weights(rows: TrainingData, learn: MeasureLearner) -> None:
    """Refuse a kernel with values below 0 among some of the training rows."""
    some = rows.rows(spread_out(np.arange(rows.table.n_rows), _CHECKED_ROWS))
    measure = learn(some).measure
    assert isinstance(measure, KernelMeasure)
    seen = measure.see(some.table, None)
    measure.weights(seen, seen)


class ParzenClassifier(_Parzen, RowsClassifier):
    """Predict the class by a kernel-weighted vote of all training rows; near rows weigh more.

    Parameters
    ----------
    bandwidth
        Kernel bandwidth: the distance over which a row has influence. A small bandwidth follows
        single rows, a large one averages over many. "auto" (default): chosen by cross-validated
        errors inside ``fit``.
    kernel
        How the weight of a row falls with its distance. "gaussian" (default): smoothly, and never
        to 0. "epanechnikov": to 0 at the bandwidth. "boxcar": equal weights within the bandwidth, 0
        beyond. If no row is within the bandwidth, the nearest one decides. Or a kernel of
        ``branchline.kernels`` whose values are at least 0, for texts, graphs, series and histograms
        as well: its value is the weight of a row, and nothing is chosen. Where all are 0, all rows
        count alike. ``bandwidth``, ``distance``, ``metric`` and ``column_weights`` have no effect
        then; numbers are standardized (``scale="sd"``) or as they are ("none").
    distance
        How categories are compared. "overlap" (default): equal or not. "value_difference": by how
        frequent the classes are among their rows.
    metric
        "euclidean" (default) or "manhattan", over the columns.
    scale
        Columns are divided by: "sd" (default), their standard deviation; "range", their range
        (unequal categories are 1 apart); "none", nothing.
    column_weights
        Weights of the columns in the distance. "relevance" (default): by how much of the class the
        column explains by itself. "tuned": these weights, then adjusted on held-out rows. None: all
        equal. Or a mapping of column names to weights; columns that are not named have weight 1.
    n_jobs
        Number of threads of ``kneighbors``; None (default): all cores. Results do not depend on it.

    Attributes
    ----------
    classes_
        The classes, sorted.
    bandwidth_
        The bandwidth that was chosen, or given; None with a kernel of ``branchline.kernels``.
    cv_curve_
        A row for each bandwidth that was tried: the bandwidth and its cross-validated error.
    column_weights_
        The weight of each column; 0 for one that does not vary.
    rows_, row_numbers_, target_
        The training rows, the number that each had in the table ``fit`` was given, and the class of
        each as an index into ``classes_``.
    space_
        The coordinates in which distances are measured.

    See Also
    --------
    NearestNeighborsClassifier
    ParzenRegressor : predict the kernel-weighted mean target of all training rows.

    Examples
    --------
    >>> from branchline import load_dataset
    >>> from branchline.neighbors import ParzenClassifier
    >>> X, y = load_dataset("heart").split_target("disease")
    >>> model = ParzenClassifier().fit(X[::2], y[::2])
    >>> round(model.score(X[1::2], y[1::2]), 2)
    0.85
    """

    _opposite = "branchline.neighbors.ParzenRegressor"
    _constraints: ClassVar = PARZEN

    def __init__(
        self,
        *,
        bandwidth: Any = "auto",
        kernel: Any = "gaussian",
        distance: str = "overlap",
        metric: str = "euclidean",
        scale: str = "sd",
        column_weights: Any = "relevance",
        n_jobs: int | None = None,
    ) -> None:
        self.bandwidth = bandwidth
        self.kernel = kernel
        self.distance = distance
        self.metric = metric
        self.scale = scale
        self.column_weights = column_weights
        self.n_jobs = n_jobs

    def predict_proba(self, X: Any) -> Numbers:
        """Return the weighted share of each class among the training rows."""
        self._check_fitted()
        responses = class_responses(self.target_, len(self.classes_))
        return self._over_blocks(X, lambda points: self._weighted_means(points, responses))


class ParzenRegressor(_Parzen, RowsRegressor):
    """Predict the kernel-weighted mean target of all training rows; near rows weigh more.

    Kernel regression of Nadaraya and Watson, on mixed tables.

    Parameters
    ----------
    bandwidth
        Kernel bandwidth: the distance over which a row has influence. A small bandwidth follows
        single rows, a large one averages over many. "auto" (default): chosen by the cross-validated
        squared error inside ``fit``.
    kernel
        How the weight of a row falls with its distance. "gaussian" (default): smoothly, and never
        to 0. "epanechnikov": to 0 at the bandwidth. "boxcar": equal weights within the bandwidth, 0
        beyond. If no row is within the bandwidth, the nearest one decides. Or a kernel of
        ``branchline.kernels`` whose values are at least 0, for texts, graphs, series and histograms
        as well: its value is the weight of a row, and nothing is chosen. Where all are 0, all rows
        count alike. ``bandwidth``, ``distance``, ``metric`` and ``column_weights`` have no effect
        then; numbers are standardized (``scale="sd"``) or as they are ("none").
    distance
        How categories are compared. "value_difference" (default): by the mean target of their rows.
        "overlap": equal or not.
    metric
        "euclidean" (default) or "manhattan", over the columns.
    scale
        Columns are divided by: "sd" (default), their standard deviation; "range", their range
        (unequal categories are 1 apart); "none", nothing.
    column_weights
        Weights of the columns in the distance. "relevance" (default): by how much of the target the
        column explains by itself. "tuned": these weights, then adjusted on held-out rows. None: all
        equal. Or a mapping of column names to weights; columns that are not named have weight 1.
    n_jobs
        Number of threads of ``kneighbors``; None (default): all cores. Results do not depend on it.

    Attributes
    ----------
    bandwidth_
        The bandwidth that was chosen, or given; None with a kernel of ``branchline.kernels``.
    cv_curve_
        A row for each bandwidth that was tried: the bandwidth and its cross-validated mean squared
        error.
    column_weights_
        The weight of each column; 0 for one that does not vary.
    rows_, row_numbers_, target_
        The training rows, the number that each had in the table ``fit`` was given, and their
        targets.
    space_
        The coordinates in which distances are measured.

    See Also
    --------
    NearestNeighborsRegressor : predict the mean target of the most similar training rows.
    ParzenClassifier : predict the class by a kernel-weighted vote of all training rows.

    Examples
    --------
    >>> from branchline import load_dataset
    >>> from branchline.neighbors import ParzenRegressor
    >>> X, y = load_dataset("auto-mpg").split_target("mpg")
    >>> model = ParzenRegressor().fit(X[::2], y[::2])
    >>> round(model.score(X[1::2], y[1::2]), 2)
    0.86
    """

    _opposite = "branchline.neighbors.ParzenClassifier"
    _constraints: ClassVar = PARZEN

    def __init__(
        self,
        *,
        bandwidth: Any = "auto",
        kernel: Any = "gaussian",
        distance: str = "value_difference",
        metric: str = "euclidean",
        scale: str = "sd",
        column_weights: Any = "relevance",
        n_jobs: int | None = None,
    ) -> None:
        self.bandwidth = bandwidth
        self.kernel = kernel
        self.distance = distance
        self.metric = metric
        self.scale = scale
        self.column_weights = column_weights
        self.n_jobs = n_jobs

    def predict(self, X: Any) -> Numbers:
        """Return the weighted mean of the training rows' targets."""
        self._check_fitted()
        values, exponent = scaled_numbers(self.target_)
        means = self._over_blocks(X, lambda rows: self._weighted_means(rows, values[:, None])[:, 0])
        return np.ldexp(means, exponent)
