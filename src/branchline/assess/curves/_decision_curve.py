"""Decision curves: whether acting on a model does more good than harm (Vickers and Elkin, 2006).

1. Treating all rows with a probability of at least t means that a false alarm costs t / (1 − t) of
   a missed positive. The net benefit at t is TP / n − FP / n · t / (1 − t), in true positives per
   row.
2. It is compared with treating all rows, p − (1 − p) t / (1 − t) for a share p of positives, and
   with treating none, which has 0. A model is of use at t where it is above both.
3. The band is the 95 % interval of the net benefit at each threshold by itself; the gain over the
   better of treating all and none has an interval of its own, from the same rows.
"""

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from branchline._drawable import Drawable
from branchline._intervals import Interval
from branchline._plain_numbers import alike, percent
from branchline._result_frame import Library, result_frame
from branchline._row_scores import Origin, RowValues
from branchline.assess._metrics import METRICS
from branchline.assess._metrics_at import net_benefits
from branchline.assess._outcome import Outcome
from branchline.assess._paired_tests import difference_over_rows
from branchline.assess._scoring import score_interval
from branchline.assess.curves._band import band_of
from branchline.errors import ParameterError, Repair

if TYPE_CHECKING:
    from branchline.charts import Chart

__all__ = ["DecisionCurve", "decision_curve"]

Floats = npt.NDArray[np.float64]

_SHOWN = (0.05, 0.1, 0.15, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9)


@dataclass(frozen=True, eq=False)
class DecisionCurve(Drawable):
    """Net benefit at each threshold; print it to read it.

    Parameters
    ----------
    threshold
        Probabilities from which on a row is treated.
    net_benefit, low, high
        True positives per row, less false alarms at their price, with the ends of the band.
    treat_all
        The net benefit of treating all rows; that of treating none is 0.
    rate
        The share of positives among all rows.
    positive
        The positive class.
    n_rows
        The number of rows.
    gained, gained_low, gained_high
        The net benefit less that of the better of treating all and treating none, with its 95 %
        interval.

    See Also
    --------
    decision_curve : return the decision curve of the positive class.

    Examples
    --------
    >>> import numpy as np
    >>> from branchline.assess import Outcome
    >>> from branchline.assess.curves import decision_curve
    >>> p = np.array([0.9, 0.8, 0.4, 0.3, 0.1])
    >>> truth = np.array([1, 1, 0, 1, 0])
    >>> outcome = Outcome(truth, truth, np.column_stack([1 - p, p]), ("no", "yes"), positive=1)
    >>> round(decision_curve(outcome).at(0.2).estimate, 3)
    0.55
    """

    threshold: Floats
    net_benefit: Floats
    low: Floats
    high: Floats
    treat_all: Floats
    rate: float
    positive: Any
    n_rows: int
    gained: Floats
    gained_low: Floats
    gained_high: Floats

    def _chart(self) -> "Chart":
        from branchline.charts.figures import draw_decision

        return draw_decision(self)

    def at(self, threshold: float) -> Interval:
        """Return the net benefit at a threshold (the nearest of the curve) with its interval."""
        place = self._place(threshold)
        return Interval(*(float(side[place]) for side in (self.net_benefit, self.low, self.high)))

    def gained_at(self, threshold: float) -> Interval:
        """Return the net benefit at a threshold less that of treating all or none."""
        place = self._place(threshold)
        sides = (self.gained, self.gained_low, self.gained_high)
        return Interval(*(float(side[place]) for side in sides))

    @property
    def is_useful(self) -> npt.NDArray[np.bool_]:
        """Where the model is shown to be better than treating all and treating none."""
        return np.asarray(self.gained_low > 0)

    def useful_ranges(self) -> tuple[tuple[float, float], ...]:
        """Return the ranges of thresholds in which the model is shown to be of use.

        A range has at least three neighboring thresholds: at a single one it may be luck.
        """
        padded = np.concatenate([[False], self.is_useful, [False]])
        begins, ends = (np.flatnonzero(np.diff(padded.astype(int)) == step) for step in (1, -1))
        return tuple(
            (float(self.threshold[begin]), float(self.threshold[end - 1]))
            for begin, end in zip(begins.tolist(), ends.tolist(), strict=True)
            if end - begin >= 3
        )

    def _place(self, threshold: float) -> int:
        if not self.threshold[0] <= threshold <= self.threshold[-1]:
            raise ParameterError(
                f"A threshold of this curve is {self.threshold[0]:g} to {self.threshold[-1]:g}. "
                f"Got {threshold!r} instead.",
                code="P352",
                values=[threshold],
                repair=Repair("curve.at(0.2)"),
            )
        return int(np.argmin(np.abs(self.threshold - threshold)))

    def to_frame(self, library: Library = "pandas") -> Any:
        """Return one row for each threshold, as a frame of pandas or polars."""
        return result_frame(self._columns(), library)

    def to_dict(self) -> dict[str, Any]:
        """Return the curve as plain data."""
        about = {"positive": str(self.positive), "rate": self.rate, "n_rows": self.n_rows}
        sides = {name: side.tolist() for name, side in self._columns().items()}
        return {**about, **sides, "useful": [list(ends) for ends in self.useful_ranges()]}

    def _columns(self) -> dict[str, Floats]:
        names = ("threshold", "net_benefit", "low", "high", "treat_all")
        return {
            name: getattr(self, name) for name in (*names, "gained", "gained_low", "gained_high")
        }

    def __str__(self) -> str:
        lines = [f"{'threshold':>9}  {'net benefit':>11}  {'95 % interval':>16}  {'treat all':>9}"]
        for threshold in _SHOWN:
            found, place = self.at(threshold), self._place(threshold)
            texts = alike(
                [found.estimate, found.low, found.high, float(self.treat_all[place]), 1.0]
            )
            ends = f"{texts[1]} to {texts[2]}"
            lines.append(f"{percent(threshold):>9}  {texts[0]:>11}  {ends:>16}  {texts[3]:>9}")
        return "\n".join(lines)

    def __repr__(self) -> str:
        useful = ", ".join(f"{percent(a)} to {percent(b)}" for a, b in self.useful_ranges())
        return f"DecisionCurve(of use at thresholds {useful or 'nowhere'})"


