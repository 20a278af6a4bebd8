"""Curves of formulas: impurities of a node, losses of a margin, impurity against a threshold."""

from typing import Any

import numpy as np
import numpy.typing as npt

from branchline._plain_numbers import cell
from branchline._validation import OneOf, check_parameters
from branchline.charts._axis import Axis
from branchline.charts._chart import Chart
from branchline.charts._marks import Line, Points, Rule
from branchline.errors import DataError, Repair

__all__ = ["impurity_by_threshold", "impurity_curves", "margin_losses"]

Floats = npt.NDArray[np.float64]


def impurity_curves() -> Chart:
    """Draw entropy, Gini impurity and error of a node of two classes against the share of one.

    Entropy is −p log₂ p − (1 − p) log₂ (1 − p), Gini impurity 2 p (1 − p), the error min(p, 1 − p).

    See Also
    --------
    Chart : a chart, as data.

    Examples
    --------
    >>> from branchline.charts import impurity_curves
    >>> [float(line.y.max()) for line in impurity_curves().marks]
    [1.0, 0.5, 0.5]
    """
    p = np.linspace(0.0, 1.0, 201)
    shares = np.column_stack([p, 1 - p])
    marks = tuple(
        Line(p, _IMPURITIES[name](shares), name, dashed=place == 2)
        for place, name in enumerate(_IMPURITIES)
    )
    axes = Axis("share of one class", (0.0, 1.0)), Axis("impurity", (0.0, 1.05))
    return Chart(marks, *axes, "Impurity of a node of two classes")


def _entropy(shares: Floats) -> Floats:
    logs = np.log2(shares, out=np.zeros_like(shares), where=shares > 0)
    found: Floats = np.abs(-(shares * logs).sum(axis=1))
    return found


def _gini(shares: Floats) -> Floats:
    found: Floats = 1.0 - (shares**2).sum(axis=1)
    return found


def _error(shares: Floats) -> Floats:
    found: Floats = 1.0 - shares.max(axis=1)
    return found


_IMPURITIES = {"entropy": _entropy, "gini": _gini, "error": _error}


def margin_losses() -> Chart:
    """Draw the losses of a margin y f(x) that classifiers minimize, scaled to 1 at a margin of 0.

    0-1 loss (m ≤ 0), hinge max(0, 1 − m), logistic log₂(1 + e^−m), exponential e^−m and squared
    (1 − m)².

    See Also
    --------
    Chart : a chart, as data.

    Examples
    --------
    >>> from branchline.charts import margin_losses
    >>> len(margin_losses().marks)
    5
    """
    # The margin 0 is there twice, so that the 0-1 loss falls straight down.
    m = np.sort(np.append(np.linspace(-2.0, 3.0, 201), 0.0))
    losses = {
        "0-1": (np.arange(len(m)) <= int(np.searchsorted(m, 0.0))).astype(np.float64),
        "hinge": np.maximum(0.0, 1.0 - m),
        "logistic": np.log2(1.0 + np.exp(-m)),
        "exponential": np.exp(-m),
        "squared": (1.0 - m) ** 2,
    }
    top = 4.0
    marks = tuple(
        Line(m, np.where(loss <= top, loss, np.nan), name, "ink" if name == "0-1" else None)
        for name, loss in losses.items()
    )
    return Chart(marks, Axis("margin y f(x)"), Axis("loss", (0.0, top)), "Losses of a margin")


def impurity_by_threshold(x: Any, y: Any, *, criterion: str = "entropy", name: str = "x") -> Chart:
    """Draw the mean impurity of the two sides of a threshold, for every threshold of a column.

    Parameters
    ----------
    x
        The numbers of one column; rows with a missing number are left out.
    y
        The class of each row.
    criterion
        "entropy" (default), "gini" or "error".
    name
        The name of the column. Default "x".

    See Also
    --------
    Chart : a chart, as data.

    Examples
    --------
    >>> from branchline.charts import impurity_by_threshold
    >>> chart = impurity_by_threshold([1, 2, 3, 4], ["a", "a", "b", "b"])
    >>> float(chart.marks[0].y.min())
    0.0
    """
    check_parameters(
        "impurity_by_threshold", {"criterion": criterion}, {"criterion": OneOf(tuple(_IMPURITIES))}
    )
    values, counts = _counted(x, y)
    below = counts.cumsum(axis=0)[:-1]
    above = counts.sum(axis=0) - below
    thresholds = values[:-1] / 2 + values[1:] / 2
    measure, total = _IMPURITIES[criterion], float(counts.sum())
    mean = sum(
        side.sum(axis=1) / total * measure(side / side.sum(axis=1, keepdims=True))
        for side in (below, above)
    )
    whole = float(measure(counts.sum(axis=0, keepdims=True) / total)[0])
    best = int(np.argmin(mean))
    at = float(thresholds[best])
    marks = (
        Line(thresholds, mean, "after the split", 0, dots=len(thresholds) <= 40),
        Rule(whole, "y", "before the split"),
        Rule(at, "x", f"best: {cell(at, 4)}"),
        Points([at], [mean[best]], "", 1, size=10.0, symbol="circle"),
    )
    title = f"Mean {criterion} of both sides of a threshold"
    # Above the line of the whole there is room for the words of both lines.
    room = max(whole - float(mean.min()), 1e-3 * max(whole, 1.0))
    ends = float(mean.min()) - 0.06 * room, whole + 0.22 * room
    return Chart(marks, Axis(f"threshold of {name}"), Axis(criterion, ends), title)


def _counted(x: Any, y: Any) -> tuple[Floats, Floats]:
    """Return the different numbers, and the rows of each class (columns) that have each."""
    numbers, classes = np.asarray(x, dtype=np.float64), np.asarray(y)
    kept = np.isfinite(numbers)
    values, places = np.unique(numbers[kept], return_inverse=True)
    names, codes = np.unique(classes[kept], return_inverse=True)
    if len(values) < 2 or len(names) < 2:
        raise DataError(
            f"A threshold needs at least two different numbers and two classes; there are "
            f"{len(values)} and {len(names)}.",
            code="D481",
            repair=Repair("impurity_by_threshold(X.column('age').numbers(), y)"),
        )
    counts = np.bincount(places * len(names) + codes, minlength=len(values) * len(names))
    return values, counts.reshape(len(values), len(names)).astype(np.float64)
