"""k nearest neighbors for classes and for numbers, on mixed tables.

1. Learn a distance: scales, points of categories and missing values, column weights (``_space``,
   ``_column_weights``).
2. Choose k and the weighting by cross-validation inside the training rows (``_choosing``).
3. Keep the rows. The k nearest (``_search``) of a new row vote; rows that tie at the k-th distance
   share the votes that are left (``_votes``).
"""

from typing import Any, ClassVar

import numpy as np

from branchline._base import FittedState
from branchline._state import malformed, numbers_from_state
from branchline._validation import AnyOf, Constraint, OneOf, Real, TrainingData, Whole
from branchline.neighbors._choosing import WEIGHTINGS, choose
from branchline.neighbors._distance_options import DISTANCE, METRICS, Learner
from branchline.neighbors._fitted_rows import FittedRows
from branchline.neighbors._measured_space import KernelOrFunction
from branchline.neighbors._reducing import Reducing
from branchline.neighbors._reduction import reduction_from_state
from branchline.neighbors._responses import Numbers, scaled_numbers
from branchline.neighbors._tasks import RowsClassifier, RowsRegressor
from branchline.neighbors._votes import class_votes, number_means
from branchline.table import Schema

__all__ = ["NearestNeighborsClassifier", "NearestNeighborsRegressor"]

NEIGHBORS: dict[str, Constraint] = {
    "n_neighbors": AnyOf((OneOf(("auto",)), Whole(1))),
    "weights": OneOf(("auto", *WEIGHTINGS)),
    **DISTANCE,
    "metric": AnyOf((OneOf((*METRICS, "correlation", "precomputed")), KernelOrFunction())),
}


