"""The shape of a column: how many cells fall into each of a few bins.

Numbers and moments: eight bins of equal width over the core, which reaches three widths of the
middle half beyond it; what lies farther out is counted in the first or the last bin. At most eight
different numbers have a bin each. Categories: the eight most frequent, the most frequent first;
none for names, of which hardly any occurs twice.
"""

import numpy as np
import numpy.typing as npt

from branchline._drawing import SPARK_PLACES
from branchline.table.looking._look_facts import Facts

__all__ = ["column_shape"]

_REACH = 3.0
_FEWEST_EACH = 2  # cells of a category, on average


def column_shape(facts: Facts) -> tuple[int, ...]:
    """Return the number of cells in each bin; empty where there is nothing to see."""
    if facts.n_distinct < 2:
        return ()
    if facts.is_category:
        if facts.n_present < _FEWEST_EACH * facts.n_distinct:
            return ()
        return tuple(facts.counts[facts.by_frequency[:SPARK_PLACES]].tolist())
    if facts.n_distinct <= SPARK_PLACES:
        return tuple(facts.counts.tolist())
    values = facts.values.astype(np.float64)
    place = _places(values, *_core(facts, values))
    return tuple(np.bincount(place, facts.counts, SPARK_PLACES).astype(np.int64).tolist())


def _core(facts: Facts, values: npt.NDArray[np.float64]) -> tuple[float, float]:
    first, third = (float(facts.quantile(share)) for share in (0.25, 0.75))
    reach = _REACH * 2 * (third / 2 - first / 2)
    inside = values[(values >= first - reach) & (values <= third + reach)]
    is_flat = len(inside) < 2
    return (
        (float(values[0]), float(values[-1])) if is_flat else (float(inside[0]), float(inside[-1]))
    )


def _places(values: npt.NDArray[np.float64], low: float, high: float) -> npt.NDArray[np.intp]:
    """Return the bin of each value; halves, because the span of large numbers would overflow."""
    share = (values / 2 - low / 2) / (high / 2 - low / 2)
    places: npt.NDArray[np.intp] = np.clip(share * SPARK_PLACES, 0, SPARK_PLACES - 1).astype(
        np.intp
    )
    return places
