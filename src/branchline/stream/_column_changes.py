"""Which columns changed: rows before and after a moment, compared column by column.

1. The last rows of the stream are kept, up to a number of cells.
2. Numbers are compared by the two-sample test of Kolmogorov and Smirnov, categories by a
   chi-squared test of their frequencies, and missing values likewise.
3. A column has changed when its q-value (Benjamini and Hochberg) is at most 0.01.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy import stats

from branchline._arrays import AnyArray
from branchline._false_discovery import false_discovery
from branchline._plain_numbers import fine_percent, number
from branchline.table import Column, Table

__all__ = ["ColumnChange", "RecentRows"]

_LEVEL = 0.01
_MOST_CELLS = 2_000_000
_FEWEST = 30  # rows on each side
_MOST_LEVELS = 50


@dataclass(frozen=True)
class ColumnChange:
    """A column whose values are distributed otherwise than before.

    Parameters
    ----------
    column
        Its name.
    before, after
        What it was like: the median of a number, the most changed category with its share, or the
        share of missing values.
    q_value
        How probable so large a difference is where nothing changed, corrected for all columns.

    See Also
    --------
    DiaryEntry : a change of the stream that made errors rise.

    Examples
    --------
    >>> from branchline.stream import ColumnChange
    >>> ColumnChange("age", "mean 41", "mean 55", 0.001).q_value
    0.001
    """

    column: str
    before: str
    after: str
    q_value: float

    def __str__(self) -> str:
        return f"{self.column}: {self.before} → {self.after}"


class RecentRows:
    """The last rows of a stream.

    Parameters
    ----------
    most
        The most rows that are kept; fewer when there are many columns.
    """

    def __init__(self, most: int) -> None:
        self._most = most
        self._parts: list[tuple[int, dict[str, AnyArray]]] = []  # the first row, and columns

    def add(self, table: Table, first: int) -> None:
        """Keep the rows of a batch; ``first`` is the number of its first row."""
        most = max(2 * _FEWEST, min(self._most, _MOST_CELLS // max(1, table.n_columns)))
        begin = max(0, table.n_rows - most)
        kept = table.rows(slice(begin, table.n_rows))
        self._parts.append((first + begin, {c.name: _cells(c) for c in kept.columns}))
        end = first + table.n_rows
        while len(self._parts) > 1 and self._parts[1][0] <= end - most:
            self._parts.pop(0)

    def changes(self, begin: int, at: int, end: int) -> tuple[ColumnChange, ...] | None:
        """Compare rows from ``begin`` to ``at`` with those from ``at`` to ``end``.

        None where too few of them were kept.
        """
        before, after = self._between(begin, at), self._between(at, end)
        if not before or not after or min(_length(before), _length(after)) < _FEWEST:
            return None
        found = []
        for name in before:
            if name in after:
                found += _tests(name, before[name], after[name])
        if not found:
            return ()
        corrected = false_discovery(np.array([one[1] for one in found]))
        best: dict[str, ColumnChange] = {}
        for (change, _), q in zip(found, corrected.tolist(), strict=True):
            known = best.get(change[0])
            if q <= _LEVEL and (known is None or q < known.q_value):
                best[change[0]] = ColumnChange(*change, float(q))
        return tuple(sorted(best.values(), key=lambda one: (one.q_value, one.column)))

    def _between(self, begin: int, end: int) -> dict[str, AnyArray]:
        parts = []
        for first, columns in self._parts:
            low, high = max(0, begin - first), end - first
            if high > low and _length(columns) > low:
                parts.append({name: cells[low:high] for name, cells in columns.items()})
        if not parts:
            return {}
        return {
            name: np.concatenate([part[name] for part in parts])
            for name in parts[0]
            if all(name in part and part[name].dtype == parts[0][name].dtype for part in parts)
        }


def _cells(column: Column) -> AnyArray:
    if column.kind == "numeric":
        return column.numbers().astype(np.float64)
    cells: AnyArray = np.empty(len(column), dtype=object)
    cells[:] = [None if cell is None else str(cell) for cell in column.to_list()]
    return cells


def _length(columns: dict[str, AnyArray]) -> int:
    return len(next(iter(columns.values()), ()))


def _tests(
    name: str, before: AnyArray, after: AnyArray
) -> list[tuple[tuple[str, str, str], float]]:
    """Return what a column was and is like, with p-values: its values, its missing cells."""
    found = []
    gone = [_missing(before), _missing(after)]
    known = before[~gone[0]], after[~gone[1]]
    counts = np.array([[int(one.sum()), int((~one).sum())] for one in gone])
    if counts[:, 0].any():
        words = [f"{fine_percent(float(one.mean()))} missing" for one in gone]
        found.append(((name, words[0], words[1]), _chi_squared(counts)))
    if min(map(len, known)) >= _FEWEST:
        compare = _numbers if before.dtype == np.float64 else _categories
        found.append(compare(name, *known))
    return found


def _missing(cells: AnyArray) -> AnyArray:
    if cells.dtype == np.float64:
        return np.isnan(cells)
    return np.array([cell is None for cell in cells], dtype=bool)


def _numbers(name: str, before: AnyArray, after: AnyArray) -> tuple[tuple[str, str, str], float]:
    p = float(stats.ks_2samp(before, after, method="asymp").pvalue)
    words = [f"median {number(float(np.median(one)), 3)}" for one in (before, after)]
    if words[0] == words[1]:
        ends = [np.percentile(one, [10, 90]).tolist() for one in (before, after)]
        words = [f"80 % from {number(low, 3)} to {number(high, 3)}" for low, high in ends]
    return (name, words[0], words[1]), p


def _categories(name: str, before: AnyArray, after: AnyArray) -> tuple[tuple[str, str, str], float]:
    names, codes = np.unique(np.concatenate([before, after]).astype(str), return_inverse=True)
    counts = np.vstack(
        [
            np.bincount(part, minlength=len(names))
            for part in (codes[: len(before)], codes[len(before) :])
        ]
    )
    shares = counts / counts.sum(axis=1, keepdims=True)
    most = int(np.argmax(np.abs(shares[1] - shares[0])))
    words = [f"{names[most]} {fine_percent(float(part[most]))}" for part in shares]
    return (name, words[0], words[1]), _chi_squared(_pooled(counts))


def _pooled(counts: AnyArray) -> AnyArray:
    """Join rare categories, of which fewer than ten rows are expected."""
    order = np.argsort(-counts.sum(axis=0), kind="stable")
    frequent = [at for at in order[:_MOST_LEVELS] if counts[:, at].sum() >= 10]
    rest = np.setdiff1d(order, frequent)
    return np.column_stack([counts[:, frequent], counts[:, rest].sum(axis=1)])


def _chi_squared(counts: AnyArray) -> float:
    used: Any = counts[:, counts.sum(axis=0) > 0]
    if used.shape[1] < 2:
        return 1.0
    return float(stats.chi2_contingency(used, correction=False).pvalue)
