"""What lies over the regions of a boundary: rows, margins, support vectors."""

from typing import Any

import numpy as np
import numpy.typing as npt

from branchline._column_places import ColumnPlaces
from branchline._model_rows import rows_for
from branchline._row_keys import scramble
from branchline.charts._marks import Mark, Points
from branchline.charts.figures._boundary_grid import Answer, Grid
from branchline.charts.figures._contours import contour
from branchline.errors import DataError, Repair
from branchline.table import Table

__all__ = ["margin_lines", "row_marks", "truth_marks"]

Floats = npt.NDArray[np.float64]
_LARGEST = 22.0  # pixels across, of the row with the largest weight
_SMALLEST = 2.0


def row_marks(
    grid: Grid, answer: Answer, truth: npt.NDArray[Any] | None, weights: Floats | None
) -> list[Mark]:
    """Return dots for the rows, those of a class in the color of its regions."""
    if truth is None:
        return []
    x, y = (_spread(places, which) for which, places in enumerate(grid.places))
    _check_lengths(len(x), truth, weights)
    sizes = None if weights is None else _sizes(weights)
    if not answer.names:
        return [Points(x, y, "rows", "ink", size=3.0 if sizes is None else sizes, symbol="circle")]
    told = np.array([str(name) for name in truth.tolist()])
    names = [*answer.names, *sorted(set(told.tolist()) - set(answer.names))]
    marks: list[Mark] = []
    for name in names:
        rows = told == name
        if rows.any():
            size = None if sizes is None else sizes[rows]
            marks.append(Points(x[rows], y[rows], name, size=size))
    return marks


def _check_lengths(n_rows: int, truth: npt.NDArray[Any], weights: Floats | None) -> None:
    for name, given in (("y", truth), ("sample_weight", weights)):
        if given is not None and len(given) != n_rows:
            raise DataError(
                f"{name} has {len(given):,} entries, X has {n_rows:,} rows.",
                code="D484",
                repair=Repair("boundaries(model, X, y, columns=(...))  # of the same rows"),
            )


def _sizes(weights: Floats) -> Floats:
    """Return diameters whose areas are the weights."""
    largest = float(np.nanmax(weights, initial=0.0))
    share = (
        np.sqrt(np.clip(np.nan_to_num(weights), 0.0, None) / largest)
        if largest > 0
        else weights * 0
    )
    return np.maximum(_LARGEST * share, _SMALLEST)


def _spread(places: ColumnPlaces, which: int) -> Floats:
    """Return where rows stand; those of one category are spread over its cell, by their number."""
    at = places.of_rows()
    if not places.names:
        return at
    keys = scramble(np.arange(len(at), dtype=np.uint64) * np.uint64(2) + np.uint64(which))
    share = keys.astype(np.float64) / 2.0**64
    return at + 0.7 * (share - 0.5)


def truth_marks(places: ColumnPlaces, truth: npt.NDArray[Any] | None) -> list[Mark]:
    """Return the rows behind a curve of numbers."""
    if truth is None:
        return []
    x = _spread(places, 0)
    _check_lengths(len(x), truth, None)
    return [Points(x, truth.astype(np.float64), "rows", 0, symbol="circle")]


def margin_lines(
    model: Any, grid: Grid, table: Table, truth: npt.NDArray[Any] | None
) -> list[Mark]:
    """Return where f = −1, 0, 1 for a support vector machine of two classes, and its vectors."""
    is_machine = hasattr(model, "support_") or hasattr(model, "margin_")
    classes = getattr(model, "classes_", ())
    is_flat = not any(places.names for places in grid.places)
    if not is_machine or len(classes) != 2 or not hasattr(model, "decision_function"):
        return []
    marks: list[Mark] = []
    if is_flat:
        values = np.asarray(model.decision_function(rows_for(model, grid.rows)), dtype=np.float64)
        field = values.reshape(grid.shape[::-1])
        x, y = (places.at for places in grid.places)
        lines = [(-1.0, "margin", "quiet"), (0.0, "boundary", "ink"), (1.0, "margin", "quiet")]
        drawn = [contour(x, y, field, level, name, color) for level, name, color in lines]
        marks += [line for line in drawn if len(line.x)]
    rows = _support(model, table, truth)
    if len(rows):
        x, y = (_spread(places, which)[rows] for which, places in enumerate(grid.places))
        marks.append(Points(x, y, "support vectors", "ink", size=13.0, symbol="ring"))
    return marks


def _support(model: Any, table: Table, truth: npt.NDArray[Any] | None) -> npt.NDArray[np.intp]:
    """Return the support vectors among the rows; none where these are not the training rows.

    A support vector is not beyond its margin: y f(x) ≤ 1, with some tolerance of the solver.
    """
    rows = np.asarray(getattr(model, "support_", ()), dtype=np.intp)
    if truth is None or not len(rows) or rows.max() >= table.n_rows:
        return rows[:0]
    sign = np.where(truth[rows] == model.classes_[1], 1.0, -1.0)
    reach = sign * np.asarray(model.decision_function(rows_for(model, table.rows(rows))))
    return rows if bool((reach <= 1.1).all()) else rows[:0]
