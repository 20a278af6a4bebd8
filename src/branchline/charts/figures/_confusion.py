"""The confusion matrix as a grid: a row for each true class, a column for each predicted one."""

from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from branchline._plain_numbers import number as plain
from branchline._plain_numbers import percent
from branchline.charts._axis import Axis
from branchline.charts._chart import Chart
from branchline.charts._marks import Cells

__all__ = ["draw_confusion"]

_MOST_WORDED = 12  # classes; cells of more have no room for shares


def draw_confusion(
    counts: npt.ArrayLike,
    names: Sequence[str],
    *,
    costs: npt.ArrayLike | None = None,
    title: str = "True and predicted classes",
    words: str = "",
) -> Chart:
    """Draw how often each class was taken for each other.

    Parameters
    ----------
    counts
        Rows of class i (down) that were predicted as class j (across).
    names
        The names of the classes.
    costs
        What each cell costs a row, shown below its count; None (default): nothing is shown.
    title, words
        As in a ``Chart``. Defaults "True and predicted classes", "".

    See Also
    --------
    Chart : a chart, as data.

    Examples
    --------
    >>> from branchline.charts import draw_confusion
    >>> draw_confusion([[5, 1], [0, 9]], ["no", "yes"]).marks[0].words
    (('5 (83 %)', '1 (17 %)'), ('·', '9 (100 %)'))
    """
    table = np.asarray(counts, dtype=np.int64)
    share = table / np.maximum(1, table.sum(axis=1, keepdims=True))
    edges = np.arange(len(names) + 1) - 0.5
    told = _told(table, share, None if costs is None else np.asarray(costs, dtype=np.float64))
    cells = Cells(
        edges,
        edges,
        1.0 - np.eye(len(names)),
        names=("right", "wrong"),
        strength=share,
        words=told,
    )
    classes = tuple(str(name) for name in names)
    said = words or f"{title}. " + "; ".join(
        f"of {int(row.sum()):,} {name}, {int(row[place]):,} are found"
        for place, (name, row) in enumerate(zip(classes, table, strict=True))
    )
    return Chart(
        (cells,),
        Axis("predicted", categories=classes),
        Axis("true", categories=classes),
        title,
        "Shares are of the true class.",
        said,
    )


def _told(
    counts: npt.NDArray[np.int64], share: Any, costs: npt.NDArray[np.float64] | None
) -> tuple[tuple[str, ...], ...]:
    """Return the words of each cell: its count and share, and what it costs a row."""
    rows = []
    for truth, row in enumerate(counts.tolist()):
        cells = []
        for predicted, n_rows in enumerate(row):
            text = f"{n_rows:,}" if n_rows else "·"
            if n_rows and len(counts) <= _MOST_WORDED:
                text += f" ({percent(float(share[truth, predicted]))})"
            if costs is not None and costs[truth, predicted]:
                text += f"\ncost {plain(float(costs[truth, predicted]))}"
            cells.append(text)
        rows.append(tuple(cells))
    return tuple(rows)
