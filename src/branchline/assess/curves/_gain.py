"""Cumulative gain and lift: how many positives are among the rows that are ranked first.

1. Rows are ranked by the probability of the positive class, the most probable first; rows with
   equal probabilities count in part where a share ends among them.
2. Gain at a share q of rows: the share of all positives that is among them. A random order gains q,
   a perfect one min(1, q / p), p being the share of positives.
3. Lift: gain / q. A random order has 1 everywhere.
4. The band is the 95 % interval at each share by itself, that of the metric ``gain@10%`` and so on.
"""

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from branchline._intervals import Interval
from branchline._plain_numbers import alike, percent
from branchline._result_frame import Library, result_frame
from branchline._row_scores import Origin
from branchline._validation import OneOf, check_parameters
from branchline.assess._metrics import METRICS
from branchline.assess._outcome import Outcome
from branchline.assess._scoring import score_interval
from branchline.assess.curves._band import band_of
from branchline.errors import ParameterError, Repair

if TYPE_CHECKING:
    from branchline.charts import Chart

__all__ = ["GainCurve", "gain_curve"]

Floats = npt.NDArray[np.float64]

_N_SHARES = 100
_SHOWN = (0.01, 0.05, 0.1, 0.2, 0.3, 0.4, 0.5, 0.75, 1.0)


@dataclass(frozen=True, eq=False)
class GainCurve:
    """Gain and lift at each share of rows; print it to read it.

    Parameters
    ----------
    share
        Shares of rows, from 0 to 1.
    gain, low, high
        The share of positives among them, with the ends of its band.
    rate
        The share of positives among all rows.
    positive
        The positive class.
    n_rows
        The number of rows.

    See Also
    --------
    gain_curve : return gain and lift of the positive class.

    Examples
    --------
    >>> import numpy as np
    >>> from branchline.assess import Outcome
    >>> from branchline.assess.curves import gain_curve
    >>> p = np.array([0.9, 0.8, 0.4, 0.3, 0.1])
    >>> truth = np.array([1, 1, 0, 1, 0])
    >>> outcome = Outcome(truth, truth, np.column_stack([1 - p, p]), ("no", "yes"), positive=1)
    >>> round(gain_curve(outcome).lift_at(0.4).estimate, 2)
    1.67
    """

    share: Floats
    gain: Floats
    low: Floats
    high: Floats
    rate: float
    positive: Any
    n_rows: int

    @property
    def lift(self) -> Floats:
        """Gain divided by the share of rows; at a share of 0 the lift of the first rows."""
        lift = self.gain[1:] / self.share[1:]
        return np.concatenate([lift[:1], lift])

    @property
    def perfect(self) -> Floats:
        """The gain of a perfect order."""
        return np.minimum(1.0, self.share / self.rate)

    def gain_at(self, share: float) -> Interval:
        """Return the gain at a share of rows with its 95 % interval."""
        return Interval(*(self._at(share, side) for side in (self.gain, self.low, self.high)))

    def lift_at(self, share: float) -> Interval:
        """Return the lift at a share of rows with its 95 % interval."""
        found = self.gain_at(share)
        return Interval(*(end / share for end in (found.estimate, found.low, found.high)))

    def _at(self, share: float, side: Floats) -> float:
        if not 0.0 < share <= 1.0:
            raise ParameterError(
                f"A share of rows is above 0 and at most 1. Got {share!r} instead.",
                code="P351",
                values=[share],
                repair=Repair("curve.lift_at(0.1)"),
            )
        return float(np.interp(share, self.share, side))

    def draw(self, ax: Any = None, *, show: str = "gain") -> Any:
        """Return a chart of "gain" or "lift"; with axes of matplotlib, draw it on them."""
        from branchline.charts import drawn
        from branchline.charts.figures import draw_gain, draw_lift

        check_parameters("draw", {"show": show}, {"show": OneOf(("gain", "lift"))})
        chart: Chart = (draw_gain if show == "gain" else draw_lift)(self)
        return drawn(chart, ax)

    def to_frame(self, library: Library = "pandas") -> Any:
        """Return one row for each share, as a frame of pandas or polars."""
        return result_frame(self._columns(), library)

    def to_dict(self) -> dict[str, Any]:
        """Return the curve as plain data."""
        about = {"positive": str(self.positive), "rate": self.rate, "n_rows": self.n_rows}
        return about | {name: side.tolist() for name, side in self._columns().items()}

    def _columns(self) -> dict[str, Floats]:
        sides = {"share": self.share, "gain": self.gain, "low": self.low, "high": self.high}
        return {**sides, "lift": self.lift, "perfect": self.perfect}

    def __str__(self) -> str:
        lines = [
            f"{'rows':>6}  {'found':>6}  {'95 % interval':>15}  {'lift':>5}  {'95 % interval':>14}"
        ]
        for share in _SHOWN:
            gain, lift = self.gain_at(share), self.lift_at(share)
            ends = f"{percent(gain.low)} to {percent(gain.high)}"
            low, high = alike([lift.low, lift.high])
            estimate = alike([lift.estimate])[0]
            lines.append(
                f"{percent(share):>6}  {percent(gain.estimate):>6}  {ends:>15}  {estimate:>5}  "
                f"{f'{low} to {high}':>14}"
            )
        return "\n".join(lines)

    def __repr__(self) -> str:
        return f"GainCurve(lift {self.lift_at(0.1)} in the first 10 %)"


def gain_curve(outcome: Outcome, *, origin: Origin | None = None) -> GainCurve | None:
    """Return gain and lift of the positive class; None without probabilities or positives.

    Parameters
    ----------
    outcome
        Predictions of rows, with probabilities and a positive class.
    origin
        Which rows belong together, and how large training sets were. Default: each row by itself.

    See Also
    --------
    GainCurve : gain and lift at each share of rows.

    Examples
    --------
    >>> import numpy as np
    >>> from branchline.assess import Outcome
    >>> from branchline.assess.curves import gain_curve
    >>> p = np.array([0.9, 0.8, 0.7, 0.3, 0.2, 0.1, 0.1, 0.1, 0.1, 0.1])
    >>> truth = np.array([1, 0, 1, 0, 0, 0, 0, 0, 0, 0])
    >>> curve = gain_curve(Outcome(truth, truth, np.column_stack([1 - p, p]), ("n", "p"), 1))
    >>> curve.gain_at(0.1).estimate, curve.lift_at(0.3).estimate.__round__(2)
    (0.5, 3.33)
    """
    if outcome.probabilities is None or outcome.positive is None or outcome.classes is None:
        return None
    truth = outcome.is_positive
    if truth.all() or not truth.any():
        return None
    known = origin or Origin.once(len(outcome), math.inf)
    shares = np.arange(_N_SHARES + 1) / _N_SHARES
    ends = [
        score_interval(METRICS[f"gain@{share}"], [outcome], known)
        for share in shares[1:-1].tolist()
    ]
    gain, low, high = band_of([Interval(0.0, 0.0, 0.0), *ends, Interval(1.0, 1.0, 1.0)])
    rate, name = float(truth.mean()), outcome.classes[outcome.positive]
    high = np.maximum(gain, np.minimum(high, shares / rate))  # no order can find more
    return GainCurve(shares, gain, low, high, rate, name, len(outcome))
