"""How long a comparison would have needed that its time budget ended early.

1. What is left: each learner's open folds, at the mean time of those it has finished.
2. The rest is done as fast as before: with the same seconds of fits per second of time.
3. A learner that has finished no fold takes an unknown time: three times the budget is a start.
"""

import math
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from branchline.assess.comparing._comparison import Comparison

__all__ = ["enough_seconds"]

_ROOM = 1.3  # speeds vary
_STEPS = (1.0, 1.5, 2.0, 3.0, 4.5, 6.0, 9.0, 10.0)


def enough_seconds(comparison: "Comparison") -> float:
    """Return a time budget that should be enough for the whole plan, as a round number."""
    budget = comparison.plan.time_budget
    assert budget is not None
    n_splits, open_seconds, done_seconds = len(comparison.splits), 0.0, 0.0
    least = budget
    for label, n_done in comparison.finished.items():
        taken = [
            one.fit_seconds + one.predict_seconds
            for one in comparison.results
            if one.learner == label
        ]
        if not n_done:
            least = 3 * budget
            continue
        done_seconds += sum(taken)
        open_seconds += (n_splits - n_done) * sum(taken) / len(taken)
    pace = max(done_seconds / max(comparison.seconds, 1e-3), 0.1)
    return _round_up(max(least, budget + _ROOM * open_seconds / pace))


def _round_up(seconds: float) -> float:
    unit = 10.0 ** math.floor(math.log10(seconds))
    return next(step * unit for step in _STEPS if step * unit >= 0.999 * seconds)
