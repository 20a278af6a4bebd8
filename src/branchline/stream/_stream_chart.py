"""The accuracy of learners on a stream, as a chart."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from branchline._arrays import Floats
from branchline.charts import Axis, Band, Chart, Line, Rule

if TYPE_CHECKING:
    from branchline.stream._stream_result import StreamResult

__all__ = ["draw_results"]

_MOST_POINTS = 80
_MOST_RULES = 6


def draw_results(results: "Sequence[StreamResult]") -> Chart:
    """Return the accuracy of successive stretches of the stream, and when errors rose.

    Parameters
    ----------
    results
        What ``evaluate_stream`` returned, for one learner or several on the same rows.

    See Also
    --------
    Chart : a chart, as data.

    Examples
    --------
    >>> from branchline import load_dataset
    >>> from branchline.stream import HoeffdingTreeClassifier, draw_results, evaluate_stream
    >>> rows = load_dataset("german-credit")
    >>> found = evaluate_stream(HoeffdingTreeClassifier(), rows, target="class")
    >>> len(draw_results([found]).marks)
    2
    """
    marks: list[Any] = []
    for place, result in enumerate(results):
        rows, shares, errors = _stretches(result)
        if len(results) == 1:
            low, high = np.maximum(0, shares - 2 * errors), np.minimum(1, shares + 2 * errors)
            marks.append(Band(rows, low, high, "± 2 standard errors", place))
        marks.append(Line(rows, shares, result.learner, place))
    if len(results) == 1:
        marks += [Rule(float(entry.since)) for entry in results[0].diary[:_MOST_RULES]]
        title = f"Accuracy of {results[0].learner} as rows come"
    else:
        title = "Accuracy of learners as rows come"
    note = "Each row was predicted before it was learned from."
    if len(results) == 1 and results[0].diary:
        note += " Dashed: errors rose."
    return Chart(
        tuple(marks), Axis("row", form="whole"), Axis("accuracy", form="percent"), title, note
    )


def _stretches(result: Any) -> tuple[Floats, Floats, Floats]:
    """Return the middle row, the accuracy and its standard error of up to 80 stretches."""
    ends = np.r_[-1, result.curve_rows]
    sizes = np.diff(ends).astype(float)
    parts = np.array_split(np.arange(len(sizes)), min(_MOST_POINTS, len(sizes)))
    n_rows = np.array([sizes[part].sum() for part in parts])
    hits = np.array([(sizes[part] * result.curve_accuracy[part]).sum() for part in parts])
    shares = hits / n_rows
    middle = np.array([(ends[part[0]] + ends[part[-1] + 1] + 1) / 2 for part in parts])
    return middle, shares, np.sqrt(shares * (1 - shares) / n_rows)
