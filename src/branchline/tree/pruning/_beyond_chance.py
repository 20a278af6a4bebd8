"""Whether a pruned tree is better than no tree at all, beyond what chance gives.

The best tree of a sequence looks better than its root also where the columns tell nothing: it is
the best of many. Errors alone are a weak judge of that, because a test can tell much about the
probabilities and change no decision. So two questions are asked of the held-out rows:

1. Does some tree of the sequence lose less than the root by more than 2.75 standard errors?
2. If not: is some tree closer to the truth by more than 1.6 standard errors? The distance is the
   squared one (of numbers: the tree's own loss) between the row's target (a 1 for its class, or
   its number) and the values of its node, shrunk towards the root's as if 8 rows like the root's
   were added to the node. For classes this is the Brier score.

The standard errors are those of paired differences, row by row. With the two limits, 95 to 100 of
100 tables of 200 rows without any information get a single leaf, of 50 rows 88 to 94
(``benchmarks/reproductions/tree_chance.py``).
"""

import numpy as np
import numpy.typing as npt

from branchline.tree.growing._growth import Growth
from branchline.tree.pruning._trials import ROWS_OF_THE_ROOT, Trial, add_trials, spread_out

__all__ = [
    "ROWS_OF_THE_ROOT",
    "STANDARD_ERRORS_OF_DISTANCE",
    "STANDARD_ERRORS_OF_LOSS",
    "is_beyond_chance",
]

Floats = npt.NDArray[np.float64]

STANDARD_ERRORS_OF_LOSS = 2.75
STANDARD_ERRORS_OF_DISTANCE = 1.6


def is_beyond_chance(
    growth: Growth, trials: list[Trial], n_betas: int, gains: tuple[Floats, Floats]
) -> bool:
    """Return whether some tree of the sequence is better than the root beyond chance.

    ``gains`` are what each tree loses less than the root, per row, and the standard errors.
    """
    if _is_clear(gains, STANDARD_ERRORS_OF_LOSS):
        return True
    distances = [trial.distance for trial in trials if trial.distance is not None]
    if not distances:
        return False
    target = spread_out(growth)
    sums = add_trials(trials, [distance(target) for distance in distances], n_betas)
    return _is_clear(sums.gains_over_root(), STANDARD_ERRORS_OF_DISTANCE)


def _is_clear(gains: tuple[Floats, Floats], limit: float) -> bool:
    gain, standard_error = gains
    return bool(((gain > 0) & (gain > limit * standard_error)).any())
