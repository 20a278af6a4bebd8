"""Training rows as scores of columns need them: in canonical order, coded, with counts.

1. Equal rows are merged and sorted by content, so that the order of rows changes no bit.
2. Numbers with many values are grouped into bins of about equal weight; missing is a value of its
   own. With n rows there are about √(n / 10) bins, 2 to 20. Columns of up to 20 values keep them
   where each value has five rows on average.
3. Numbers to predict are grouped in the same way where a score needs classes.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt

from branchline._arrays import Bools, Floats, Places
from branchline._canonical_rows import canonical_rows
from branchline._codes import Codes, fit_codes
from branchline._validation import ClassTarget, TrainingData
from branchline.table import Table

__all__ = ["Counts", "ScoredRows"]

Units = npt.NDArray[np.int64]

_MOST_BINS = 20
_ROWS_OF_A_VALUE = 5
_CELLS_AT_ONCE = 2_000_000


@dataclass(frozen=True)
class Counts:
    """Weights of rows by value of a column and class (or other code): columns × values × classes.

    Parameters
    ----------
    columns
        Positions of the columns.
    weight
        The weight of each cell. Values that no row has are zeros.
    """

    columns: Places
    weight: Floats


@dataclass(frozen=True, eq=False)
class ScoredRows:
    """Rows whose columns are scored.

    Parameters
    ----------
    data
        The rows, in canonical order, equal ones merged.
    n_threads
        Threads that kernels may use.
    """

    data: TrainingData
    n_threads: int = 1

    @classmethod
    def of(cls, data: TrainingData, n_threads: int = 1) -> "ScoredRows":
        """Return the rows of a fit, ready to be scored."""
        return cls(canonical_rows(data, merge=True, n_threads=n_threads), n_threads)

    @property
    def table(self) -> Table:
        """The inputs."""
        return self.data.table

    @property
    def has_classes(self) -> bool:
        """Whether classes are predicted."""
        return isinstance(self.data.target, ClassTarget)

    @cached_property
    def weights(self) -> Floats:
        """The weight of each row: how many rows it stands for."""
        return self.data.weights.of_rows(self.table.n_rows)

    @property
    def n_rows(self) -> float:
        """The number of rows, by weight."""
        return float(self.weights.sum())

    @property
    def units(self) -> Units | None:
        """Whole weights; None: every row counts once."""
        return self.data.weights.units

    @cached_property
    def n_bins(self) -> int:
        """How many bins a number with many values gets."""
        return int(np.clip(np.sqrt(self.n_rows / 10) + 1, 2, _MOST_BINS))

    @cached_property
    def codes(self) -> Codes:
        """All columns as codes: 0 is missing."""
        coarse = self._many_valued()
        if not coarse.any():
            return self._coded(self.table, _MOST_BINS)
        names = np.array(self.table.names, dtype=object)
        binned = self._coded(self.table.select(names[coarse]), self.n_bins)
        if coarse.all():
            return binned
        exact = self._coded(self.table.select(names[~coarse]), _MOST_BINS)
        order = np.argsort(np.concatenate([np.flatnonzero(coarse), np.flatnonzero(~coarse)]))

        def joined(name: str) -> tuple[Any, ...]:
            both = (*getattr(binned, name), *getattr(exact, name))
            return tuple(both[place] for place in order)

        return Codes(
            joined("columns"),
            joined("lowest"),
            joined("highest"),
            np.array(joined("n_codes"), dtype=np.int64),
            np.array(joined("is_category"), dtype=bool),
            joined("pooling"),
        )

    def _coded(self, table: Table, max_bins: int) -> Codes:
        return fit_codes(table, units=self.units, max_bins=max_bins, n_threads=self.n_threads)

    def _many_valued(self) -> Bools:
        """Return which numeric columns have too many values for the number of rows."""
        if self.n_bins == _MOST_BINS:
            return np.zeros(self.table.n_columns, dtype=bool)
        steps = np.diff(np.sort(self.numbers, axis=0), axis=0) > 0
        n_values = steps.sum(axis=0) + 1
        is_fine = (n_values * _ROWS_OF_A_VALUE <= self.n_rows) & (n_values <= _MOST_BINS)
        return np.asarray(~is_fine & (n_values > self.n_bins))

    @cached_property
    def class_of_row(self) -> Places:
        """The class of each row; for numbers, the bin of its target."""
        if self.has_classes:
            return self.data.class_target.class_of_row.astype(np.intp)
        numbers = Table.from_matrix(self.data.number_target.values[:, None])
        coded = fit_codes(numbers, units=self.units, max_bins=self.n_bins)
        return coded.columns[0].astype(np.intp) - 1

    @cached_property
    def n_classes(self) -> int:
        """The number of classes, or of bins of the target."""
        return int(self.class_of_row.max()) + 1

    def only(self, columns: Sequence[int]) -> "ScoredRows":
        """Return the same rows with some of the columns; each is coded as it was."""
        names = [self.table.names[column] for column in columns]
        return ScoredRows(replace(self.data, table=self.table.select(names)), self.n_threads)

    def values_of(self, column: int) -> Places:
        """Return the value of each row in a column, as a code from 0 (missing)."""
        return self.codes.columns[column].astype(np.intp)

    def counts(self) -> Iterator[Counts]:
        """Yield the counts of all columns by class, some columns at a time."""
        return self.counts_with(self.class_of_row, self.n_classes)

    def counts_with(self, other: Places, n_other: int) -> Iterator[Counts]:
        """Yield the counts of all columns by another column of codes."""
        sizes = 1 << np.frexp(self.codes.n_codes)[1]  # a power of 2 with room for 0, missing
        for size in np.unique(sizes):
            alike = np.flatnonzero(sizes == size)
            step = max(1, _CELLS_AT_ONCE // max(self.table.n_rows, int(size) * n_other))
            for begin in range(0, len(alike), step):
                yield self._count(alike[begin : begin + step], int(size), other, n_other)

    def _count(self, columns: Places, size: int, other: Places, n_other: int) -> Counts:
        values = np.stack([self.codes.columns[column] for column in columns])
        places = (np.arange(len(columns))[:, None] * size + values) * n_other + other
        weights: Any = None
        if self.units is not None:
            weights = np.broadcast_to(self.weights, places.shape).ravel()
        cells = np.bincount(places.ravel(), weights, len(columns) * size * n_other)
        return Counts(columns, cells.astype(np.float64).reshape(len(columns), size, n_other))

    @cached_property
    def numbers(self) -> Floats:
        """Numeric columns as a matrix (NaN: missing); categories as NaN."""
        if self.table.matrix is not None:
            return np.asarray(self.table.matrix, dtype=np.float64)
        out = np.full(self.table.shape, np.nan, order="F")
        for place, column in enumerate(self.table.columns):
            if column.kind == "numeric":
                out[:, place] = column.numbers()
        return out

    @cached_property
    def is_number(self) -> Bools:
        """Which columns are numeric."""
        kinds = [field.type.kind == "numeric" for field in self.table.schema]
        return np.array(kinds, dtype=bool)
