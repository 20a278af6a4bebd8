"""What the estimators of this room share once they are fitted: rows, a distance, and the search.

1. ``_remember`` keeps the rows in canonical order, the space of the distance, and the search.
2. Predictions are made in blocks of rows.
3. A model file holds rows, target and space; the search is built again when it is read.
"""

import warnings
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from typing import Any, ClassVar, Self

import numpy as np
import numpy.typing as npt
from sklearn.base import clone
from sklearn.utils import Tags

from branchline._base import Complexity, Estimator, FittedState, one_row
from branchline._explanation import Explanation
from branchline._plain_numbers import cell
from branchline._plain_numbers import number as plain_number
from branchline._state import array_from_state, malformed, numbers_from_state
from branchline._validation import (
    ClassTarget,
    NumberTarget,
    Owner,
    TrainingData,
    check_target,
    count_threads,
)
from branchline.errors import BranchlineWarning, ParameterError, Repair
from branchline.neighbors._any_space import (
    AnySpace,
    check_can_explain,
    check_can_grow,
    pack_any,
    reads_text,
    search_in,
    unpack_any,
)
from branchline.neighbors._distance_options import Learner
from branchline.neighbors._measured_space import AnySearch, MeasuredSpace
from branchline.neighbors._responses import Numbers, Whole
from branchline.neighbors._search import Nearest
from branchline.neighbors._stored_rows import pack_rows, stack, stored, unpack_rows
from branchline.table import Schema, Table, as_table

__all__ = ["FittedRows", "class_target_from_state"]

_BLOCK_ROWS = 2**14
_SHOWN_ROWS = 5
_SHOWN_COLUMNS = 3
_MOST_WEIGHT = 1e6