class _NearestNeighbors(FittedRows):
    """What both tasks share: choosing k, and the chosen values in model files."""

    n_neighbors: Any
    weights: str
    n_neighbors_: int
    weights_: str
    cv_curve_: Numbers

    def _chosen(self, rows: TrainingData, learn: Learner) -> dict[str, Any]:
        """Return k, the weighting and the curve they were chosen by."""
        n_rows = rows.table.n_rows
        choice = choose(
            rows,
            learn,
            k=None if self.n_neighbors == "auto" else min(int(self.n_neighbors), n_rows),
            weights=self.weights,
            n_threads=self._threads(n_rows, n_rows),
        )
        return {
            "n_neighbors_": choice.n_neighbors,
            "weights_": choice.weights,
            "cv_curve_": choice.curve,
        }

    def to_text(self) -> str:
        """Return the model as text: the number of neighbors, and the weights of columns."""
        self._check_fitted()
        how = "equally" if self.weights_ == "uniform" else "by 1 / distance"
        head = f"the {self.n_neighbors_} nearest of {self.rows_.n_rows} rows, weighted {how}"
        return "\n".join([head, *self._columns_as_text()])

    def _pack(self) -> FittedState:
        return {
            **super()._pack(),
            "n_neighbors": self.n_neighbors_,
            "weights": self.weights_,
            # A model file holds no NaN among its numbers: −1 marks what was not tried.
            "cv_curve": np.where(np.isnan(self.cv_curve_), -1.0, self.cv_curve_).ravel(),
        }

    def _unpack(self, state: FittedState, schema: Schema) -> FittedState:
        kept = super()._unpack(state, schema)
        count, weights, curve = (state.get(name) for name in ("n_neighbors", "weights", "cv_curve"))
        if type(count) is not int or not 1 <= count <= kept["rows_"].n_rows:
            raise malformed("'n_neighbors' is not a number of rows")
        if not isinstance(weights, str) or weights not in WEIGHTINGS:
            raise malformed("'weights' is not a weighting")
        length = len(curve) if isinstance(curve, np.ndarray) else 0
        numbers = numbers_from_state(state, "cv_curve", length=length // 3 * 3, low=-1.0)
        rows = numbers.reshape(-1, 3)
        return {
            **kept,
            "n_neighbors_": count,
            "weights_": weights,
            "cv_curve_": np.where(rows < 0, np.nan, rows),
        }


class NearestNeighborsClassifier(Reducing, _NearestNeighbors, RowsClassifier):
    """Predict the class that is most frequent among the most similar training rows.

    Rows of mixed tables are compared without encoding: numbers in standard deviations, categories
    by equality or by outcome; a missing value is as far from a value as a random one would be.

    Parameters
    ----------
    n_neighbors
        Number of neighbors k that vote. "auto" (default): chosen from 1 to 51 by cross-validation
        inside ``fit``. If there are fewer training rows, all of them vote.
    weights
        "uniform": all neighbors have the same weight; "distance": the weight is 1 / distance;
        "auto" (default): the better of the two in the same cross-validation.
    distance
        How categories are compared. "overlap" (default): equal or not. "value_difference": by how
        frequent the classes are among their rows, so that categories with similar outcomes are
        near; choose it for columns with many categories (with "overlap", all but the 63 most
        frequent count as one).
    metric
        The distance of two rows. "euclidean" (default) or "manhattan": over the columns;
        "manhattan" is less sensitive to a large difference in a single column. "correlation": 1 − ρ
        over numeric columns. "precomputed": X is a square matrix of distances, and new rows bring
        their distances from all training rows. A kernel of ``branchline.kernels``: √(k(a, a) + k(b,
        b) − 2 k(a, b)), for texts, graphs, series and histograms as well. A function: of two rows,
        or of two blocks of rows that gives a matrix; a model with a function cannot be saved. All
        but the first two ignore ``distance`` and compare every pair of rows.
    scale
        Columns are divided by: "sd" (default), their standard deviation; "range", their range
        (unequal categories are 1 apart); "none", nothing: for columns in the same unit.
        "correlation" and kernels take standardized numbers ("sd") or numbers as they are ("none");
        a function and a matrix always see them as they are.
    column_weights
        Weights of the columns in the distance. "relevance" (default): by how much of the class the
        column explains by itself. "tuned": these weights, then adjusted on held-out rows (slower).
        None: all equal, as in the textbook. Or a mapping of column names to weights; columns that
        are not named have weight 1.
    smoothing
        Number of votes that are given to the classes by their frequencies before rows vote. Above
        0, no probability is 0. Default 0.0.
    n_jobs
        Number of threads; None (default): all cores. Results do not depend on it.

    Attributes
    ----------
    classes_
        The classes, sorted.
    n_neighbors_, weights_
        The number of neighbors and the weighting that were chosen, or given.
    cv_curve_
        A row for each k that was tried: k, the cross-validated error with uniform weights, and the
        one with weights by distance (NaN where not tried). Empty when nothing had to be chosen.
    column_weights_
        The weight of each column; 0 for one that does not vary. With a correlation, a kernel or a
        function all are 1; with a matrix of distances, 0.
    rows_, row_numbers_
        The training rows, in an order that depends on their content only, and the number that each
        had in the table ``fit`` was given.
    target_
        The class of each of these rows, as an index into ``classes_``.
    space_
        The coordinates in which distances are measured, or the measure that takes their place.
    reduction_
        The report of ``edit`` or ``condense``; None when all rows were kept.

    See Also
    --------
    ParzenClassifier : all rows within a distance.
    NearestNeighborsRegressor

    Examples
    --------
    >>> from branchline import load_dataset
    >>> from branchline.neighbors import NearestNeighborsClassifier
    >>> X, y = load_dataset("iris").split_target("species")
    >>> model = NearestNeighborsClassifier(n_neighbors=5).fit(X[::2], y[::2])
    >>> round(model.score(X[1::2], y[1::2]), 2)
    0.96
    """

    _opposite = "branchline.neighbors.NearestNeighborsRegressor"
    _constraints: ClassVar = {**NEIGHBORS, "smoothing": Real(0.0)}

    def __init__(
        self,
        *,
        n_neighbors: Any = "auto",
        weights: str = "auto",
        distance: str = "overlap",
        metric: Any = "euclidean",
        scale: str = "sd",
        column_weights: Any = "relevance",
        smoothing: float = 0.0,
        n_jobs: int | None = None,
    ) -> None:
        self.n_neighbors = n_neighbors
        self.weights = weights
        self.distance = distance
        self.metric = metric
        self.scale = scale
        self.column_weights = column_weights
        self.smoothing = smoothing
        self.n_jobs = n_jobs

    def _chosen(self, rows: TrainingData, learn: Learner) -> dict[str, Any]:
        return {**super()._chosen(rows, learn), "reduction_": None}

    def predict_proba(self, X: Any) -> Numbers:
        """Return the share of the neighbors' votes for each class."""
        return self._over_blocks(X, self._frequencies)

    def _frequencies(self, points: Any) -> Numbers:
        n_classes, own = len(self.classes_), self.target_
        nearest = self._nearest(points, self.n_neighbors_)
        votes = class_votes(nearest, self.n_neighbors_, self.weights_, own, n_classes)
        if self.smoothing > 0:
            votes = votes + self.smoothing * (np.bincount(own, minlength=n_classes) / len(own))
        frequencies: Numbers = votes / np.add.reduce(votes, axis=1, keepdims=True)
        return frequencies

    # -- saving -------------------------------------------------------------------------------

    def _pack(self) -> FittedState:
        report = None if self.reduction_ is None else self.reduction_.to_dict()
        return {**super()._pack(), "reduction": report}

    def _unpack(self, state: FittedState, schema: Schema) -> FittedState:
        kept = super()._unpack(state, schema)
        reduction = reduction_from_state(state.get("reduction"), kept["rows_"].n_rows)
        return {**kept, "reduction_": reduction}


class NearestNeighborsRegressor(_NearestNeighbors, RowsRegressor):
    """Predict the mean target of the most similar training rows.

    Parameters
    ----------
    n_neighbors
        Number of neighbors k whose targets are averaged. "auto" (default): chosen from 1 to 51 by
        the cross-validated squared error inside ``fit``. If there are fewer training rows, all
        count.
    weights
        "uniform": all neighbors have the same weight; "distance": the weight is 1 / distance;
        "auto" (default): the better of the two in the same cross-validation.
    distance
        How categories are compared. "value_difference" (default): by the mean target of their rows,
        so that categories with similar outcomes are near. "overlap": equal or not (all but the 63
        most frequent categories of a column count as one).
    metric
        The distance of two rows. "euclidean" (default) or "manhattan": over the columns;
        "manhattan" is less sensitive to a large difference in a single column. "correlation": 1 − ρ
        over numeric columns. "precomputed": X is a square matrix of distances, and new rows bring
        their distances from all training rows. A kernel of ``branchline.kernels``: √(k(a, a) + k(b,
        b) − 2 k(a, b)), for texts, graphs, series and histograms as well. A function: of two rows,
        or of two blocks of rows that gives a matrix; a model with a function cannot be saved. All
        but the first two ignore ``distance`` and compare every pair of rows.
    scale
        Columns are divided by: "sd" (default), their standard deviation; "range", their range
        (unequal categories are 1 apart); "none", nothing: for columns in the same unit.
        "correlation" and kernels take standardized numbers ("sd") or numbers as they are ("none");
        a function and a matrix always see them as they are.
    column_weights
        Weights of the columns in the distance. "relevance" (default): by how much of the target the
        column explains by itself. "tuned": these weights, then adjusted on held-out rows (slower).
        None: all equal, as in the textbook. Or a mapping of column names to weights; columns that
        are not named have weight 1.
    n_jobs
        Number of threads; None (default): all cores. Results do not depend on it.

    Attributes
    ----------
    n_neighbors_, weights_
        The number of neighbors and the weighting that were chosen, or given.
    cv_curve_
        A row for each k that was tried: k, the cross-validated mean squared error with uniform
        weights, and the one with weights by distance (NaN where not tried). Empty when there was no
        choice.
    column_weights_
        The weight of each column; 0 for one that does not vary. With a correlation, a kernel or a
        function all are 1; with a matrix of distances, 0.
    rows_, row_numbers_
        The training rows, in an order that depends on their content only, and the number that each
        had in the table ``fit`` was given.
    target_
        The targets of these rows.
    space_
        The coordinates in which distances are measured, or the measure that takes their place.

    See Also
    --------
    ParzenRegressor
    NearestNeighborsClassifier

    Examples
    --------
    >>> from branchline import load_dataset
    >>> from branchline.neighbors import NearestNeighborsRegressor
    >>> X, y = load_dataset("auto-mpg").split_target("mpg")
    >>> model = NearestNeighborsRegressor(n_neighbors=5).fit(X[::2], y[::2])
    >>> round(model.score(X[1::2], y[1::2]), 2)
    0.84
    """

    _opposite = "branchline.neighbors.NearestNeighborsClassifier"
    _constraints: ClassVar = NEIGHBORS

    def __init__(
        self,
        *,
        n_neighbors: Any = "auto",
        weights: str = "auto",
        distance: str = "value_difference",
        metric: Any = "euclidean",
        scale: str = "sd",
        column_weights: Any = "relevance",
        n_jobs: int | None = None,
    ) -> None:
        self.n_neighbors = n_neighbors
        self.weights = weights
        self.distance = distance
        self.metric = metric
        self.scale = scale
        self.column_weights = column_weights
        self.n_jobs = n_jobs

    def predict(self, X: Any) -> Numbers:
        """Return the (weighted) mean of the neighbors' targets."""
        values, exponent = scaled_numbers(self._checked_target())
        return np.ldexp(self._over_blocks(X, lambda points: self._means(points, values)), exponent)

    def _checked_target(self) -> Numbers:
        self._check_fitted()
        return self.target_

    def _means(self, points: Any, values: Numbers) -> Numbers:
        nearest = self._nearest(points, self.n_neighbors_)
        return number_means(nearest, self.n_neighbors_, self.weights_, values)
