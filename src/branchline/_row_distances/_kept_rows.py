"""Training rows that a clustering keeps, so that new rows can be compared with them."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from branchline._arrays import Floats, Places
from branchline._row_distances._comparison import Comparison
from branchline._row_distances._given_distances import numbers_of
from branchline._state import malformed, number_from_state, numbers_from_state
from branchline.table import Schema, Table

__all__ = ["KeptRows"]


@dataclass(frozen=True, eq=False)
class KeptRows:
    """Rows as a metric sees them, or their places where distances were given as a matrix.

    Parameters
    ----------
    comparison
        The metric; None where distances were given.
    points
        The rows as numbers, or one column with the places of the rows in the matrix.
    """

    comparison: Comparison | None
    points: Floats

    @staticmethod
    def of_matrix(places: Places) -> "KeptRows":
        """Return rows of a matrix of distances, by their places in it."""
        return KeptRows(None, places.astype(np.float64)[:, None])

    def __len__(self) -> int:
        return len(self.points)

    def rows(self, chosen: Places) -> "KeptRows":
        """Return some of the rows, in the order of ``chosen``."""
        return KeptRows(self.comparison, np.ascontiguousarray(self.points[chosen]))

    def seen(self, table: Table) -> Floats:
        """Return new rows as the metric sees them; of a matrix, distances from kept rows."""
        if self.comparison is not None:
            return self.comparison.rows(table)
        return np.ascontiguousarray(numbers_of(table)[:, self.points[:, 0].astype(np.intp)])

    def distances(self, seen: Floats, *, n_threads: int = 1) -> Floats:
        """Return the distance of each row from each kept row."""
        if self.comparison is None:
            return seen
        return self.comparison.between(seen, self.points, n_threads=n_threads)

    def pack(self) -> dict[str, Any]:
        """Return the rows as plain values."""
        unknown = np.isnan(self.points)
        return {
            "comparison": {} if self.comparison is None else self.comparison.pack(),
            "points": np.where(unknown, 0.0, self.points).ravel(),
            "unknown": unknown.astype(np.float64).ravel(),
            "n_points": float(len(self.points)),
        }

    @staticmethod
    def unpack(state: Mapping[str, Any], schema: Schema) -> "KeptRows":
        """Check packed values and return the rows."""
        packed, points = state.get("comparison"), state.get("points")
        n_points = number_from_state(state, "n_points")
        size = len(points) if isinstance(points, np.ndarray) and points.ndim == 1 else -1
        is_count = 1 <= n_points <= 10**9 and n_points == int(n_points)
        if not isinstance(packed, dict) or not is_count:
            raise malformed("the rows of the clusters are missing")
        held = Comparison.unpack(packed, schema) if packed else None
        width = 1 if held is None else held.width
        if size != n_points * width:
            raise malformed("rows of the clusters have other columns than their metric")
        values = numbers_from_state(state, "points", length=size)
        unknown = numbers_from_state(state, "unknown", length=size)
        if held is None and not np.isin(values, np.arange(len(schema))).all():
            raise malformed("a row of the clusters is not a row of the matrix")
        values = np.where(unknown > 0, np.nan, values).reshape(int(n_points), width)
        return KeptRows(held, values)
