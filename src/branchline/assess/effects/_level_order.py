"""An order of categories in which neighbors have similar rows (Apley and Zhu, 2020, appendix E).

1. Ordered categories keep their order.
2. The distance of two categories is the sum over the other columns of how much their rows differ:
   the greatest distance of the cumulative shares (numbers), or half the sum of the differences of
   shares (categories).
3. Classical scaling puts the categories on a line whose distances are near to those; the order is
   that of the line.
"""

import numpy as np
import numpy.typing as npt

from branchline.table import Column, Table

__all__ = ["level_order"]

Floats = npt.NDArray[np.float64]
Places = npt.NDArray[np.intp]


def level_order(rows: Table, column: Column, codes: npt.NDArray[np.generic]) -> Places:
    """Return the places of categories in an order in which neighbors are alike."""
    if len(codes) < 3 or column.type.source in {"ordered", "boolean"}:
        return np.arange(len(codes))
    groups = [np.flatnonzero(column.values == code) for code in codes]
    others = [rows.column(name) for name in rows.names if name != column.name]
    distance = np.zeros((len(codes), len(codes)))
    for other in others:
        distance += _distances(_shares(other, groups))
    line = _on_a_line(distance)
    return np.argsort(line if line[0] <= line[-1] else -line, kind="stable")


def _shares(other: Column, groups: list[Places]) -> tuple[Floats, bool]:
    """Return a row for each group: shares of categories, or cumulative shares at all numbers."""
    if other.kind == "category":
        codes = np.maximum(other.values, -1) + 1
        n_codes = len(other.categories) + 1
        counts = [np.bincount(codes[group], minlength=n_codes) for group in groups]
        return np.array(counts) / np.array([max(1, len(group)) for group in groups])[:, None], False
    numbers = np.asarray(other.numbers(), dtype=np.float64)
    known = [np.sort(numbers[group][np.isfinite(numbers[group])]) for group in groups]
    grid = (
        np.unique(np.quantile(np.concatenate(known), np.linspace(0, 1, 101)))
        if any(map(len, known))
        else np.zeros(1)
    )
    shares = [np.searchsorted(one, grid, side="right") / max(1, len(one)) for one in known]
    return np.array(shares), True


def _distances(shares: tuple[Floats, bool]) -> Floats:
    table, is_cumulative = shares
    differences = np.abs(table[:, None, :] - table[None, :, :])
    found: Floats = differences.max(axis=2) if is_cumulative else differences.sum(axis=2) / 2
    return found


def _on_a_line(distance: Floats) -> Floats:
    """Return the first coordinate of classical scaling."""
    center = np.eye(len(distance)) - 1.0 / len(distance)
    inner = -0.5 * center @ distance**2 @ center
    values, vectors = np.linalg.eigh(inner)
    found: Floats = vectors[:, -1] * np.sqrt(max(values[-1], 0.0))
    return found
