"""By which columns a cluster differs from the other rows.

1. A number: the mean inside minus the mean of the other rows, divided by the standard deviation of
   all rows. A category: the same of the indicator of a value; the value of the largest difference
   stands for the column. Missing cells: the same of the indicator "is missing".
2. The 95 % interval is Welch's for numbers and Newcombe's (1998, from Wilson's) for shares. It
   holds for the clusters as they are: clusters were made to differ, so it tests nothing.
"""

import math
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy import stats

from branchline._arrays import Bools, Floats
from branchline._intervals import scaled_wilson
from branchline._plain_numbers import cells, fine_percent, signed
from branchline._plain_text import clean
from branchline.table import Column, Table
from branchline.tree.reading._labels import threshold_words

__all__ = ["ColumnEffect", "column_effects"]

_NORMAL = float(stats.norm.ppf(0.975))


@dataclass(frozen=True)
class ColumnEffect:
    """How a column differs between a cluster and the other rows.

    Parameters
    ----------
    column
        The name of the column.
    value
        The category that is compared, "missing", or None for the mean of a number.
    inside, outside
        The mean, or the share of rows with the value, in the cluster and in the other rows.
    effect, low, high
        The difference in standard deviations, and the ends of its 95 % interval (NaN: unknown).
    words
        Both as a reader wants them.

    See Also
    --------
    ClusterDescription : what one cluster is.
    describe_clusters : say what each cluster is.

    Examples
    --------
    >>> from branchline import load_dataset
    >>> from branchline.cluster import KMeans, describe_clusters
    >>> X, _ = load_dataset("iris").split_target("species")
    >>> effect = describe_clusters(X, KMeans(3).fit(X))[1].effects[0]
    >>> round(effect.inside, 2)
    1.46
    """

    column: str
    value: Any
    inside: float
    outside: float
    effect: float
    low: float
    high: float
    words: str

    @property
    def name(self) -> str:
        """The column, with its value if one is compared."""
        if self.value is None:
            return clean(self.column)
        between = " is " if self.value == "missing" else " = "
        return clean(f"{self.column}{between}{self.value}")

    def __str__(self) -> str:
        ends = "" if math.isnan(self.low) else f" [{signed(self.low, 2)}, {signed(self.high, 2)}]"
        return f"{self.name}: {self.words}; {signed(self.effect, 2)} SD{ends}"

    def to_dict(self) -> dict[str, Any]:
        """Return the effect as plain values."""
        names = ("column", "value", "inside", "outside", "effect", "low", "high")
        return {name: _plain(getattr(self, name)) for name in names}


@dataclass(frozen=True, eq=False)
class _Side:
    """Mean, variance and number of rows on one side."""

    mean: float
    variance: float
    n: float


def column_effects(
    table: Table, weights: Floats, inside: Bools, are_copies: bool, n_columns: int
) -> tuple[ColumnEffect, ...]:
    """Return the columns that differ most between some rows and the others, the strongest first."""
    found = []
    for column in table.columns:
        effects = [*_of_column(column, weights, inside, are_copies)]
        if effects:
            found.append(max(effects, key=_strength))
    found.sort(key=lambda one: (-round(abs(one.effect), 9), one.column))
    return tuple(found[:n_columns])


def _strength(one: ColumnEffect) -> tuple[float, bool]:
    """Return the size of the difference; of two values alike, the one that the cluster has."""
    return round(abs(one.effect), 9), one.effect > 0


def _of_column(
    column: Column, weights: Floats, inside: Bools, are_copies: bool
) -> Iterator[ColumnEffect]:
    known = ~column.is_missing
    if not known.all() and known.any():
        yield from _share(column, "missing", ~known, (weights, inside), are_copies)
    sides = weights[known], inside[known]
    if column.kind != "category":
        values = np.asarray(column.numbers(), dtype=np.float64)[known]
        yield from _mean(column, values, sides, are_copies)
        return
    codes = np.asarray(column.values)[known]
    for code in np.unique(codes):
        level = column.categories[int(code)]
        yield from _share(column, level, codes == code, sides, are_copies)


def _mean(
    column: Column, values: Floats, sides: tuple[Floats, Bools], are_copies: bool
) -> Iterator[ColumnEffect]:
    unit = float(np.abs(values).max(initial=0.0)) or 1.0  # squares stay finite
    parts = _sides(values / unit, *sides, are_copies)
    if parts is None:
        return
    first, second, deviation = parts
    effect = (first.mean - second.mean) / deviation
    low, high = _welch(first, second, effect, deviation)
    means = first.mean * unit, second.mean * unit
    if column.type.is_time:
        texts = [threshold_words(column.type, mean) for mean in means]
    else:
        texts = cells(means, 4)
    words = f"mean {texts[0]}, others {texts[1]}"
    yield ColumnEffect(column.name, None, *means, effect, low, high, words)


def _share(
    column: Column, level: Any, holds: Bools, sides: tuple[Floats, Bools], are_copies: bool
) -> Iterator[ColumnEffect]:
    parts = _sides(holds.astype(np.float64), *sides, are_copies)
    if parts is None:
        return
    first, second, deviation = parts
    effect = (first.mean - second.mean) / deviation
    low, high = _newcombe(first, second)
    words = f"{fine_percent(first.mean)}, others {fine_percent(second.mean)}"
    shares = first.mean, second.mean
    yield ColumnEffect(
        column.name, level, *shares, effect, low / deviation, high / deviation, words
    )


def _sides(
    values: Floats, weights: Floats, inside: Bools, are_copies: bool
) -> tuple[_Side, _Side, float] | None:
    """Return both sides and the deviation of all; None where nothing can be compared."""
    if not inside.any() or inside.all():
        return None
    whole = _side(values, weights, are_copies)
    deviation = math.sqrt(whole.variance)
    if deviation <= 1e-9 * max(abs(whole.mean), 1e-300):
        return None
    first = _side(values[inside], weights[inside], are_copies)
    return first, _side(values[~inside], weights[~inside], are_copies), deviation


def _side(values: Floats, weights: Floats, are_copies: bool) -> _Side:
    total = math.fsum(weights)
    mean = math.fsum(weights * values) / total
    variance = math.fsum(weights * (values - mean) ** 2) / total
    n = total if are_copies else total**2 / math.fsum(weights**2)
    return _Side(min(max(mean, float(values.min())), float(values.max())), variance, n)


def _welch(first: _Side, second: _Side, effect: float, deviation: float) -> tuple[float, float]:
    if min(first.n, second.n) < 2:
        return math.nan, math.nan
    parts = [side.variance / (side.n - 1) for side in (first, second)]
    if sum(parts) == 0:
        return effect, effect
    n_free = sum(parts) ** 2 / sum(
        part**2 / (side.n - 1) for part, side in zip(parts, (first, second), strict=True)
    )
    half = float(stats.t.ppf(0.975, n_free)) * math.sqrt(sum(parts)) / deviation
    return effect - half, effect + half


def _newcombe(first: _Side, second: _Side) -> tuple[float, float]:
    one, two = (scaled_wilson(side.mean, 0.0, side.n, _NORMAL) for side in (first, second))
    middle = one.estimate - two.estimate
    below = math.hypot(one.estimate - one.low, two.high - two.estimate)
    above = math.hypot(one.high - one.estimate, two.estimate - two.low)
    return middle - below, middle + above


def _plain(value: Any) -> Any:
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    return value if isinstance(value, (str, int, bool)) or value is None else str(value)
