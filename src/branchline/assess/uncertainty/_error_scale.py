"""How large errors are where numbers of a given size are predicted.

Errors often grow with what is predicted: prices, counts, durations. The size of errors at a
prediction is the mean absolute error of the rows with the nearest predictions, drawn towards the
mean of all rows:

    s(p) = (Σ w |e| over the window of p + λ · mean |e|) / (Σ w over the window + λ).

A row's own error is left out of its window, as it is for a new row, so errors divided by their
sizes stay exchangeable up to one row in a window.
"""

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

__all__ = ["ErrorScale", "fit_error_scale"]

Floats = npt.NDArray[np.float64]
_WINDOW = 0.1  # the part of all rows in a window
_FEWEST = 30  # rows in a window
_PULL = 10.0  # λ: the overall mean counts as much as this many rows


@dataclass(frozen=True, eq=False)
class ErrorScale:
    """The size of errors as a function of the prediction.

    Parameters
    ----------
    predicted
        The predictions of known rows, sorted.
    size, weight
        The absolute errors of these rows and their weights.
    """

    predicted: Floats
    size: Floats
    weight: Floats

    @property
    def half_window(self) -> int:
        """The number of rows on each side of a prediction."""
        return max(_FEWEST, round(_WINDOW * len(self.predicted))) // 2

    def at(self, predicted: Floats) -> Floats:
        """Return the size of errors of new rows."""
        place = np.searchsorted(self.predicted, predicted)
        return self._mean(place - self.half_window, place + self.half_window, 0.0, 0.0)

    def of_known(self) -> Floats:
        """Return the size of errors around each known row, its own left out."""
        place = np.arange(len(self.predicted))
        own = self.weight * self.size
        begin, end = place - self.half_window, place + 1 + self.half_window
        return self._mean(begin, end, own, self.weight)

    def _mean(
        self,
        begin: npt.NDArray[np.intp],
        end: npt.NDArray[np.intp],
        less_sum: Floats | float,
        less_weight: Floats | float,
    ) -> Floats:
        n_rows = len(self.predicted)
        begin, end = np.clip(begin, 0, n_rows), np.clip(end, 0, n_rows)
        total = np.concatenate([[0.0], np.cumsum(self.weight * self.size)])
        weight = np.concatenate([[0.0], np.cumsum(self.weight)])
        unit = weight[-1] / n_rows
        overall = total[-1] / weight[-1]
        above = total[end] - total[begin] - less_sum + _PULL * unit * overall
        below = weight[end] - weight[begin] - less_weight + _PULL * unit
        found: Floats = np.maximum(above / below, 0.0)
        return found


def fit_error_scale(predicted: Floats, error: Floats, weight: Floats) -> tuple[ErrorScale, Floats]:
    """Return the scale, and the size of errors around each row that is given."""
    order = np.argsort(predicted, kind="stable")
    scale = ErrorScale(predicted[order], np.abs(error[order]), weight[order])
    sizes = np.empty(len(order))
    sizes[order] = scale.of_known()
    return scale, sizes
