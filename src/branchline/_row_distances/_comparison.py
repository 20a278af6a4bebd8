"""How rows are compared: what a metric learns from training rows, and the distances it gives.

1. "euclidean", "manhattan" and "correlation" see the table as numbers (``_prepared_table``), in
   their units or divided by their standard deviations; "gower" sees numbers divided by their range
   and categories as equal or different.
2. Only columns known in both rows count, and the sum is scaled up to all columns.
3. Two rows without a common known column are as far apart as two rows are on average.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from branchline import _core
from branchline._arrays import Floats, Places
from branchline._memory import refuse_over_budget
from branchline._prepared_table import Preparation, fit_preparation
from branchline._state import malformed, number_from_state, numbers_from_state
from branchline._validation import TrainingData
from branchline.table import Schema, Table

__all__ = ["METRICS", "Comparison", "fit_comparison"]

METRICS = ("auto", "euclidean", "manhattan", "correlation", "gower")
# Differences of cells this large, and squares of shares this large, are finite.
_LARGEST = np.finfo(np.float64).max / 4
_FAR = 1e100
_KINDS = {"euclidean": 0, "manhattan": 1, "correlation": 2, "gower": 3}


@dataclass(frozen=True, eq=False)
class Comparison:
    """A metric that has seen training rows.

    Parameters
    ----------
    kind
        "euclidean", "manhattan", "correlation" or "gower".
    preparation
        How a table becomes numbers; None for columns taken as they are.
    places
        The columns taken as they are, numbers first; empty with a preparation.
    n_numbers
        How many of the columns are numbers.
    low, reach
        The lowest number and the range of each of them.
    unknown
        The distance of two rows of which no column is known in both.
    """

    kind: str
    preparation: Preparation | None
    places: Places
    n_numbers: int
    low: Floats
    reach: Floats
    unknown: float

    @property
    def unit(self) -> float:
        """What distances of the numbers are multiplied by."""
        if self.preparation is None or self.kind == "correlation":
            return 1.0
        return self.preparation.unit

    @property
    def width(self) -> int:
        """The number of columns that rows have as numbers."""
        held = self.preparation
        return len(self.places) if held is None else int(held.kept.sum())

    def rows(self, table: Table) -> Floats:
        """Return rows as numbers, NaN where a cell is missing."""
        if self.preparation is not None:
            matrix = self.preparation.matrix(table)
        else:
            names = [table.names[place] for place in self.places]
            cells = [_cells(table, name) for name in names]
            matrix = np.stack(cells, axis=1) if cells else np.zeros((table.n_rows, 0))
            with np.errstate(over="ignore"):  # new rows may be far from all training rows
                shares = (matrix[:, : self.n_numbers] - self.low) / self.reach
            matrix[:, : self.n_numbers] = np.clip(shares, -_FAR, _FAR)
        return np.ascontiguousarray(matrix, dtype=np.float64)

    def between(self, a: Floats, b: Floats | None = None, *, n_threads: int = 1) -> Floats:
        """Return the distance of each row of a from each row of b (or of a)."""
        n_others = len(a) if b is None else len(b)
        refuse_over_budget(8 * len(a) * n_others, "the matrix of distances")
        found = _core.row_distances(self._form(a), a, b, n_threads)
        if self.unit != 1.0:
            found *= self.unit  # in place: the matrix may fill most of the memory
        return found

    def condensed(self, a: Floats, *, n_threads: int = 1) -> Floats:
        """Return the distance of each pair of rows: 0 and 1, 0 and 2, and so on."""
        refuse_over_budget(4 * len(a) * len(a), "the distances of all pairs")
        found = _core.condensed_distances(self._form(a), a, n_threads)
        found *= self.unit
        return found

    def _form(self, a: Floats) -> Any:
        is_gower = self.kind == "gower"
        n_numbers = self.n_numbers if is_gower else a.shape[1]
        return _core.DistanceForm(_KINDS[self.kind], n_numbers, self.unknown)

    def pack(self) -> dict[str, Any]:
        """Return the metric as plain values."""
        held = self.preparation
        return {
            "kind": self.kind,
            "preparation": {} if held is None else held.pack(),
            "places": self.places.astype(np.float64),
            "n_numbers": float(self.n_numbers),
            "low": self.low,
            "reach": self.reach,
            "unknown": self.unknown,
        }

    @staticmethod
    def unpack(state: Any, schema: Schema) -> "Comparison":
        """Check packed values and return the metric."""
        named = state.get("kind") if isinstance(state, Mapping) else None
        if not isinstance(named, str) or named not in _KINDS:
            raise malformed("the metric is missing")
        packed, kind = state.get("preparation"), str(state["kind"])
        if not isinstance(packed, dict):
            raise malformed("the preparation of the table is missing")
        held = Preparation.unpack(packed, schema) if packed else None
        places = _whole(state, "places", len(schema))
        n_numbers = number_from_state(state, "n_numbers")
        if n_numbers not in range(len(places) + 1) or (held is not None and len(places)):
            raise malformed("the columns of a metric do not fit together")
        low = numbers_from_state(state, "low", length=int(n_numbers))
        reach = numbers_from_state(state, "reach", length=int(n_numbers))
        unknown = number_from_state(state, "unknown")
        if (reach <= 0).any() or unknown < 0:
            raise malformed("a range is not above 0")
        return Comparison(kind, held, places, int(n_numbers), low, reach, unknown)


def _whole(state: Mapping[str, Any], name: str, below: int) -> Places:
    values = state.get(name)
    n_values = len(values) if isinstance(values, np.ndarray) and values.ndim == 1 else -1
    numbers = numbers_from_state(state, name, length=n_values)
    if not np.isin(numbers, np.arange(below)).all():
        raise malformed(f"{name!r} are not places of columns")
    return numbers.astype(np.intp)


def fit_comparison(
    rows: TrainingData, weights: Floats, metric: str, standardize: Any
) -> tuple[Comparison, Floats]:
    """Learn a metric; return it and the training rows as numbers."""
    kinds = {field.type.kind for field in rows.table.schema}
    kind = ("gower" if "category" in kinds else "euclidean") if metric == "auto" else metric
    scaled = metric == "auto" if standardize == "auto" else bool(standardize)
    if kind == "gower":
        fitted = _fit_columns(rows.table, weights)
    elif kind == "correlation" and not scaled and "category" not in kinds:
        places = np.arange(rows.table.n_columns)
        zeros = np.zeros(len(places))
        fitted = Comparison(kind, None, places, len(places), zeros, zeros + 1, 1.0)
    else:
        held, matrix = fit_preparation(rows, weights, standardize=scaled)
        unknown = _typical(kind, matrix, weights)
        none = np.zeros(0)
        made = Comparison(kind, held, np.zeros(0, np.intp), 0, none, none, unknown)
        return made, np.ascontiguousarray(matrix)
    return fitted, fitted.rows(rows.table)


def _cells(table: Table, name: str) -> Floats:
    column = table.column(name)
    if column.kind == "numeric":
        return np.clip(np.array(column.numbers(), dtype=np.float64), -_LARGEST, _LARGEST)
    return np.where(column.is_missing, np.nan, column.values.astype(np.float64))


def _fit_columns(table: Table, weights: Floats) -> Comparison:
    """Learn the ranges of numbers; columns that do not vary are left out."""
    numbers, levels, low, reach, apart = [], [], [], [], []
    for place, field in enumerate(table.schema):
        cells = _cells(table, field.name)
        known = np.isfinite(cells)
        if not known.any() or cells[known].min() == cells[known].max():
            continue
        if field.type.kind == "category":
            levels.append(place)
            sums = np.bincount(cells[known].astype(np.intp), weights[known])
            shares = sums / sums.sum()  # squares of sums may be beyond all floats
            apart.append(1.0 - float(shares @ shares))
            continue
        numbers.append(place)
        low.append(float(cells[known].min()))
        reach.append(float(cells[known].max()) - low[-1])
        apart.append(_mean_difference((cells[known] - low[-1]) / reach[-1], weights[known]))
    unknown = float(np.mean(apart)) if apart else 0.0
    places = np.array([*numbers, *levels], dtype=np.intp)
    return Comparison("gower", None, places, len(numbers), np.array(low), np.array(reach), unknown)


def _typical(kind: str, matrix: Floats, weights: Floats) -> float:
    """Return about how far apart two rows are."""
    if kind == "correlation":
        return 1.0
    known = np.isfinite(matrix)
    if kind == "euclidean":
        squares = np.where(known, matrix, 0.0) ** 2
        total = 2 * (weights @ squares / np.maximum(weights @ known, 1e-300)).sum()
        return float(np.sqrt(total))
    apart = (
        _mean_difference(column[held], weights[held])
        for column, held in zip(matrix.T, known.T, strict=True)
        if held.any()
    )
    return float(sum(apart))


def _mean_difference(values: Floats, weights: Floats) -> float:
    """Return the mean difference of two values: 2 ∫ F (1 − F) over the distribution F."""
    order = np.argsort(values, kind="stable")
    share = np.cumsum(weights[order]) / weights.sum()
    return float(2 * (share[:-1] * (1 - share[:-1])) @ np.diff(values[order]))
