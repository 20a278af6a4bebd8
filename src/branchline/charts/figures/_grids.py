"""Scores over a grid of two parameters, as a heat map."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from branchline._plain_numbers import cell as number_cell
from branchline._plain_numbers import fixed
from branchline.charts._axis import Axis
from branchline.charts._chart import Chart
from branchline.charts._marks import Cells

__all__ = ["draw_grid"]

_MOST_WORDED = 12


def draw_grid(
    scores: Any,
    rows: Sequence[Any],
    columns: Sequence[Any],
    *,
    names: tuple[str, str],
    measure: str,
) -> Chart:
    """Draw a score for each pair of values; the best cells are the strongest.

    Parameters
    ----------
    scores
        A row for each value of the first parameter, a column for each value of the second.
    rows, columns
        The values of the two parameters: numbers, or texts.
    names
        The names of the two parameters.
    measure
        What the score measures.
    """
    table = np.asarray(scores, dtype=np.float64)
    best = divmod(int(np.nanargmax(table)), table.shape[1])
    words: tuple[tuple[str, ...], ...] = ()
    if len(columns) <= _MOST_WORDED:
        words = tuple(tuple(fixed(float(one), 2) for one in row) for row in table)
    told = (
        f"Best: {fixed(float(table[best]))} at {names[0]} {_cell(rows[best[0]])} and {names[1]} "
        f"{_cell(columns[best[1]])}. The best of many is too good to be true."
    )
    mark = Cells(
        np.arange(len(columns) + 1) - 0.5,
        np.arange(len(rows) + 1) - 0.5,
        table,
        words=words,
        name=measure,
    )
    return Chart(
        (mark,),
        Axis(names[1], categories=tuple(_cell(one) for one in columns)),
        Axis(names[0], categories=tuple(_cell(one) for one in rows)),
        f"{measure[:1].upper()}{measure[1:]} over {names[0]} and {names[1]}",
        told,
    )


def _cell(value: Any) -> str:
    return value if isinstance(value, str) else number_cell(value, 3)
