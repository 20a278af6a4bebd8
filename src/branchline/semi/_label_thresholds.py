"""How sure a learner must be for its label to be right often enough: from predictions out of fold.

1. Each labeled row was predicted by a model that had not seen it: with a largest probability s, and
   rightly or not.
2. The share of right ones rises with s (isotonic regression). A block of n such rows counts as if
   one more row had been right as often as all rows are: few rows prove little.
3. The threshold is the least s from which that share is at least the confidence that is asked for.
"""

import numpy as np
from sklearn.isotonic import isotonic_regression

from branchline._arrays import Bools, Floats

__all__ = ["threshold_for"]


def threshold_for(sureness: Floats, is_right: Bools, mass: Floats, confidence: float) -> float:
    """Return the least sureness whose labels are right often enough; infinite: there is none."""
    order = np.lexsort((is_right, sureness))
    sure, right, weight = sureness[order], is_right[order].astype(np.float64), mass[order]
    values, places = np.unique(sure, return_inverse=True)
    count = np.bincount(places, weight)
    share = np.bincount(places, weight * right) / count
    rising = isotonic_regression(share, sample_weight=count)
    usual = float(right @ weight / weight.sum())
    blocks, block_of = np.unique(rising, return_inverse=True)
    sizes = np.bincount(block_of, count)
    careful = np.maximum.accumulate((blocks * sizes + usual) / (sizes + 1))
    enough = careful[block_of] >= confidence
    return float(values[np.argmax(enough)]) if enough.any() else float("inf")
