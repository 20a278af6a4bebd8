"""ROC and precision–recall curves with bands.

1. The curve is scikit-learn's, on all rows that were predicted by models which had not seen them.
2. The band comes from the bootstrap: rows are drawn again with replacement, class by class, from
   the rows in the order of their probabilities, so the order of the table does not matter.
3. A drawn curve needs counts only: how many rows of either class lie at or above each probability.
   At each place of the horizontal axis the middle 95 % of the drawn curves are kept.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt
from sklearn import metrics as peer

from branchline._drawable import Drawable
from branchline._intervals import Interval
from branchline._result_frame import Library, result_frame
from branchline._validation import Whole, check_parameters
from branchline.assess._keywords import checked_keywords
from branchline.assess._outcome import Outcome

if TYPE_CHECKING:
    from branchline.charts import Chart

__all__ = ["RankingCurve", "precision_recall_curve", "roc_curve"]

Floats = npt.NDArray[np.float64]
Counts = npt.NDArray[np.intp]
Exact = Callable[[npt.NDArray[np.bool_], Floats], tuple[Floats, Floats]]
# From the positives and the others at or above each threshold: the curve and its area.
Drawn = Callable[[Counts, Counts], tuple[Floats, Floats, float]]

_GRID = np.linspace(0.0, 1.0, 101)


@dataclass(frozen=True, eq=False)
class RankingCurve(Drawable):
    """A curve over the threshold, with its band.

    Parameters
    ----------
    x, y
        The curve: false positive rate and recall (ROC), or recall and precision.
    grid, low, high
        The ends of the band at each place of ``grid``.
    area
        The area under the curve (ROC), or the average precision, with its interval.
    kind
        "roc" or "precision_recall".
    rate
        The share of positives among all rows: the precision of a random order.

    See Also
    --------
    precision_recall_curve : return precision against recall of the positive class, with a band.
    roc_curve : return the ROC curve of the positive class, with a band.

    Examples
    --------
    >>> import numpy as np
    >>> from branchline.assess import Outcome
    >>> from branchline.assess.curves import roc_curve
    >>> p = np.array([0.9, 0.8, 0.4, 0.3, 0.1])
    >>> truth = np.array([1, 1, 0, 1, 0])
    >>> outcome = Outcome(truth, truth, np.column_stack([1 - p, p]), ("no", "yes"), positive=1)
    >>> round(roc_curve(outcome).area.estimate, 2)
    0.83
    """

    x: Floats
    y: Floats
    grid: Floats
    low: Floats
    high: Floats
    area: Interval
    kind: str = "roc"
    rate: float = 0.5

    def __repr__(self) -> str:
        return f"RankingCurve(area {self.area})"

    def to_frame(self, library: Library = "pandas") -> Any:
        """Return curve and band at each place of ``grid``, as a frame of pandas or polars."""
        return result_frame(self._columns(), library)

    def to_dict(self) -> dict[str, Any]:
        """Return the curve as plain data."""
        ends = {"estimate": self.area.estimate, "low": self.area.low, "high": self.area.high}
        sides = {"x": self.x.tolist(), "y": self.y.tolist()}
        return {"kind": self.kind, "area": ends, "rate": self.rate, **sides}

    def _columns(self) -> dict[str, Floats]:
        middle = np.interp(self.grid, self.x, self.y)
        return {"x": self.grid, "y": middle, "low": self.low, "high": self.high}

    def _chart(self) -> "Chart":
        from branchline.charts.figures import draw_ranking

        return draw_ranking(self)


@checked_keywords
def roc_curve(
    outcome: Outcome, *, n_draws: int = 200, random_state: int = 0
) -> RankingCurve | None:
    """Return the ROC curve of the positive class, with a band; None where there is none.

    Parameters
    ----------
    outcome
        True and predicted classes, with probabilities.
    n_draws
        Number of bootstrap draws for the band. Default 200.
    random_state
        Seed of the draws. Default 0.

    See Also
    --------
    RankingCurve : a curve over the threshold, with its band.

    Examples
    --------
    >>> import numpy as np
    >>> from branchline.assess import Outcome
    >>> from branchline.assess.curves import roc_curve
    >>> chance = np.array([0.9, 0.8, 0.4, 0.3])
    >>> truth = np.array([1, 0, 1, 0])
    >>> probabilities = np.column_stack([1 - chance, chance])
    >>> roc_curve(Outcome(truth, truth, probabilities, ("n", "p"), positive=1)).area.estimate
    0.75
    """
    return _curve(outcome, "roc", n_draws, random_state)


@checked_keywords
def precision_recall_curve(
    outcome: Outcome, *, n_draws: int = 200, random_state: int = 0
) -> RankingCurve | None:
    """Return precision against recall of the positive class, with a band; None: there is none.

    Parameters
    ----------
    outcome
        True and predicted classes, with probabilities.
    n_draws
        Number of bootstrap draws for the band. Default 200.
    random_state
        Seed of the draws. Default 0.

    See Also
    --------
    RankingCurve : a curve over the threshold, with its band.

    Examples
    --------
    >>> import numpy as np
    >>> from branchline.assess import Outcome
    >>> from branchline.assess.curves import precision_recall_curve
    >>> p = np.array([0.9, 0.8, 0.4, 0.3, 0.1])
    >>> truth = np.array([1, 1, 0, 1, 0])
    >>> outcome = Outcome(truth, truth, np.column_stack([1 - p, p]), ("no", "yes"), positive=1)
    >>> round(precision_recall_curve(outcome).area.estimate, 2)
    0.92
    """
    return _curve(outcome, "precision_recall", n_draws, random_state)


def _curve(outcome: Outcome, kind: str, n_draws: int, seed: int) -> RankingCurve | None:
    exact, drawn = _KINDS[kind]
    check_parameters("the curve", {"n_draws": n_draws}, {"n_draws": Whole(10)})
    if outcome.probabilities is None or outcome.positive is None:
        return None
    truth, predicted = outcome.is_positive, outcome.probabilities[:, outcome.positive]
    if truth.all() or not truth.any():
        return None
    levels, level = np.unique(-predicted, return_inverse=True)  # the most probable first
    sides = [np.sort(level[side]) for side in (truth, ~truth)]
    area = drawn(*(_at_or_above(side, len(levels)) for side in sides))[2]
    curves, areas = _bootstrap(sides, len(levels), drawn, n_draws, seed)
    low, high = np.quantile(curves, [0.025, 0.975], axis=0)
    ends = np.quantile(areas, [0.025, 0.975])
    x, y = exact(truth, predicted)
    interval = Interval(area, float(ends[0]), float(ends[1]))
    rate = float(np.mean(truth))
    return RankingCurve(x, y, _GRID, low, high, interval, kind, rate)


def _bootstrap(
    sides: list[Counts], n_levels: int, drawn: Drawn, n_draws: int, seed: int
) -> tuple[Floats, Floats]:
    rng = np.random.default_rng(seed)
    curves, areas = np.empty((n_draws, len(_GRID))), np.empty(n_draws)
    for number in range(n_draws):
        rows = [side[rng.integers(0, len(side), len(side))] for side in sides]
        x, y, areas[number] = drawn(*(_at_or_above(side, n_levels) for side in rows))
        curves[number] = np.interp(_GRID, x, y)
    return curves, areas


def _at_or_above(level_of_row: Counts, n_levels: int) -> Counts:
    return np.cumsum(np.bincount(level_of_row, minlength=n_levels))


def _drawn_roc(hits: Counts, alarms: Counts) -> tuple[Floats, Floats, float]:
    x, y = (np.concatenate([[0.0], side / side[-1]]) for side in (alarms, hits))
    return x, y, float(np.sum(np.diff(x) * (y[1:] + y[:-1])) / 2)


def _drawn_precision_recall(hits: Counts, alarms: Counts) -> tuple[Floats, Floats, float]:
    begin = int(np.argmax(hits + alarms > 0))  # above it no row was drawn
    hits, alarms = hits[begin:], alarms[begin:]
    recall = np.concatenate([[0.0], hits / hits[-1]])
    precision = np.concatenate([[1.0], hits / (hits + alarms)])
    return recall, precision, float(np.sum(np.diff(recall) * precision[1:]))


def _roc(truth: npt.NDArray[np.bool_], predicted: Floats) -> tuple[Floats, Floats]:
    false_rate, true_rate, _ = peer.roc_curve(truth, predicted, drop_intermediate=True)
    return false_rate, true_rate


def _precision_recall(truth: npt.NDArray[np.bool_], predicted: Floats) -> tuple[Floats, Floats]:
    precision, recall, _ = peer.precision_recall_curve(truth, predicted, drop_intermediate=True)
    return recall[::-1], precision[::-1]


_KINDS: dict[str, tuple[Exact, Drawn]] = {
    "roc": (_roc, _drawn_roc),
    "precision_recall": (_precision_recall, _drawn_precision_recall),
}
