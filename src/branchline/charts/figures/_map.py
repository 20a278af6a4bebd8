"""A plane of a self-organizing map: a number for each unit."""

from typing import Any

import numpy as np

from branchline._plain_numbers import cell
from branchline.charts._axis import Axis
from branchline.charts._chart import Chart
from branchline.charts._marks import Cells

__all__ = ["draw_map"]


def draw_map(values: Any, name: str, edges: tuple[Any, Any]) -> Chart:
    """Draw a number for each unit of a map, the largest strongest.

    Parameters
    ----------
    values
        A row for each row of the map, the first at the bottom.
    name
        What the numbers are.
    edges
        The ends of the cells, from left to right and from bottom to top.
    """
    table = np.asarray(values, dtype=np.float64)
    low, high = float(table.min()), float(table.max())
    told = f"From {cell(low, 3)} (light) to {cell(high, 3)} (strong)."
    mark = Cells(edges[0], edges[1], table, name=name)
    return Chart((mark,), Axis("map column"), Axis("map row"), name, told)
