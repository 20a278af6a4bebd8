"""Parzen windows: every training row counts, by a kernel of its distance.

1. Learn a distance on the mixed table (``_space``, ``_column_weights``).
2. Choose the bandwidth by cross-validation inside the training rows (``_kernel_means``).
3. Keep the rows; a new row gets the weighted mean of their targets, or of their classes.
"""

from typing import Any, ClassVar, Self

import numpy as np
import numpy.typing as npt

from branchline._base import Classifier, FittedState, Regressor, reports_progress
from branchline._plain_numbers import number
from branchline._state import (
    classes_from_state,
    classes_to_state,
    malformed,
    number_from_state,
    numbers_from_state,
)
from branchline._validation import AnyOf, Constraint, OneOf, Real, TrainingData
from branchline.neighbors._distance_options import DISTANCE, DistanceLearner, learner_for
from branchline.neighbors._fitted_rows import FittedRows, class_target_from_state
from branchline.neighbors._kernel_means import (
    KERNELS,
    Responses,
    choose_bandwidth,
    class_responses,
    kernel_means,
)
from branchline.neighbors._responses import Numbers, scaled_numbers
from branchline.neighbors._stored_rows import in_canonical_order
from branchline.table import Schema

__all__ = ["ParzenClassifier", "ParzenRegressor"]

# What is smaller is 0 as far as rows are concerned, and may be divided by.
_LEAST_WIDTH = 1e-300
PARZEN: dict[str, Constraint] = {
    "bandwidth": AnyOf((OneOf(("auto",)), Real(1e-100, 1e300))),
    "kernel": OneOf(tuple(KERNELS)),
    **DISTANCE,
}


