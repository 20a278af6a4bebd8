"""The sum of rewards while a policy is learned, as a chart."""

import numpy as np

from branchline._arrays import Floats
from branchline.charts import Axis, Band, Chart, Line

__all__ = ["draw_returns"]

_MOST_POINTS = 100


def draw_returns(returns: Floats, method: str) -> Chart:
    """Return the mean sum of rewards of successive episodes, with two standard errors."""
    parts = np.array_split(returns, min(_MOST_POINTS, len(returns)))
    ends = np.cumsum([len(part) for part in parts]).astype(float)
    means = np.array([part.mean() for part in parts])
    errors = np.array([part.std() / np.sqrt(len(part)) for part in parts])
    marks = (
        Band(ends, means - 2 * errors, means + 2 * errors, "± 2 standard errors", 0),
        Line(ends, means, "mean sum of rewards", 0),
    )
    title = f"{method}: rewards while learning"
    return Chart(marks, Axis("episodes", form="whole"), Axis("sum of rewards"), title)