class FittedRows(Estimator):
    """An estimator that keeps its training rows and looks for the nearest ones."""

    _copies_of_columns_count: ClassVar[bool] = True

    metric: Any
    n_jobs: int | None
    rows_: Table
    row_numbers_: Whole
    target_: npt.NDArray[Any]
    space_: AnySpace
    column_weights_: Numbers
    _search: AnySearch

    def _remember(
        self, rows: TrainingData, row_numbers: Whole, target: Any, learn: Learner
    ) -> dict[str, Any]:
        """Return the fitted attributes of rows in canonical order."""
        weights = learn.weights(rows)
        space = learn.space(rows, weights)
        used = np.zeros(len(weights), dtype=bool)
        used[space.places] = True
        return {
            "rows_": stored(rows.table),
            "row_numbers_": row_numbers,
            "target_": target,
            "space_": space,
            "column_weights_": np.where(used, weights, 0.0),
            "_search": search_in(space, rows.table, self.metric, row_numbers),
        }

    def _threads(self, n_queries: int, n_rows: int) -> int:
        return count_threads(self.n_jobs, n_queries * n_rows)

    # -- searching ----------------------------------------------------------------------------

    def _rows_to_predict(self, X: Any) -> Table:
        """Return rows in the fitted schema; texts that were unseen in training stay known."""
        self._check_fitted()
        if reads_text(self.space_):
            return as_table(X, texts="raw")
        return self._check_rows(X).table

    def _blocks(self, table: Table) -> Iterator[Any]:
        """Yield the points of rows to predict, a block at a time."""
        for at in range(0, max(1, table.n_rows), _BLOCK_ROWS):
            yield self.space_.of(table.rows(slice(at, at + _BLOCK_ROWS)))

    def _over_blocks(self, X: Any, work: Callable[[Any], Numbers]) -> Numbers:
        """Apply ``work`` to the points of each block of rows, and join the results."""
        table = self._rows_to_predict(X)
        if table.n_rows <= _BLOCK_ROWS:
            return work(self.space_.of(table))
        return np.concatenate([work(points) for points in self._blocks(table)])

    def _nearest(self, points: Any, k: int) -> Nearest:
        n_threads = self._threads(len(points), self.rows_.n_rows)
        return self._search.nearest(points, k, n_threads=n_threads)

    def kneighbors(self, X: Any, n_neighbors: int = 5) -> tuple[Numbers, Whole]:
        """Return the nearest training rows of each row, with their distances.

        Parameters
        ----------
        X
            Rows in the columns of the training table.
        n_neighbors
            Number of neighbors; at most the number of training rows.

        Returns
        -------
        distances, row_numbers
            Two arrays, a row for each row of X, the nearest first. Row numbers count from 0 in the
            table that ``fit`` was given; of rows at the same distance the lower number comes first.
        """
        table = self._rows_to_predict(X)
        _check_count(n_neighbors, self.rows_.n_rows)
        found = [self._ranked(points, n_neighbors) for points in self._blocks(table)]
        distances, rows = (np.concatenate(part) for part in zip(*found, strict=True))
        return self.space_.in_units(distances), rows

    def _ranked(self, points: Any, k: int) -> tuple[Numbers, Whole]:
        nearest = self._nearest(points, k)
        rows = self.row_numbers_[nearest.point]
        order = np.lexsort((rows, nearest.tie_first))
        places = order[nearest.first[:-1, None] + np.arange(k)]
        return nearest.distance[places], rows[places]

    # -- more rows ----------------------------------------------------------------------------

    def partial_fit(self, X: Any, y: Any, classes: Any = None) -> Self:
        """Add rows; the first call fits.

        The result is that of ``fit`` on all rows so far: whatever depends on them (scales, weights
        of columns, k when it is "auto") is learned again. So with a given number of neighbors a
        call costs one pass over the rows. A call that fails changes nothing.

        Parameters
        ----------
        X, y
            Further rows and their targets. Columns are found by name; new categories are welcome.
        classes
            Ignored; present because scikit-learn's tools pass it.
        """
        if not self.__sklearn_is_fitted__():
            return self.fit(X, y)  # type: ignore[no-any-return]
        check_can_grow(self.space_)
        # Sorted by number, the rows are again in the order in which they were given.
        order = np.argsort(self.row_numbers_)
        table = stack(self.rows_.rows(order), X, type(self).__name__)
        more = self._check_more(y, table.n_rows - len(order))
        fresh = clone(self).fit(table, _joined_target(self._names()[order], more))
        self.__dict__.update(fresh.__dict__)
        return self

    def _check_more(self, y: Any, n_rows: int) -> Any:
        owner = Owner(type(self).__name__, self._opposite)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", BranchlineWarning)  # one class among a few rows
            return check_target(y, n_rows, task=self._task, owner=owner)

    def _names(self) -> npt.NDArray[Any]:
        """Return the target of the stored rows as the user gave it."""
        raise NotImplementedError

    # -- reading ------------------------------------------------------------------------------

    def _complexity(self) -> Complexity:
        return Complexity(self.rows_.n_rows, "rows")

    def explain(self, row: Any) -> Explanation:
        """Say why one row is predicted as it is, with a share for each column.

        Parameters
        ----------
        row
            A table of one row, or a mapping of column names to values.
        """
        self._check_fitted()
        check_can_explain(self.space_)
        if not reads_text(self.space_):
            found: Explanation = super().explain(row)
            return found
        is_cells = isinstance(row, Mapping) and not any(np.ndim(cell) for cell in row.values())
        return self._explain(one_row(as_table([row] if is_cells else row, texts="raw")))

    def _explain(self, row: Table) -> Explanation:
        explanation = super()._explain(row)
        distances, numbers = self.kneighbors(row, min(_SHOWN_ROWS, self.rows_.n_rows))
        place = {number: at for at, number in enumerate(self.row_numbers_.tolist())}
        names, lines = self._names(), ["nearest rows:"]
        for distance, number in zip(distances[0], numbers[0].tolist(), strict=True):
            cells, words = self._main_cells(place[number]), plain_number(distance)
            lines.append(f"  row {number}: {_short(names[place[number]])}, {words} away{cells}")
        noted: Explanation = replace(explanation, notes=tuple(lines))
        return noted

    def _main_cells(self, at: int) -> str:
        """Return the cells of a stored row in the columns that weigh most."""
        order = np.argsort(-self.column_weights_, kind="stable")[:_SHOWN_COLUMNS]
        columns = [self.rows_.columns[place] for place in order if self.column_weights_[place] > 0]
        cells = [f"{column.name} = {_short(column.take([at]).to_list()[0])}" for column in columns]
        return f" ({', '.join(cells)})" if cells else ""

    def _columns_as_text(self) -> list[str]:
        """Return the weights of columns, a line each, the largest first."""
        if isinstance(self.space_, MeasuredSpace):
            return [f"distance: {self.space_.measure}"]
        order = np.argsort(-self.column_weights_, kind="stable")
        used = [place for place in order.tolist() if self.column_weights_[place] > 0]
        lines = [
            f"  {self.rows_.names[at]}: {plain_number(self.column_weights_[at], 3)}" for at in used
        ]
        return ["weights of columns:" if lines else "no column has any weight", *lines]

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.input_tags.pairwise = isinstance(self.metric, str) and self.metric == "precomputed"
        return tags

    # -- saving -------------------------------------------------------------------------------

    def __getstate__(self) -> Any:
        """Leave the search out: it is built again from the rows."""
        state = dict(super().__getstate__())
        state.pop("_search", None)
        return state

    def _pack(self) -> FittedState:
        return {
            **pack_rows(self.rows_, self.row_numbers_),
            **pack_any(self.space_),
            "target": self.target_,
            "column_weights": self.column_weights_,
        }

    def _unpack(self, state: FittedState, schema: Schema) -> FittedState:
        table, row_numbers = unpack_rows(state, schema)
        space = unpack_any(self, state, schema, row_numbers)
        weights = numbers_from_state(
            state, "column_weights", length=len(schema), low=0.0, high=_MOST_WEIGHT
        )
        if sorted(np.flatnonzero(weights)) != sorted(space.places.tolist()):
            raise malformed("'column_weights' are not those of the columns that count")
        return {
            "rows_": table,
            "row_numbers_": row_numbers,
            "space_": space,
            "column_weights_": weights,
            "_search": search_in(space, table, self.metric, row_numbers),
        }