def decision_curve(outcome: Outcome, *, origin: Origin | None = None) -> DecisionCurve | None:
    """Return the decision curve of the positive class; None without probabilities or positives.

    Parameters
    ----------
    outcome
        Predictions of rows, with probabilities and a positive class.
    origin
        Which rows belong together, and how large training sets were. Default: each row by itself.

    See Also
    --------
    DecisionCurve : net benefit at each threshold.

    Examples
    --------
    >>> import numpy as np
    >>> from branchline.assess import Outcome
    >>> from branchline.assess.curves import decision_curve
    >>> p = np.array([0.9, 0.8, 0.4, 0.3, 0.1])
    >>> truth = np.array([1, 1, 0, 1, 0])
    >>> curve = decision_curve(Outcome(truth, truth, np.column_stack([1 - p, p]), ("n", "p"), 1))
    >>> round(curve.at(0.2).estimate, 3), round(float(curve.treat_all[19]), 3)
    (0.55, 0.5)
    """
    if outcome.probabilities is None or outcome.positive is None or outcome.classes is None:
        return None
    truth = outcome.is_positive
    if truth.all() or not truth.any():
        return None
    known = origin or Origin.once(len(outcome), math.inf)
    thresholds, rate = np.arange(1, 100) / 100, float(truth.mean())
    treat_all = rate - (1 - rate) * thresholds / (1 - thresholds)
    steps = thresholds.tolist()
    own = [score_interval(METRICS[f"net_benefit@{step}"], [outcome], known) for step in steps]
    gained = [_gained(outcome, step, known) for step in steps]
    name = outcome.classes[outcome.positive]
    return DecisionCurve(
        thresholds, *band_of(own), treat_all, rate, name, len(outcome), *band_of(gained)
    )


def _gained(outcome: Outcome, threshold: float, origin: Origin) -> Interval:
    """Return the net benefit less that of treating all or none, whichever is better."""
    rows = net_benefits(outcome, threshold)
    everyone = np.where(outcome.is_positive, 1.0, -threshold / (1 - threshold))
    other = everyone if everyone.mean() > 0 else np.zeros(len(rows))
    return difference_over_rows(_values(rows), _values(other), origin).mean


def _values(rows: Floats) -> RowValues:
    mean = math.fsum(rows.tolist()) / len(rows)
    return RowValues(mean, rows - mean, len(rows))
