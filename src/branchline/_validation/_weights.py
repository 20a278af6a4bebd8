"""Row weights become integers, so that sums do not depend on the order of rows.

1. No weights: every row is one unit.
2. Whole weights are copies: weight k is k units.
3. Other weights are rescaled to mean 1 and rounded to a power-of-two fraction, as fine as keeps the
   total below 2^52.
Rows of weight zero are marked for removal.
"""

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from branchline._arrays import Bools, Floats
from branchline._dtypes import UNITS
from branchline.errors import DataError, KindError, Repair

__all__ = ["CheckedWeights", "RowWeights", "check_weights"]

_TOTAL_BITS = 52


@dataclass(frozen=True)
class RowWeights:
    """Weights of the rows that count.

    Parameters
    ----------
    units
        Integer weights of at least 1, or None when every row counts once.
    unit
        What one unit weighs, so that rows weigh 1 on average (or as given, for whole weights).
    merged
        How many rows of the input each row stands for, where equal rows were merged and weights
        are not whole; None: one each.
    """

    units: npt.NDArray[np.int64] | None = None
    unit: float = 1.0
    merged: npt.NDArray[np.int64] | None = None

    def sizes(self, n_rows: int) -> npt.NDArray[np.int64]:
        """Return how many rows of the input each row stands for; weight k is k rows."""
        counted = self.units if self.unit == 1.0 else self.merged
        return np.ones(n_rows, dtype=UNITS) if counted is None else counted

    def rows(self, which: npt.NDArray[Any]) -> "RowWeights":
        """Return the weights of some rows."""
        units = None if self.units is None else self.units[which]
        return RowWeights(units, self.unit, None if self.merged is None else self.merged[which])

    def total_units(self, n_rows: int) -> int:
        """Return the sum of all units."""
        return n_rows if self.units is None else int(self.units.sum())

    def at_least(self, weight: float) -> int:
        """Return the fewest units that weigh at least ``weight`` rows."""
        most: int = 2**_TOTAL_BITS  # no table weighs more, and kernels count in 64 bits
        return max(1, min(most, math.ceil(min(weight, most) / self.unit)))

    def of_rows(self, n_rows: int) -> npt.NDArray[np.float64]:
        """Return the weight of each row as a number."""
        return np.ones(n_rows) if self.units is None else self.units.astype(np.float64) * self.unit


@dataclass(frozen=True)
class CheckedWeights:
    """The weights of a fit, checked once; nothing parses them again.

    Parameters
    ----------
    weights
        Integer weights of the rows that count.
    kept
        Which of the given rows count; None: all of them.
    given
        The weights of the rows that count as they were given; None: none were.
    """

    weights: RowWeights
    kept: Bools | None = None
    given: Floats | None = None


def check_weights(sample_weight: Any, n_rows: int) -> CheckedWeights:
    """Check the weights, and find the rows that weigh nothing."""
    if sample_weight is None:
        return CheckedWeights(RowWeights())
    weights = _as_numbers(sample_weight)
    _refuse_bad(weights, n_rows)
    keep = weights > 0
    if not keep.any():
        raise DataError(
            "Sample weights must contain at least one non-zero number: every weight is zero.",
            code="D081",
            repair=Repair("model.fit(X, y)"),
        )
    given = weights[keep]
    return CheckedWeights(_to_units(given), None if keep.all() else keep, given)


def _as_numbers(sample_weight: Any) -> npt.NDArray[np.float64]:
    if isinstance(sample_weight, np.ma.MaskedArray):
        sample_weight = np.ma.filled(sample_weight.astype(np.float64), np.nan)
    try:
        return np.asarray(sample_weight, dtype=np.float64)
    except (TypeError, ValueError, OverflowError) as error:
        raise KindError(
            f"sample_weight must be numbers, one for each row. {error}", code="K010"
        ) from error


def _refuse_bad(weights: npt.NDArray[np.float64], n_rows: int) -> None:
    if weights.ndim != 1 or len(weights) != n_rows:
        raise DataError(
            f"sample_weight has shape {weights.shape}, but X has {n_rows} rows: one weight for "
            "each row is needed.",
            code="D080",
        )
    bad = np.flatnonzero(~(np.isfinite(weights) & (weights >= 0)))
    if len(bad):
        raise DataError(
            "sample_weight must hold finite numbers of at least 0.",
            code="D082",
            rows=bad[:5],
            n_rows=len(bad),
            values=weights[bad[:5]].tolist(),
            repair=Repair(
                "import numpy\n"
                "from branchline import Table\n"
                "weight, y = numpy.array(sample_weight, dtype=float), numpy.array(y)\n"
                "keep = numpy.isfinite(weight) & (weight >= 0)\n"
                "model.fit(Table(X)[keep], y[keep], sample_weight=weight[keep])"
            ),
        )


def _to_units(weights: npt.NDArray[np.float64]) -> RowWeights:
    if weights.max() < 2.0**_TOTAL_BITS and (weights == np.rint(weights)).all():
        units = weights.astype(UNITS)
        if float(weights.sum()) < 2.0**_TOTAL_BITS:
            return RowWeights(None if (units == 1).all() else units)
    # Scaled by a power of two, so that no sum overflows; fsum is exact, so the mean does not depend
    # on the order of rows.
    scaled = np.ldexp(weights, -math.frexp(weights.max())[1])
    relative = scaled / (math.fsum(scaled) / len(scaled))
    bits = _TOTAL_BITS - 1 - math.ceil(math.log2(len(weights)))
    units = np.maximum(1, np.rint(np.ldexp(relative, bits))).astype(UNITS)
    return RowWeights(units, math.ldexp(1.0, -bits))