def class_target_from_state(state: FittedState, n_rows: int, n_classes: int) -> Any:
    """Return the class index of each stored row, checked."""
    target = array_from_state(state, "target", np.dtype(np.uint32), length=n_rows)
    if target.max() >= n_classes:
        raise malformed("a row's class is not one of the classes")
    return target


def _check_count(n_neighbors: Any, n_rows: int) -> None:
    is_whole = isinstance(n_neighbors, int | np.integer) and not isinstance(n_neighbors, bool)
    if is_whole and 1 <= n_neighbors <= n_rows:
        return
    raise ParameterError(
        f"The 'n_neighbors' argument must be a whole number from 1 to {n_rows}, the number of "
        f"training rows. Got {n_neighbors!r} instead.",
        code="P041",
        values=[n_neighbors],
        repair=Repair(f"model.kneighbors(X, n_neighbors={min(5, n_rows)})"),
    )


def _joined_target(known: npt.NDArray[Any], more: ClassTarget | NumberTarget) -> npt.NDArray[Any]:
    """Return old and new targets as one array, without turning numbers into text."""
    names = more.classes[more.class_of_row] if isinstance(more, ClassTarget) else more.values
    if (known.dtype.kind in "UO") != (names.dtype.kind in "UO"):
        known, names = known.astype(object), names.astype(object)
    return np.concatenate([known, names])


def _short(value: Any) -> str:
    if value is None:
        return "missing"
    text = cell(float(value)) if isinstance(value, float | np.floating) else str(value)
    return text if len(text) <= 24 else text[:23] + "…"
