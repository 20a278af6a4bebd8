"""How many more rows, or repeats, would settle which of two learners is better.

The difference of two learners has variance v. Of it,

- w is due to how rows were split into folds: it differs from repeat to repeat, so R′ repeats in
  place of R leave w R / R′ of it. It is learned from the spread of what a row adds over its
  repeats. With one repeat, it is at most the part that is due to single test rows; the other part,
  which rows were learned from, is shared by all repeats.
- v − w is due to which rows the table has, and no number of repeats reduces it.

1. A difference d is settled when t √v is less than d less what is negligible, t being the 95 %
   quantile, if the difference seen is the true one.
2. Rows: v shrinks as 1 / rows, so n t² v / (d − negligible)² rows are needed.
3. Repeats: R′ with t √(v − w + w R / R′) = d − negligible; none where t √(v − w) is already more.
   With one repeat R′ is the least that could do, as w may be smaller.
4. Against the baseline both conditions of a recommendation must hold: 2, and t √v less than d with
   the larger quantile that allows for the number of learners (``_recommend``).
"""

import math
from typing import TYPE_CHECKING, Any

import numpy as np
from scipy import stats

from branchline.assess._paired_tests import Difference
from branchline.assess.comparing._recommend import DOUBT
from branchline.errors import ParameterError

if TYPE_CHECKING:
    from branchline.assess.comparing._comparison import Comparison, Standing

__all__ = ["repeats_needed", "settling_baseline", "settling_fields"]

# Advice to gather more than this many times the rows, or to make more repeats, is of no use.
_TOO_MANY, _MOST_REPEATS = 1000, 100
# Ways of testing that can be repeated with a new shuffle.
_REPEATABLE = ("folds", "group_folds", "hold_out", "three_way", "bootstrap")


def settling_fields(comparison: "Comparison", chosen: "Standing") -> dict[str, Any]:
    """Return what would tell the chosen learner from the best, in words and numbers."""
    against = chosen.against_best
    found = None if against is None else _factor(against)
    if against is None or found is None:
        return {"settling": ""}
    rows = _rounded(comparison.problem.n_rows * found)
    repeats = repeats_needed(comparison, chosen.learner, comparison.best, against)
    told = f"About {rows:,} rows would settle whether {comparison.best} is really better"
    more = _repeats_words(comparison, repeats)
    return {
        "settling": f"{told}{more}",
        "rows_to_settle": rows,
        "repeats_to_settle": repeats,
    }


def settling_baseline(comparison: "Comparison") -> dict[str, Any]:
    """Return how many rows would show that the best learner beats the recommended baseline."""
    best, baseline = comparison.standings[0].learner, comparison.plan.baseline
    if best == baseline or comparison.n_compared_folds < len(comparison.splits):
        return {}
    try:
        found = comparison.difference(best, baseline)
    except ParameterError:  # too few test sets to say anything
        return {}
    factor = _factor_to_beat(found, max(1, len(comparison.labels) - 1))
    if factor is None:
        return {}
    rows = _rounded(comparison.problem.n_rows * factor)
    told = f"About {rows:,} rows would settle whether {best} is really better than the baseline"
    return {"settling": f"{told}, if it is as much better as it seems.", "rows_to_settle": rows}


def _factor_to_beat(found: Difference, n_tried: int) -> float | None:
    """Return how many times the rows are needed; None: it is settled, or never will be."""
    mean, error = found.mean.estimate, _error(found)
    gap = mean - found.negligible
    if gap <= 0 or not math.isfinite(error):
        return None
    sure = float(stats.t.ppf(1 - DOUBT / n_tried, found.degrees))
    factor = max(_quantile(found) * error / gap, sure * error / mean) ** 2
    return factor if 1 < factor <= _TOO_MANY else None


def _factor(against: Difference) -> float | None:
    """Return how many times the rows are needed; None: it is settled, or never will be."""
    gap = -against.mean.estimate - against.negligible
    error = _error(against)
    if gap <= 0 or not math.isfinite(error):
        return None
    factor = (_quantile(against) * error / gap) ** 2
    return factor if 1 < factor <= _TOO_MANY else None


def _error(against: Difference) -> float:
    if not math.isfinite(against.t):
        return math.nan
    return abs(against.mean.estimate / against.t) if against.t else math.inf


def _quantile(against: Difference) -> float:
    return float(stats.t.ppf(0.95, against.degrees))


def _repeats_words(comparison: "Comparison", repeats: int | None) -> str:
    resampling = comparison.plan.resampling
    if resampling.kind not in _REPEATABLE:
        return "."
    if repeats is None:
        return "; no number of repeats can, as most of the doubt is about which rows there are."
    least = "at least " if resampling.n_repeats == 1 else "about "
    return f", or {least}{repeats:,} repeats of the folds (--repeats {repeats})."


def repeats_needed(
    comparison: "Comparison", chosen: str, best: str, against: Difference
) -> int | None:
    """Return how many repeats would settle a difference; None: no number of them can."""
    resampling = comparison.plan.resampling
    gap, variance = -against.mean.estimate - against.negligible, _error(against) ** 2
    if resampling.kind not in _REPEATABLE or gap <= 0 or not math.isfinite(variance):
        return None
    now, allowed = resampling.n_repeats, (gap / _quantile(against)) ** 2
    varying = min(variance, _varying(comparison, chosen, best))
    lasting = variance - varying
    if allowed <= lasting or varying <= 0:
        return None
    needed = math.ceil(now * varying / (allowed - lasting))
    return needed if now < needed <= _MOST_REPEATS else None


def _varying(comparison: "Comparison", first: str, second: str) -> float:
    """Return the part of the variance that differs from repeat to repeat."""
    found = comparison.row_differences(first, second)
    if found is None:
        return 0.0
    deviations, rows = found
    exist = np.isfinite(deviations)
    deviations, rows = deviations[exist], rows[exist]
    n_tested = len(np.unique(rows))
    if len(rows) == n_tested:  # one repeat: at most what single rows make of it
        return float(deviations.var()) / n_tested
    times = np.bincount(rows)[rows]
    means = (np.bincount(rows, weights=deviations) / np.maximum(1, np.bincount(rows)))[rows]
    several = times > 1
    within = ((deviations - means) ** 2 * times / np.maximum(1, times - 1))[several]
    return float(within.mean()) / len(rows) if len(within) else 0.0


def _rounded(rows: float) -> int:
    digits = max(0, math.floor(math.log10(max(rows, 1))) - 1)
    return int(round(rows, -digits))