class _Parzen(FittedRows):
    """What both tasks share: choosing the bandwidth, weighing rows, model files."""

    # Exponentials of many numbers at a time may differ from single ones in the last bit.
    _tolerance = 1e-12

    bandwidth: Any
    kernel: str
    bandwidth_: float
    cv_curve_: Numbers

    def _chosen(self, rows: TrainingData, learn: DistanceLearner) -> dict[str, Any]:
        """Return the bandwidth and the curve it was chosen by, in the unit of distances."""
        if self.bandwidth != "auto":
            return {"bandwidth_": float(self.bandwidth), "cv_curve_": np.zeros((0, 2))}
        width, curve = choose_bandwidth(rows, learn, metric=self.metric, kernel=self.kernel)
        space = learn(rows)
        curve[:, 0] = space.in_units(curve[:, 0])
        return {"bandwidth_": float(space.in_units(np.array(width))), "cv_curve_": curve}

    def _weighted_means(self, points: Numbers, responses: Responses) -> Numbers:
        return kernel_means(
            points,
            self._search.points,
            responses,
            metric=self._search.metric,
            kernel=self.kernel,
            h=max(float(np.ldexp(self.bandwidth_, -self.space_.unit)), _LEAST_WIDTH),
        )

    def to_text(self) -> str:
        """Return the model as text: its kernel and bandwidth, and what each column counts."""
        self._check_fitted()
        width = f"a {self.kernel} kernel of bandwidth {number(self.bandwidth_)}"
        head = f"{self.rows_.n_rows} rows, weighted by {width}"
        lines = self._columns_as_text()
        return "\n".join([head, "weights of columns:" if lines else "no column counts", *lines])

    def _pack(self) -> FittedState:
        return {
            **super()._pack(),
            "bandwidth": self.bandwidth_,
            "cv_curve": self.cv_curve_.ravel(),
        }

    def _unpack(self, state: FittedState, schema: Schema) -> FittedState:
        kept = super()._unpack(state, schema)
        width = number_from_state(state, "bandwidth")
        if not width > 0:
            raise malformed("'bandwidth' is not above 0")
        curve = state.get("cv_curve")
        length = len(curve) if isinstance(curve, np.ndarray) and curve.ndim == 1 else 0
        rows = numbers_from_state(state, "cv_curve", length=length // 2 * 2, low=0.0)
        return {**kept, "bandwidth_": width, "cv_curve_": rows.reshape(-1, 2)}


class ParzenClassifier(_Parzen, Classifier):
    """Predict the class with the largest share of the rows around, the near ones counting more.

    Parameters
    ----------
    bandwidth
        How far a row's influence reaches, in the unit of distances: small follows every row, large
        averages over many. "auto" chooses by cross-validated errors inside ``fit``.
    kernel
        How a row's influence falls with distance: "gaussian" smoothly and never to nothing;
        "epanechnikov" to nothing at the bandwidth; "boxcar": all rows within the bandwidth count
        alike. Where no row is within reach, the nearest decides.
    distance
        How categories are compared. "overlap": equal or not. "value_difference": by how frequent
        the classes are among their rows.
    metric
        "euclidean" or "manhattan", over the columns.
    scale
        What columns are divided by: "sd", their standard deviation; "range" for numbers, while
        unequal categories are 1 apart; "none": nothing.
    column_weights
        "relevance": a column counts by how much it tells about the class by itself; "tuned": these
        weights are adjusted on held-out rows; None: all count alike; or a mapping of column names
        to weights, 1 where nothing is said.
    n_jobs
        Threads of ``kneighbors``; None for all cores. The result does not depend on it.

    Attributes
    ----------
    classes_
        The classes, sorted.
    bandwidth_
        The bandwidth that was chosen, or given.
    cv_curve_
        A row for each bandwidth that was tried: the bandwidth and its cross-validated error.
    column_weights_
        The weight of each column; 0 for one that does not vary.
    rows_, row_numbers_, target_
        The training rows, the number that each had in the table ``fit`` was given, and the class of
        each as an index into ``classes_``.
    space_
        How a row becomes a point.

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
        kernel: str = "gaussian",
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

    @reports_progress
    def fit(self, X: Any, y: Any) -> Self:
        """Learn the distance, choose the bandwidth, keep the rows."""
        data = self._begin(X, y, None)
        rows, row_numbers = in_canonical_order(data)
        learn = learner_for(self, rows)
        chosen = self._chosen(rows, learn)
        target = rows.class_target
        kept = self._remember(rows, row_numbers, target.class_of_row, learn)
        return self._finish(data, classes_=target.classes, **chosen, **kept)

    def predict_proba(self, X: Any) -> Numbers:
        """Return the weighted share of each class among the training rows."""
        self._check_fitted()
        responses = class_responses(self.target_, len(self.classes_))
        return self._over_blocks(X, lambda points: self._weighted_means(points, responses))

    def _names(self) -> npt.NDArray[Any]:
        names: npt.NDArray[Any] = self.classes_[self.target_]
        return names

    def _pack(self) -> FittedState:
        return {**super()._pack(), "classes": classes_to_state(self.classes_)}

    def _unpack(self, state: FittedState, schema: Schema) -> FittedState:
        kept = super()._unpack(state, schema)
        classes = classes_from_state(state)
        target = class_target_from_state(state, kept["rows_"].n_rows, len(classes))
        return {**kept, "classes_": classes, "target_": target}


class ParzenRegressor(_Parzen, Regressor):
    """Predict the mean target of the rows around, the near ones counting more.

    Kernel regression of Nadaraya and Watson, on mixed tables.

    Parameters
    ----------
    bandwidth
        How far a row's influence reaches, in the unit of distances: small follows every row, large
        averages over many. "auto" chooses by cross-validated squared error inside ``fit``.
    kernel
        How a row's influence falls with distance: "gaussian" smoothly and never to nothing;
        "epanechnikov" to nothing at the bandwidth; "boxcar": all rows within the bandwidth count
        alike. Where no row is within reach, the nearest decides.
    distance
        How categories are compared. "value_difference": by the mean target of their rows.
        "overlap": equal or not.
    metric
        "euclidean" or "manhattan", over the columns.
    scale
        What columns are divided by: "sd", their standard deviation; "range" for numbers, while
        unequal categories are 1 apart; "none": nothing.
    column_weights
        "relevance": a column counts by how much it tells about the target by itself; "tuned": these
        weights are adjusted on held-out rows; None: all count alike; or a mapping of column names
        to weights, 1 where nothing is said.
    n_jobs
        Threads of ``kneighbors``; None for all cores. The result does not depend on it.

    Attributes
    ----------
    bandwidth_
        The bandwidth that was chosen, or given.
    cv_curve_
        A row for each bandwidth that was tried: the bandwidth and its cross-validated mean squared
        error.
    column_weights_
        The weight of each column; 0 for one that does not vary.
    rows_, row_numbers_, target_
        The training rows, the number that each had in the table ``fit`` was given, and their
        targets.
    space_
        How a row becomes a point.

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
        kernel: str = "gaussian",
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

    @reports_progress
    def fit(self, X: Any, y: Any) -> Self:
        """Learn the distance, choose the bandwidth, keep the rows."""
        data = self._begin(X, y, None)
        rows, row_numbers = in_canonical_order(data)
        learn = learner_for(self, rows)
        chosen = self._chosen(rows, learn)
        kept = self._remember(rows, row_numbers, rows.number_target.values, learn)
        return self._finish(data, **chosen, **kept)

    def predict(self, X: Any) -> Numbers:
        """Return the weighted mean of the training rows' targets."""
        self._check_fitted()
        values, exponent = scaled_numbers(self.target_)
        means = self._over_blocks(X, lambda rows: self._weighted_means(rows, values[:, None])[:, 0])
        return np.ldexp(means, exponent)

    def _names(self) -> npt.NDArray[Any]:
        return self.target_

    def _unpack(self, state: FittedState, schema: Schema) -> FittedState:
        kept = super()._unpack(state, schema)
        return {**kept, "target_": numbers_from_state(state, "target", length=kept["rows_"].n_rows)}
