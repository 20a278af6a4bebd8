"""Columns that stand in for each other: groups whose values tell nearly the same.

Two columns are alike when their symmetric uncertainty 2 I(A; B) / (H(A) + H(B)) is at least a
limit: 1 for copies (in any units, or as other names), 0 for independent columns. Groups are the
connected parts. Mixed columns are compared by their codes, missing as a value.
"""

from collections.abc import Sequence

import numpy as np

from branchline._arrays import AnyArray
from branchline.features._scored_rows import ScoredRows

__all__ = ["alike_groups"]


def alike_groups(
    rows: ScoredRows, columns: Sequence[int], limit: float = 0.9
) -> tuple[tuple[int, ...], ...]:
    """Return groups of two or more columns that are alike, among ``columns``."""
    few = rows.only(columns)  # a ranking may not have coded the others
    values = {column: few.values_of(place) for place, column in enumerate(columns)}
    size = {column: int(values[column].max()) + 1 for column in columns}
    weights = None if rows.units is None else rows.weights
    spread = {column: _entropy(np.bincount(values[column], weights)) for column in columns}
    group_of = {column: column for column in columns}
    for place, one in enumerate(columns):
        for other in columns[place + 1 :]:
            if group_of[one] == group_of[other] or not _may_be(spread[one], spread[other], limit):
                continue
            joint = _entropy(np.bincount(values[one] * size[other] + values[other], weights))
            both = spread[one] + spread[other]
            if 2 * (both - joint) / both >= limit:
                old, new = group_of[other], group_of[one]
                group_of = {
                    name: new if group == old else group for name, group in group_of.items()
                }
    groups: dict[int, list[int]] = {}
    for column in columns:
        groups.setdefault(group_of[column], []).append(column)
    return tuple(tuple(group) for group in groups.values() if len(group) > 1)


def _may_be(one: float, other: float, limit: float) -> bool:
    """Whether columns of these entropies can be alike: I is at most the smaller entropy."""
    return min(one, other) > 0 and 2 * min(one, other) / (one + other) >= limit


def _entropy(weights: AnyArray) -> float:
    known = weights[weights > 0]
    total = known.sum()
    return float(np.log(total) - (known * np.log(known)).sum() / total) if total > 0 else 0.0
