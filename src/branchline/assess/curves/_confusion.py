"""The confusion matrix: how often each class was taken for each other, and what that costs."""

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from branchline._drawable import Drawable
from branchline._intervals import Interval, wilson_interval
from branchline._plain_numbers import percent
from branchline._result_frame import Library, result_frame
from branchline.assess._outcome import Outcome

if TYPE_CHECKING:
    from branchline.charts import Chart

__all__ = ["Confusion", "confusion"]

_WIDEST = 14


@dataclass(frozen=True, eq=False)
class Confusion(Drawable):
    """How often class i was taken for class j; print it to read it.

    Parameters
    ----------
    counts
        Rows of class i that were predicted as j.
    classes
        The names of the classes.
    costs
        What each cell costs a row.

    See Also
    --------
    confusion : return the confusion matrix of an outcome.

    Examples
    --------
    >>> import numpy as np
    >>> from branchline.assess import Outcome
    >>> from branchline.assess.curves import confusion
    >>> truth, predicted = np.array([0, 0, 1, 1, 1]), np.array([0, 1, 1, 1, 0])
    >>> int(confusion(Outcome(truth, predicted, classes=("no", "yes"))).counts.trace())
    3
    """

    counts: npt.NDArray[np.int64]
    classes: tuple[Any, ...]
    costs: npt.NDArray[np.float64]

    def to_frame(self, library: Library = "pandas") -> Any:
        """Return a row for each pair of classes: true, predicted, rows, cost of a row."""
        names = [str(name) for name in self.classes]
        columns = {
            "true": [name for name in names for _ in names],
            "predicted": names * len(names),
            "rows": self.counts.ravel(),
            "cost": self.costs.ravel(),
        }
        return result_frame(columns, library)

    def to_dict(self) -> dict[str, Any]:
        """Return the matrix as plain data."""
        names = [str(name) for name in self.classes]
        return {"classes": names, "counts": self.counts.tolist(), "costs": self.costs.tolist()}

    def _chart(self) -> "Chart":
        from branchline.charts import draw_confusion

        costs = None if _are_usual(self.costs) else self.costs
        return draw_confusion(self.counts, [str(name) for name in self.classes], costs=costs)

    @property
    def accuracy(self) -> Interval:
        """The share of rows on the diagonal, with Wilson's interval."""
        return wilson_interval(int(np.trace(self.counts)), int(self.counts.sum()))

    @property
    def total_cost(self) -> float:
        """What all decisions cost together."""
        return float((self.counts * self.costs).sum())

    def recall(self, place: int) -> Interval | None:
        """Return the share of a class that is found; None when there is no row of it."""
        n_rows = int(self.counts[place].sum())
        return wilson_interval(int(self.counts[place, place]), n_rows) if n_rows else None

    def precision(self, place: int) -> Interval | None:
        """Return the share of rows predicted as a class that belong to it; None without any."""
        n_predicted = int(self.counts[:, place].sum())
        return wilson_interval(int(self.counts[place, place]), n_predicted) if n_predicted else None

    def __str__(self) -> str:
        names = [_short(name) for name in self.classes]
        width = max([len(name) for name in names] + [5])
        heads = "  ".join(f"{name:>{width}}" for name in names)
        lines = [f"{'true ↓ predicted →':<{max(width, 18)}}  {heads}  {'found':>6}"]
        for place, name in enumerate(names):
            cells = "  ".join(f"{count:>{width},}" for count in self.counts[place])
            found = self.recall(place)
            share = "–" if found is None else percent(found.estimate)
            lines.append(f"{name:<{max(width, 18)}}  {cells}  {share:>6}")
        return "\n".join(lines)

    __repr__ = __str__


def confusion(outcome: Outcome) -> Confusion:
    """Return the confusion matrix of an outcome.

    See Also
    --------
    Confusion : how often class i was taken for class j.

    Examples
    --------
    >>> import numpy as np
    >>> from branchline.assess import Outcome
    >>> from branchline.assess.curves import confusion
    >>> truth, predicted = np.array([0, 0, 1, 1, 1]), np.array([0, 1, 1, 1, 0])
    >>> confusion(Outcome(truth, predicted, classes=("no", "yes"))).counts.tolist()
    [[1, 1], [1, 2]]
    """
    assert outcome.classes is not None
    n_classes = len(outcome.classes)
    pairs = outcome.truth.astype(np.int64) * n_classes + outcome.predicted.astype(np.int64)
    counts = np.bincount(pairs, minlength=n_classes**2).reshape(n_classes, n_classes)
    return Confusion(counts.astype(np.int64), outcome.classes, outcome.cost_matrix)


def _are_usual(costs: npt.NDArray[np.float64]) -> bool:
    """Return whether every error costs 1."""
    return bool((costs == 1 - np.eye(len(costs))).all())


def _short(name: Any) -> str:
    text = str(name)
    return text if len(text) <= _WIDEST else text[: math.floor(_WIDEST - 1)] + "…"
