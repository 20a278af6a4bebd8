"""A numeric column becomes a scaled number and, where cells were missing, an indicator.

1. Values are divided by a power of two so that none exceeds 1: no later step can overflow.
2. z = (x − centre) / spread, with the weighted mean and standard deviation ("standard"), or the
   least value and the range ("range"), or as it is ("none").
3. A missing cell takes the weighted median; an indicator says that it was missing.
"""

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from branchline._state import malformed
from branchline.encoding._block import LARGEST, Floats, Options, Term
from branchline.table import Column

__all__ = ["NumberBlock", "fit_number", "is_scale", "known_numbers", "weighted_median"]

# Two neighbouring floats just below 1, of which one weighs next to nothing.
_LEAST_SPREAD = 1e-170
_SAMPLE = 64
_CLEARLY = 1e-9  # sums are rounded
_EXPONENTS = range(-1100, 1100)


@dataclass(frozen=True)
class NumberBlock:
    """The scale of one numeric column, in units of 2^exponent."""

    place: int
    column: str
    exponent: int
    centre: float
    spread: float  # 0 for a constant, of which only the indicator is kept
    fill: float
    has_indicator: bool

    @property
    def terms(self) -> tuple[Term, ...]:
        """The number, then the indicator."""
        number = Term(self.column, self.column, None, *self._original_scale())
        missing = Term(f"{self.column} missing", self.column, "missing")
        return ((number,) if self.spread else ()) + ((missing,) if self.has_indicator else ())

    def encode(self, column: Column) -> Floats:
        """Return scaled numbers, and 1 where a cell is missing."""
        numbers = column.numbers().astype(np.float64)
        holes = np.isnan(numbers)
        encoded = []
        if self.spread:
            with np.errstate(over="ignore"):
                scaled = (np.ldexp(numbers, -self.exponent) - self.centre) / self.spread
            scaled[holes] = (self.fill - self.centre) / self.spread
            encoded.append(np.clip(scaled, -LARGEST, LARGEST))
        if self.has_indicator:
            encoded.append(holes.astype(np.float64))
        return np.column_stack(encoded)

    def pack(self) -> Mapping[str, Any]:
        """Return the block as plain values."""
        scale = [self.centre, self.spread, self.fill]
        return {
            "kind": "number",
            "place": self.place,
            "exponent": self.exponent,
            "scale": np.array(scale),
            "has_indicator": self.has_indicator,
        }

    @staticmethod
    def unpack(state: Mapping[str, Any], place: int, column: str) -> "NumberBlock":
        """Check packed values and return the block."""
        exponent, scale = state.get("exponent"), state.get("scale")
        has_indicator = state.get("has_indicator")
        if type(exponent) is not int or exponent not in _EXPONENTS:
            raise malformed("the exponent of a scale is out of range")
        if type(has_indicator) is not bool:
            raise malformed("an indicator is neither there nor not")
        if not isinstance(scale, np.ndarray) or scale.shape != (3,) or scale.dtype != np.float64:
            raise malformed("a scale does not consist of three numbers")
        centre, spread, fill = scale.tolist()
        if not is_scale(scale) or (spread == 0 and not has_indicator):
            raise malformed("a scale is not positive and finite")
        return NumberBlock(place, column, exponent, centre, spread, fill, has_indicator)

    def _original_scale(self) -> tuple[float, float]:
        with np.errstate(over="ignore"):
            unit = float(np.ldexp(self.spread, self.exponent))
            return unit, float(np.ldexp(self.centre, self.exponent))


def is_scale(scale: Floats) -> bool:
    """Whether (centre, spread, median) of scaled values, none above 1, could have been learnt.

    Without scaling the centre is 0, the spread 1 and the median any number.
    """
    centre, spread, fill = scale.tolist()
    if spread == 0:
        return bool(centre == fill == 0)
    is_inside = abs(centre) <= 1 + 1e-9 and _LEAST_SPREAD <= spread <= 2
    is_known = abs(fill) <= 1 or (centre, spread) == (0.0, 1.0)
    return is_inside and is_known and math.isfinite(fill)


def fit_number(place: int, column: Column, weights: Floats, options: Options) -> NumberBlock | None:
    """Learn the scale of a column; None when it is constant and complete, or empty."""
    present, of_present, missing_weight = known_numbers(column, weights)
    if not len(present):
        return None
    has_indicator = options.indicators and missing_weight >= options.rare
    if present.min() == present.max():
        if not has_indicator:
            return None
        return NumberBlock(place, column.name, 0, 0.0, 0.0, 0.0, has_indicator=True)
    exponent = 0 if options.scale == "none" else math.frexp(float(np.abs(present).max()))[1]
    scaled = np.ldexp(present, -exponent) if exponent else present
    centre, spread = _CENTRE_AND_SPREAD[options.scale](scaled, of_present)
    fill = weighted_median(scaled, of_present)
    return NumberBlock(place, column.name, exponent, centre, spread, fill, bool(has_indicator))


def known_numbers(column: Column, weights: Floats) -> tuple[Floats, Floats, float]:
    """Return the numbers that are known, their weights, and the weight of those that are not."""
    numbers = column.numbers().astype(np.float64, copy=False)
    holes = np.isnan(numbers)
    if not holes.any():
        return numbers, weights, 0.0
    return numbers[~holes], weights[~holes], float(weights[holes].sum())


def weighted_median(values: Floats, weights: Floats) -> float:
    """Return the value that half of the weight lies below; half-way between two such values."""
    some = np.sort(values[:: 1 + len(values) // _SAMPLE])
    likely = float(some[len(some) // 2])
    if _is_median(likely, values, weights):
        return likely
    if weights.min() == weights.max():
        return float(np.median(values))  # by partition, which is faster than sorting
    order = np.argsort(values, kind="stable")
    below = np.cumsum(weights[order])
    half = below[-1] / 2
    low = values[order[np.searchsorted(below, half)]]
    high = values[order[min(np.searchsorted(below, half, side="right"), len(order) - 1)]]
    return float(low / 2 + high / 2)


def _is_median(value: float, values: Floats, weights: Floats) -> bool:
    """Whether clearly less than half of the weight lies on either side of a value.

    So it is in columns of many equal numbers, which then need not be sorted.
    """
    half = weights.sum() / 2
    before, after = weights[values < value].sum(), weights[values > value].sum()
    return bool(max(before, after) < half * (1 - _CLEARLY))


def _standard(values: Floats, weights: Floats) -> tuple[float, float]:
    # Offsets from the least value first: of values that differ little, the mean keeps all digits.
    least = float(values.min())
    offset = values - least
    mean = float(weights @ offset / weights.sum())
    spread = math.sqrt(float(weights @ (offset - mean) ** 2 / weights.sum()))
    return least + mean, spread if spread > 0 else float(values.max() - least)


def _range(values: Floats, _: Floats) -> tuple[float, float]:
    return float(values.min()), float(values.max() - values.min())


def _none(_values: Floats, _weights: Floats) -> tuple[float, float]:
    return 0.0, 1.0


_CENTRE_AND_SPREAD = {"standard": _standard, "range": _range, "none": _none}
