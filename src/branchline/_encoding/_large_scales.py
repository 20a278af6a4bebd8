"""The scale of a numeric column of very many rows, by sums that are rounded once.

The formulas are those of ``_number_scales``. There, rows stand in canonical order; here they stand
as they came, so every sum is exact (``_exact_sum``): the scale depends neither on the order of rows
nor on how they are divided into blocks. At most three copies of the column are held.
"""

from collections.abc import Callable
from typing import TypeAlias

import numpy as np

from branchline._arrays import Floats
from branchline._encoding._block import Options
from branchline._encoding._number_block import NumberBlock
from branchline._encoding._number_scales import weighted_median
from branchline._exact_sum import parts_of_sum, parts_of_weighted_sum, rounded_once
from branchline.table import Column

__all__ = ["fit_large_number", "weighted_total"]

Change: TypeAlias = Callable[[Floats], Floats]

_AT_ONCE = 2**16


def fit_large_number(
    place: int, column: Column, weights: Floats | None, options: Options
) -> NumberBlock | None:
    """Learn the scale of a column; None when it is constant and complete, or empty.

    ``weights`` is None where all rows weigh 1.
    """
    numbers = np.asarray(column.numbers())
    absent = np.isnan(numbers)
    n_absent = int(np.count_nonzero(absent))
    if n_absent == len(numbers):
        return None
    missing = 0.0
    if n_absent:
        missing = float(n_absent) if weights is None else float(weights[absent].sum())
        weights = None if weights is None else weights[~absent]
        numbers = numbers[~absent]
    has_indicator = bool(options.indicators and n_absent and missing >= options.rare)
    exponent, center, spread, fill = _scale_of(numbers, weights, options.scale)
    if spread == 0 and not has_indicator:
        return None
    return NumberBlock(place, column.name, exponent, center, spread, fill, has_indicator)


def _scale_of(
    numbers: Floats, weights: Floats | None, scale: str
) -> tuple[int, float, float, float]:
    least, most = float(numbers.min()), float(numbers.max())
    if least == most:
        return 0, 0.0, 0.0, 0.0
    exponent = 0 if scale == "none" else int(np.frexp(max(abs(least), abs(most)))[1])
    scaled = numbers.astype(np.float64)
    if exponent:
        np.ldexp(scaled, -exponent, out=scaled)
    ends = float(np.ldexp(least, -exponent)), float(np.ldexp(most, -exponent))
    if scale == "none":
        center, spread = 0.0, 1.0
    elif scale == "range":
        center, spread = ends[0], ends[1] - ends[0]
    else:
        center, spread = _standard(scaled, weights, *ends)
    return exponent, center, spread, _median_of(scaled, weights)


def _standard(
    scaled: Floats, weights: Floats | None, least: float, most: float
) -> tuple[float, float]:
    total = float(len(scaled)) if weights is None else float(weights.sum())
    mean = weighted_total(scaled, weights, lambda some: some - least) / total
    square = weighted_total(scaled, weights, lambda some: ((some - least) - mean) ** 2) / total
    spread = float(np.sqrt(square))
    return least + mean, spread if spread > 0 else most - least


def weighted_total(values: Floats, weights: Floats | None, change: Change) -> float:
    """Return the weighted sum of changed values, rounded once."""
    parts: list[float] = []
    for first in range(0, len(values), _AT_ONCE):
        some = slice(first, first + _AT_ONCE)
        changed = change(values[some])
        if weights is None:
            parts += parts_of_sum(changed)
        else:
            parts += parts_of_weighted_sum(changed, weights[some])
    return rounded_once(parts)


def _median_of(scaled: Floats, weights: Floats | None) -> float:
    if weights is not None:
        return weighted_median(scaled, weights)
    middle = len(scaled) // 2
    before = (len(scaled) - 1) // 2
    scaled.partition([before, middle])  # it is a copy, and not needed afterwards
    return float(scaled[before] / 2 + scaled[middle] / 2)
