"""Holm's correction of p-values for several tests (1979)."""

import math
from collections.abc import Sequence

__all__ = ["holm"]


def holm(p_values: Sequence[float]) -> list[float]:
    """Return p-values corrected so that all hold together; NaN stays and is not counted.

    With m tests the smallest is multiplied by m, the next by m − 1 and so on; none is made smaller
    than one before it, and none larger than 1.

    Examples
    --------
    >>> from branchline.assess._holm import holm
    >>> [round(one, 3) for one in holm([0.01, 0.04, 0.03])]
    [0.03, 0.06, 0.06]
    """
    known = sorted((one, at) for at, one in enumerate(p_values) if not math.isnan(one))
    corrected, largest = [math.nan] * len(p_values), 0.0
    for rank, (one, at) in enumerate(known):
        largest = max(largest, min(1.0, one * (len(known) - rank)))
        corrected[at] = largest
    return corrected
