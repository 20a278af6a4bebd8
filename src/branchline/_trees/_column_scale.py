"""Middle and range of a numeric column, for adding columns up on one scale.

Both come from the distinct values, so that neither weights nor copies of rows change them; the
range leaves out a fiftieth of the values on either side, so that outliers do not stretch it.
"""

import numpy as np
import numpy.typing as npt

__all__ = ["column_scale"]

_TAIL = 0.02


def column_scale(distinct: npt.NDArray[np.float64]) -> tuple[float, float]:
    """Return middle and range (above 0) of a column with these distinct values, ascending."""
    low, high = (float(np.quantile(distinct, share)) for share in (_TAIL, 1 - _TAIL))
    if not high > low:
        low, high = float(distinct[0]), float(distinct[-1])
    spread = high - low
    return low / 2 + high / 2, spread if 0 < spread < float(np.finfo(np.float64).max) else 1.0
