"""Relevance of columns, exactly, on small discrete tables.

With Y the target, V all columns and P the shares of rows of the table itself:

- X is *strongly* relevant when P(Y | V) ≠ P(Y | V without X): nothing replaces it.
- X is *weakly* relevant when it is not strongly relevant, but P(Y | X, S) ≠ P(Y | S) for some set S
  of other columns, its witness.
- else X is *irrelevant*.
- A *Markov boundary* is a smallest set M with P(Y | V) = P(Y | M).

Whole numbers are compared, so there is no tolerance: a table that is a sample shows nearly every
column as relevant. This is for truth tables and worked examples; for data use ``rank_columns``.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import combinations
from typing import Any, Literal

import numpy as np
import numpy.typing as npt

from branchline._arrays import Places
from branchline._codes import fit_codes
from branchline._result_frame import Library, result_frame
from branchline._validation import Owner, check_training_data, guess_task
from branchline.errors import DataError, Repair
from branchline.features._conditional_test import joint_codes
from branchline.table import as_table

__all__ = ["ColumnRelevance", "Relevance", "relevance"]

_MOST_COLUMNS = 12
_MOST_VALUES = 50

Degree = Literal["strong", "weak", "irrelevant"]


@dataclass(frozen=True)
class ColumnRelevance:
    """How relevant a column is, and the columns beside which it tells something.

    See Also
    --------
    Relevance : the relevance of every column.
    relevance : say of each column of a small discrete table whether it is relevant, with a proof.

    Examples
    --------
    >>> from branchline.features import relevance
    >>> xor = {"a": [0, 0, 1, 1], "b": [0, 1, 0, 1], "y": [0, 1, 1, 0]}
    >>> column = relevance(xor, "y").columns[0]
    >>> column.degree, len(column.witness)
    ('strong', 1)
    """

    name: str
    degree: Degree
    witness: tuple[str, ...] = ()

    def __str__(self) -> str:
        if self.degree == "irrelevant":
            return f"{self.name}: irrelevant"
        beside = f"beside {', '.join(self.witness)}" if self.witness else "alone"
        return f"{self.name}: {self.degree} (tells something {beside})"


@dataclass(frozen=True)
class Relevance:
    """The relevance of every column.

    Parameters
    ----------
    columns
        The columns, in the order of the table.
    boundaries
        All smallest sets of columns that tell as much as all together.

    See Also
    --------
    relevance : say of each column of a small discrete table whether it is relevant, with a proof.

    Examples
    --------
    >>> from branchline.features import relevance
    >>> xor = {"a": [0, 0, 1, 1], "b": [0, 1, 0, 1], "y": [0, 1, 1, 0]}
    >>> len(relevance(xor, "y").boundaries)
    1
    """

    columns: tuple[ColumnRelevance, ...]
    boundaries: tuple[tuple[str, ...], ...]

    def __getitem__(self, name: str) -> Degree:
        """Return the degree of a column."""
        return {column.name: column.degree for column in self.columns}[name]

    def __str__(self) -> str:
        lines = [str(column) for column in self.columns]
        sets = " or ".join(f"{{{', '.join(names)}}}" for names in self.boundaries)
        return "\n".join([*lines, f"Markov boundary: {sets}"])

    def to_dict(self) -> dict[str, Any]:
        """Return plain values."""
        return {
            "columns": {
                one.name: {"degree": one.degree, "witness": list(one.witness)}
                for one in self.columns
            },
            "boundaries": [list(names) for names in self.boundaries],
        }

    def to_frame(self, library: Library = "pandas") -> Any:
        """Return one row for each column, as a frame of pandas or polars."""
        columns = {
            "column": [one.name for one in self.columns],
            "degree": [one.degree for one in self.columns],
            "witness": [", ".join(one.witness) for one in self.columns],
        }
        return result_frame(columns, library)


def relevance(X: Any, y: Any, *, sample_weight: Any = None) -> Relevance:
    """Say of each column of a small discrete table whether it is relevant, with a proof.

    Parameters
    ----------
    X, y
        The table and its target; or, with ``y`` the name of a column, the table that holds it. Up
        to 12 columns of up to 50 values; missing is a value.
    sample_weight
        Weights of rows: the probabilities of a table that lists each case once.
        Default None: each row is one case.

    See Also
    --------
    Relevance : the relevance of every column.

    Examples
    --------
    >>> from branchline.features import relevance
    >>> xor = {"a": [0, 0, 1, 1], "b": [0, 1, 0, 1], "y": [0, 1, 1, 0]}
    >>> print(relevance(xor, "y"))
    a: strong (tells something beside b)
    b: strong (tells something beside a)
    Markov boundary: {a, b}
    """
    table = as_table(X)
    if isinstance(y, str):
        table, y = table.split_target(y)
    owner = Owner("relevance", None)
    data = check_training_data(table, y, sample_weight, task=guess_task(y), owner=owner)
    counts = _Shares(*_coded(data))
    columns = tuple(counts.column(place, table.names) for place in range(table.n_columns))
    found = tuple(tuple(table.names[at] for at in kept) for kept in counts.boundaries())
    return Relevance(columns, found)


def _coded(data: Any) -> tuple[list[Places], Places, npt.NDArray[np.int64]]:
    n_columns = data.table.n_columns
    if n_columns > _MOST_COLUMNS:
        raise _too_large(f"{n_columns} columns; at most {_MOST_COLUMNS} can be compared")
    codes = fit_codes(data.table)
    for place, n_values in enumerate(codes.n_codes.tolist()):
        if n_values > _MOST_VALUES:
            name = data.table.names[place]
            raise _too_large(f"{n_values} values in {name!r}; at most {_MOST_VALUES}", name)
    target = getattr(data.target, "class_of_row", None)
    if target is None:
        _, target = np.unique(data.target.values, return_inverse=True)
    units = data.weights.units
    weights = np.ones(data.table.n_rows, dtype=np.int64) if units is None else units
    columns = [codes.columns[place].astype(np.intp) for place in range(n_columns)]
    return columns, np.asarray(target, dtype=np.intp), weights


def _too_large(what: str, column: str | None = None) -> DataError:
    return DataError(
        f"Relevance is decided exactly on small discrete tables only; this one has {what}.",
        code="D570",
        column=column,
        repair=Repair("branchline.features.rank_columns(X, y)"),
    )


class _Shares:
    """Counts of a table, and which columns are independent of the target given others."""

    def __init__(
        self, columns: list[Places], target: Places, weights: npt.NDArray[np.int64]
    ) -> None:
        self._columns, self._target, self._weights = columns, target, weights

    def tells(self, of: Iterable[int], given: Iterable[int]) -> bool:
        """Whether columns are informative beside others: exact, by whole numbers."""
        n_rows = len(self._target)
        base = joint_codes([self._columns[at] for at in given], n_rows)
        fine = joint_codes([base, *(self._columns[at] for at in of)], n_rows)
        n_classes = int(self._target.max()) + 1
        coarse_counts = self._count(base, n_classes)
        fine_counts = self._count(fine, n_classes)
        _, first = np.unique(fine, return_index=True)
        parent = coarse_counts[base[first]]
        # P(Y | fine) = P(Y | base): n(fine, y) n(base) = n(base, y) n(fine), as Python's integers.
        left = fine_counts.astype(object) * parent.sum(axis=1, keepdims=True).astype(object)
        right = parent.astype(object) * fine_counts.sum(axis=1, keepdims=True).astype(object)
        return bool((left != right).any())

    def _count(self, group: Places, n_classes: int) -> npt.NDArray[np.int64]:
        counts = np.zeros((int(group.max()) + 1, n_classes), dtype=np.int64)
        np.add.at(counts, (group, self._target), self._weights)
        return counts

    def column(self, place: int, names: tuple[str, ...]) -> ColumnRelevance:
        """Return the degree of a column."""
        others = [at for at in range(len(self._columns)) if at != place]
        is_strong = self.tells([place], others)
        for given in _subsets(others):
            if self.tells([place], given):
                witness = tuple(names[at] for at in given)
                return ColumnRelevance(names[place], "strong" if is_strong else "weak", witness)
        return ColumnRelevance(names[place], "irrelevant")

    def boundaries(self) -> list[tuple[int, ...]]:
        """Return all smallest sets beside which the other columns tell nothing."""
        every = range(len(self._columns))
        found: list[tuple[int, ...]] = []
        for kept in _subsets(every):
            if found and len(kept) > len(found[0]):
                break
            if not self.tells([at for at in every if at not in kept], kept):
                found.append(kept)
        return found


def _subsets(places: Iterable[int]) -> Iterator[tuple[int, ...]]:
    """Yield all subsets, small ones first."""
    every = list(places)
    for size in range(len(every) + 1):
        yield from combinations(every, size)
