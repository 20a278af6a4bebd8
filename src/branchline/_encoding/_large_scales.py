"""The scale of a numeric column of very many rows, by sums that are rounded once.

The formulas are those of ``_number_scales``. There, rows stand in canonical order; here they stand
as they came, so every sum is exact: the scale depends neither on the order of rows nor on how they
are divided into blocks.

1. Rows that all weigh 1: ends, median, mean and deviation come from the core (``column_facts.hpp``),
   those of a matrix for all its columns at once.
2. Weighted rows, and numbers too far apart for the core: sums of ``_exact_sum``. At most three copies
   of the column are held.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np

from branchline import _core
from branchline._arrays import Floats
from branchline._encoding._block import LARGEST, Options
from branchline._encoding._number_block import NumberBlock
from branchline._encoding._number_scales import weighted_median
from branchline._exact_sum import parts_of_sum, parts_of_weighted_sum, rounded_once
from branchline.table import Column, Table

__all__ = [
    "Facts",
    "facts_of_column",
    "facts_of_matrix",
    "fit_large_number",
    "terms_of_facts",
    "weighted_total",
]

Change: TypeAlias = Callable[[Floats], Floats]

_AT_ONCE = 2**16


@dataclass(frozen=True)
class Facts:
    """What the core finds of a column's numbers that are not missing; ``fits`` is False where not.

    ``middle`` has the two values in the middle, which may be the same.
    """

    n_present: int
    ends: tuple[float, float]
    middle: tuple[float, float]
    mean: float
    deviation: float
    fits: bool


def facts_of_matrix(table: Table) -> list[Facts]:
    """Return the facts of all columns of a table that is a matrix of numbers; else of none."""
    matrix = table.matrix
    if matrix is None or isinstance(matrix, np.memmap) or not matrix.flags.aligned:
        return []
    return _facts_of(matrix)


def facts_of_column(column: Column) -> Facts:
    """Return the facts of a numeric column."""
    return _facts_of(np.require(column.numbers(), requirements="A")[:, None])[0]


def _facts_of(matrix: Any) -> list[Facts]:
    found = {name: values.tolist() for name, values in _core.column_facts(matrix).items()}
    ends = zip(found["least"], found["most"], strict=True)
    middle = zip(found["before"], found["middle"], strict=True)
    moments = zip(found["mean"], found["deviation"], map(bool, found["fits"]), strict=True)
    listed = zip(found["n_present"], ends, middle, moments, strict=True)
    return [Facts(n, some, inner, *rest) for n, some, inner, rest in listed]


def fit_large_number(
    place: int,
    column: Column,
    weights: Floats | None,
    options: Options,
    facts: Facts | None = None,
) -> NumberBlock | None:
    """Learn the scale of a column; None when it is constant and complete, or empty.

    ``weights`` is None where all rows weigh 1; then ``facts`` may be known already.
    """
    if weights is not None:
        return _summed_block(place, column, weights, options)
    facts = facts_of_column(column) if facts is None else facts
    if not facts.fits and facts.n_present:
        return _summed_block(place, column, None, options)
    return _block_of(place, column, facts, options)


def terms_of_facts(block: NumberBlock, facts: Facts, n_rows: int) -> tuple[Floats, Floats]:
    """Return the largest absolute number and the mean of each of a block's terms."""
    values = np.ldexp([*facts.ends, facts.mean], -block.exponent)
    n_absent, largest, mean = n_rows - facts.n_present, list[float](), list[float]()
    if block.spread:
        scaled = (np.append(values, block.fill) - block.center) / block.spread
        scaled = np.clip(scaled, -LARGEST, LARGEST)
        some = scaled if n_absent else scaled[:2]
        largest.append(float(np.abs(some).max()))
        share = n_absent / n_rows
        mean.append(float(scaled[2] * (1.0 - share) + scaled[3] * share))
    if block.has_indicator:
        largest.append(1.0)
        mean.append(n_absent / n_rows)
    return np.array(largest), np.array(mean)


def _block_of(place: int, column: Column, facts: Facts, options: Options) -> NumberBlock | None:
    """Return the block that the facts of a column make."""
    n_absent = len(column) - facts.n_present
    has_indicator = bool(options.indicators and n_absent and n_absent >= options.rare)
    least, most = facts.ends
    if facts.n_present == 0 or (least == most and not has_indicator):
        return None
    if least == most:
        return NumberBlock(place, column.name, 0, 0.0, 0.0, 0.0, has_indicator)
    exponent = _exponent_of(facts.ends, options.scale)
    parts = np.ldexp([least, most, *facts.middle, facts.mean, facts.deviation], -exponent)
    least, most, before, middle, mean, deviation = parts.tolist()
    center, spread = mean, deviation if deviation > 0 else most - least
    if options.scale != "standard":
        center, spread = (0.0, 1.0) if options.scale == "none" else (least, most - least)
    fill = before / 2 + middle / 2
    return NumberBlock(place, column.name, exponent, center, spread, fill, has_indicator)


def _exponent_of(ends: tuple[float, float], scale: str) -> int:
    return 0 if scale == "none" else int(np.frexp(max(abs(ends[0]), abs(ends[1])))[1])


def _summed_block(
    place: int, column: Column, weights: Floats | None, options: Options
) -> NumberBlock | None:
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
    exponent = _exponent_of((least, most), scale)
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
