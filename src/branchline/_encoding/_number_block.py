"""A numeric column becomes a scaled number and, where cells were missing, an indicator.

1. Values are divided by a power of two so that none exceeds 1: no later step can overflow.
2. z = (x − center) / spread, with the weighted mean and standard deviation ("standard"), or the
   least value and the range ("range"), or as it is ("none").
3. A missing cell takes the weighted median; an indicator says that it was missing.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from branchline._arrays import Floats
from branchline._encoding._block import LARGEST, Options, Term
from branchline._encoding._number_scales import fit_scales
from branchline._state import malformed
from branchline.table import Column

__all__ = ["EXPONENTS", "NumberBlock", "are_scales", "fit_number", "is_scale", "known_numbers"]

# Two neighboring floats just below 1, of which one weighs next to nothing.
_LEAST_SPREAD = 1e-170
EXPONENTS = range(-1100, 1100)


@dataclass(frozen=True)
class NumberBlock:
    """The scale of one numeric column, in units of 2^exponent."""

    place: int
    column: str
    exponent: int
    center: float
    spread: float  # 0 for a constant, of which only the indicator is kept
    fill: float
    has_indicator: bool

    @property
    def terms(self) -> tuple[Term, ...]:
        """The number, then the indicator."""
        number = Term(self.column, self.column, None, *self._original_scale())
        missing = Term(f"{self.column} missing", self.column, "missing")
        return ((number,) if self.spread else ()) + ((missing,) if self.has_indicator else ())

    @property
    def width(self) -> int:
        """How many numbers the column becomes."""
        return (self.spread > 0) + self.has_indicator

    @property
    def is_plain(self) -> bool:
        """Whether the column becomes a number and nothing else."""
        return self.spread > 0 and not self.has_indicator

    def encode(self, column: Column) -> Floats:
        """Return scaled numbers, and 1 where a cell is missing."""
        numbers = column.numbers().astype(np.float64)
        absent = np.isnan(numbers)
        encoded = []
        if self.spread:
            with np.errstate(over="ignore"):
                scaled = (np.ldexp(numbers, -self.exponent) - self.center) / self.spread
            scaled[absent] = (self.fill - self.center) / self.spread
            encoded.append(np.clip(scaled, -LARGEST, LARGEST))
        if self.has_indicator:
            encoded.append(absent.astype(np.float64))
        return np.column_stack(encoded)

    def pack(self) -> Mapping[str, Any]:
        """Return the block as plain values."""
        scale = [self.center, self.spread, self.fill]
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
        if type(exponent) is not int or exponent not in EXPONENTS:
            raise malformed("the exponent of a scale is out of range")
        if type(has_indicator) is not bool:
            raise malformed("an indicator is neither there nor not")
        if not isinstance(scale, np.ndarray) or scale.shape != (3,) or scale.dtype != np.float64:
            raise malformed("a scale does not consist of three numbers")
        center, spread, fill = scale.tolist()
        if not is_scale(scale) or (spread == 0 and not has_indicator):
            raise malformed("a scale is not positive and finite")
        return NumberBlock(place, column, exponent, center, spread, fill, has_indicator)

    def _original_scale(self) -> tuple[float, float]:
        with np.errstate(over="ignore"):
            unit = float(np.ldexp(self.spread, self.exponent))
            return unit, float(np.ldexp(self.center, self.exponent))


def is_scale(scale: Floats) -> bool:
    """Whether (center, spread, median) of scaled values, none above 1, could have been learned.

    Without scaling the center is 0, the spread 1 and the median any number.
    """
    return bool(are_scales(*scale[:, None]).all())


def are_scales(center: Floats, spread: Floats, fill: Floats) -> npt.NDArray[np.bool_]:
    """Return for each scale whether it could have been learned, as ``is_scale`` does for one."""
    is_nothing = (spread == 0) & (center == 0) & (fill == 0)
    is_inside = (np.abs(center) <= 1 + 1e-9) & (spread >= _LEAST_SPREAD) & (spread <= 2)
    is_known = (np.abs(fill) <= 1) | ((center == 0) & (spread == 1))
    return np.asarray(is_nothing | (is_inside & is_known & np.isfinite(fill)))


def fit_number(place: int, column: Column, weights: Floats, options: Options) -> NumberBlock | None:
    """Learn the scale of a column; None when it is constant and complete, or empty."""
    numbers = column.numbers().astype(np.float64, copy=False)
    absent = np.isnan(numbers)
    if absent.all():
        return None
    has_indicator = bool(options.indicators and float(weights[absent].sum()) >= options.rare)
    scales = fit_scales(numbers[None], weights, options.scale)
    if scales.spread[0] == 0 and not (has_indicator and absent.any()):
        return None
    scale = float(scales.center[0]), float(scales.spread[0]), float(scales.fill[0])
    return NumberBlock(place, column.name, int(scales.exponent[0]), *scale, has_indicator)


def known_numbers(column: Column, weights: Floats) -> tuple[Floats, Floats, float]:
    """Return the numbers that are known, their weights, and the weight of those that are not."""
    numbers = column.numbers().astype(np.float64, copy=False)
    absent = np.isnan(numbers)
    if not absent.any():
        return numbers, weights, 0.0
    return numbers[~absent], weights[~absent], float(weights[absent].sum())
