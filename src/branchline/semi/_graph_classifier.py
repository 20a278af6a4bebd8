"""What label propagation and label spreading share: the graph, new rows, the model file.

1. Rows are put in canonical order, equal ones merged; they become points of a metric.
2. The graph links each row with its nearest neighbors (``_row_graph``).
3. The subclass says how labels go along links, which gives each row a share of each class.
4. A new row gets the mean shares of its nearest training rows, weighted as links are. A row that is
   equal to training rows gets theirs.
"""

from collections.abc import Mapping
from typing import Any, ClassVar, Self

import numpy as np

from branchline._arrays import Bools, Floats
from branchline._base import Complexity, FittedState, reports_progress
from branchline._canonical_rows import canonical_rows_with_origins
from branchline._partly_labeled import PartlyLabeled, labeled_rows
from branchline._row_distances._comparison import METRICS, fit_comparison
from branchline._row_distances._kept_rows import KeptRows
from branchline._state import (
    are_frequencies,
    classes_from_state,
    classes_to_state,
    malformed,
    number_from_state,
    numbers_from_state,
)
from branchline._validation import (
    AnyOf,
    Constraint,
    Flag,
    OneOf,
    Whole,
    count_threads,
)
from branchline.semi._row_graph import nearest, row_graph, weights_of
from branchline.table import Schema

__all__ = ["GraphClassifier"]


class GraphClassifier(PartlyLabeled):
    """A classifier whose labels go from row to row along the links of a graph."""

    _opposite = None
    _constraints: ClassVar[dict[str, Constraint]] = {
        "n_neighbors": Whole(1),
        "metric": OneOf(METRICS),
        "standardize": AnyOf((Flag(), OneOf(("auto",)))),
    }
    _tolerance = 1e-8
    _copies_of_columns_count = True
    _left_out_of_files = frozenset({"transduction_", "label_distributions_"})
    n_neighbors: int
    metric: str
    standardize: bool | str
    n_jobs: int | None
    label_distributions_: Floats
    n_linked_: int
    _kept: KeptRows
    _reach: Floats
    _shares: Floats
    _mass: Floats

    def _spread(self, graph: Any, mass: Floats, known: Floats) -> Floats:
        """Return the share of each class in each row; rows of ``known`` without a label are 0."""
        raise NotImplementedError

    @reports_progress
    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Let labels spread over all rows; rows whose target is missing have none yet."""
        data = self._begin_partly(X, y, sample_weight)
        n_threads = count_threads(self.n_jobs, data.table.n_rows**2)
        rows, origins = canonical_rows_with_origins(data, merge=True, n_threads=n_threads)
        mass = rows.weights.of_rows(rows.table.n_rows)
        comparison, points = fit_comparison(rows, mass, self.metric, self.standardize)
        is_labeled = labeled_rows(rows)
        graph, reach, n_linked = row_graph(
            comparison, points, is_labeled, int(self.n_neighbors), n_threads
        )
        classes = rows.class_target.classes
        known = np.zeros((len(points), len(classes)))
        known[is_labeled, rows.class_target.class_of_row[is_labeled]] = 1.0
        shares = _as_shares(self._spread(graph, mass, known), known, mass)
        every = shares[origins.canonical_of_row]
        return self._finish_with_rows(  # type: ignore[no-any-return]
            X,
            data,
            np.argmax(every, axis=1),
            classes_=classes,
            label_distributions_=every,
            n_linked_=n_linked,
            _kept=KeptRows(comparison, points),
            _reach=reach,
            _shares=shares,
            _mass=mass,
        )

    def predict_proba(self, X: Any) -> Floats:
        """Return the mean class shares of the nearest training rows, weighted as links are."""
        table = self._check_rows(X).table
        seen, kept = self._kept.seen(table), self._kept
        assert kept.comparison is not None
        n_threads = count_threads(self.n_jobs, len(seen) * len(kept))
        k = min(int(self.n_neighbors), len(kept))
        found = nearest(kept.comparison, seen, kept.points, k, n_threads)
        own = np.where(found.distances[:, -1:] > 0, found.distances[:, -1:], 1.0)
        weights = weights_of(found.distances, own, self._reach[found.places])
        is_equal = found.distances == 0
        weights = np.where(is_equal.any(axis=1, keepdims=True), is_equal, weights)
        weights = weights * self._mass[found.places]
        sums = np.einsum("rk,rkc->rc", weights, self._shares[found.places])
        return np.asarray(sums / sums.sum(axis=1, keepdims=True))

    def _complexity(self) -> Complexity:
        return Complexity(len(self._kept), "rows")

    # -- saving ---------------------------------------------------------------------------------

    def _pack(self) -> FittedState:
        return {
            **self._kept.pack(),
            "classes": classes_to_state(self.classes_),
            "shares": self._shares.ravel(),
            "reach": self._reach,
            "mass": self._mass,
            "n_linked": float(self.n_linked_),
        }

    def _unpack(self, state: FittedState, schema: Schema) -> FittedState:
        classes, kept = classes_from_state(state), KeptRows.unpack(state, schema)
        if kept.comparison is None:
            raise malformed("the metric of the rows is missing")
        return {"classes_": classes, "_kept": kept, **_arrays(state, len(kept), len(classes))}


def _arrays(state: Mapping[str, Any], n_rows: int, n_classes: int) -> dict[str, Any]:
    """Return what is known of each row, checked."""
    shares = numbers_from_state(state, "shares", length=n_rows * n_classes, low=0.0, high=1.0)
    shares = shares.reshape(n_rows, n_classes)
    reach = numbers_from_state(state, "reach", length=n_rows)
    mass = numbers_from_state(state, "mass", length=n_rows)
    n_linked = number_from_state(state, "n_linked")
    if not are_frequencies(shares) or (reach <= 0).any() or (mass <= 0).any():
        raise malformed("shares, distances or masses of rows are out of range")
    if n_linked != int(n_linked) or not 0 <= n_linked <= n_rows:
        raise malformed("the number of linked parts is out of range")
    return {"_shares": shares, "_reach": reach, "_mass": mass, "n_linked_": int(n_linked)}


def _as_shares(found: Floats, known: Floats, mass: Floats) -> Floats:
    """Return shares that add up to 1; those of the labels where nothing arrived."""
    found = np.maximum(found, 0.0)
    total = found.sum(axis=1, keepdims=True)
    usual = mass @ known
    even = np.broadcast_to(usual / usual.sum(), found.shape)
    shares: Floats = np.divide(found, total, out=np.array(even), where=total > 0)
    return shares


def class_mass(shares: Floats, is_labeled: Bools, known: Floats, mass: Floats) -> Floats:
    """Return shares of unlabeled rows scaled so that classes are as frequent as among labels."""
    if is_labeled.all():
        return shares
    wanted = mass[is_labeled] @ known[is_labeled]
    found = mass[~is_labeled] @ shares[~is_labeled]
    scaled = shares.copy()
    scaled[~is_labeled] *= np.divide(wanted, found, out=np.zeros_like(wanted), where=found > 0)
    return scaled
